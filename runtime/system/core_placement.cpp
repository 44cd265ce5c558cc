// runtime/system/core_placement.cpp - moving actors at rest, and saying who sits where.
// Why: where actors sit is known when they are made, who talks to whom only when they have (docs/adr/021).
// Invariant: an actor's place changes only while no message is on its way anywhere; so a pair's order holds.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <new>

#include "runtime/system/core.hpp"

namespace perdure::runtime {
namespace {

tiers tiers_of(const by_distance& n) { return {n[0], n[1], n[2]}; }

template <class T>
result<void> fetch(const engine& e, const T* from, std::size_t count, std::vector<T>& into) {
  into.resize(count);
  return const_cast<engine&>(e).copy_out(reinterpret_cast<std::byte*>(into.data()),
                                         reinterpret_cast<const std::byte*>(from),
                                         count * sizeof(T));
}

std::uint64_t still_open(const totals& t, std::uint64_t host_sent) {
  return t.at(abi::counter::sent) + host_sent - t.inbox_done();
}

}  // namespace

/// @memory  the flag is set before each lane's lock is taken once: a thread that had the lock before has put its message
///          and counted it, so that the system is not idle before it is handled; one that has it later sees the flag.
class core::senders_held {
 public:
  explicit senders_held(core& of) : of_{of} {
    of_.senders_held_.store(true, std::memory_order_relaxed);
    for (lane& l : of_.lanes_) std::lock_guard wait{l.mutex};
  }
  ~senders_held() {
    // the tables that changed are read under a lane's lock, too
    for (lane& l : of_.lanes_) std::lock_guard wait{l.mutex};
    {
      const std::lock_guard lock{of_.held_mutex_};  // or who is about to wait would miss it
      of_.senders_held_.store(false, std::memory_order_release);
    }
    of_.released_.notify_all();
  }
  senders_held(const senders_held&) = delete;
  senders_held& operator=(const senders_held&) = delete;

 private:
  core& of_;
};

std::uint32_t core::likely_worker(std::uint64_t to) {
  if (options_.placement == placement::fixed) return abi::ref_index(to) % segment_.workers.workers;
  time_limit none{.wait = {}, .at_once = true};
  const auto lock = lock_lane(my_lane(), none);
  return lock ? segment_.worker_of(to) : 0;
}

result<std::uint32_t> core::worker_of(std::uint64_t bits) const {
  if (auto ok = not_in_init("worker_of"); !ok) return ok.error();
  const std::lock_guard lock{control_};
  if (bits == 0) return error{errc::null_ref};
  if (abi::ref_system(bits) != segment_.workers.system) return error{errc::foreign_ref};
  if (!spawner_->known(bits)) return error{errc::receiver_down, "no such actor"};
  return segment_.worker_of(bits);
}

result<placement_report> core::placement() {
  if (auto ok = not_in_init("placement"); !ok) return ok.error();
  const std::lock_guard lock{control_};
  if (life_.load() == life::running && !parked_) {  // parked ones have told all
    auto told =
        give(paused_ ? abi::command::pause : abi::command::run, deadline(options_.stop_timeout));
    if (!told) return told.error();
  }
  try {
    return counted_so_far(last_);
  } catch (const std::bad_alloc&) {
    return error{errc::out_of_memory, "placement: the report"};
  }
}

result<placement_report> core::rebalance(nanoseconds timeout) {
  if (auto ok = not_in_init("rebalance"); !ok) return ok.error();
  const auto balance = [&]() -> result<placement_report> {
    const std::lock_guard lock{control_};
    if (auto ok = open_for_use(); !ok) return ok.error();
    if (auto ok = not_failed(); !ok) return ok.error();
    if (options_.placement == placement::fixed) {
      return error{errc::bad_option,
                   "placement is fixed; start the system with options.placement = counted"};
    }
    if (paused_) return error{errc::busy, "paused; resume() first"};
    const std::uint64_t until = deadline(timeout);
    const senders_held held{*this};
    try {
      auto rest = rest_and_pause(until);
      if (!rest) return rest.error();
      auto done = rebalance_paused(*rest);
      // halfway through a move: states and tables disagree, so no worker may go on
      if (!done && done.error().code() == errc::device_failed) return done;
      if (auto run = give(abi::command::run, deadline(options_.stop_timeout)); !run)
        return run.error();
      return done;
    } catch (const std::bad_alloc&) {  // of what is planned with; nothing has been changed
      let_run();
      return error{errc::out_of_memory, "rebalance: traffic and places"};
    }
  };
  auto done = balance();
  run_callbacks();
  return done;
}

/// A timer may fire between the two, so what was idle is looked at again when all have paused. Letters that a full mailbox
/// holds up count as queued: who is moved would overtake them by another worker's ring.
result<totals> core::rest_and_pause(std::uint64_t until) {
  for (;;) {
    if (auto idle = come_to_an_end(until, held_up::anywhere); !idle) {
      const std::uint64_t open = still_open(last_, host_sent());
      if (idle.error().code() != errc::timeout || open == 0) return idle.error();
      return error{
          errc::timeout,
          fmt::format("rebalance: {} messages were queued or handled when time was up", open)};
    }
    auto paused = give(abi::command::pause, until);
    if (!paused) {
      let_run();  // those that have paused go on
      return paused.error();
    }
    take_in_whole();
    const std::uint64_t open = still_open(*paused, host_sent());
    if (open == 0 && paused->at(abi::counter::could_fire) == 0 && !letters_wait(held_up::anywhere))
      return paused;
    if (auto run = give(abi::command::run, deadline(options_.stop_timeout)); !run)
      return run.error();
    if (engine_->steady_ns() >= until) {
      return error{errc::timeout,
                   fmt::format("rebalance: {} messages were queued when all had paused", open)};
    }
  }
}

result<std::vector<abi::traffic_page>> core::read_traffic() {
  std::vector<abi::traffic_page> pages;
  if (segment_.workers.counts_traffic == 0) return pages;
  auto ok = fetch(*engine_, segment_.workers.traffic, segment_.workers.workers, pages);
  if (!ok) return ok.error();
  return pages;
}

result<placement_report> core::counted_so_far(const totals& t) {
  const std::uint32_t workers = segment_.workers.workers;
  placement_report r;
  r.counted = segment_.workers.counts_traffic != 0;
  for (std::uint32_t type = 1; type <= actors_.actors.size(); ++type) {
    const actor_info& info = actors_.actors[type - 1];
    placement_report::actor_type part{std::string{info.name}, info.wide != nullptr,
                                      spawner_->given(type)};
    // a permutation leaves every worker as many slots as arithmetic gives it
    for (std::uint32_t w = 0; w < workers; ++w)
      part.at.push_back(part.actors / workers + (w < part.actors % workers ? 1 : 0));
    r.types.push_back(std::move(part));
  }
  if (!r.counted) return r;
  auto pages = read_traffic();
  if (!pages) return pages.error();
  by_distance sent{};
  for (const abi::traffic_page& page : *pages) {
    for (std::size_t d = 0; d < abi::distances; ++d) sent[d] += page.sent[d];
    r.samples += std::min<std::uint64_t>(page.taken, abi::samples_kept);
  }
  r.sent = tiers_of(sent);
  r.from_hosts = t.at(abi::counter::from_host) - from_hosts_before_;
  return r;
}

/// A sample stands for as many messages as one was taken of.
result<std::vector<seen_traffic>> core::read_samples(const std::vector<abi::traffic_page>& pages) {
  std::vector<seen_traffic> seen;
  std::vector<abi::traffic_sample> samples;
  for (std::size_t w = 0; w < pages.size(); ++w) {
    const auto count = std::min<std::size_t>(pages[w].taken, abi::samples_kept);
    if (count == 0) continue;
    auto ok = fetch(*engine_, segment_.workers.samples + w * abi::samples_kept, count, samples);
    if (!ok) return ok.error();
    for (const abi::traffic_sample& s : samples)
      seen.push_back(
          {s.sender & abi::data_mask, s.receiver, std::uint64_t{1} << (s.sender >> 56U)});
  }
  return seen;
}

/// Actors with a ctx.after() pending: it is sent by the worker that they were at when they called it. Were they elsewhere by
/// then, two workers would send and stamp in their name.
result<std::vector<std::uint64_t>> core::timers_owners(const totals& t) {
  std::vector<std::uint64_t> owners;
  const loop::memory& m = segment_.workers;
  if (t.at(abi::counter::timers_set) == t.at(abi::counter::timers_fired)) return owners;
  std::vector<loop::timer_slot> timers;
  for (std::uint32_t w = 0; w < m.workers; ++w) {
    auto ok =
        fetch(*engine_, m.timers + std::size_t{w} * m.timer_capacity, m.timer_capacity, timers);
    if (!ok) return ok.error();
    for (const loop::timer_slot& slot : timers)
      if (slot.due_ns != 0) owners.push_back(abi::sender_of(slot.data[0]));
  }
  std::sort(owners.begin(), owners.end());
  owners.erase(std::unique(owners.begin(), owners.end()), owners.end());
  return owners;
}

/// Behind it no stamp of a moved actor is given twice: its new worker's clock is past its old one's.
result<void> core::count_anew(const totals& t, const std::vector<abi::traffic_page>& pages) {
  abi::traffic_restart now{++rebalances_, 0};
  for (const abi::traffic_page& page : pages)
    now.clock = std::max<std::uint64_t>(now.clock, page.clock);
  from_hosts_before_ = t.at(abi::counter::from_host);
  auto* at = const_cast<abi::traffic_restart*>(segment_.workers.restart);
  return engine_->copy_in(reinterpret_cast<std::byte*>(at), sizeof(now),
                          reinterpret_cast<const std::byte*>(&now), sizeof(now), sizeof(now), 1);
}

result<placement_report> core::rebalance_paused(const totals& paused) {
  const loop::memory& m = segment_.workers;
  auto report = counted_so_far(paused);
  if (!report) return report;
  auto pages = read_traffic();
  if (!pages) return pages.error();
  auto seen = read_samples(*pages);
  if (!seen) return seen.error();
  auto kept = timers_owners(paused);
  if (!kept) return kept.error();
  std::vector<placed_type> types(m.type_count + 1);
  for (std::uint32_t type = 1; type <= m.type_count; ++type)
    types[type] = {spawner_->given(type), actors_.actors[type - 1].wide != nullptr,
                   &segment_.places[type]};
  placement_plan plan = plan_placement(m.workers, std::max(m.cluster, 1U), types, *seen, *kept);
  // whole before anything is changed: behind that nothing may fail for want of memory
  for (std::uint32_t type = 1; type <= m.type_count; ++type)
    report->types[type - 1].moved = plan.moved[type];
  report->seen = tiers_of(plan.before);
  report->predicted = tiers_of(plan.after);
  report->kept = kept->size();
  for (std::uint32_t w = 0; w < m.workers; ++w)
    report->workers.push_back({plan.load_before[w], plan.load_after[w]});
  if (auto ok = mover_->move(std::move(plan.places)); !ok) return ok.error();
  if (auto ok = count_anew(paused, *pages); !ok) return ok.error();
  return report;
}

}  // namespace perdure::runtime
