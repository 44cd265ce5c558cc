// runtime/system/core_inbound.cpp - what workers send to the host: replies, letters, logs, dead letters, ends.
// Why: whoever waits takes in for everybody; the service thread does it when nobody waits.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/args.h>
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "runtime/system/core.hpp"
#include "runtime/system/log_text.hpp"
#include "runtime/system/thread_number.hpp"

namespace perdure::runtime {
namespace {

std::uint32_t u32_at(const inbound_message& m, std::size_t piece) {
  std::uint32_t out;
  std::memcpy(&out, m.payload + piece * 4, 4);
  return out;
}
std::uint64_t u64_at(const inbound_message& m, std::size_t piece) {
  return u32_at(m, piece) | static_cast<std::uint64_t>(u32_at(m, piece + 1)) << 32U;
}

std::string log_text_of(const program& actors, const inbound_message& m) {
  std::uint64_t values[12];
  const std::uint32_t count = std::min<std::uint32_t>(u32_at(m, 2), 12);
  for (std::uint32_t i = 0; i < count; ++i) values[i] = u64_at(m, 5 + 2 * std::size_t{i});
  return log_text(actors, u64_at(m, 0), count, u64_at(m, 3), values);
}

}  // namespace

bool core::take_in(waiting_reader* own, std::size_t most, intake how) {
  // each thread goes round from where it stopped, and threads begin far from each other: so they
  // seldom meet
  thread_local std::size_t turn = thread_number() * std::size_t{2'654'435'769U} >> 7U;
  const std::size_t n = rings_.size();
  std::size_t at = engine_->virtual_time() ? 0 : turn % n;
  std::uint64_t now_wall = 0;
  bool any = false;
  for (std::size_t i = 0; i < std::min(n, most) && (own == nullptr || own->sink.room != 0); ++i) {
    inbound_ring& ring = rings_[at];
    if (++at == n) at = 0;
    if (how == intake::passing ? !ring.promising() : ring.quiet()) continue;
    if (now_wall == 0) now_wall = wall();
    any |= take_in_ring(ring, now_wall, own, how);
  }
  turn = at;
  if (any) tell_of_intake(own);
  return any;
}

/// Of the rings that are crowded each one once. @threads the crew's
bool core::take_in_crowded() {
  thread_local std::size_t turn = thread_number() * std::size_t{2'654'435'769U} >> 7U;
  const std::size_t n = rings_.size();
  bool any = false;
  for (std::size_t i = 0; i < n; ++i) {
    inbound_ring& ring = rings_[(turn + i) % n];
    if (ring.crowded()) any |= take_in_ring(ring, wall(), nullptr);
  }
  ++turn;
  if (any) tell_of_intake(nullptr);
  return any;
}
/// Whether so many rings are that it is not one worker's doing.
bool core::is_crowded() const {
  const std::size_t many = (rings_.size() + 7) / 8;
  std::size_t crowded = 0;
  for (const inbound_ring& ring : rings_) {
    if (ring.crowded() && ++crowded == many) return true;
  }
  return false;
}

void core::take_in_from(std::uint32_t worker, std::uint64_t near_wall) {
  inbound_ring& ring = rings_[worker];
  if (ring.promising() && take_in_ring(ring, near_wall, nullptr)) tell_of_intake(nullptr);
}

/// Words order nothing but themselves. What a host thread did before it sent a message comes before what another one does
/// that has got a letter, or a callback, by it. @memory acquire; pairs with the release in lane::count().
void core::come_behind_senders() const {
  for (const lane& l : lanes_) (void)l.sent.load(std::memory_order_acquire);
}

/// There is room for workers, and maybe something for other threads that wait.
void core::tell_of_intake(const waiting_reader* own) {
  engine_->wake();
  if (engine_->dozes()) come_behind_senders();
  // its fence lies between what was taken in and this look for who waits for it
  if (waiters_.load(std::memory_order_relaxed) > (own != nullptr ? 1U : 0U)) engine_->wake_hosts();
}

bool core::take_in_ring(inbound_ring& ring, std::uint64_t now_wall, waiting_reader* own,
                        intake how) {
  return ring.visit(
      mailboxes_, clock_, now_wall, own,
      [this](const inbound_message& m, std::uint64_t stamp) { accept(m, stamp); }, how);
}

void core::tell(dead_letter d, std::uint32_t handler, std::size_t most) {
  if (handler < actors_.handlers.size()) {
    d.actor_type = actors_.actors[actors_.handlers[handler].actor - 1U].name;
    d.message_type = actors_.messages[actors_.handlers[handler].message].name;
  }
  callbacks_.put([this, d = std::move(d)] { options_.on_dead_letter(d); }, most);
}

void core::accept(const inbound_message& m, std::uint64_t stamp) {
  const std::uint64_t sender = m.sender | static_cast<std::uint64_t>(segment_.workers.system)
                                              << 56U;
  switch (m.kind) {
    case abi::host_kind::reply:
    case abi::host_kind::receiver_down:
      return finish_ask(m.index, m);
    case abi::host_kind::mailbox:
      return;  // not one of those that come here
    case abi::host_kind::log:
      if (options_.on_log) {
        callbacks_.put(
            [this, record = log_record{any_ref{sender}, hlc{stamp}, log_text_of(actors_, m)}] {
              options_.on_log(record);
            });
      }
      return;
    case abi::host_kind::dead_letter:
      if (static_cast<abi::dead_reason>(u32_at(m, 3)) == abi::dead_reason::overflowed)
        note_overflow(abi::ref_type(m.sender), abi::ref_type(u64_at(m, 0)));
      if (options_.on_dead_letter) {
        dead_letter d;
        d.sender = any_ref{m.sender == 0 || abi::ref_type(m.sender) == abi::ask_type ? 0 : sender};
        d.receiver = any_ref{u64_at(m, 0)};
        d.reason = static_cast<abi::dead_reason>(u32_at(m, 3));
        tell(std::move(d), u32_at(m, 2));
      }
      return;
    case abi::host_kind::stopped: {
      std::lock_guard lock{stopped_mutex_};
      stopped_.push_back(u64_at(m, 0));
      return;
    }
  }
}

void core::finish_ask(std::uint32_t id, const inbound_message& m) {
  auto entry = asks_.take(id);
  if (!entry) {
    late_replies_.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  if (m.kind == abi::host_kind::receiver_down) {
    const error why{errc::receiver_down};
    return entry->done(&why, nullptr);
  }
  const message_info& got = actors_.messages[m.message];
  if (got.key != entry->reply_key) {
    const error why{errc::wrong_reply, fmt::format("got {}", got.name)};
    return entry->done(&why, nullptr);
  }
  entry->done(nullptr, m.bytes());
}

void core::run_callbacks() {
  if (engine_->virtual_time() && !makes_states()) callbacks_.run();
}
/// Waits for those of what has been taken in so far, but not beyond that time.
void core::settle_callbacks(std::uint64_t until) {
  run_callbacks();
  const std::uint64_t now = engine_->steady_ns();
  callbacks_.settle(nanoseconds{until > now ? until - now : 0});
}

bool core::end_late_asks() {
  const auto late = asks_.take_expired(engine_->steady_ns());
  for (const asks::entry& one : late) {
    const error why{errc::timeout};
    one.done(&why, nullptr);
  }
  return !late.empty();
}

/// From alignment to alignment of the clocks; the first ones, by which the rate is learned at which they part, come sooner.
constexpr std::chrono::milliseconds alignment_period{50}, first_alignments_period{4};
constexpr int first_alignments = 60;

/// So long behind the last ask the service thread stays awake: to wake it takes several times as long as a reply, and who
/// asks now and then would wait for that each time. Not where it would keep workers from running.
constexpr std::chrono::microseconds awake_behind_asks{200};

/// Takes in when nobody waits, ends asks whose time is up, keeps the workers' clocks near the wall clock.
void core::serve() {
  using namespace std::chrono_literals;
  std::chrono::steady_clock::time_point aligned{}, active{};
  int soon = first_alignments;
  std::uint32_t left_alone = 0;
  std::unique_lock lock{service_mutex_};
  while (!service_stop_) {
    lock.unlock();
    // whoever asks or receives takes in for all others; a waiter may be held up, so not for ever
    const bool left = waiters_.load(std::memory_order_relaxed) != 0 && (++left_alone & 15U) != 0;
    bool busy = !left && take_in();
    busy |= end_late_asks();
    wake_if_due();
    park_if_idle();
    // not where workers are threads: they would lose the cores
    if (!engine_->dozes() && waiters_.load(std::memory_order_relaxed) != 0 && is_crowded())
      crew_.call();
    // at once when parked workers have come back
    if (parked_.load(std::memory_order_relaxed)) {
      soon = first_alignments;
    } else if (std::chrono::steady_clock::now() - aligned >
                   (soon > 0 ? first_alignments_period : alignment_period) &&
               engine_->align_clock()) {
      aligned = std::chrono::steady_clock::now();
      soon -= soon > 0 ? 1 : 0;
      const std::int64_t offset = engine_->worker_clock_offset_ns();
      for (std::uint32_t w = 0; w < segment_.workers.workers; ++w) {
        loop::store<loop::order::relaxed, loop::scope::system>(
            &segment_.host.control[w].clock_offset_ns, static_cast<long long>(offset));
      }
    }
    const bool asked = !asks_.empty();
    const auto now = std::chrono::steady_clock::now();
    if (asked || busy) active = now;
    const bool lingers = !engine_->dozes() && now - active < awake_behind_asks;
    // two at it would only wait for each other
    const bool spare = waiters_.load(std::memory_order_relaxed) != 0 || !(asked || lingers);
    if (busy) {
      std::this_thread::yield();
    } else if (!spare) {
      engine_->doze([this] { return take_in(); }, deadline(1ms));
    }
    lock.lock();
    if (!busy && spare) service_wake_.wait_for(lock, 1ms);
  }
}

}  // namespace perdure::runtime
