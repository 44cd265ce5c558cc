// tests/kernels/hot_runs_test.cpp - a hot actor's stream handled up to 32 at once, and what its lanes send side by side.
// Why: nobody may be able to tell but by the clock on the wall: order, stamps, numbers, senders, sends and books are those of
//      messages handled one by one.
// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <map>
#include <random>

#include "tests/kernels/kinds.hpp"

namespace {

using namespace kernel_test;
namespace abi = perdure::abi;

constexpr u32 on_many = 1;  ///< of the same actor: sends `value` messages
constexpr u32 on_cold = 2;  ///< of another type
constexpr u32 cold_type = 2, receivers = 3;
enum request : u64 { plain, forwards, alone, stops, from_outside };

struct seen {
  u32 handler, handled;
  u64 seq, sender;
  bool operator==(const seen&) const = default;
};
struct notes_of_all {
  std::vector<seen> hot;
  std::vector<std::vector<u64>> cold{receivers};    ///< what the hot actor sent
  std::vector<std::vector<u64>> others{receivers};  ///< what came beside its stream
  std::map<u64, u64> sent;                          ///< by number: stamp of the send
  u64 last = 0;                                     ///< stamp of the hot actor's last event
};

u64 cold_ref(u64 i) {
  return abi::make_ref(static_cast<u32>(i % receivers), 1, cold_type, system_number);
}

/// One message after another.
struct one_by_one {
  notes_of_all* notes;

  static bool is_hot(u32 handler) { return handler != on_cold; }
  void operator()(u32 handler, void*, const message_view& view, lane_state& call) const {
    const note n = message_of<note>(view);
    if (handler == on_cold && n.value == from_outside) {
      notes->others[abi::ref_index(call.self)].push_back(n.seq);
      return;
    }
    if (handler == on_cold) {
      notes->cold[abi::ref_index(call.self)].push_back(n.seq);
      EXPECT_EQ(abi::wire_stamp(view.words[1]), abi::stamp_to_wire(notes->sent.at(n.seq)))
          << "number " << n.seq;
      return;
    }
    note_down(handler, n, call);
    if (handler == on_many) return send_many(n, call);
    if (n.value == forwards) forward(n, call);
    if (n.value == stops) call.stop();
  }
  void note_down(u32 handler, note n, lane_state& call) const {
    EXPECT_GT(call.last_stamp(), notes->last) << "two events of one actor share a stamp";
    notes->last = call.last_stamp();
    notes->hot.push_back({handler, call.handled, n.seq, call.asker});
  }
  void forward(note n, lane_state& call) const {
    const note on{n.seq, 0};
    send_bytes(call, cold_ref(n.seq), on_cold, &on, sizeof(on));
    notes->sent[n.seq] = notes->last = call.last_stamp();
  }
  void send_many(note n, lane_state& call) const {
    for (u32 i = 0; i < n.value; ++i) send_one(n, i, call);
  }
  void send_one(note n, u32 i, lane_state& call) const {
    const note on{n.seq * 1000 + i, 0};
    send_bytes(call, cold_ref(n.seq), on_cold, &on, sizeof(on));
    notes->sent[on.seq] = notes->last = call.last_stamp();
  }
};

/// Messages, by the way that they went.
struct ways {
  u64 taken = 0, beside = 0, in_turn = 0, made = 0;  ///< messages
};

/// Up to 32 at once, up to the first that is to be alone, and sometimes fewer; messages for on_many by lanes that do the same.
struct at_once : one_by_one {
  ways* by;
  mutable std::mt19937_64 random{3};

  static bool takes_runs(u32 handler) { return handler == on_note; }
  static bool sends_many(u32 handler) { return handler == on_many; }
  template <class Words>
  u32 together(u32 handler, void*, u32 count, Words words, joint_call& joint) const {
    EXPECT_GE(count, least_at_once);
    EXPECT_LE(count, 32U);
    std::vector<note> all;
    for (u32 i = 0; i < count; ++i)
      all.push_back(
          message_of<note>(message_view{words(i), joint.mem, abi::words_of(words(i)[0])}));
    u32 n = 0, forward_bits = 0;
    while (n < count && all[n].value < alone) ++n;
    if (random() % 4 == 0) n = static_cast<u32>(random() % (n + 1));
    for (u32 i = 0; i < n; ++i) forward_bits |= all[i].value == forwards ? 1U << i : 0;
    const auto asker = [&](u32 i) { return abi::sender_of(words(i)[0]); };
    by->taken += n;
    if (forward_bits != 0 && random() % 3 == 0) {  // some need what only a context has
      for (u32 i = 0; i < n; ++i) {
        joint.in_turn(i, asker(i), [&](lane_state& call) {
          note_down(handler, all[i], call);
          if (all[i].value == forwards) forward(all[i], call);
        });
      }
      by->in_turn += count_bits(forward_bits);
      return n;
    }
    u64 stamp = joint.stamp;
    for (u32 i = 0; i < n; ++i) {
      notes->hot.push_back({handler, joint.handled + i, all[i].seq, asker(i)});
      EXPECT_GT(++stamp, notes->last) << "two events of one actor share a stamp";
      notes->last = stamp;
      if (all[i].value == forwards) notes->sent[all[i].seq] = notes->last = ++stamp;
    }
    if (forward_bits == 0) return n;
    std::vector<note> on(n);
    for (u32 i = 0; i < n; ++i) on[i] = {all[i].seq, 0};
    const auto to = [&](u32 i) { return cold_ref(all[i].seq); };
    const auto payload = [&](u32 i) { return payload_bytes{&on[i], sizeof(note)}; };
    if (joint.send_beside(forward_bits, on_cold, to, payload)) {
      by->beside += count_bits(forward_bits);
      EXPECT_FALSE(joint.send_beside(forward_bits, on_cold, to, payload)) << "once a call";
    } else {  // of a batch's chain: it is not staged
      for (u32 left = forward_bits; left != 0; left &= left - 1) {
        const u32 i = first_bit(left);
        joint.in_turn(i, asker(i), [&](lane_state& call) {
          send_bytes(call, to(i), on_cold, &on[i], sizeof(note));
          EXPECT_EQ(call.last_stamp(), notes->sent[all[i].seq]);
        });
      }
    }
    return n;
  }
  void alike(u32 handler, void*, const message_view& view, lane_state& call) const {
    EXPECT_EQ(handler, on_many);
    const note n = message_of<note>(view);
    note_down(handler, n, call);
    std::vector<note> on(n.value);
    for (u32 i = 0; i < n.value; ++i) on[i] = {n.seq * 1000 + i, 0};
    u64 stamp = call.last_stamp();
    const u32 done = call.place_beside(cold_ref(n.seq), on_cold, abi::words_for(sizeof(note)),
                                       static_cast<u32>(n.value),
                                       [&](u32 i) { return payload_bytes{&on[i], sizeof(note)}; });
    for (u32 i = 0; i < done; ++i) notes->sent[on[i].seq] = ++stamp;
    notes->last = stamp;
    EXPECT_EQ(call.last_stamp(), stamp);
    by->made += done;
    for (u32 i = done; i < n.value; ++i) send_one(n, i, call);
    if (n.seq % 50 == 49) call.stop();
  }
};

template <class Kind>
class HotRuns : public one_type<Kind> {
 protected:
  using fixture = one_type<Kind>;
  struct books {
    u64 handled, sent, stopped, exhausted, rest;
    bool operator==(const books&) const = default;
  };
  static shape roomy() {
    shape s = fixture::base();
    s.ring_shift = 14;
    s.spill_shift = 14;
    s.host_shift = 16;  // nobody takes the dead letters out
    s.claim_slots = 64;
    s.out_units = 4096;
    s.chip_units = 128;
    return s;
  }
  template <class Push, class Handle>
  static std::pair<notes_of_all, books> play(Handle handle, const shape& s, Push push) {
    notes_of_all notes;
    handle.notes = &notes;
    world w{
        s,
        {{sizeof(cell)}, {sizeof(cell)}},
        {{cell_type, 0, sizeof(note)}, {cell_type, 1, sizeof(note)}, {cold_type, 0, sizeof(note)}}};
    w.template begin_all<typename fixture::block>();
    const u64 hot = w.spawn(cell_type, 0);
    for (u32 i = 0; i < receivers; ++i) w.spawn(cold_type, i);
    push(w, hot, [&] { fixture::settle(w, handle); });
    fixture::settle(w, handle);
    EXPECT_EQ(w.header(cell_type, 0).handled, notes.hot.size());
    EXPECT_EQ(w.chips[0]->pending, 0U) << "the host's ring is full: the rest was not handled";
    return {notes,
            {w.total(abi::counter::handled), w.total(abi::counter::sent),
             w.dead(abi::dead_reason::stopped), w.dead(abi::dead_reason::exhausted), w.dead()}};
  }
  template <class Push>
  static void expect_alike(const shape& s, Push push, const at_once& handle) {
    const auto [right, right_books] = play(one_by_one{nullptr}, s, push);
    const auto [got, got_books] = play(handle, s, push);
    EXPECT_EQ(got.hot, right.hot);
    EXPECT_EQ(got.cold, right.cold);
    EXPECT_EQ(got.others, right.others);
    EXPECT_EQ(got_books, right_books);
    EXPECT_FALSE(right.hot.empty());
  }
};
using run_kinds = ::testing::Types<loops<false, 8>, loops<false, 32>, loops<false, 96>>;
TYPED_TEST_SUITE(HotRuns, run_kinds, kind_names);

TYPED_TEST(HotRuns, AStreamIsAsOneByOne) {
  ways by;
  for (u32 seed = 1; seed <= 24; ++seed) {
    SCOPED_TRACE(seed);
    const auto push = [&](world& w, u64 hot, auto settle) {
      std::mt19937_64 random{seed};
      u64 seq = 0;
      for (u32 round = 0; round < 4; ++round) {
        for (u32 i = 0; i < 10 * TypeParam::lanes; ++i) {
          const u64 value = random() % 5 == 0      ? forwards
                            : random() % 40 == 0   ? alone
                            : random() % 1500 == 0 ? stops
                                                   : plain;
          const u64 sender = abi::make_ref(static_cast<u32>(70 + random() % 4), 1, cold_type, 0);
          EXPECT_TRUE(w.push(hot, on_note, note{++seq, value}, sender));
          if (random() % 61 == 0) {  // one for somebody else, who is left to the next batch
            const u64 other = abi::make_ref(75, 1, cold_type, 0);
            ++seq;
            EXPECT_TRUE(w.push(cold_ref(seq), on_cold, note{seq, from_outside}, other));
          }
        }
        settle();
      }
    };
    at_once handle{{nullptr}, &by};
    this->expect_alike(this->roomy(), push, handle);
  }
  EXPECT_GT(by.taken, 500U * TypeParam::lanes / 4);
  EXPECT_GT(by.beside, 100U) << "nothing is shown";
  EXPECT_GT(by.in_turn, 100U) << "nothing is shown";
}

/// There is no room on chip for what 32 of them may send: one by one, then.
TYPED_TEST(HotRuns, AreOneByOneWhereTheOutboxOnChipIsSmall) {
  ways by;
  shape s = this->roomy();
  s.chip_units = 16;
  const auto push = [&](world& w, u64 hot, auto) {
    for (u64 seq = 1; seq <= 12 * TypeParam::lanes; ++seq)
      EXPECT_TRUE(w.push(hot, on_note, note{seq, forwards}, abi::make_ref(77, 1, cold_type, 0)));
  };
  at_once handle{{nullptr}, &by};
  this->expect_alike(s, push, handle);
  EXPECT_EQ(by.beside, 0U);
}

/// Few messages, each of which sends many: of one actor, more than there is room for on chip, and some of them end its life.
TYPED_TEST(HotRuns, WhatLanesMakeSideBySideIsAsInALoop) {
  ways by;
  for (u32 seed = 1; seed <= 24; ++seed) {
    SCOPED_TRACE(seed);
    const auto push = [&](world& w, u64 hot, auto settle) {
      std::mt19937_64 random{seed};
      for (u64 seq = 1; seq <= 24;) {
        for (u64 few = 1 + random() % 2; few != 0; --few) {  // here more are not handled so
          const u64 sender = abi::make_ref(77, 1, cold_type, 0);
          EXPECT_TRUE(w.push(hot, on_many, note{seq++, random() % 150}, sender));
        }
        settle();
      }
    };
    at_once handle{{nullptr}, &by};
    this->expect_alike(this->roomy(), push, handle);
  }
  EXPECT_GT(by.made, 10'000U) << "nothing is shown";
}

/// More of them than are left to the next batch, with other messages of their actor among them, and others' beside them.
TYPED_TEST(HotRuns, ManyThatSendManyAreAsInALoop) {
  ways by;
  for (u32 seed = 1; seed <= 24; ++seed) {
    SCOPED_TRACE(seed);
    const auto push = [&](world& w, u64 hot, auto settle) {
      std::mt19937_64 random{seed};
      const u64 sender = abi::make_ref(77, 1, cold_type, 0);
      u64 seq = 0;
      for (u32 round = 0; round < 4; ++round) {
        for (u32 i = 0; i < 2 * TypeParam::lanes; ++i) {
          const bool many = random() % 8 != 0;
          seq += seq % 50 == 48 ? 2 : 1;  // not the number that ends its life
          EXPECT_TRUE(w.push(hot, many ? on_many : on_note, note{seq, many ? random() % 12 : plain},
                             sender));
          if (random() % 8 != 0) continue;
          ++seq;
          EXPECT_TRUE(w.push(cold_ref(seq), on_cold, note{seq, from_outside}, sender));
        }
        settle();
      }
    };
    at_once handle{{nullptr}, &by};
    this->expect_alike(this->roomy(), push, handle);
  }
  EXPECT_GT(by.made, 5'000U) << "nothing is shown";
}

/// The messages behind the one with which an actor's life ends are dead letters, and the staged ones are sent.
TYPED_TEST(HotRuns, ALifeThatEndsAmidTheOnlyChainLosesTheRest) {
  ways by;
  notes_of_all notes;
  at_once handle{{nullptr}, &by};
  const auto [got, books] = this->play(handle, this->roomy(), [](world& w, u64 hot, auto) {
    for (u64 seq = 49; seq < 51; ++seq)
      EXPECT_TRUE(w.push(hot, on_many, note{seq, 5}, abi::make_ref(77, 1, cold_type, 0)));
  });
  EXPECT_EQ(got.hot.size(), 1U) << "number 49 stops it";
  EXPECT_EQ(by.made, 5U);
  EXPECT_EQ(books.stopped, 1U);
  EXPECT_EQ(books.sent, 5U);
  EXPECT_EQ(got.cold[0].size() + got.cold[1].size() + got.cold[2].size(), 5U);
}

}  // namespace
