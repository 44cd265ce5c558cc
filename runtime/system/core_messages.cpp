// runtime/system/core_messages.cpp - the host's sends, asks and reads of mailboxes.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstring>
#include <functional>

#include "runtime/system/core.hpp"
#include "runtime/system/thread_number.hpp"

namespace perdure::runtime {

/// Always the same one for a thread; the first threads that send have the first lanes.
core::lane& core::my_lane() {
  std::size_t mine = 0;
  // with a seed, runs must not depend on how many threads there were before
  if (!engine_->virtual_time()) {
    std::atomic<std::uint8_t>& known = lane_of_thread_[thread_number() % lane_of_thread_.size()];
    std::uint8_t one_more = known.load(std::memory_order_relaxed);  // says nothing but itself
    if (one_more == 0) {
      const auto next = static_cast<std::uint8_t>(
          senders_.fetch_add(1, std::memory_order_relaxed) % lanes_.size() + 1);
      if (known.compare_exchange_strong(one_more, next, std::memory_order_relaxed)) one_more = next;
    }
    mine = one_more - 1U;
  }
  std::size_t before = lanes_used_.load(std::memory_order_relaxed);  // a number to be shown
  while (before <= mine && !lanes_used_.compare_exchange_weak(before, mine + 1)) {
  }
  return lanes_[mine];
}

lane_writer& core::way_to(lane& from, std::uint64_t to) const {
  return from.writers[segment_.worker_of(to)];
}

bool core::try_push_large(lane& from, lane_writer& way, const message_form& form, std::uint64_t to,
                          std::uint64_t sender, std::uint64_t stamp, const void* m,
                          std::uint32_t bytes) {
  if (!way.has_room(form.words) || !from.large.has_room()) return false;
  const std::uint64_t handle = from.large.put(m, bytes);
  return way.try_push<0>(form, to, sender, stamp, &handle);
}

bool core::has_room(lane& l, std::uint64_t to, std::uint32_t bytes) const {
  const std::lock_guard lock{l.mutex};
  if (senders_held_.load(std::memory_order_relaxed))
    return false;  // way_to() may change: see lock_lane()
  return way_to(l, to).has_room(abi::words_for(bytes)) &&
         (bytes <= abi::inline_payload || l.large.has_room());
}

/// To put something into the lane. @return the lock, or none if senders were held back until the time was up.
std::unique_lock<std::mutex> core::lock_lane(lane& l, time_limit& limit) {
  for (;;) {
    std::unique_lock lock{l.mutex};
    // relaxed: whoever sets it takes this lock behind that
    if (!senders_held_.load(std::memory_order_relaxed)) return lock;
    lock.unlock();
    const std::uint64_t until = end_of(limit);
    const auto released = [this] { return !senders_held_.load(std::memory_order_relaxed); };
    std::unique_lock held{held_mutex_};
    if (engine_->virtual_time()) {  // it stands still for who waits
      if (until == 0) return lock;
      released_.wait(held, released);
      continue;
    }
    const std::uint64_t now = engine_->steady_ns();
    if (until <= now || !released_.wait_for(held, nanoseconds{until - now}, released)) return lock;
  }
}

result<void> core::open_for_use() const {
  if (life_.load(std::memory_order_acquire) != life::running)
    return error{errc::closed, actors_.name};
  return {};
}

result<std::uint32_t> core::resolve(std::uint64_t to, std::uint64_t handler_key) const {
  if (auto ok = open_for_use(); !ok) return ok.error();
  if (auto ok = not_failed(); !ok) return ok.error();
  if (to == 0) return error{errc::null_ref};
  if (abi::ref_system(to) != segment_.workers.system) {
    return error{errc::foreign_ref, fmt::format("reference of system {}, used with system {}",
                                                abi::ref_system(to), segment_.workers.system)};
  }
  const std::uint32_t handler = index_.handlers.find(handler_key);
  if (handler == key_table::none) return error{errc::no_handler, actors_.name};
  if (actors_.handlers[handler].actor != abi::ref_type(to)) {
    return error{errc::no_handler, "the reference names an actor of another type"};
  }
  return handler;
}

/// What a waiting thread does between two looks of its own.
/// @param own  as take_in().  @param arrived  () -> bool: whether what it waits for is there, should it fall asleep now.
template <class Arrived>
void core::help(std::uint32_t& idle_turns, std::uint64_t until, waiting_reader* own,
                const Arrived& arrived) {
  // who waits for a worker that shares its core has it soonest by leaving the core
  const std::uint32_t turns_awake = engine_->dozes() ? 32 : 512;
  const bool took = take_in(own);
  wake_if_due();
  run_callbacks();
  const bool ran = engine_->pump();
  if (engine_->virtual_time()) {  // time passes here only, and no service thread watches it
    end_late_asks();
    park_if_idle();
  }
  if (took || ran) {
    idle_turns = 0;
    return;
  }
  if (++idle_turns <= turns_awake) return;
  const auto last_look = [&] { return arrived() || take_in(own); };
  engine_->doze(std::ref(last_look), until);
}

result<core::pushed> core::push(std::uint64_t to, std::uint32_t handler, std::uint64_t sender,
                                const void* m, std::uint32_t bytes, time_limit& limit) {
  // They take longer to come back than the message takes to be put. A hint: what counts is the look behind it.
  if (parked_.load(std::memory_order_relaxed)) {
    (void)end_of(limit);  // the time that they take is within it
    wake_parked();
  }
  lane& l = my_lane();
  const std::uint64_t stamp = clock_.next(wall());
  bool parked = false, full = false;
  for (std::uint32_t idle = 0;;) {
    {
      const auto lock = lock_lane(l, limit);
      if (!lock) return error{errc::inbox_full, "rebalance() is under way"};
      if (life_.load(std::memory_order_acquire) != life::running)
        return error{errc::closed, actors_.name};
      l.count(1);  // under the lane's lock, since stop() takes all lane locks before it counts
      lane_writer& way = way_to(l, to);
      const bool put = bytes > abi::inline_payload
                           ? try_push_large(l, way, message_form{handler, handle_bytes}, to, sender,
                                            stamp, m, bytes)
                           : way.try_push(to, handler, sender, stamp, m, bytes);
      if (put) l.next_place.store(way.next_place(), std::memory_order_relaxed);
      if (put && recorder_) record_sent(&to, handler, sender, stamp, m, bytes, 1);
      parked = parked_.load(std::memory_order_relaxed);  // under the lock: see park_locked()
      if (put) break;
      full = bytes <= abi::inline_payload || !way.has_room(abi::words_for(bytes));
      l.count(-std::uint64_t{1});
    }
    if (parked) wake_parked();
    const std::uint64_t until = end_of(limit);
    if (until != 0 && full && rule_of(handler) != abi::overflow::wait) {
      drop(to, handler);
      engine_->wake();
      if (auto ok = not_failed(); !ok) return ok.error();
      return pushed::dropped;
    }
    if (engine_->steady_ns() >= until) return error{errc::inbox_full, "host lane"};
    engine_->wake();
    help(idle, until, nullptr, [&] { return has_room(l, to, bytes); });
  }
  if (parked) wake_parked();
  engine_->wake();
  return pushed::queued;
}

result<void> core::send(std::uint64_t to, std::uint64_t handler_key, const void* m,
                        std::uint32_t bytes, nanoseconds wait) {
  auto handler = resolve(to, handler_key);
  if (!handler) return handler.error();
  time_limit limit{wait, wait.count() == 0};
  const auto put = push(to, *handler, 0, m, bytes, limit);
  return put ? result<void>{} : result<void>{put.error()};
}

result<std::size_t> core::send_many(const std::uint64_t* to, std::uint64_t handler_key,
                                    const void* m, std::uint32_t bytes, std::size_t n,
                                    nanoseconds wait) {
  const std::uint32_t handler = index_.handlers.find(handler_key);
  if (handler == key_table::none) return error{errc::no_handler, actors_.name};
  const bool nobody_waits = rule_of(handler) != abi::overflow::wait;
  constexpr std::size_t run = 256;  // messages under one lock and one look at the clock
  if (parked_.load(std::memory_order_relaxed)) wake_parked();  // as in push()
  lane& l = my_lane();
  const auto* bytes_of = static_cast<const std::byte*>(m);
  const bool large = bytes > abi::inline_payload;
  const message_form form =
      large ? message_form{handler, handle_bytes} : message_form{handler, bytes};
  const std::uint32_t type = actors_.handlers[handler].actor;
  std::size_t sent = 0, right = 0;  // so many references were looked at and can be sent to
  time_limit limit{wait};
  for (std::uint32_t idle = 0; sent < n;) {
    const std::size_t end = sent + std::min(run, n - sent);
    if (auto ok = not_failed(); !ok) return ok.error();
    while (right < end && abi::ref_system(to[right]) == segment_.workers.system &&
           abi::ref_type(to[right]) == type) {
      ++right;
    }
    const std::size_t want = std::min(right, end) - sent;
    if (want == 0) {  // what stands before the first bad one is sent
      if (sent != 0) return sent;
      auto why = resolve(to[sent], handler_key);
      return why ? result<std::size_t>{sent} : result<std::size_t>{why.error()};
    }
    std::uint64_t stamp = clock_.next(wall(), want);
    std::size_t pushed = 0, dropped = 0;
    bool parked = false;
    {
      const auto lock = lock_lane(l, limit);
      if (!lock) return sent;
      if (life_.load(std::memory_order_acquire) != life::running) {
        if (sent != 0) return sent;
        return error{errc::closed, actors_.name};
      }
      l.count(want);
      const auto push_one = [&, writers = l.writers.data()](auto words) {
        const std::uint64_t receiver = to[sent + pushed];
        const std::byte* message = bytes_of + (sent + pushed) * bytes;
        static_assert(with_words(abi::words_for(handle_bytes), [](auto own) { return own(); }) ==
                      0);
        if constexpr (words() == 0) {
          if (large)
            return try_push_large(l, writers[segment_.worker_of(receiver)], form, receiver, 0,
                                  stamp + pushed, message, bytes);
        }
        return writers[segment_.worker_of(receiver)].template try_push<words>(
            form, receiver, 0, stamp + pushed, message);
      };
      for (; pushed < want; ++pushed) {
        // a loop of its own for each usual number of words
        with_words(form.words, [&](auto words) {
          while (pushed < want && push_one(words)) ++pushed;
        });
        if (pushed == want || !nobody_waits) break;
        // else it lacks a buffer, which says nothing of the receiver
        const std::uint32_t worker = segment_.worker_of(to[sent + pushed]);
        if (large && l.writers[worker].has_room(form.words)) break;
        drop(to[sent + pushed], handler);
        ++dropped;
        if (failed_.load(std::memory_order_relaxed)) {
          ++pushed;
          break;
        }
      }
      l.count(-std::uint64_t{want - pushed + dropped});
      if (recorder_)
        record_sent(to + sent, handler, 0, stamp, bytes_of + sent * bytes, bytes, pushed);
      parked = parked_.load(std::memory_order_relaxed);
    }
    if (parked) wake_parked();
    sent += pushed;
    engine_->wake();
    if (pushed != 0) {
      limit.until = 0;  // the wait is for each of those that found no room
      idle = 0;
      continue;
    }
    const std::uint64_t until = end_of(limit);
    if (engine_->steady_ns() >= until) return sent;
    help(idle, until, nullptr, [&] { return has_room(l, to[sent], bytes); });
  }
  if (auto ok = not_failed(); !ok) return ok.error();
  return sent;
}

/// An ask that is dropped is an error for who asked.
result<void> core::push_ask(std::uint64_t to, std::uint32_t handler, std::uint32_t id,
                            const void* m, std::uint32_t bytes, time_limit& limit) {
  const auto put = push(to, handler, abi::ask_sender(id), m, bytes, limit);
  if (!put) return put.error();
  if (*put == pushed::queued) return {};
  return error{errc::inbox_full,
               fmt::format("{} drops the newest",
                           actors_.actors[actors_.handlers[handler].actor - 1U].name)};
}

void core::ask_async(std::uint64_t to, std::uint64_t handler_key, const void* m,
                     std::uint32_t bytes, std::uint64_t reply_key, nanoseconds timeout,
                     detail::on_reply done) {
  auto handler = resolve(to, handler_key);
  if (!handler) {
    const error& why = handler.error();
    return done(&why, nullptr);
  }
  const std::uint32_t reply = index_.messages.find(reply_key);
  const std::uint32_t reply_bytes = reply == key_table::none ? 0 : actors_.messages[reply].size;
  time_limit limit{timeout};
  const std::uint32_t id = asks_.add({reply_key, reply_bytes, end_of(limit), std::move(done)});
  auto sent = push_ask(to, *handler, id, m, bytes, limit);
  if (!sent) {
    if (auto entry = asks_.take(id)) {
      const error& why = sent.error();
      entry->done(&why, nullptr);
    }
  }
  service_wake_.notify_one();
}

result<void> core::ask(std::uint64_t to, std::uint64_t handler_key, const void* m,
                       std::uint32_t bytes, std::uint64_t reply_key, void* reply,
                       std::uint32_t reply_bytes, nanoseconds timeout) {
  struct outcome {
    void* reply;
    std::uint32_t bytes;
    std::atomic<bool> ended{false};
    std::unique_ptr<error> why;
  } out{reply, reply_bytes, {}, {}};
  auto handler = resolve(to, handler_key);
  if (!handler) return handler.error();
  my_lane().expect_next();
  const auto fill = [](void* what, const error* why, const void* from) {
    auto* to_fill = static_cast<outcome*>(what);
    if (why != nullptr) {
      to_fill->why = std::make_unique<error>(*why);
    } else {
      std::memcpy(to_fill->reply, from, to_fill->bytes);
    }
    // release: the reply's bytes come before the flag
    to_fill->ended.store(true, std::memory_order_release);
  };
  // its end is for this thread to see, so no clock is read for it before the message is under way
  const std::uint32_t id = asks_.add({reply_key, reply_bytes, asks::never, ask_ending{fill, &out}});
  time_limit limit{timeout};
  auto sent = push_ask(to, *handler, id, m, bytes, limit);
  if (!sent && asks_.take(id)) return sent.error();
  const waiting here{waiters_};
  const std::uint64_t until = end_of(limit);
  std::uint64_t near_wall = wall();
  const std::uint32_t worker = likely_worker(to);
  // the reply is looked for where it is expected, and now and then elsewhere, a few rings at a time: their words lie
  // far apart, and a look at all of them takes as long as the reply
  constexpr std::uint32_t turns_elsewhere = 8, turns_help = 2048, turns_alone = 8192;
  constexpr std::size_t rings_elsewhere = 2;
  for (std::uint32_t idle = 0, turns = 1; !out.ended.load(std::memory_order_acquire); ++turns) {
    const bool alone = turns < turns_help || !engine_->dozes();
    if (!engine_->virtual_time() && alone && turns % turns_help != 0) {
      take_in_from(worker, near_wall);
      if (turns % turns_elsewhere != 0) continue;
      take_in(nullptr, rings_elsewhere);
      if (turns <= turns_alone) continue;
      std::this_thread::yield();  // a worker may need this core, and may keep it for long
    } else {
      help(idle, until, nullptr, [&] { return out.ended.load(std::memory_order_acquire); });
      near_wall = wall();
    }
    if (engine_->steady_ns() < until) continue;
    if (asks_.take(id))
      return error{errc::timeout, actors_.messages[actors_.handlers[*handler].message].name};
    // somebody else has taken the entry and is about to set the flag
  }
  if (out.why) return *out.why;
  return {};
}

result<void> core::receive(std::uint64_t bits, std::size_t most, nanoseconds timeout,
                           const detail::take_letter& take) {
  const std::uint64_t until = deadline(timeout);
  const std::uint32_t name = abi::ref_index(bits);
  mailbox_queue* const box = mailboxes_.find(name);
  if (box == nullptr) return error{errc::mailbox_closed};
  const std::uint64_t system = std::uint64_t{segment_.workers.system} << 56U;
  waiting_reader own{name, *box, {actors_.messages.data(), system, take, most}};
  const waiting here{waiters_};
  bool ended = false;
  for (std::uint32_t idle = 0;;) {
    // who does not wait may be draining: what another thread is just bringing belongs to it
    const bool all = timeout.count() <= 0;
    bool open = box->take(name, own.sink, all);
    if (all && own.sink.room == most) {
      take_in_whole(&own);
      open = box->take(name, own.sink, all);
    } else if (own.sink.room != 0 && take_in(&own)) {
      open = box->take(name, own.sink, all);
    }
    if (own.sink.room != most) return {};
    if (!open) return error{errc::mailbox_closed};
    if (most == 0 || engine_->steady_ns() >= until) return {};
    // acquire: what the workers had sent when they left was taken in before; nothing comes any more
    if (life_.load(std::memory_order_acquire) == life::stopped && !ended) {
      ended = true;  // one more look
      continue;
    }
    if (ended) return {};
    help(idle, until, &own, [&] { return !box->empty() || !box->is(name); });
  }
}

}  // namespace perdure::runtime
