// tools/perdure/bench_egress.cpp - actors send 38-byte messages to host mailboxes; each mailbox has
// a thread that reads.
// Start of a run: before the first actor is told to begin. End: each reading thread has the last
// letter that it waits for. Every letter is checked by its reader: the next one of its sender, and
// every byte of it. What a reader can bear is given beside: how long it takes to make and check as
// many letters with no mailbox.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstring>

#include "baseline_lanes.hpp"
#include "bench.hpp"
#include "egress_actors.actors.hpp"
#include "report.hpp"
#include "samples.hpp"
#include "send_all.hpp"
#include "threads.hpp"

namespace bench {
namespace {

using namespace std::chrono_literals;
using box = perdure::mailbox<dispatch_note>;

/// One mailbox, the actors that write to it, and the thread that reads it.
class desk {
 public:
  desk(perdure::system& system, std::size_t actors)
      : system_{system}, box_{system.make_mailbox<dispatch_note>(1U << 16U).value()} {
    senders_ = system
                   .spawn<reporter>(actors,
                                    [&](std::size_t i) {
                                      reporter r;
                                      r.to = box_.ref().bits;
                                      r.place = static_cast<std::uint32_t>(i);
                                      return r;
                                    })
                   .value();
    to_.assign(senders_.begin(), senders_.end());
    next_.resize(actors);
  }

  void begin(std::uint32_t turns) {
    const std::vector<turn> all(to_.size(), turn{turns});
    send_all<reporter, turn>(system_, to_, all, "egress");
    awaited_ += std::uint64_t{turns} * letters_a_turn * to_.size();
  }

  /// Reads and checks until all letters are there. @throws wrong_answer if none comes for ten
  /// seconds.
  void read() {
    std::vector<box::letter_type> letters(4096);
    for (auto last = steady::now(); received_ < awaited_;) {
      const std::size_t n = box_.receive(letters, 100ms).value();
      for (std::size_t i = 0; i < n; ++i) check(letters[i]);
      received_ += n;
      if (n != 0) {
        last = steady::now();
      } else if (seconds_since(last) > 10) {
        throw wrong_answer{
            fmt::format("egress: {} of {} letters, and none for ten seconds", received_, awaited_)};
      }
    }
  }
  std::uint64_t received() const { return received_; }

 private:
  void check(const box::letter_type& l) {
    const auto& h = l.body.halves;
    const std::uint32_t place = h[0] | static_cast<std::uint32_t>(h[1]) << 16U;
    const std::uint32_t number = h[2] | static_cast<std::uint32_t>(h[3]) << 16U;
    if (place >= next_.size() || l.sender.bits != to_[place].bits || number != next_[place]) {
      throw wrong_answer{fmt::format("egress: letter {} of actor {} came where {} was due", number,
                                     place, place < next_.size() ? next_[place] : 0)};
    }
    ++next_[place];
    const dispatch_note due = written(place, number);
    if (std::memcmp(&due, &l.body, sizeof due) != 0) {
      throw wrong_answer{fmt::format("egress: letter {} of actor {} is damaged", number, place)};
    }
  }

  perdure::system& system_;
  box box_;
  perdure::range<reporter> senders_;
  std::vector<perdure::ref<reporter>> to_;
  std::vector<std::uint32_t> next_;
  std::uint64_t received_ = 0, awaited_ = 0;
};

/// The seconds of one run: the actors take `turns` turns each.
double run_once(std::vector<desk>& desks, std::uint32_t turns) {
  const auto from = steady::now();
  for (desk& d : desks) d.begin(turns);
  on_threads(static_cast<std::uint32_t>(desks.size()), [&](std::uint32_t t) { desks[t].read(); });
  return seconds_since(from);
}

/// Letters a second that one thread makes and compares by itself: what the checks alone allow.
double checks_alone(double seconds) {
  std::uint64_t letters = 0;
  std::uint32_t sum = 0;
  const auto from = steady::now();
  for (; seconds_since(from) < seconds; letters += 1024) {
    for (std::uint32_t i = 0; i < 1024; ++i) {
      const dispatch_note a = written(i, static_cast<std::uint32_t>(letters));
      const dispatch_note b = written(i, sum);
      sum += std::memcmp(&a, &b, sizeof a) != 0 ? a.halves[9] : 1U;
    }
  }
  if (sum == 0) return 0;
  return static_cast<double>(letters) / seconds_since(from);
}

void measure(nlohmann::json& report, const bench_options& options, perdure::system& system,
             std::uint32_t threads, std::size_t actors, std::uint64_t& received) {
  std::vector<desk> desks;
  for (std::uint32_t t = 0; t < threads; ++t)
    desks.emplace_back(system, std::max<std::size_t>(1, actors / threads));
  std::uint32_t turns = 2;
  double took = run_once(desks, turns);  // warm-up
  while (took < std::min(0.1, options.seconds) && turns < (1U << 20U))
    took = run_once(desks, turns *= 4);
  turns = static_cast<std::uint32_t>(std::clamp(turns * options.seconds / took, 1.0, 1e8));
  const auto all = [&] {
    std::uint64_t n = 0;
    for (const desk& d : desks) n += d.received();
    return n;
  };
  std::vector<double> rate;
  for (std::uint32_t run = 0; run < options.runs; ++run) {
    const std::uint64_t before = all();
    const double seconds = run_once(desks, turns);
    const auto letters = static_cast<double>(all() - before);
    rate.push_back(letters / seconds);
    report["runs"].push_back({{"threads", threads}, {"messages", letters}, {"seconds", seconds}});
    if (run + 1 == options.runs) note_load(report);
  }
  system.quiesce(60s).value();
  received += all();
  report["results"][fmt::format("threads_{}_messages_per_s", threads)] = summary(rate);
}

}  // namespace

nlohmann::json egress(const bench_options& options) {
  nlohmann::json report = begin_report("egress", options);
  const std::vector<double> alone{checks_alone(options.seconds / 10)};
  const auto counts = thread_counts(options.threads);
  std::uint64_t actors = options.actors;
  {  // the loop must be gone before a kernel by hand can be loaded
    auto system = perdure::system::start(egress_actors::actors(), options.system()).value();
    add_system(report, system, egress_actors::actors(), 0);
    const bool cuda = system.layout().backend == "cuda";
    if (actors == 0) actors = cuda ? 16384 : 256;
    report["runs"] = nlohmann::json::array();
    std::uint64_t received = 0;
    for (const std::uint32_t threads : counts)
      measure(report, options, system, threads, actors, received);
    const auto stats = system.statistics();
    if (stats.to_mailboxes != received || stats.dead_total() != 0) {
      throw wrong_answer{fmt::format("egress: {} letters sent, {} received, {} dead letters",
                                     stats.to_mailboxes, received, stats.dead_total())};
    }
    report["config"]["actors"] = actors;
    report["config"]["threads"] = counts;
    report["config"]["payload_bytes"] = sizeof(dispatch_note);
    report["results"]["checks_alone_per_s"] = summary(alone);
    report["answers"] = {{"received", received}, {"out_of_order", 0}, {"damaged", 0}};
    system.stop(5s).value();
  }
  report["baselines"] = egress_baselines(options, counts, static_cast<std::uint32_t>(actors));
  return report;
}

}  // namespace bench
