// tests/kernels/together_test.cpp - long chains of one actor's messages, handled together, are what they are one by one.
// Why: which of them on_run() takes is known when it runs only, and nobody may be able to tell: order, stamps, numbers, sends.
// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <random>

#include "tests/kernels/kinds.hpp"

namespace {

using namespace kernel_test;
namespace abi = perdure::abi;

constexpr u32 on_other = 1, actors = 3, sink = 9;
enum request : u64 { plain, forwards, tells, alone, stops };

/// What an actor tells a host: more than a unit of the outbox holds.
struct letter {
  u64 seq, more[11];
};
const u64 mailbox = abi::make_ref(7, 0, abi::mailbox_type, system_number);

struct seen {
  u32 handler, handled;
  u64 seq, sender;
  bool operator==(const seen&) const = default;
};

/// Writes down what it sees, by actor, one message after another.
struct one_by_one {
  std::vector<std::vector<seen>>* by_actor;
  u64 other;  ///< receives what an actor sends

  void operator()(u32 handler, void* state, const message_view& view, lane_state& call) const {
    note_down(handler, *static_cast<cell*>(state), message_of<note>(view), call);
  }
  static letter letter_of(note n) {
    letter l{n.seq, {}};
    for (u64 k = 0; k < std::size(l.more); ++k) l.more[k] = n.seq * k;
    return l;
  }
  void note_down(u32 handler, cell& me, note n, lane_state& call) const {
    EXPECT_GT(call.last_stamp(), me.last_stamp) << "two events of one actor share a stamp";
    me.last_stamp = call.last_stamp();
    ++me.count;
    (*by_actor)[abi::ref_index(call.self)].push_back({handler, call.handled, n.seq, call.asker});
    if (n.value == forwards) {
      const note on{n.seq + 1'000'000, plain};
      send_bytes(call, other, on_note, &on, sizeof(on));
    }
    if (n.value == tells) {
      const letter l = letter_of(n);
      call.send_host(mailbox, 3, payload_bytes{&l, sizeof(l)});
    }
    if (n.value == stops) call.stop();
    me.last_stamp = call.last_stamp();
  }
};

/// Notes are handled together, up to the first one that is to be alone, and sometimes fewer.
struct side_by_side : one_by_one {
  mutable std::mt19937_64 random{3};
  u64* taken = nullptr;                  ///< messages handled together
  u64* beside = nullptr;                 ///< letters that were sent side by side
  u64* refused = nullptr;                ///< times that they had to be sent in turn
  std::map<u64, u64>* stamps = nullptr;  ///< those of these letters, by number
  mutable u64 left_to_on = 0;  ///< number of the message behind the last run that ended early
  u32 most = 32;

  bool others_are_hot = false;  ///< those have a way of their own
  bool is_hot(u32 handler) const { return others_are_hot && handler == on_other; }
  static bool takes_runs(u32 handler) { return handler == on_note; }
  static bool tell(joint_call& joint, u32 letters, u64 to, const std::vector<note>& notes) {
    constexpr u32 words = abi::words_for(sizeof(letter));
    return joint.send_host_beside<words>(letters, to, 3, [&](u32 i) {
      payload_pieces<words> pieces{};
      const letter l = letter_of(notes[i]);
      std::memcpy(pieces.at, &l, sizeof(l));
      return pieces;
    });
  }
  template <class Words>
  u32 together(u32 handler, void* state, u32 count, Words words, joint_call& joint) const {
    EXPECT_EQ(handler, on_note);
    EXPECT_LE(count, 32U);
    EXPECT_GE(count, least_at_once);
    std::vector<note> notes;
    for (u32 i = 0; i < count; ++i)
      notes.push_back(
          message_of<note>(message_view{words(i), joint.mem, abi::words_of(words(i)[0])}));
    EXPECT_NE(notes[0].seq, left_to_on) << "on() is to handle it, as the run before has said";
    u32 n = 0;
    while (n < count && notes[n].value < alone && n < most) ++n;
    if (random() % 4 == 0) n = static_cast<u32>(random() % (n + 1));
    left_to_on = n < count ? notes[n].seq : 0;
    auto& me = *static_cast<cell*>(state);
    u32 letters = 0;
    bool forward = false;
    for (u32 i = 0; i < n; ++i) {
      if (notes[i].value == tells) letters |= 1U << i;
      forward |= notes[i].value == forwards;
    }
    const bool at_once = letters != 0 && !forward;
    for (u32 i = 0; i < n; ++i) {
      note mine = notes[i];
      if (at_once && mine.value == tells) mine.value = plain;
      joint.in_turn(i, abi::sender_of(words(i)[0]),
                    [&](lane_state& call) { note_down(handler, me, mine, call); });
    }
    if (letters != 0) {
      EXPECT_FALSE(tell(joint, letters, 0, notes));
      EXPECT_FALSE(tell(joint, letters, mailbox ^ u64{1} << 56U, notes)) << "another system's";
    }
    if (at_once) {
      // a message is an event, and so is a letter: the one behind the message that brings it
      u64 event = joint.stamp;
      for (u32 i = 0; i < n; ++i) {
        ++event;
        if (notes[i].value == tells) (*stamps)[notes[i].seq] = ++event;
      }
      const u64 last = joint.stamp + n + count_bits(letters);
      if (tell(joint, letters, mailbox, notes)) {
        *beside += count_bits(letters);
      } else {
        ++*refused;
        for (u32 left = letters; left != 0; left &= left - 1) {
          const u32 i = first_bit(left);
          const letter l = letter_of(notes[i]);
          joint.in_turn(i, abi::sender_of(words(i)[0]), [&](lane_state& call) {
            call.send_host(mailbox, 3, payload_bytes{&l, sizeof(l)});
          });
        }
      }
      EXPECT_EQ(joint.stamp + n + joint.sent, last);
      me.last_stamp = last;
    }
    *taken += n;
    return n;
  }
};

/// By sender: stamp and number of its letters.
using letters_told = std::map<u64, std::vector<std::pair<u64, u64>>>;

template <class Kind>
class Together : public one_type<Kind> {
 protected:
  using fixture = one_type<Kind>;
  static shape roomy(bool on_chip) {
    shape s = fixture::base();
    s.ring_shift = 10;
    s.host_shift = 9;
    s.claim_slots = 4;  // actors share some
    s.out_units = 256;
    s.states_on_chip = on_chip;
    return s;
  }
  struct outcome {
    std::vector<std::vector<seen>> by_actor{16};
    letters_told told;
    std::vector<u64> counts;
    u64 handled = 0, dead = 0, exhausted = 0, sent = 0, to_host = 0;
  };
  /// The same messages for each handle.
  template <class Handle>
  static outcome run(u32 seed, bool on_chip, Handle handle, u32 out_units = 256) {
    outcome out;
    handle.by_actor = &out.by_actor;
    shape sized = roomy(on_chip);
    sized.out_units = out_units;
    world w{sized, {{sizeof(cell)}}, {{cell_type, 0, sizeof(note)}, {cell_type, 1, sizeof(note)}}};
    w.template begin_all<typename fixture::block>();
    u64 refs[16] = {};
    for (u32 i = 0; i < actors; ++i) refs[i] = w.spawn(cell_type, i);
    handle.other = w.spawn(cell_type, sink);
    std::mt19937_64 random{seed};
    u64 seq = 0;
    for (u32 round = 0; round < 12; ++round) {
      for (u32 i = 0; i < 100; ++i) {
        const u32 to = random() % 8 != 0 ? 0 : static_cast<u32>(random() % actors);
        const u64 value = random() % (round % 2 == 0 ? 6 : 2000) == 0 ? forwards
                          : random() % 5 == 0                         ? tells
                          : random() % 24 == 0                        ? alone
                          : round == 10 && random() % 60 == 0         ? stops
                                                                      : plain;
        const u32 handler = random() % 20 == 0 ? on_other : on_note;
        EXPECT_TRUE(w.push(refs[to], handler, note{++seq, value}));
      }
      fixture::settle(w, handle);
      perdure::runtime::inbound_message got;
      while (w.host_take(0, got)) {
        if (got.kind != abi::host_kind::mailbox) continue;
        letter l{};
        std::memcpy(&l, got.payload, sizeof(l));
        EXPECT_EQ(l.more[11 - 1], l.seq * 10);
        out.told[got.sender].emplace_back(got.wire_clock, l.seq);
      }
    }
    out.to_host = w.total(abi::counter::to_host);
    for (u32 i = 0; i < actors; ++i)
      out.counts.push_back(w.template state<cell>(cell_type, i).count);
    out.handled = w.total(abi::counter::handled);
    out.sent = w.total(abi::counter::sent);
    out.dead = w.dead(abi::dead_reason::stopped);
    out.exhausted = w.dead(abi::dead_reason::exhausted);
    return out;
  }
};
using wide_enough = ::testing::Types<loops<false, 32>, loops<false, 96>>;
TYPED_TEST_SUITE(Together, wide_enough, kind_names);

/// What comes from several senders may come in any order but each one's.
std::map<u64, std::vector<u64>> by_sender(const std::vector<seen>& all) {
  std::map<u64, std::vector<u64>> out;
  for (const seen& s : all) out[s.sender].push_back(s.seq);
  return out;
}

/// The same letters in the same order, with stamps that rise. @param stamps  by number, of those that are known.
void same_letters(const letters_told& got, const letters_told& right,
                  const std::map<u64, u64>& stamps) {
  ASSERT_EQ(got.size(), right.size());
  for (const auto& [sender, letters] : right) {
    const auto& mine = got.at(sender);
    ASSERT_EQ(mine.size(), letters.size());
    for (std::size_t i = 0; i < mine.size(); ++i) {
      ASSERT_EQ(mine[i].second, letters[i].second);
      if (i > 0) {
        ASSERT_GT(mine[i].first, mine[i - 1].first);
      }
      if (const auto known = stamps.find(mine[i].second); known != stamps.end()) {
        ASSERT_EQ(mine[i].first, abi::stamp_to_wire(known->second));
      }
    }
  }
}

TYPED_TEST(Together, IsAsOneByOne) {
  u64 taken = 0, beside = 0, refused = 0;
  for (u32 seed = 1; seed <= 20; ++seed) {
    for (const bool on_chip : {true, false}) {
      const auto right = TestFixture::run(seed, on_chip, one_by_one{});
      side_by_side handle;
      handle.most = 1 + seed * 7 % 32;
      handle.taken = &taken;
      std::map<u64, u64> stamps;
      handle.stamps = &stamps;
      handle.beside = &beside;
      handle.refused = &refused;
      handle.others_are_hot = seed % 2 == 0;
      const auto got = TestFixture::run(seed, on_chip, handle);
      for (u32 i = 0; i < actors; ++i)
        EXPECT_EQ(got.by_actor[i], right.by_actor[i]) << "actor " << i << " seed " << seed;
      EXPECT_EQ(by_sender(got.by_actor[sink]), by_sender(right.by_actor[sink])) << "seed " << seed;
      EXPECT_EQ(got.counts, right.counts);
      EXPECT_EQ(got.handled, right.handled);
      EXPECT_EQ(got.sent, right.sent);
      same_letters(got.told, right.told, stamps);
      EXPECT_EQ(got.to_host, right.to_host);
      EXPECT_EQ(got.dead, right.dead);
    }
  }
  EXPECT_GT(taken, 5'000U);
  EXPECT_GT(beside, 500U);
  EXPECT_EQ(refused, 0U);
}

/// Where letters find no room side by side they are sent in turn, and what has no room then is counted.
TYPED_TEST(Together, LettersAreThereOrCountedWhereTheOutboxIsSpent) {
  u64 taken = 0, beside = 0, refused = 0, lost = 0;
  for (u32 seed = 1; seed <= 20; ++seed) {
    std::map<u64, u64> stamps;
    side_by_side handle;
    handle.taken = &taken;
    handle.beside = &beside;
    handle.refused = &refused;
    handle.stamps = &stamps;
    const auto got = TestFixture::run(seed, true, handle, 16);
    u64 letters = 0;
    for (const auto& [sender, its] : got.told) letters += its.size();
    const u64 forwarded = got.by_actor[sink].size();
    // a letter that is lost counts as sent, too, as a message to an actor always does
    EXPECT_EQ(forwarded + got.exhausted, got.sent) << "seed " << seed;
    EXPECT_LE(got.to_host - letters, got.exhausted) << "seed " << seed;
    EXPECT_EQ(got.to_host, TestFixture::run(seed, true, one_by_one{}).to_host);
    lost += got.exhausted;
  }
  EXPECT_GT(beside, 100U);
  EXPECT_GT(refused, 20U);
  EXPECT_GT(lost, 20U);
}

TEST(PlaceOfBit, FindsTheOneThatIsMeant) {
  std::mt19937 random{5};
  for (u32 round = 0; round < 20'000; ++round) {
    const u32 bits = round % 3 == 0 ? random() & random() : static_cast<u32>(random());
    u32 i = 0;
    for (u32 at = 0; at < 32; ++at) {
      if ((bits >> at & 1U) == 0) continue;
      ASSERT_EQ(place_of_bit(bits, i), at) << std::hex << bits << " bit " << i;
      ++i;
    }
  }
}

}  // namespace
