// tests/kernels/abi_test.cpp - words, tags, envelopes and payloads: what goes in comes out.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "kernels/abi/payload.cuh"

namespace {

using namespace perdure::abi;

std::vector<unsigned char> pattern(u32 bytes) {
  std::vector<unsigned char> out(bytes);
  for (u32 i = 0; i < bytes; ++i) out[i] = static_cast<unsigned char>(i * 37 + 11);
  return out;
}

TEST(Payload, EverySizeComesBackAsItWentIn) {
  for (u32 bytes = 0; bytes <= inline_payload; ++bytes) {
    const auto in = pattern(bytes);
    const u32 words = words_for(bytes);
    word w[max_words + 1];
    std::memset(w, 0xee, sizeof(w));
    w[0] = {envelope_lo(1, 2, 3, words), 0};
    pack_bytes(w, in.data(), bytes, 0x00a1b2c3d4e5f6, words);
    for (u32 k = 0; k < words; ++k) w[k] = tagged(w[k], 70 + k, 6, k == 0);
    std::vector<unsigned char> out(bytes);
    unpack_bytes(out.data(), w, bytes, words);
    EXPECT_EQ(in, out) << bytes;
    EXPECT_EQ(wire_stamp(w[1]), 0x00a1b2c3d4e5f6U) << bytes;
    EXPECT_EQ(w[words].lo, 0xeeeeeeeeeeeeeeeeU) << "wrote past word " << words;
  }
}

TEST(Payload, WholeWordsUnpackToTheSameBytesInTheirRoom) {
  for (u32 bytes = 0; bytes <= inline_payload; ++bytes) {
    const auto in = pattern(bytes);
    const u32 words = words_for(bytes);
    word w[max_words];
    pack_bytes(w, in.data(), bytes, 0x00a1b2c3d4e5f6, words);
    for (u32 k = 1; k < words; ++k) w[k] = tagged(w[k], 70 + k, 6, false);
    constexpr unsigned char untouched = 0xee;
    std::vector<unsigned char> out(unpacked_room(words) + 1, untouched);
    unpack_words(out.data(), w, words);
    EXPECT_TRUE(std::equal(in.begin(), in.end(), out.begin())) << bytes;
    EXPECT_EQ(out.back(), untouched) << bytes << " bytes: wrote past its room";
  }
}

/// The host's bytes and the device's pieces must agree on every word and every byte.
template <u32 Pieces>
void pieces_agree(u32 bytes) {
  const auto in = pattern(bytes);
  u32 raw[Pieces] = {};
  std::memcpy(raw, in.data(), bytes);
  const u32 words = words_for(bytes);
  constexpr u64 clock = 0x00f1e2d3c4b5a6;
  word by_bytes[max_words];
  pack_bytes(by_bytes, in.data(), bytes, clock, words);
  for (u32 k = 1; k < words; ++k) {
    const word w = payload_word(raw, static_cast<int>(k), clock);
    EXPECT_EQ(w.lo, by_bytes[k].lo) << "word " << k << " of " << bytes << " bytes";
    EXPECT_EQ(w.hi & data_mask, by_bytes[k].hi & data_mask)
        << "word " << k << " of " << bytes << " bytes";
  }
  for (u32 k = 1; k < words; ++k) by_bytes[k] = tagged(by_bytes[k], k, 8, false);
  u32 back[Pieces] = {};
  for (u32 i = 0; i < (bytes + 3) / 4; ++i) {
    back[i] = payload_piece([&](int k) { return by_bytes[k]; }, static_cast<int>(i),
                            static_cast<int>(words));
  }
  EXPECT_EQ(std::memcmp(back, in.data(), bytes), 0) << bytes;
}

TEST(Payload, PiecesAndBytesAgreeForEverySize) {
  for (u32 bytes = 1; bytes <= inline_payload; ++bytes) pieces_agree<inline_payload / 4>(bytes);
}
/// Long ones stand in the ring to the host as short ones do, but for the number of their words.
TEST(Payload, PiecesInMemoryGiveTheSameWords) {
  constexpr u64 clock = 0x00f1e2d3c4b5a6;
  for (const u32 bytes : {u32{9}, u32{23}, inline_payload, u32{241}, u32{1'008}, max_payload}) {
    const auto in = pattern(bytes);
    std::vector<u32> raw((bytes + 3) / 4);
    std::memcpy(raw.data(), in.data(), bytes);
    const u32 words = (header_bytes + bytes + word_bytes - 1) / word_bytes;
    for (u32 k = 1; k < words; ++k) {
      const word w = word_of_pieces([&](u32 i) { return i < raw.size() ? raw[i] : 0U; }, k, clock);
      const word same = word_of_bytes(in.data(), bytes, k, clock);
      ASSERT_EQ(w.lo, same.lo) << "word " << k << " of " << bytes << " bytes";
      ASSERT_EQ(w.hi & data_mask, same.hi & data_mask) << "word " << k << " of " << bytes;
    }
    const u32 parts = parts_for(bytes);
    EXPECT_EQ(parts == 0, bytes <= inline_payload);
    if (parts == 0) continue;
    EXPECT_GE(parts * max_words, words);
    EXPECT_LT((parts - 1) * max_words, words) << "one less would not do";
  }
}
TEST(Payload, PiecesOfTheExactCountAreReadNoFurther) {
  pieces_agree<1>(1);
  pieces_agree<2>(8);
  pieces_agree<3>(9);
  pieces_agree<6>(23);
  pieces_agree<10>(38);
  pieces_agree<10>(39);
}
TEST(Payload, PaddingOfTheLastWordIsZero) {
  for (u32 bytes = 0; bytes < inline_payload; ++bytes) {
    const auto in = pattern(bytes);
    word w[max_words];
    const u32 words = words_for(bytes);
    pack_bytes(w, in.data(), bytes, 0, words);
    std::vector<unsigned char> wide(word_bytes * words - header_bytes);
    unpack_bytes(wide.data(), w, static_cast<u32>(wide.size()), words);
    for (std::size_t i = bytes; i < wide.size(); ++i)
      EXPECT_EQ(wide[i], 0) << bytes << " bytes, at " << i;
  }
}
TEST(Payload, AnEmptyOneMayBeNullAndStillCarriesTheClock) {
  word w[2] = {};
  pack_bytes(w, nullptr, 0, 0x00a1b2c3d4e5f6, words_for(0));
  EXPECT_EQ(wire_stamp(w[1]), 0x00a1b2c3d4e5f6U);
  EXPECT_EQ(w[1].hi, 0U);
  unpack_bytes(nullptr, w, 0, words_for(0));
}

TEST(Word, SixtyFourBytesCarryThirtyEightOfTheUsers) {
  EXPECT_EQ(words_for(38), 4U);
  EXPECT_EQ(words_for(39), 5U);
  EXPECT_EQ(words_for(0), 2U);
  EXPECT_EQ(words_for(inline_payload + 1), words_for(8));
}
TEST(Word, IsReadyInItsOwnLapOnly) {
  constexpr u32 shift = 4;
  for (u64 pos = 0; pos < 127 * 16 * 3; ++pos) {
    const word w = tagged({1, 2}, pos, shift, false);
    EXPECT_TRUE(is_ready(w, pos, shift)) << pos;
    EXPECT_FALSE(is_ready(w, pos + 16, shift)) << "the lap after, from " << pos;
    EXPECT_FALSE(pos >= 16 && is_ready(w, pos - 16, shift)) << "the lap before, from " << pos;
  }
}
TEST(Word, ZeroedMemoryIsNotReadyInTheFirstLap) {
  for (u64 pos = 0; pos < 64; ++pos) EXPECT_FALSE(is_ready(word{0, 0}, pos, 6));
}
TEST(Word, TheMarkOfAFirstWordChangesNothingElse) {
  const word plain = tagged({5, 6}, 99, 4, false);
  const word first = tagged({5, 6}, 99, 4, true);
  EXPECT_TRUE(is_first(first));
  EXPECT_FALSE(is_first(plain));
  EXPECT_TRUE(is_ready(first, 99, 4));
  EXPECT_EQ(first.hi & ~(u64{1} << 63U), plain.hi);
}
TEST(Word, ATagHidesNoData) {
  const word w = tagged({~u64{0}, ~u64{0}}, 1, 4, true);
  EXPECT_EQ(w.lo, ~u64{0});
  EXPECT_EQ(w.hi & data_mask, data_mask);
}

TEST(Envelope, FieldsAreIndependentAtTheirLimits) {
  for (u32 index : {0U, 1U, 0xffffffffU}) {
    for (u32 generation : {0U, 1U, 0xffffU}) {
      for (u32 handler : {0U, 1U, max_handlers - 1}) {
        for (u32 words : {2U, max_words}) {
          const word w =
              tagged({envelope_lo(index, generation, handler, words), data_mask}, 0, 6, true);
          EXPECT_EQ(receiver_index(w), index);
          EXPECT_EQ(receiver_generation(w), generation);
          EXPECT_EQ(handler_of(w), handler);
          EXPECT_EQ(words_of(w), words);
          EXPECT_EQ(sender_of(w), data_mask);
        }
      }
    }
  }
}
TEST(Envelope, AnAskIsToldFromAnActor) {
  const u64 ask = ask_sender(0xffffffffU);
  EXPECT_EQ(ref_type(ask), ask_type);
  EXPECT_EQ(ref_index(ask), 0xffffffffU);
  EXPECT_EQ(ask & data_mask, ask) << "must survive 56 bits";
  EXPECT_NE(ref_type(make_ref(1, 1, max_actor_types, 0)), ask_type);
}
TEST(Ref, FieldsAreIndependentAtTheirLimits) {
  const u64 r = make_ref(0xfffffffeU, 0xffff, 253, 255);
  EXPECT_EQ(ref_index(r), 0xfffffffeU);
  EXPECT_EQ(ref_generation(r), 0xffffU);
  EXPECT_EQ(ref_type(r), 253U);
  EXPECT_EQ(ref_system(r), 255U);
}

TEST(Stamp, ComesBackFromTheWireWithinHalfARangeBothWays) {
  const u64 range = u64{1} << 56U;
  for (u64 local : {range / 2, range - 5, range, range + 5, 3 * range - 1, 3 * range + 1,
                    200 * range + 12345}) {
    for (u64 apart : {u64{0}, u64{1}, u64{1000}, range / 4, range / 2 - 1}) {
      EXPECT_EQ(stamp_from_wire(stamp_to_wire(local + apart), local), local + apart)
          << local << " + " << apart;
      if (local >= apart) {
        EXPECT_EQ(stamp_from_wire(stamp_to_wire(local - apart), local), local - apart)
            << local << " - " << apart;
      }
    }
  }
}
TEST(Stamp, ALocalClockThatHasJustStartedReadsSmallStampsAsTheyAre) {
  for (u64 stamp : {u64{0}, u64{1}, u64{1} << 40U}) EXPECT_EQ(stamp_from_wire(stamp, 0), stamp);
}

}  // namespace
