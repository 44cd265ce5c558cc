// runtime/system/core.hpp - the system behind the facade: lanes in, rings out, asks, mailboxes, life and death.
// Why: one implementation over every engine; the facade's templates call it with keys and bytes.
// Threads: all public members from any thread. Locks, in this order: control_, a lane's,
//          a ring's (which is only ever tried), a mailbox's.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "perdure/system_core.hpp"
#include "runtime/bridge/lane_writer.hpp"
#include "runtime/bridge/large_payloads.hpp"
#include "runtime/record/recorder.hpp"
#include "runtime/system/asks.hpp"
#include "runtime/system/callback_line.hpp"
#include "runtime/system/commands.hpp"
#include "runtime/system/host_clock.hpp"
#include "runtime/system/host_time.hpp"
#include "runtime/system/inbound_ring.hpp"
#include "runtime/system/intake_crew.hpp"
#include "runtime/system/mailboxes.hpp"
#include "runtime/system/linker.hpp"
#include "runtime/system/mover.hpp"
#include "runtime/system/spawner.hpp"

namespace perdure::runtime {

/// Threads of the crew: a quarter of the processors, which is what readers of eight mailboxes leave of sixteen.
constexpr std::uint32_t crew_of(std::uint32_t processors) {
  return processors < 4 ? 1 : processors / 4;
}

class core final : public detail::system_core {
 public:
  /// @return the running system, or what sizing, memory or launch said.
  static result<std::shared_ptr<core>> start(std::unique_ptr<engine> e, const program& actors,
                                             const options& opts);
  ~core() override;

  result<detail::raw_range> spawn(std::uint64_t type_key, std::size_t n,
                                  const detail::make_state& make) override;
  result<void> send(std::uint64_t to, std::uint64_t handler_key, const void* m, std::uint32_t bytes,
                    nanoseconds wait) override;
  result<std::size_t> send_many(const std::uint64_t* to, std::uint64_t handler_key, const void* m,
                                std::uint32_t bytes, std::size_t n, nanoseconds wait) override;
  result<void> ask(std::uint64_t to, std::uint64_t handler_key, const void* m, std::uint32_t bytes,
                   std::uint64_t reply_key, void* reply, std::uint32_t reply_bytes,
                   nanoseconds timeout) override;
  void ask_async(std::uint64_t to, std::uint64_t handler_key, const void* m, std::uint32_t bytes,
                 std::uint64_t reply_key, nanoseconds timeout, detail::on_reply done) override;
  result<std::uint64_t> open_mailbox(std::span<const std::uint64_t> message_keys,
                                     std::size_t capacity) override;
  void close_mailbox(std::uint64_t bits) override;
  result<void> receive(std::uint64_t bits, std::size_t most, nanoseconds timeout,
                       const detail::take_letter& take) override;
  result<void> view(std::uint64_t first, std::uint64_t type_key, std::size_t n, void* out,
                    std::size_t bytes_each) override;
  result<void> link(std::span<const detail::link_request> links) override;
  result<placement_report> rebalance(nanoseconds timeout) override;
  result<placement_report> placement() override;
  result<std::uint32_t> worker_of(std::uint64_t bits) const override;
  result<void> quiesce(nanoseconds timeout) override;
  result<void> pause(nanoseconds timeout) override;
  result<void> resume() override;
  result<void> stop(nanoseconds timeout) override;
  stats statistics() const override;
  layout_report layout() const override { return segment_.report; }
  hlc now() override { return hlc{clock_.next(wall())}; }
  nanoseconds send_timeout() const override { return options_.send_timeout; }

  bool is_actor_of(std::uint64_t bits, std::uint64_t type_key) const;
  std::uint32_t number() const { return segment_.workers.system; }

 private:
  struct alignas(64) lane {
    std::mutex mutex;
    std::vector<lane_writer> writers;  ///< one a worker: the way of a receiver is always the same
    large_payloads large;
    std::atomic<std::uint64_t> sent{0};            ///< messages; changed under the mutex
    std::atomic<const void*> next_place{nullptr};  ///< behind the last message sent alone: a hint

    /// Who sends to the same worker as the last time writes there: a worker that looks there has most likely taken the line
    /// out of the cache, and it comes back while the message is made. Without the mutex. @memory relaxed: a hint
    void expect_next() const { __builtin_prefetch(next_place.load(std::memory_order_relaxed), 1); }
    /// Before they can be handled, or a count of what is under way could miss them; what was not sent after all is taken
    /// back. @threads the one that has the mutex @memory release; pairs with come_behind_senders()
    void count(std::uint64_t more) {
      sent.store(sent.load(std::memory_order_relaxed) + more, std::memory_order_release);
    }
  };
  enum class life { running, stopping, stopped };

  core(std::unique_ptr<engine> e, const program& actors, const options& opts);
  result<void> launch();
  result<void> begin_callbacks();
  result<void> begin_service();
  void take_back_launch();

  result<void> begin_recording();
  static detail::make_state recorded_making(const detail::make_state& make, std::uint32_t bytes,
                                            std::vector<std::byte>& states);
  void record_spawned(const detail::raw_range& made, std::span<const std::byte> states);
  void record_links(const std::vector<linker::plan_of_link>& links);
  void record_sent(const std::uint64_t* to, std::uint32_t handler, std::uint64_t sender,
                   std::uint64_t stamp, const void* m, std::uint32_t bytes, std::size_t n);
  std::vector<abi::record_entry> entries_of(std::uint32_t worker, std::uint64_t n) const;
  result<void> record_states(const detail::raw_range& r);
  result<void> end_recording(bool left, std::string& warning);
  /// f(i, slot) for each of `n` actors from that one on: a copy of its header and its state. The workers rest, or have left.
  result<void> each_image(
      std::uint64_t first, std::size_t n,
      const std::function<result<void>(std::size_t i, const std::byte* slot)>& f);

  std::uint64_t wall() { return engine_->wall_ns(); }
  std::uint64_t deadline(nanoseconds timeout) {
    const auto wait = static_cast<std::uint64_t>(std::max<std::int64_t>(timeout.count(), 0));
    const std::uint64_t scale = engine_->virtual_time() ? 1 : time_scale();
    constexpr std::uint64_t longest = ~std::uint64_t{0} / 4;
    return engine_->steady_ns() + (wait > longest / scale ? longest : wait * scale);
  }
  /// Of a send. Its end is worked out by who has to wait: to read the clock takes as long as most of what a send does.
  struct time_limit {
    nanoseconds wait;
    bool at_once = false;  ///< tries once, and drops nothing
    std::uint64_t until = 0;
  };
  /// @return 0: at once
  std::uint64_t end_of(time_limit& t) {
    if (!t.at_once && t.until == 0) t.until = deadline(t.wait);
    return t.until;
  }
  lane& my_lane();
  std::unique_lock<std::mutex> lock_lane(lane& l, time_limit& limit);
  lane_writer& way_to(lane& from, std::uint64_t to) const;  ///< under the lane's lock
  /// As lane_writer::try_push() for a message over 240 bytes, under the lane's lock. Who finds none of the lane's buffers free
  /// waits, whatever the receiver's overflow rule: they say nothing of its inbox. @param form  of its handle
  static bool try_push_large(lane& from, lane_writer& way, const message_form& form,
                             std::uint64_t to, std::uint64_t sender, std::uint64_t stamp,
                             const void* m, std::uint32_t bytes);
  bool has_room(lane& l, std::uint64_t to, std::uint32_t bytes) const;  ///< takes that lock
  /// The handler id, or why the message cannot go there.
  result<std::uint32_t> resolve(std::uint64_t to, std::uint64_t handler_key) const;
  enum class pushed { queued, dropped };
  result<pushed> push(std::uint64_t to, std::uint32_t handler, std::uint64_t sender, const void* m,
                      std::uint32_t bytes, time_limit& limit);
  result<void> push_ask(std::uint64_t to, std::uint32_t handler, std::uint32_t id, const void* m,
                        std::uint32_t bytes, time_limit& limit);
  abi::overflow rule_of(std::uint32_t handler) const;  ///< of its actor's type
  void drop(std::uint64_t to, std::uint32_t handler);

  /// Takes in what workers sent to the host, from every ring that nobody else is at.
  /// @param own  as inbound_ring::visit(); when it has all that it wants, other rings
  ///             are left for later.
  /// @param most  rings to look at; the next call goes on behind them.
  /// @return whether there was anything.
  bool take_in(waiting_reader* own = nullptr, std::size_t most = ~std::size_t{0},
               intake how = intake::passing);
  /// All that is on its way by now, also what another thread has begun to take in; but not what waits for a full mailbox. For
  /// whoever comes to an end: who comes back finds it the next time.
  void take_in_whole(waiting_reader* own = nullptr) {
    (void)take_in(own, ~std::size_t{0}, intake::whole);
  }
  /// As take_in(), from one worker: where a reply is expected. @param near_wall  not long ago, by wall(): stamps come short
  void take_in_from(std::uint32_t worker, std::uint64_t near_wall);
  void tell_of_intake(const waiting_reader* own);
  void come_behind_senders() const;
  std::uint64_t take_in_and_count();
  bool take_in_ring(inbound_ring& ring, std::uint64_t now_wall, waiting_reader* own,
                    intake how = intake::passing);
  void accept(const inbound_message& m, std::uint64_t stamp);  ///< all but letters
  void finish_ask(std::uint32_t id, const inbound_message& m);
  /// @param most  so many calls of the user's may wait before this one.
  void tell(dead_letter d, std::uint32_t handler, std::size_t most = callback_line::room);
  /// With virtual time, where nobody else does: of the user, who may call back: no lock is held.
  void run_callbacks();
  void settle_callbacks(std::uint64_t until);
  bool end_late_asks();  ///< those whose time is up; whether there were any
  template <class Arrived>
  void help(std::uint32_t& idle_turns, std::uint64_t until, waiting_reader* own,
            const Arrived& arrived);
  void serve();  ///< the service thread

  bool may_park() const { return segment_.workers.parked != nullptr; }
  void park_if_idle();
  void wake_if_due();
  /// Has the workers run again if they are parked; waits for whoever else is about to do that.
  void wake_parked();
  bool park_locked(const totals& before, std::uint64_t until);
  void unpark_locked();
  std::uint64_t steady_time_of(std::uint64_t worker_ns);

  /// Nobody puts anything into a lane as long as one lives; needs control_.
  class senders_held;
  /// The worker that an ask is likely to be answered from.
  std::uint32_t likely_worker(std::uint64_t to);
  /// Comes to rest and pauses there. @return what was counted then.
  result<totals> rest_and_pause(std::uint64_t until);
  /// Between a pause and the command to go on. @param paused  what was counted then.
  result<placement_report> rebalance_paused(const totals& paused);
  /// Who sits where and what was counted, as the workers told it last.
  result<placement_report> counted_so_far(const totals& t);
  result<std::vector<seen_traffic>> read_samples(const std::vector<abi::traffic_page>& pages);
  result<std::vector<std::uint64_t>> timers_owners(const totals& t);
  result<void> count_anew(const totals& t, const std::vector<abi::traffic_page>& pages);
  result<std::vector<abi::traffic_page>> read_traffic();

  result<totals> give(abi::command what, std::uint64_t until);
  void let_run();  ///< waits for nobody
  /// Messages that host threads have sent: at least all that were when the call began.
  std::uint64_t host_sent() const {
    std::uint64_t all = 0;
    for (const lane& l : lanes_) all += l.sent.load(std::memory_order_relaxed);
    return all;
  }
  result<bool> wave_is_idle(std::uint64_t until);
  result<void> quiesce_locked(std::uint64_t until);
  enum class held_up { at_workers, anywhere };
  bool letters_wait(held_up where) const;
  result<void> come_to_an_end(std::uint64_t until, held_up where);
  result<void> stop_locked(nanoseconds timeout, std::string& warning);
  result<void> open_for_use() const;
  /// Whether this thread is in the `init` that its spawn() calls, and holds control_.
  bool makes_states() const {
    return maker_.load(std::memory_order_relaxed) == std::this_thread::get_id();
  }
  result<void> not_in_init(
      const char* call) const;  ///< of all that need control_, before they wait for it
  void note_overflow(std::uint64_t from, std::uint64_t to);  ///< types; 0: a host
  result<void> not_failed() const;
  std::string pair_named(std::uint64_t from, std::uint64_t to) const;
  void remember(const totals& t);

  const program& actors_;
  program_index index_;
  options options_;
  std::unique_ptr<engine> engine_;
  segment segment_;
  std::unique_ptr<commands> commands_;
  std::unique_ptr<spawner> spawner_;
  std::unique_ptr<linker> linker_;
  std::unique_ptr<mover> mover_;
  std::unique_ptr<recorder> recorder_;       ///< null: nothing is recorded
  std::vector<detail::raw_range> recorded_;  ///< actors that are; under control_
  host_clock own_clock_;
  host_clock& clock_;  ///< the process's; with virtual time, which no other system shares, its own
  asks asks_;
  mailboxes mailboxes_;

  mutable std::mutex control_;  ///< commands, spawning, pausing, stopping
  std::atomic<std::thread::id>
      maker_{};  ///< compared with by a thread of itself only, so nothing is ordered by it
  std::unique_ptr<lane_ways> ways_;
  std::deque<lane> lanes_;
  std::atomic<std::size_t> lanes_used_{1};  ///< by threads that have sent
  std::atomic<std::uint32_t> senders_{0};   ///< threads that have a lane
  /// By thread number, modulo its size: 1 + the lane, 0 as long as it has sent nothing. Threads may share one.
  std::array<std::atomic<std::uint8_t>, 4096> lane_of_thread_{};
  /// Not in host_sent(): no worker ever sees them.
  std::atomic<std::uint64_t> host_dropped_{0}, host_overflowed_{0};
  std::mutex failed_mutex_;
  std::atomic<bool> failed_{false};  ///< there was no room for a message to a type that fails
  std::string failed_pair_;          ///< between which types; does not change once that is set
  std::atomic<life> life_{life::running};
  /// Host threads wait before they put anything into a lane; changed under control_, and then each lane's lock is taken.
  std::atomic<bool> senders_held_{false};  ///< cleared under held_mutex_
  std::mutex held_mutex_;
  std::condition_variable released_;
  std::uint64_t rebalances_ = 0, from_hosts_before_ = 0;  ///< guarded by control_
  bool paused_ = false;
  bool unanswered_ = false;  ///< of the last command not all answers have come; guarded by control_
  std::atomic<bool> parked_{false};  ///< changed under control_
  std::uint64_t parked_until_ = 0;   ///< steady_ns() when a timer is due; guarded by control_
  std::uint64_t parks_ = 0;          ///< guarded by control_
  std::atomic<std::uint64_t> rests_since_{0}, sent_by_then_{0};  ///< see park_if_idle()

  std::deque<inbound_ring> rings_;  ///< one a worker
  std::mutex stopped_mutex_;
  std::vector<std::uint64_t> stopped_;  ///< actors whose slots may be reused
  callback_line callbacks_{[this] { come_behind_senders(); }};

  mutable totals last_;  ///< counters of the last command; guarded by control_
  std::atomic<std::uint64_t> late_replies_{0}, host_dead_{0};
  std::atomic<std::uint64_t> unread_{0};  ///< letters that were in mailboxes when these were closed

  /// Threads that take in for everybody while they wait; the service thread then stays out of their way.
  std::atomic<std::uint32_t> waiters_{0};
  struct waiting {
    explicit waiting(std::atomic<std::uint32_t>& count) : count_{count} {
      count_.fetch_add(1, std::memory_order_relaxed);
    }
    ~waiting() { count_.fetch_sub(1, std::memory_order_relaxed); }
    waiting(const waiting&) = delete;
    waiting& operator=(const waiting&) = delete;
    std::atomic<std::uint32_t>& count_;
  };

  bool take_in_crowded();
  bool is_crowded() const;
  intake_crew crew_{[this] { return take_in_crowded(); },
                    crew_of(std::thread::hardware_concurrency())};
  std::thread service_;
  std::mutex service_mutex_;
  std::condition_variable service_wake_;
  bool service_stop_ = false;
};

/// The engine for backend::cpu, parallel or seeded.
result<std::unique_ptr<engine>> make_cpu_engine(const program& actors, const options& opts);
/// The engine for backend::cuda: loads driver and NVRTC, compiles or finds the program.
result<std::unique_ptr<engine>> make_cuda_engine(const program& actors, const options& opts);
/// SMs of a device, and cores: system::processors().
result<std::uint32_t> cuda_processors(int device);
std::uint32_t cpu_processors();

}  // namespace perdure::runtime
