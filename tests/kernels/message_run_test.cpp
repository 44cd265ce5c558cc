// tests/kernels/message_run_test.cpp - messages handled in a run are what they are when each comes alone.
// Why: a hot actor's batch takes another way through the loop, and nobody may be able to tell.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <random>

#include "tests/kernels/kinds.hpp"

namespace {

using namespace kernel_test;
namespace abi = perdure::abi;

/// 60 bytes: six words, more than a run reads ahead.
struct letter {
  u64 seq;
  u64 value;
  u32 fill[11];
};
constexpr u32 on_letter = 1;
constexpr u32 on_cold_note = 2;  // of another type, which has no loop for runs
constexpr u32 cold_type = 2;

enum request : u64 { plain, sends, stops };

/// What a handler can see of a message.
struct seen {
  u32 handler, handled;
  u64 seq, sender, first_draw, second_draw, sum;
  bool operator==(const seen&) const = default;
};

/// Writes down what it sees, by actor.
struct recorder {
  std::vector<std::vector<seen>>* by_actor;
  u64 other;  ///< receives what an actor sends

  void operator()(u32 handler, void* state, const message_view& view, lane_state& call) const {
    note n;
    if (handler != on_letter) {
      n = message_of<note>(view);
    } else {
      const auto l = message_of<letter>(view);
      n = {l.seq, l.value};
      for (u32 i = 0; i < 11; ++i) EXPECT_EQ(l.fill[i], l.seq + i);
    }
    record(handler, *static_cast<cell*>(state), n, call);
  }
  void record(u32 handler, cell& me, note n, lane_state& call) const {
    EXPECT_GT(call.last_stamp(), me.last_stamp) << "two events of one actor share a stamp";
    me.last_stamp = call.last_stamp();
    me.sum = me.sum * 31 + n.seq;
    ++me.count;
    // the receiver of a forwarded note has two senders, whose messages may come in any order
    const bool forwarded = abi::ref_index(call.self) == abi::ref_index(other);
    const u64 draws[2] = {call.random(), call.random()};
    (*by_actor)[abi::ref_index(call.self)].push_back(
        {handler, forwarded ? 0 : call.handled, n.seq, call.asker, forwarded ? 0 : draws[0],
         forwarded ? 0 : draws[1], forwarded ? 0 : me.sum});
    if (n.value == sends) {
      const note on{n.seq + 1000, plain};
      send_bytes(call, other, on_note, &on, sizeof(on));
    }
    if (n.value == stops) call.stop();
  }
};

/// As a program's own loop: the state is held apart, and notes are read from the words that are ahead.
struct recorder_by_runs : recorder {
  mutable u32 longest = 0;

  static bool is_hot(u32 handler) { return handler != on_cold_note; }
  void run(u32 handler, void* state, perdure::loop::message_run& run, lane_state& call) const {
    ASSERT_NE(handler, on_cold_note);
    cell mine = *static_cast<cell*>(state);
    const u32 before = run.length;
    if (handler == on_note) {
      run.each<3>(call, [&](const auto& ahead, const message_view& view) {
        for (u32 k = 0; k < 3; ++k) {
          EXPECT_EQ(ahead[k].lo, view.words[k].lo);
          EXPECT_EQ(ahead[k].hi, view.words[k].hi);
        }
        record(handler, mine, message_of<note>(message_view{ahead, view.mem, 3}), call);
      });
    } else {
      run.each<1>(call, [&](const auto&, const message_view& view) {
        (*this)(handler, &mine, view, call);
      });
    }
    longest = std::max(longest, run.length - before);
    *static_cast<cell*>(state) = mine;
  }
};

constexpr u32 actors = 4, cold = 1, last = actors - 1;
constexpr u32 type_of(u32 actor) { return actor == cold ? cold_type : cell_type; }

template <class Kind>
class MessageRun : public one_type<Kind> {
 protected:
  struct outcome {
    std::vector<std::vector<seen>> by_actor = std::vector<std::vector<seen>>(actors);
    std::vector<cell> states;
    std::vector<u32> handled;
    u64 dead = 0;
    u32 longest = 0;
  };
  struct sent {
    u32 to, handler;
    u64 value;
  };
  /// @param together  of them, so many messages are there before anybody looks.
  template <class Recorder>
  outcome play(const std::vector<sent>& messages, std::size_t together, u32 claim_slots) {
    outcome out;
    shape s = this->base();
    s.ring_shift = 11;
    s.host_shift = 9;
    s.out_units = 512;
    s.claim_slots = claim_slots;
    auto w = std::make_unique<world>(s, std::vector<type_spec>{{sizeof(cell)}, {sizeof(cell)}},
                                     std::vector<abi::handler_entry>{{cell_type, 0, sizeof(note)},
                                                                     {cell_type, 1, sizeof(letter)},
                                                                     {cold_type, 0, sizeof(note)}});
    w->template begin_all<typename Kind::block>();
    std::vector<u64> refs;
    for (u32 i = 0; i < actors; ++i) refs.push_back(w->spawn(type_of(i), i));
    Recorder handle{{&out.by_actor, refs[last]}};
    u64 seq = 0;
    for (const sent& m : messages) {
      ++seq;
      const u64 sender = abi::make_ref(static_cast<u32>(100 + seq), 1, cell_type, 0);
      if (m.handler == on_note) {
        const u32 handler = m.to == cold ? on_cold_note : on_note;
        EXPECT_TRUE(w->push(refs[m.to], handler, note{seq, m.value}, sender));
      } else {
        letter l{seq, m.value, {}};
        for (u32 i = 0; i < 11; ++i) l.fill[i] = static_cast<u32>(seq + i);
        EXPECT_TRUE(w->push(refs[m.to], on_letter, l, sender));
      }
      if (seq % together == 0) this->settle(*w, handle);
    }
    this->settle(*w, handle);
    for (u32 at = 0; at < w->m.workers * w->m.lanes; ++at)
      EXPECT_EQ(w->m.in_flight[at], 0U) << "a call is noted that has ended";
    for (u32 i = 0; i < actors; ++i) {
      out.states.push_back(w->template state<cell>(type_of(i), i));
      out.states.back().last_stamp = 0;  // of the batch, not of the message
      if (i == last) out.states.back().sum = 0;
      out.handled.push_back(w->header(type_of(i), i).handled);
    }
    out.dead = w->dead(abi::dead_reason::stopped);
    if constexpr (requires { handle.longest; }) out.longest = handle.longest;
    return out;
  }
  static void expect_equal(outcome a, outcome b) {
    EXPECT_EQ(a.dead, b.dead);
    EXPECT_EQ(a.handled, b.handled);
    auto by_number = [](const seen& x, const seen& y) { return x.seq < y.seq; };
    std::sort(a.by_actor[last].begin(), a.by_actor[last].end(), by_number);
    std::sort(b.by_actor[last].begin(), b.by_actor[last].end(), by_number);
    for (u32 i = 0; i < actors; ++i) {
      EXPECT_EQ(a.by_actor[i], b.by_actor[i]) << "actor " << i;
      EXPECT_EQ(a.states[i].sum, b.states[i].sum);
      EXPECT_EQ(a.states[i].count, b.states[i].count);
    }
  }
  /// Most for one actor, now and then for another one, by another handler or with a request.
  static std::vector<sent> hot(u32 seed, u32 count) {
    std::vector<sent> messages;
    std::mt19937 pick{seed};
    for (u32 n = 0; n < count; ++n) {
      const u32 to = pick() % 8 == 0 ? 1 + pick() % 2 : 0;
      const bool may_be_long = Kind::lanes > 1;  // one lane lands no more than four words
      const u32 handler = pick() % 6 == 0 && may_be_long && to != cold ? on_letter : on_note;
      const u64 value = n > count / 2 && pick() % 20 == 0 ? stops : pick() % 5 == 0 ? sends : plain;
      messages.push_back({to, handler, value});
    }
    return messages;
  }
};
TYPED_TEST_SUITE(MessageRun, all_kinds, kind_names);

TYPED_TEST(MessageRun, IsAsIfEachCameAlone) {
  for (u32 seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const auto messages = this->hot(seed, 24);
    const u32 slots = seed % 2 == 0 ? 2 : 64;  // with two, actors share a chain
    const auto alone = this->template play<recorder_by_runs>(messages, 1, slots);
    this->expect_equal(this->template play<recorder_by_runs>(messages, 24, slots), alone);
    this->expect_equal(this->template play<recorder_by_runs>(messages, 7, slots), alone);
  }
}
/// What waits behind a hot batch goes by the stream.
TYPED_TEST(MessageRun, IsAsIfEachCameAloneAlsoByTheStream) {
  for (u32 seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    auto messages = this->hot(seed, 300);
    for (u32 n = 0; n < messages.size(); ++n) {
      if (seed % 4 != 0 && messages[n].handler == on_letter) messages[n].handler = on_note;
      if (messages[n].value == stops && n < 250) messages[n].value = plain;
      if (seed % 3 == 0 && n % 16 != 0) messages[n].to = 0;
    }
    const u32 slots = seed % 2 == 0 ? 2 : 64;
    const auto alone = this->template play<recorder_by_runs>(messages, 1, slots);
    this->expect_equal(this->template play<recorder_by_runs>(messages, 300, slots), alone);
    this->expect_equal(this->template play<recorder_by_runs>(messages, 90, slots), alone);
  }
}
/// A handler without a loop of its own is called message by message.
TYPED_TEST(MessageRun, NeedsNoLoopOfTheProgram) {
  struct plain_recorder : recorder {};
  for (u32 seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const auto messages = this->hot(seed, 24);
    const auto alone = this->template play<plain_recorder>(messages, 1, 64);
    this->expect_equal(this->template play<plain_recorder>(messages, 24, 64), alone);
  }
}
TYPED_TEST(MessageRun, IsAsLongAsNothingChanges) {
  if (TypeParam::block::in_order || TypeParam::lanes < 32) return;  // batches of another kind
  std::vector<typename TestFixture::sent> messages(30, {0, on_note, plain});
  EXPECT_EQ(this->template play<recorder_by_runs>(messages, 30, 64).longest, 30U);
  messages[10].handler = on_letter;
  EXPECT_EQ(this->template play<recorder_by_runs>(messages, 30, 64).longest, 19U);
  messages[20].to = 1;  // of another actor, so of another chain
  EXPECT_EQ(this->template play<recorder_by_runs>(messages, 30, 64).longest, 18U);
}
TYPED_TEST(MessageRun, BeforeADeadReceiverOfTheSameChainIsNotNotedAnyMore) {
  std::vector<typename TestFixture::sent> messages(60, {0, on_note, plain});
  messages.front() = {2, on_note, stops};
  messages.back() = {2, on_note, plain};  // play() looks at the notes
  const auto out = this->template play<recorder_by_runs>(messages, 30, 2);
  EXPECT_EQ(out.by_actor[0].size(), 58U);
  EXPECT_EQ(out.dead, 1U);
}
TYPED_TEST(MessageRun, OfAnActorThatStopsEnds) {
  std::vector<typename TestFixture::sent> messages(30, {0, on_note, plain});
  messages[12].value = stops;
  const auto out = this->template play<recorder_by_runs>(messages, 30, 64);
  EXPECT_EQ(out.by_actor[0].size(), 13U);
  EXPECT_EQ(out.handled[0], 13U);
  EXPECT_EQ(out.dead, 17U);
}

}  // namespace
