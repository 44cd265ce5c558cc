// tools/perdure/bench_letters.cpp - letters of 1 and 4 KB from actors to host mailboxes, and answers as long.
// Start of a run: before the first actor is told to begin. End: each reading thread has the last letter that it waits for; of an
// answer: before the ask, and with it in hand. Every letter is checked: the next one of its sender, and every word of it. Beside
// it the same actors with letters of 240 bytes, into which such a message had to be cut before.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "bench.hpp"
#include "letter_actors.actors.hpp"
#include "report.hpp"
#include "samples.hpp"
#include "send_all.hpp"
#include "threads.hpp"

namespace bench {
namespace {

using namespace std::chrono_literals;

/// One mailbox, the actors that write to it, and the thread that reads it.
template <class Sheet>
class shelf {
 public:
  shelf(perdure::system& system, std::size_t actors)
      : system_{system}, box_{system.make_mailbox<Sheet>(4'096).value()}, next_(actors) {
    senders_ = system
                   .spawn<scribe>(actors,
                                  [&](std::size_t i) {
                                    scribe s;
                                    s.to = box_.ref().bits;
                                    s.place = static_cast<std::uint32_t>(i);
                                    return s;
                                  })
                   .value();
    to_.assign(senders_.begin(), senders_.end());
  }

  void begin(std::uint32_t turns) {
    const std::vector<write_on> all(to_.size(), write_on{sizeof(Sheet), turns});
    send_all<scribe, write_on>(system_, to_, all, "letters");
    awaited_ += std::uint64_t{turns} * to_.size();
  }
  /// @throws wrong_answer if none comes for ten seconds.
  void read() {
    std::vector<perdure::letter<Sheet>> letters(256);
    for (auto last = steady::now(); received_ < awaited_;) {
      const std::size_t n = box_.receive(letters, 100ms).value();
      for (std::size_t i = 0; i < n; ++i) check(letters[i]);
      received_ += n;
      if (n != 0) {
        last = steady::now();
      } else if (seconds_since(last) > 10) {
        throw wrong_answer{fmt::format("letters: {} of {} have come, and none for ten seconds",
                                       received_, awaited_)};
      }
    }
  }
  std::uint64_t received() const { return received_; }

 private:
  void check(const perdure::letter<Sheet>& l) {
    const Sheet& s = l.body;
    if (s.place >= next_.size() || l.sender.bits != to_[s.place].bits ||
        s.number != next_[s.place]) {
      throw wrong_answer{fmt::format("letters: number {} of actor {} came where {} was due",
                                     s.number, s.place,
                                     s.place < next_.size() ? next_[s.place] : 0)};
    }
    ++next_[s.place];
    if (!is_as_filled(s))
      throw wrong_answer{fmt::format("letters: {} of actor {} is damaged", s.number, s.place)};
  }

  perdure::system& system_;
  perdure::mailbox<Sheet> box_;
  std::vector<std::uint32_t> next_;
  perdure::range<scribe> senders_;
  std::vector<perdure::ref<scribe>> to_;
  std::uint64_t received_ = 0, awaited_ = 0;
};

class letters_bench {
 public:
  letters_bench(perdure::system& system, const bench_options& options, std::uint32_t threads,
                std::size_t actors)
      : system_{system}, options_{options}, threads_{threads}, actors_{actors} {}

  /// Letters a second of all threads together.
  template <class Sheet>
  nlohmann::json rate(nlohmann::json& runs) {
    std::vector<shelf<Sheet>> shelves;
    shelves.reserve(threads_);
    for (std::uint32_t t = 0; t < threads_; ++t)
      shelves.emplace_back(system_, std::max<std::size_t>(1, actors_ / threads_));
    const auto run_once = [&](std::uint32_t turns) {
      const auto from = steady::now();
      for (auto& s : shelves) s.begin(turns);
      on_threads(threads_, [&](std::uint32_t t) { shelves[t].read(); });
      return seconds_since(from);
    };
    const auto all = [&] {
      std::uint64_t n = 0;
      for (const auto& s : shelves) n += s.received();
      return n;
    };
    std::uint32_t turns = 1;
    double took = run_once(turns);  // warm-up
    while (took < std::min(0.1, options_.seconds) && turns < (1U << 20U))
      took = run_once(turns *= 4);
    turns = static_cast<std::uint32_t>(std::clamp(turns * options_.seconds / took, 1.0, 1e8));
    std::vector<double> rates;
    for (std::uint32_t run = 0; run < options_.runs; ++run) {
      const std::uint64_t before = all();
      const double seconds = run_once(turns);
      const auto letters = static_cast<double>(all() - before);
      rates.push_back(letters / seconds);
      runs.push_back({{"bytes", sizeof(Sheet)}, {"messages", letters}, {"seconds", seconds}});
    }
    system_.quiesce(60s).value();
    received_ += all();
    return summary(rates);
  }
  /// One at a time.
  template <class Sheet>
  void answers(nlohmann::json& results) {
    const auto one = system_.spawn<scribe>(1).value()[0];
    std::vector<double> p50, p99;
    std::uint32_t number = 0;
    for (std::uint32_t run = 0; run < options_.runs; ++run) {
      std::vector<double> us;
      for (const auto begun = steady::now();
           us.empty() || seconds_since(begun) < options_.seconds / 8;) {
        const auto from = steady::now();
        const auto got = system_.ask<Sheet>(one, show{sizeof(Sheet), ++number}, 5s).value();
        us.push_back(seconds_since(from) * 1e6);
        if (got.number != number || !is_as_filled(got))
          throw wrong_answer{fmt::format("letters: answer {} is wrong", number)};
      }
      p50.push_back(percentile(us, 50));
      p99.push_back(percentile(us, 99));
    }
    asked_ += number;
    results[fmt::format("answer_{}_bytes_p50_us", sizeof(Sheet))] = summary(p50);
    results[fmt::format("answer_{}_bytes_p99_us", sizeof(Sheet))] = summary(p99);
  }
  nlohmann::json check() const {
    const auto stats = system_.statistics();
    if (stats.to_mailboxes != received_ || stats.replies != asked_ || stats.dead_total() != 0) {
      throw wrong_answer{fmt::format("letters: {} written, {} read, {} dead letters",
                                     stats.to_mailboxes, received_, stats.dead_total())};
    }
    return {{"received", received_}, {"answered", asked_}, {"out_of_order", 0}, {"damaged", 0}};
  }

 private:
  perdure::system& system_;
  const bench_options& options_;
  std::uint32_t threads_;
  std::size_t actors_;
  std::uint64_t received_ = 0, asked_ = 0;
};

}  // namespace

nlohmann::json letters(const bench_options& options) {
  nlohmann::json report = begin_report("letters", options);
  auto system = perdure::system::start(letter_actors::actors(), options.system()).value();
  add_system(report, system, letter_actors::actors(), 0);
  const bool cuda = system.layout().backend == "cuda";
  const std::uint32_t threads = thread_counts(options.threads).back();
  const std::uint64_t actors = options.actors != 0 ? options.actors : cuda ? 16'384 : 256;
  report["config"]["actors"] = actors;
  report["config"]["threads"] = threads;
  nlohmann::json runs = nlohmann::json::array();
  letters_bench all{system, options, threads, actors};
  report["baselines"]["letters_240_bytes_messages_per_s"] = all.rate<sheet_240>(runs);
  nlohmann::json& results = report["results"];
  results["letters_1024_bytes_messages_per_s"] = all.rate<sheet_1024>(runs);
  results["letters_4096_bytes_messages_per_s"] = all.rate<sheet_4096>(runs);
  all.answers<sheet_240>(report["baselines"]);
  all.answers<sheet_1024>(results);
  all.answers<sheet_4096>(results);
  note_load(report);
  report["runs"] = std::move(runs);
  report["answers"] = all.check();
  system.stop(5s).value();
  return report;
}

}  // namespace bench
