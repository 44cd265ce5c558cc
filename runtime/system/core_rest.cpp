// runtime/system/core_rest.cpp - coming to rest, pausing, stopping, counting.
// Why: each of them asks the workers a question under control_ and waits for every answer.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <string>
#include <thread>

#include "runtime/system/core.hpp"

namespace perdure::runtime {

/// Two rounds of counting: what was handled by the end of the first against what was sent by the second.
/// If they are equal, nothing was under way when the first round ended. And no joined handler ran between the two nor
/// could have run in the second: what lies in links then waits for messages that nobody is going to send.
/// @source  Mattern: Algorithms for distributed termination detection (four-counter method), 1987.
result<bool> core::wave_is_idle(std::uint64_t until) {
  auto first = give(abi::command::run, until);
  if (!first) return first.error();
  const std::uint64_t ended = first->inbox_done();
  auto second = give(abi::command::run, until);
  if (!second) return second.error();
  return ended == second->at(abi::counter::sent) + host_sent() &&
         first->at(abi::counter::fired) == second->at(abi::counter::fired) &&
         second->at(abi::counter::could_fire) == 0;
}

/// All that is there is taken in, but what waits for a full mailbox. @return words that workers have written to the host so far.
std::uint64_t core::take_in_and_count() {
  take_in_whole();
  std::uint64_t words = 0;
  for (const inbound_ring& ring : rings_) words += ring.passed();
  return words;
}

/// Asks again when all workers seem to rest; and, since that is a hint, when it has taken twice the time that it had taken
/// at the last question, or 100 ms: every question holds the workers up. What has been sent to the host is in none of the
/// numbers, and may wait at its worker for room in the ring. Between two answers a worker writes what has room; so what still
/// waits, though both rounds began with empty rings and nothing has come, waits behind letters for a full mailbox.
result<void> core::quiesce_locked(std::uint64_t until) {
  constexpr std::uint64_t soonest_ns = 20'000, latest_ns = 100'000'000, nap_ns = 50'000;
  // on a worker's core a nap's end holds that worker up for some microseconds
  const std::uint64_t longest_nap_ns = engine_->dozes() ? 10 * nap_ns : nap_ns;
  const std::uint64_t begun = engine_->steady_ns();
  for (;;) {
    const std::uint64_t words = take_in_and_count();
    auto idle = wave_is_idle(until);
    if (!idle) return idle.error();
    const bool came = take_in_and_count() != words;
    const std::uint64_t asked = engine_->steady_ns();
    if (*idle && (!came || !commands_->any_undelivered())) return {};
    if (asked >= until) return error{errc::timeout, "quiesce"};
    if (*idle) continue;
    const std::uint64_t wait = std::clamp(asked - begun, soonest_ns, latest_ns);
    const std::uint64_t next = std::min(asked + wait, until);
    for (std::uint64_t at = asked; at < next; at = engine_->steady_ns()) {
      if (at - asked >= std::max(soonest_ns, (asked - begun) / 256) && commands_->all_rest()) break;
      const bool took = take_in();  // not help(): the user's callbacks must not run under control_
      if (engine_->pump() || took) continue;
      // a thread that does nothing but look would take a core from the workers
      if (next - at < nap_ns) {
        std::this_thread::yield();
      } else {
        const std::uint64_t nap = std::clamp((at - begun) / 16, nap_ns, longest_nap_ns);
        std::this_thread::sleep_for(nanoseconds{std::min(nap, next - at)});
      }
    }
  }
}

result<void> core::quiesce(nanoseconds timeout) {
  if (auto ok = not_in_init("quiesce"); !ok) return ok;
  std::uint64_t until = 0;
  {
    std::lock_guard lock{control_};
    if (auto ok = open_for_use(); !ok) return ok;
    if (paused_) return error{errc::busy, "paused; resume() first"};
    until = deadline(timeout);
    if (auto ok = quiesce_locked(until); !ok) return ok;
  }
  settle_callbacks(until);
  if (auto ok = not_failed(); !ok) return ok;
  if (engine_->virtual_time() && may_park()) {  // nobody else's time passes: they look, and leave
    for (int looks = 0; looks < 4; ++looks) {
      engine_->pump();
      park_if_idle();
    }
  }
  return {};
}

result<void> core::pause(nanoseconds timeout) {
  if (auto ok = not_in_init("pause"); !ok) return ok;
  std::lock_guard lock{control_};
  if (auto ok = open_for_use(); !ok) return ok;
  auto done = give(abi::command::pause, deadline(timeout));
  if (!done) {
    let_run();  // those that have paused go on
    return done.error();
  }
  paused_ = true;
  return {};
}

result<void> core::resume() {
  if (auto ok = not_in_init("resume"); !ok) return ok;
  std::lock_guard lock{control_};
  if (auto ok = open_for_use(); !ok) return ok;
  paused_ = false;
  auto done = give(abi::command::run, deadline(options_.stop_timeout));
  return done ? result<void>{} : result<void>{done.error()};
}

result<void> core::stop(nanoseconds timeout) {
  if (auto ok = not_in_init("stop"); !ok) return ok;
  const std::uint64_t until = deadline(timeout);
  std::string warning;
  const auto outcome = stop_locked(timeout, warning);
  if (!warning.empty() && options_.on_warning) options_.on_warning(warning);
  settle_callbacks(until);
  return outcome ? not_failed() : outcome;
}

/// Whether letters still wait for the readers of full mailboxes: behind others, at their workers, or anywhere.
bool core::letters_wait(held_up where) const {
  return commands_->any_undelivered() ||
         (where == held_up::anywhere &&
          !std::all_of(rings_.begin(), rings_.end(),
                       [](const auto& ring) { return ring.quiet(); }));
}
/// As quiesce_locked(), and no letter waits there: their mailboxes' readers have as long as there is time.
result<void> core::come_to_an_end(std::uint64_t until, held_up where) {
  constexpr std::uint64_t nap_ns = 50'000, longest_nap_ns = 1'000'000;
  const std::uint64_t begun = engine_->steady_ns();
  for (;;) {
    auto idle = quiesce_locked(until);
    if (!idle || !letters_wait(where)) return idle;
    const std::uint64_t now = engine_->steady_ns();
    if (now >= until) return error{errc::timeout, "letters wait for mailboxes that are full"};
    if (engine_->pump()) continue;
    const std::uint64_t nap = std::clamp((now - begun) / 16, nap_ns, longest_nap_ns);
    std::this_thread::sleep_for(nanoseconds{std::min(nap, until - now)});
  }
}

result<void> core::stop_locked(nanoseconds timeout, std::string& warning) {
  std::lock_guard lock{control_};
  life expected = life::running;
  if (!life_.compare_exchange_strong(expected, life::stopping)) return {};
  for (lane& l : lanes_) std::lock_guard wait{l.mutex};  // no push is under way any more
  const std::uint64_t until = deadline(timeout);
  result<void> outcome;
  if (paused_) {
    if (auto ok = give(abi::command::run, until); !ok) outcome = ok.error();
    paused_ = false;
  }
  if (outcome) outcome = come_to_an_end(until, held_up::at_workers);
  const std::uint64_t last_chance = std::max(until, deadline(std::chrono::milliseconds{250}));
  bool gone = false;
  if (outcome || outcome.error().code() != errc::stuck) {
    auto halted = give(abi::command::halt, last_chance);
    if (halted) {
      host_dead_.store(host_sent() + halted->sent() - halted->handled() - halted->dead());
    } else {
      outcome = halted.error();  // even over a timeout, which promises exact books
    }
    gone = halted.has_value();
  } else {
    commands_->tell(abi::command::halt);  // the others leave now, the stuck one if it ever returns
  }
  take_in_whole();
  // whoever has acknowledged the halt has nothing left to do but to leave, however late it came to that
  const std::uint64_t now = engine_->steady_ns();
  const bool left = engine_->join(gone ? now + commands::silence_ns : now);
  if (!left && outcome) outcome = error{errc::stuck, "the workers did not leave"};
  if (auto ok = end_recording(left, warning); !ok && outcome) outcome = ok;
  life_.store(life::stopped, std::memory_order_release);
  engine_->wake_hosts();  // readers of mailboxes, who wait for what will not come
  for (auto& open : asks_.take_all()) {
    const error why{errc::cancelled};
    open.done(&why, nullptr);
  }
  return outcome;
}

stats core::statistics() const {
  std::unique_lock lock{control_, std::defer_lock};
  const bool held = makes_states();  // and cannot ask anew: it is what was counted last
  if (!held) lock.lock();
  auto* self = const_cast<core*>(this);
  if (!held && life_.load() == life::running && !parked_) {  // parked ones have told all
    (void)self->give(paused_ ? abi::command::pause : abi::command::run,
                     self->deadline(options_.stop_timeout));
  }
  const totals& t = last_;
  stats s;
  const std::uint64_t dropped = host_dropped_.load(), overflowed = host_overflowed_.load();
  s.host_sent = host_sent() + dropped + overflowed;
  std::uint64_t no_mailbox = unread_.load(std::memory_order_relaxed);
  for (const inbound_ring& ring : rings_) no_mailbox += ring.homeless();
  s.sent = t.sent() + s.host_sent + no_mailbox;
  s.handled = t.handled();
  s.fired = t.at(abi::counter::fired);
  s.link_sent = t.at(abi::counter::link_sent);
  s.link_taken = t.at(abi::counter::link_taken);
  for (std::uint32_t i = 0; i < abi::dead_reasons; ++i) {
    s.dead[i] = t.count[static_cast<std::uint32_t>(abi::counter::dead) + i];
  }
  s.dead[static_cast<std::size_t>(abi::dead_reason::no_mailbox)] += no_mailbox;
  s.dead[static_cast<std::size_t>(abi::dead_reason::dropped)] += dropped;
  s.dead[static_cast<std::size_t>(abi::dead_reason::overflowed)] += overflowed;
  s.dead[static_cast<std::size_t>(abi::dead_reason::shutdown)] += host_dead_.load();
  s.queued = s.sent - s.handled - s.dead_total();
  s.replies = t.at(abi::counter::replies);
  s.unasked = t.at(abi::counter::unasked);
  s.late_replies = late_replies_.load();
  s.untold = callbacks_.lost();
  s.to_mailboxes = t.at(abi::counter::to_host);
  s.failed = t.at(abi::counter::failed);
  s.stopped = t.at(abi::counter::stopped);
  s.timers_set = t.at(abi::counter::timers_set);
  s.timers_fired = t.at(abi::counter::timers_fired);
  s.batches = t.at(abi::counter::batches);
  s.rounds = t.at(abi::counter::rounds);
  s.wraps = t.at(abi::counter::wraps);
  s.spilled = t.at(abi::counter::spilled);
  s.outbox_overflow = t.at(abi::counter::outbox_overflow);
  s.clock_bound_ns = self->engine_->clock_bound_ns();
  s.host_lanes = static_cast<std::uint32_t>(lanes_used_.load());
  s.parks = parks_;
  s.parked = parked_;
  if (const abi::u64 pair = t.at(abi::counter::exhausted_pair); pair != 0)
    s.exhausted_pair = pair_named(pair >> 8U & 255U, pair & 255U);
  if (failed_.load(std::memory_order_acquire)) s.overflow_pair = failed_pair_;
  return s;
}

}  // namespace perdure::runtime
