// apps/txmon/account_system.cpp - see account_system.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "account_system.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <utility>

#include "account.actors.hpp"
#include "account_view.hpp"
#include "failure.hpp"

namespace txmon {
namespace {

using namespace std::chrono_literals;
using clock = std::chrono::steady_clock;

constexpr std::size_t most_ranges = 1U << 18U;  // a thousand million accounts
constexpr std::size_t ranges_a_view = 16;
constexpr auto patience = 10s;  // without any progress, then it is an error

template <class T>
T checked(perdure::result<T> r, const char* what) {
  if (!r)
    throw failure{
        fmt::format("{}: {}", what, r.error().message()),
        r.error().code() == perdure::errc::bad_option ? exit_code::usage : exit_code::failed};
  if constexpr (!std::is_void_v<T>) return std::move(r).value();
}

/// As many as fill whole chunks, to which each worker gives 64 slots (docs/adr/004): such a chunk is copied with one call,
/// one that is begun or left off with a call a row. About a million accounts.
std::size_t ranges_of_whole_chunks(std::size_t workers) {
  constexpr std::size_t slots = 64, about = 256;
  const std::size_t ranges = std::lcm(slots * workers, std::size_t{account_system::spawn_size}) /
                             account_system::spawn_size;
  return ranges * std::max<std::size_t>(1, about / ranges);
}

perdure::options fitted(perdure::options o) {
  o.stall_time =
      patience;  // an account that waits for room in the mailbox must not give its alert up
  return o;
}

}  // namespace

const perdure::program& account_program() { return ::account::actors(); }

account_system::account_system(const perdure::options& options, const terms& common,
                               std::size_t mailbox_slots,
                               std::function<void(const finding&)> on_alert,
                               const perdure::program& program)
    : common_{common},
      on_alert_{std::move(on_alert)},
      system_{checked(perdure::system::start(program, fitted(options)),
                      "the actors cannot be started")},
      box_{checked(system_.make_mailbox<alert>(mailbox_slots),
                   "the mailbox for alerts cannot be made")},
      letter_wait_{options.schedule == perdure::schedule::seeded ? 0ms : 5ms},
      room_wait_{system_.layout().backend == "cpu" ? 10ms : 0ms},
      workers_{system_.layout().workers},
      ranges_at_once_{ranges_of_whole_chunks(workers_)} {
  ranges_.reserve(most_ranges);
  collector_ = std::jthread{[this](const std::stop_token& stopping) { collect(stopping); }};
}

account_system::~account_system() = default;

void account_system::collect(const std::stop_token& stopping) {
  std::array<alert_box::letter_type, 256> letters{};
  try {
    while (!stopping.stop_requested()) {
      const auto n = checked(box_.receive(letters, letter_wait_), "alerts cannot be received");
      if (n == 0) {
        if (letter_wait_ == 0ns) std::this_thread::sleep_for(200us);
        continue;
      }
      if (on_alert_) {
        for (const auto& l : std::span{letters}.first(n)) on_alert_(to_finding(l.body, l.at.bits));
      }
      const std::lock_guard lock{mutex_};
      keep(std::span{letters}.first(n));
      came_.fetch_add(n, std::memory_order_relaxed);  // counts; the mutex publishes the alerts
      kept_.notify_one();
    }
  } catch (...) {
    const std::lock_guard lock{mutex_};
    failed_ = std::current_exception();
    kept_.notify_one();
  }
}

void account_system::keep(std::span<const alert_box::letter_type> letters) {
  constexpr std::size_t of_a_part = 8192;
  for (const auto& l : letters) {
    if (alerts_.empty() || alerts_.back().size() == of_a_part)
      alerts_.emplace_back().reserve(of_a_part);
    alerts_.back().push_back({l.body, l.at.bits});
  }
}

template <class M>
void account_system::send_all(std::span<const perdure::ref<account>> to, std::span<const M> what) {
  auto moved = clock::now();
  std::uint64_t handled = 0;
  for (std::size_t done = 0; done < what.size();) {
    const auto sent = system_.send_many(to.subspan(done), what.subspan(done), room_wait_);
    if (!sent && sent.error().code() != perdure::errc::inbox_full)
      checked(sent, "postings cannot be sent");
    const std::size_t n = sent.value_or(std::size_t{0});
    done += n;
    if (done == what.size()) return;
    if (n > 0) moved = clock::now();
    if (clock::now() - moved < patience / 10) continue;
    // Asking costs the workers a turn, so it is asked only when nothing has moved here for a while.
    const auto now_handled = system_.statistics().handled + came_.load(std::memory_order_relaxed);
    if (now_handled != std::exchange(handled, now_handled)) moved = clock::now();
    if (clock::now() - moved > patience)
      throw failure{"postings cannot be sent: nothing moved for ten seconds"};
  }
}

template <class M>
void account_system::send_all(std::span<const std::uint32_t> to, std::span<const M> what) {
  std::array<perdure::ref<account>, 256> refs;
  for (std::size_t done = 0; done < to.size();) {
    const auto some = to.subspan(done, std::min(refs.size(), to.size() - done));
    std::transform(some.begin(), some.end(), refs.begin(),
                   [this](std::uint32_t id) { return ref_of(id); });
    send_all(std::span<const perdure::ref<account>>{refs}.first(some.size()),
             what.subspan(done, some.size()));
    done += some.size();
  }
}

void account_system::send(std::span<const std::uint32_t> to, std::span<const terms> what) {
  send_all(to, what);
}
void account_system::send(std::span<const std::uint32_t> to, std::span<const transaction> what) {
  send_all(to, what);
}

void account_system::ensure(std::uint32_t count, std::span<const account> states,
                            const std::function<void(std::uint64_t there)>& on_progress) {
  while (ranges_.size() * spawn_size < count) {
    const std::size_t first = ranges_.size() * spawn_size;
    const std::size_t ranges =
        std::min((count - first + spawn_size - 1) / spawn_size, ranges_at_once_);
    if (ranges_.size() + ranges > most_ranges) throw failure{"too many accounts: 2^30 fit"};
    auto init = [&](std::size_t i) {
      account a;
      if (first + i < states.size()) {
        a = states[first + i];
      } else {
        a.begin(common_);
      }
      a.alerts = box_.ref();
      return a;
    };
    const auto made =
        checked(system_.spawn<account>(ranges * spawn_size, init), "accounts cannot be spawned");
    for (std::size_t r = 0; r < ranges; ++r)
      ranges_.emplace_back(made[r * spawn_size].bits, spawn_size);
    if (on_progress) on_progress(std::min<std::uint64_t>(count, ranges_.size() * spawn_size));
  }
}

void account_system::settle() {
  auto moved = clock::now();
  std::uint64_t last = 0;
  for (std::string why = "alerts are missing";;) {
    const auto rest = system_.quiesce(20ms);
    const auto counts = system_.statistics();
    const auto came = came_.load(std::memory_order_relaxed);
    {
      const std::lock_guard lock{mutex_};
      if (failed_) std::rethrow_exception(failed_);
    }
    if (counts.dead_total() != 0) {
      throw failure{fmt::format("{} messages were lost on the way to their accounts {}",
                                counts.dead_total(), counts.exhausted_pair)};
    }
    if (rest && came >= counts.to_mailboxes) return;
    if (std::exchange(last, counts.handled + came) != counts.handled + came) moved = clock::now();
    if (!rest) {
      why = rest.error().message();
      const auto code =
          rest.error().code();  // stuck: a worker has not answered within this short wait
      if (code != perdure::errc::timeout && code != perdure::errc::stuck)
        checked(rest, "the actors do not come to rest");
    } else {  // the collector has not kept all yet
      std::unique_lock lock{mutex_};
      kept_.wait_for(lock, 20ms, [&] {
        return failed_ || came_.load(std::memory_order_relaxed) >= counts.to_mailboxes;
      });
    }
    if (clock::now() - moved > patience)
      throw failure{
          fmt::format("the actors do not come to rest: nothing moved for ten seconds: {}", why)};
  }
}

std::vector<finding> account_system::take_alerts() {
  std::vector<std::vector<stamped_alert>> came;
  {
    const std::lock_guard lock{mutex_};
    came = std::exchange(alerts_, {});
  }
  std::vector<finding> out;
  std::size_t all = 0;
  for (const auto& part : came) all += part.size();
  out.reserve(all);
  for (const auto& part : came)
    for (const stamped_alert& a : part) out.push_back(to_finding(a.body, a.hlc));
  return out;
}

void account_system::view(std::uint32_t count,
                          const std::function<void(std::span<const account>)>& use) {
  std::vector<account> states(spawn_size * ranges_a_view);
  const std::size_t ranges = (count + std::size_t{spawn_size} - 1) / spawn_size;
  for (std::size_t r = 0; r < ranges;) {
    std::size_t together = 1;  // each view pauses the workers: neighbours share one
    while (together < ranges_a_view && r + together < ranges &&
           ranges_[r + together][0].bits == ranges_[r][0].bits + together * spawn_size)
      ++together;
    const perdure::range<account> seen{ranges_[r][0].bits, together * spawn_size};
    const auto into = std::span{states}.first(seen.size());
    checked(system_.view(seen, into), "the accounts cannot be read");
    use(into.first(std::min(into.size(), count - r * spawn_size)));
    r += together;
  }
}

}  // namespace txmon
