// tests/kernels/control_test.cpp - commands are followed between batches and acknowledged after the counters.
// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <memory>
#include <set>
#include <vector>

#include "tests/kernels/kinds.hpp"

namespace {

using namespace kernel_test;
namespace abi = perdure::abi;

template <class Kind>
class Control : public one_type<Kind> {
 protected:
  std::unique_ptr<world> w = this->make(this->base());
  on_chip& c = *w->chips[0];
  abi::control_page& page = w->m.control[0];
  u64 actor = w->spawn(cell_type, 0);
  u64 pushed = 0;
  handle_function handle = this->counting();

  bool push() { return w->push(actor, on_note, note{++pushed, 1}); }
  progress step(u64 now = 1'000'000) { return this->turn_of(*w, 0, handle, now); }
  void command(u64 epoch, abi::command what) { page.command = abi::make_command(epoch, what); }
  /// A look in one turn, followed in the next.
  progress until_acknowledged(u64 epoch) {
    progress p = progress::idle;
    for (int i = 0; i < 3 && page.acknowledged != epoch; ++i) p = step();
    EXPECT_EQ(page.acknowledged, epoch);
    return p;
  }
};
TYPED_TEST_SUITE(Control, all_kinds, kind_names);

TYPED_TEST(Control, APausedWorkerHandlesNothingAndKeepsItsQueue) {
  this->command(1, abi::command::pause);
  EXPECT_EQ(this->until_acknowledged(1), progress::paused);
  const u64 before = this->w->total(abi::counter::handled);
  ASSERT_TRUE(this->push());
  for (int i = 0; i < 10; ++i) EXPECT_EQ(this->step(), progress::paused);
  EXPECT_EQ(this->w->total(abi::counter::handled), before);
  this->command(2, abi::command::run);
  this->until_acknowledged(2);
  this->settle(*this->w, this->handle);
  EXPECT_EQ(this->w->total(abi::counter::handled), before + 1);
}
TYPED_TEST(Control, CountersStandInThePageWhenTheEpochIsAcknowledged) {
  for (u64 epoch = 1; epoch <= 20; ++epoch) {
    this->push();
    this->push();
    this->command(epoch, abi::command::run);
    for (int i = 0; i < 5 && this->page.acknowledged != epoch; ++i) {
      u64 before[abi::counters];
      std::copy_n(this->c.count, abi::counters,
                  before);  // a command is followed before the turn's batch
      this->step();
      if (this->page.acknowledged != epoch) continue;
      for (u32 k = 0; k < abi::counters; ++k)
        EXPECT_EQ(this->page.count[k], before[k]) << "counter " << k;
    }
    ASSERT_EQ(this->page.acknowledged, epoch);
  }
  EXPECT_GT(this->w->total(abi::counter::handled), 10U);
}
TYPED_TEST(Control, AnEpochIsFollowedOnce) {
  this->command(5, abi::command::run);
  this->until_acknowledged(5);
  this->page.acknowledged = 77;  // would be written again
  for (int i = 0; i < 5; ++i) this->step();
  EXPECT_EQ(this->page.acknowledged, 77U);
}
/// A handler that writes more to the host than the ring holds: letters with numbers, each behind a note.
constexpr u32 letters = 30;
handle_function writes_letters() {
  return [](u32, void*, const message_view&, lane_state& call) {
    for (u32 i = 0; i < letters; ++i) {
      const u64 number = i;
      call.log(1, 0, 0, nullptr);
      call.send_host(abi::make_ref(7, 0, abi::mailbox_type, system_number), 0,
                     payload_bytes{&number, sizeof(number)});
    }
  };
}
/// Takes what the host can have. @return the letters' numbers.
std::vector<u64> taken_letters(world& w, u32 most = ~0U) {
  std::vector<u64> out;
  perdure::runtime::inbound_message got;
  for (u32 i = 0; i < most && w.host_take(0, got); ++i) {
    if (got.kind != abi::host_kind::mailbox) continue;
    u64 number = 0;
    std::memcpy(&number, got.payload, sizeof(number));
    out.push_back(number);
  }
  return out;
}
TYPED_TEST(Control, AHaltedWorkerWritesWhatHasRoomAndCountsTheLettersThatHaveNone) {
  this->handle = writes_letters();
  ASSERT_TRUE(this->push());
  for (int i = 0; i < 10; ++i) this->step();
  this->command(1, abi::command::run);
  this->until_acknowledged(1);
  EXPECT_EQ(this->page.undelivered, 1U);
  std::vector<u64> all = taken_letters(*this->w, 6);
  this->command(2, abi::command::halt);
  EXPECT_EQ(this->until_acknowledged(2), progress::halted);
  const std::size_t before = all.size();
  for (u64 number : taken_letters(*this->w)) all.push_back(number);
  EXPECT_GT(all.size(), before);
  const u64 lost = this->w->dead(abi::dead_reason::shutdown);
  EXPECT_GT(lost, 0U);
  EXPECT_EQ(all.size() + lost, letters) << "each is in the ring or counted, and notes are not";
  EXPECT_EQ(this->page.count[static_cast<u32>(abi::counter::dead) +
                             static_cast<u32>(abi::dead_reason::shutdown)],
            lost);
  EXPECT_EQ(this->page.count[static_cast<u32>(abi::counter::sent)], lost);
  for (u64 i = 0; i < all.size(); ++i) EXPECT_EQ(all[i], i);
}
TYPED_TEST(Control, AHaltedWorkerLeavesNoGapBeforeWhatItHasWritten) {
  this->handle = writes_letters();
  ASSERT_TRUE(this->push());
  for (int i = 0; i < 10; ++i) this->step();
  std::vector<u64> all = taken_letters(*this->w);
  // there is room for more by now; a lane that has looked later than another has written the last message that fits
  on_chip& c = this->c;
  const memory& m = this->w->m;
  const u64 room_end = m.host_heads[0].value + (u64{1} << m.host_shift);
  u32 last = ~0U;
  for (u32 u = 0; u < outbox_used(c, m); ++u) {
    const outbox_entry e = entry_at(c, m, u);
    if (e.words != 0 && c[m.out_base][e.dst] + e.offset + e.words <= room_end) last = u;
  }
  ASSERT_NE(last, ~0U) << "nothing waits";
  const outbox_entry e = entry_at(c, m, last);
  const outbox_place from = outbox_words(c, m, last, e.words);
  write_words<1>(ring_of(m, 0, e.dst), c[m.out_base][e.dst] + e.offset, e.words,
                 [&](u32 k) { return from.get(k); });
  set_entry(c, m, last, {});
  this->command(1, abi::command::halt);
  EXPECT_EQ(this->until_acknowledged(1), progress::halted);
  for (u64 number : taken_letters(*this->w)) all.push_back(number);
  EXPECT_EQ(all.size() + this->w->dead(abi::dead_reason::shutdown), letters);
  for (u64 i = 0; i < all.size(); ++i) EXPECT_EQ(all[i], i);
}
TYPED_TEST(Control, AHaltedWorkerSaysSoAndStaysHalted) {
  this->push();
  this->command(3, abi::command::halt);
  EXPECT_EQ(this->until_acknowledged(3), progress::halted);
  const u64 handled = this->w->total(abi::counter::handled);
  this->push();
  EXPECT_EQ(this->step(), progress::halted);
  EXPECT_EQ(this->w->total(abi::counter::handled), handled);
}
TYPED_TEST(Control, ABlockedWorkerStillAnswers) {
  while (this->w->push(this->actor, on_note, note{1, 1})) {
  }
  handle_function flood = [this](u32, void*, const message_view&, lane_state& call) {
    const note n{1, 1};
    for (int i = 0; i < 30; ++i) send_bytes(call, this->actor, on_note, &n, sizeof(n));
  };
  for (int i = 0; i < 30; ++i) this->turn_of(*this->w, 0, flood, 1'000);
  ASSERT_NE(this->c.pending, 0U);
  this->command(9, abi::command::pause);
  for (int i = 0; i < 3; ++i) this->turn_of(*this->w, 0, flood, 1'000);
  EXPECT_EQ(this->page.acknowledged, 9U);
}
TYPED_TEST(Control, TheClockOffsetIsTakenWithACommand) {
  this->page.clock_offset_ns = 123'456'789'000;
  this->command(1, abi::command::run);
  this->until_acknowledged(1);
  u64 stamp = 0;
  handle_function look = [&](u32, void*, const message_view&, lane_state& call) {
    stamp = call.last_stamp();
  };
  ASSERT_TRUE(this->push());
  this->settle(*this->w, look, 1'000'000);
  EXPECT_EQ(stamp, stamp_at(123'456'789'000 + 1'000'000) + 1);
}
TYPED_TEST(Control, LooksThatBringNothingNewLeaveASignOfLifeNowAndThen) {
  this->w->m.control_shift = 30;             // none comes late
  for (int i = 0; i < 3; ++i) this->step();  // it rests, and has said so
  const u64 before = this->page.heartbeat;
  for (u64 i = 0; i < 4 * looks_a_sign; ++i) {
    const u64 last = this->page.heartbeat;
    this->step();
    EXPECT_TRUE(this->page.heartbeat == last || this->page.heartbeat % looks_a_sign == 0);
  }
  EXPECT_GE(this->page.heartbeat, before + 3 * looks_a_sign);
  EXPECT_LE(this->page.heartbeat, before + 4 * looks_a_sign);
}
TYPED_TEST(Control, ALookIsLateFromEightPeriodsOn) {
  constexpr u64 period = u64{1} << 17U, due = 1'000 * period;
  this->w->m.control_shift = 17;
  this->c.rest_told = 1;
  for (const u64 periods : {0U, 1U, 7U, 8U, 9U}) {
    this->c.control_at = due;
    this->c.heartbeat = 5;
    this->page.heartbeat = 0;
    leave_sign(this->c, this->w->m, due + periods * period, {this->c.work_seen, false});
    EXPECT_EQ(this->page.heartbeat, periods < 8 ? 0U : 6U) << periods;
  }
}
TYPED_TEST(Control, ALookThatComesLateLeavesASignOfLife) {
  for (int i = 0; i < 3; ++i) this->step();
  for (int i = 0; i < 7; ++i) {
    const u64 before = this->page.heartbeat;
    this->step();  // many periods of a nanosecond later than it was due
    EXPECT_EQ(this->page.heartbeat, before + 1) << "its host may take it for stuck";
  }
}
TEST(NextSign, EachWorkerHasATimeOfItsOwnInAPeriodAndKeepsIt) {
  constexpr u64 period = u64{1} << 17U;
  memory m{};
  m.workers = 132;
  m.worker_magic = ~u64{0} / m.workers + 1;
  m.control_shift = 17;
  const auto c = std::make_unique<on_chip>();
  std::set<u64> phases;
  for (c->worker = 0; c->worker < m.workers; ++c->worker) {
    const u64 first = next_sign(*c, m, 7'777'777'777);
    EXPECT_GT(first, 7'777'777'777U);
    EXPECT_LE(first, 7'777'777'777U + period);
    EXPECT_EQ(next_sign(*c, m, first), first + period) << "seen in time";
    EXPECT_EQ(next_sign(*c, m, first + 31'000), first + period) << "seen late";
    EXPECT_EQ(next_sign(*c, m, first + 3 * period + 1), first + 4 * period);
    phases.insert(first % period);
  }
  EXPECT_EQ(phases.size(), m.workers);
  c->worker = 131;
  EXPECT_GT(next_sign(*c, m, 5), 5U) << "a clock that has just begun";
}
TYPED_TEST(Control, AWorkerRestsThatDidNothingBetweenTwoLooks) {
  for (int i = 0; i < 2; ++i) this->step();
  EXPECT_EQ(this->page.resting, 1U);
  this->push();
  this->step();  // looks first, then handles
  this->step();
  EXPECT_EQ(this->page.resting, 0U) << "a message was handled since the last look";
  this->step();
  EXPECT_EQ(this->page.resting, 1U);
}
TYPED_TEST(Control, AQuestionForTheTimeIsAnsweredByTheLookThatSeesItWithAClockReadBehindIt) {
  typename TypeParam::block b{this->w->m.lanes};
  for (u64 number = 41; number < 44; ++number) {
    u64 now = number * 1'000'000;
    u64 asked = 0;
    auto steady = [&] {
      now += 1000;
      if (asked == 0) {  // the host asks between the turn's reading of the clock and its look
        asked = now;
        this->page.question = number;
      }
      return now;
    };
    this->c.control_at = 0;
    turn(b, this->c, this->w->m, this->handle, steady);
    ASSERT_EQ(this->page.answered, number) << "the host waits for a whole turn more";
    EXPECT_GT(this->page.clock_ns, asked) << "that clock was read before there was a question";
    EXPECT_LE(this->page.clock_ns, now);
  }
}
TYPED_TEST(Control, ALongTurnAnswersARowOfQuestionsBeforeTheNextOneAndAShortTurnDoesNot) {
  typename TypeParam::block b{this->w->m.lanes};
  constexpr u64 row = 9;
  for (const u64 reading_ns : {u64{5'000}, u64{100}}) {
    SCOPED_TRACE(reading_ns);
    const u64 first = this->page.question + 1;
    u64 now = 1'000'000, readings = 0;
    auto steady =
        [&] {  // read at a turn's begin and behind each question; the host asks on seeing the answer
          now += reading_ns;
          if (this->page.question < first + row - 1) ++this->page.question;
          ++readings;
          return now;
        };
    this->page.question = first;
    this->c.control_at = 0;
    turn(b, this->c, this->w->m, this->handle, steady);
    if (reading_ns > long_turn_ns) {
      EXPECT_EQ(this->page.answered, first + row - 1);
      EXPECT_EQ(this->page.clock_ns, now) << "the last answer's time is the last one read";
    } else {
      EXPECT_LT(this->page.answered, first + row - 1) << "others wait for a worker that idles";
    }
    EXPECT_LE(readings, row + 2) << "asked for the time without a question";
  }
}
TYPED_TEST(Control, AHostThatAsksWithoutEndDoesNotKeepAWorker) {
  typename TypeParam::block b{this->w->m.lanes};
  u64 now = 1'000'000;
  auto steady = [&] {
    ++this->page.question;
    return now += 5'000;
  };
  ++this->page.question;
  this->c.control_at = 0;
  turn(b, this->c, this->w->m, this->handle, steady);  // ends
  EXPECT_GT(this->page.answered, 40U);
  EXPECT_LT(this->page.answered, 60U);
}
TYPED_TEST(Control, AnAnswerIsNotGivenBeforeItsQuestionWasSeen) {
  this->page.question = 41;
  this->step(2'000'000);
  EXPECT_EQ(this->page.answered, 41U);
  this->step(3'000'000);
  EXPECT_EQ(this->page.clock_ns, 3'000'000U) << "an old question's answer may be younger";
  this->c.control_at = 1'000'000'000;
  this->page.question = 42;
  typename TypeParam::block b{this->w->m.lanes};
  auto steady = [] { return u64{4'000'000}; };
  turn(b, this->c, this->w->m, this->handle, steady);
  EXPECT_EQ(this->page.answered, 41U) << "no look has seen it";
}
TYPED_TEST(Control, AQuestionMakesTheWorkerLookAgainAtOnce) {
  this->w->m.control_shift = 30;
  typename TypeParam::block b{this->w->m.lanes};
  u64 now = 1'000'000;
  auto steady = [&] { return now += 1000; };
  auto next = [&] { turn(b, this->c, this->w->m, this->handle, steady); };
  next();
  this->page.question = 1;
  next();
  EXPECT_EQ(this->page.answered, 0U) << "no look is due";
  this->c.control_at = 0;
  next();
  EXPECT_EQ(this->page.answered, 1U);
  for (u64 row = 2; row < 20; ++row) {
    this->page.question = row;
    next();
    EXPECT_EQ(this->page.answered, row) << "a turn for each of a row of questions";
  }
}
TYPED_TEST(Control, ANewOffsetOfTheClockNeedsNoCommand) {
  this->step();
  this->page.clock_offset_ns = 123'456'789;
  this->step();
  EXPECT_EQ(this->c.clock_offset_ns, 123'456'789);
}

}  // namespace
