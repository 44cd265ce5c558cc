// tests/kernels/wide/ports_test.cpp - ports land whole messages in order and hold what has no room.
// SPDX-License-Identifier: Apache-2.0
#include <random>
#include <utility>

#include "tests/kernels/kinds.hpp"
#include "tests/kernels/wide/wide_world.hpp"

namespace {

using namespace kernel_test;
namespace abi = perdure::abi;

/// 40 bytes: with its stamp exactly four words, so that no word is padding.
struct face {
  u64 number;
  u32 value[8];
};
face face_of(u64 number) {
  face f{number, {}};
  for (u32 i = 0; i < 8; ++i) f.value[i] = static_cast<u32>(number * 100 + i);
  return f;
}

template <class Kind>
class Ports : public ::testing::Test {
 protected:
  using block = typename Kind::block;
  static constexpr u32 tile = 1, ports = abi::max_ports;
  Ports() {
    w.template begin_all<block>();
    for (u32 i = 0; i < 2; ++i) w.spawn(tile, i);
  }
  static shape base() {
    shape s;
    s.lanes = Kind::lanes;
    return s;
  }
  /// Actor 0 sends if it may, as a handler does. @return whether it may.
  bool put(u32 out, const face& f, u64 stamp = 0) {
    abi::link_end& end = w.end(tile, 0, out, false);
    if (!has_room<block>(end)) return false;
    u32 raw[sizeof(face) / 4];
    std::memcpy(raw, &f, sizeof(f));
    write_message<block>(end, raw, stamp);
    ++end.count;
    return true;
  }
  /// Actor 1 lands, if all is there.
  bool land() {
    bring(b, c, w.m, tile, 1);
    return land_at_ports(b, c, w.m, ports, 0, 1);
  }
  const char* landed_at(u32 in) {
    if constexpr (block::whole_links) {
      const abi::link_end& end = c[w.m.ends][in];
      return whole_message(end, end.count + 1);
    } else {
      return reinterpret_cast<const char*>(c[w.m.in]) + c[w.m.landed][in];
    }
  }
  face at(u32 in) {
    face f;
    std::memcpy(&f, landed_at(in), sizeof(f));
    return f;
  }
  void expect_at(u32 in, u64 number) {
    const face got = at(in);
    const face want = face_of(number);
    EXPECT_EQ(std::memcmp(&got, &want, sizeof(face)), 0)
        << "port " << in << ": " << got.number << " in place of " << number;
  }

  wide_world w{base(), {{8, 32, ports, 0, false, 1}}, {{tile, 0, sizeof(face)}}};
  on_chip& c = *w.chips[0];
  block b{Kind::lanes};
};
TYPED_TEST_SUITE(Ports, link_kinds, kind_names);

TYPED_TEST(Ports, MessagesComeInTheOrderSentWithTheirStampsOverManyLaps) {
  this->w.link(1, 0, 3, 1, 5, sizeof(face));
  for (u64 n = 1; n <= 40; ++n) {
    ASSERT_TRUE(this->put(3, face_of(n), n << 33U | n));
    ASSERT_TRUE(this->land());
    this->expect_at(5, n);
    EXPECT_EQ(latest_landed(this->b, this->c, this->w.m), n << 33U | n);
    take_from_ports(this->b, this->c, this->w.m, this->ports, 0);
    EXPECT_EQ(*this->w.end(1, 0, 3, false).taken, n);
  }
}
TYPED_TEST(Ports, ASenderThatIsFasterIsHeldAtTwoMessages) {
  this->w.link(1, 0, 0, 1, 0, sizeof(face));
  ASSERT_TRUE(this->put(0, face_of(1)));
  ASSERT_TRUE(this->put(0, face_of(2)));
  EXPECT_FALSE(this->put(0, face_of(3)));
  ASSERT_TRUE(this->land());
  this->expect_at(0, 1);
  EXPECT_FALSE(this->put(0, face_of(3))) << "landed is not taken";
  take_from_ports(this->b, this->c, this->w.m, this->ports, 0);
  ASSERT_TRUE(this->put(0, face_of(3)));
  EXPECT_FALSE(this->put(0, face_of(4)));
  for (u64 n = 2; n <= 3; ++n) {
    ASSERT_TRUE(this->land());
    this->expect_at(0, n);
    take_from_ports(this->b, this->c, this->w.m, this->ports, 0);
  }
  EXPECT_FALSE(this->land()) << "there was no fourth";
}
TYPED_TEST(Ports, AMessageThatIsNotWholeLandsAgain) {
  this->w.link(1, 0, 0, 1, 0, sizeof(face));
  ASSERT_TRUE(this->put(0, face_of(1)));
  abi::link_end& in = this->w.end(1, 1, 0, true);
  ASSERT_EQ(in.words_a_message, 4U);
  word whole[4];
  std::memcpy(whole, in.words, sizeof(whole));
  for (u32 hidden = 1; hidden < 16; ++hidden) {
    if (TestFixture::block::whole_links && (hidden >> 3U & 1U) == 0)
      continue;  // only the last word tells
    for (u32 k = 0; k < 4; ++k) in.words[k] = (hidden >> k & 1U) != 0 ? word{0, 0} : whole[k];
    EXPECT_FALSE(this->land()) << "words that are missing: " << hidden;
    EXPECT_EQ(*in.taken, 0U);
  }
  std::memcpy(in.words, whole, sizeof(whole));
  ASSERT_TRUE(this->land());
  this->expect_at(0, 1);
}
TYPED_TEST(Ports, NothingLandsBeforeEveryLinkedInPortHasItsMessage) {
  constexpr u32 in[3] = {1, 7, 15};
  for (u32 p = 0; p < 3; ++p) this->w.link(1, 0, p, 1, in[p], sizeof(face));
  for (u64 n = 1; n <= 12; ++n) {
    for (u32 k = 0; k < 3; ++k) {
      EXPECT_FALSE(this->land()) << k << " of 3 are there";
      ASSERT_TRUE(this->put((n + k) % 3, face_of(n * 10 + (n + k) % 3)));
    }
    ASSERT_TRUE(this->land());
    for (u32 p = 0; p < 3; ++p) this->expect_at(in[p], n * 10 + p);
    take_from_ports(this->b, this->c, this->w.m, this->ports, 0);
  }
}
TYPED_TEST(Ports, NothingLandsWithoutRoomAtEveryLinkedOutPort) {
  this->w.link(1, 0, 0, 1, 0, sizeof(face));
  for (u32 p = 0; p < this->ports; ++p) this->w.link(1, 1, p, 0, p, sizeof(face));
  ASSERT_TRUE(this->put(0, face_of(1)));
  for (u32 p = 0; p < this->ports; ++p) {
    put_back(this->b, this->c, this->w.m);
    abi::link_end& out = this->w.end(1, 1, p, false);
    out.count = 2;  // full
    EXPECT_FALSE(this->land()) << "out-port " << p << " is full";
    *out.taken = 1;
    EXPECT_TRUE(this->land()) << "out-port " << p << " has room again";
  }
}
TYPED_TEST(Ports, AMessageThatIsOwedTakesItsRoom) {
  using block = typename TestFixture::block;
  if constexpr (!block::whole_links) {  // there nothing is owed
    constexpr u32 owed = 1U << 3U;
    this->w.link(1, 0, 0, 1, 0, sizeof(face));
    this->w.link(1, 1, 3, 0, 3, sizeof(face));
    ASSERT_TRUE(this->put(0, face_of(1)));
    bring(this->b, this->c, this->w.m, this->tile, 1);
    abi::link_end& out = this->c[this->w.m.ends][abi::max_ports + 3];
    out.count = 1;  // of two slots
    EXPECT_TRUE(land_at_ports(this->b, this->c, this->w.m, this->ports, 0, 1));
    EXPECT_FALSE(land_at_ports(this->b, this->c, this->w.m, this->ports, owed, 1));
    *out.taken = 1;
    EXPECT_TRUE(land_at_ports(this->b, this->c, this->w.m, this->ports, owed, 1));
    take_from_ports(this->b, this->c, this->w.m, this->ports, owed);
    EXPECT_EQ(out.count, 2U);
  }
}
TYPED_TEST(Ports, AllInPortsAreTakenTogether) {
  for (u32 p = 0; p < this->ports; ++p) this->w.link(1, 0, p, 1, p, sizeof(face));
  for (u64 n = 1; n <= 3; ++n) {
    for (u32 p = 0; p < this->ports; ++p) ASSERT_TRUE(this->put(p, face_of(n * 100 + p)));
    ASSERT_TRUE(this->land());
    for (u32 p = 0; p < this->ports; ++p) this->expect_at(p, n * 100 + p);
    take_from_ports(this->b, this->c, this->w.m, this->ports, 0);
    for (u32 p = 0; p < this->ports; ++p)
      EXPECT_EQ(*this->w.end(1, 0, p, false).taken, n) << "port " << p;
  }
}

// Several runs of words a message, several words a lane, runs of one word a lane beside them.
TYPED_TEST(Ports, LongMessagesAndShortOnesLandTogetherWithEveryByte) {
  const std::vector<u32> sizes{2048, 4, 1200, 40, 1148, 4, 256};
  for (u32 p = 0; p < sizes.size(); ++p) this->w.link(1, 0, p, 1, p, sizes[p]);
  std::mt19937 random{3};
  std::vector<std::vector<u32>> sent(sizes.size());
  for (u64 n = 1; n <= 5; ++n) {
    for (u32 p = 0; p < sizes.size(); ++p) {
      EXPECT_FALSE(this->land()) << p << " are there";
      sent[p].assign(sizes[p] / 4, 0);
      for (u32& piece : sent[p]) piece = static_cast<u32>(random());
      abi::link_end& out = this->w.end(1, 0, p, false);
      write_message<typename TestFixture::block>(out, sent[p].data(), n * 100 + p);
      ++out.count;
    }
    if (!TestFixture::block::whole_links) {  // there only the last word tells
      for (u32 tries = 0; tries < 40; ++tries) {
        const auto p = static_cast<u32>(random() % sizes.size());
        const abi::link_end& in = this->w.end(1, 1, p, true);
        word& hidden =
            in.words[place_in_link(in, static_cast<u32>(random() % in.words_a_message), n)];
        const word whole = std::exchange(hidden, word{0, 0});
        EXPECT_FALSE(this->land()) << "a word of message " << n << " at port " << p;
        hidden = whole;
      }
    }
    ASSERT_TRUE(this->land());
    for (u32 p = 0; p < sizes.size(); ++p)
      EXPECT_EQ(std::memcmp(this->landed_at(p), sent[p].data(), sizes[p]), 0) << "port " << p;
    EXPECT_EQ(latest_landed(this->b, this->c, this->w.m), n * 100 + sizes.size() - 1);
    take_from_ports(this->b, this->c, this->w.m, this->ports, 0);
  }
}

TYPED_TEST(Ports, TheClockIsNotBehindWhatLandedHoweverFarThatIsAhead) {
  const std::vector<u64> stamps{5, (u64{1} << 40U) + 7, 9};
  for (u32 p = 0; p < stamps.size(); ++p) {
    this->w.link(1, 0, p, 1, p, sizeof(face));
    ASSERT_TRUE(this->put(p, face_of(p), stamps[p]));
  }
  ASSERT_TRUE(this->land());
  const u64 latest = stamps[1];
  for (const u64 own : {u64{0}, u64{6}, latest - (u64{1} << 32U), latest - ~0U, latest - ~0U + 1,
                        latest - 1, latest, latest + 1, latest + (u64{1} << 33U)}) {
    EXPECT_EQ(merge_landed(this->b, this->c, this->w.m, own, {}), std::max(own, latest)) << own;
  }
}

}  // namespace
