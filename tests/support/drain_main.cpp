// tests/support/drain_main.cpp - perdure-drain: letters a second that threads take from full rings.
// Why: the host's share of device-to-host traffic can be seen, and made worse, without a GPU.
// Each round fills every ring with letters of 64 bytes (not timed), then times how long the threads
// take to receive all of them; every letter's number is checked. "own": a ring's letters are for
// one mailbox; "mixed": for all in turn.
// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <thread>
#include <vector>

#include "runtime/system/inbound_ring.hpp"
#include "tests/support/worker_ring.hpp"

namespace {

using namespace perdure::runtime;
using perdure_test::worker_ring;
using steady = std::chrono::steady_clock;
using std::chrono::milliseconds;

struct body {
  std::uint64_t number;
  char more[30];
};
constexpr std::uint32_t body_bytes = 38;
constexpr std::uint32_t rings = 16, shift = 14, rounds = 300;

/// @return millions of letters a second, the median of the rounds.
double drain(std::uint32_t threads, bool mixed) {
  std::deque<worker_ring> workers;
  std::deque<inbound_ring> in;
  mailboxes boxes;
  host_clock clock;
  std::vector<std::uint32_t> names;
  for (std::uint32_t t = 0; t < threads; ++t)
    names.push_back(boxes.open(1U << 16U, perdure::abi::words_for(body_bytes)).value());
  for (std::uint32_t r = 0; r < rings; ++r) {
    worker_ring& w = workers.emplace_back(shift);
    in.emplace_back(w.words(), w.head(), w.shift());
  }
  const perdure::message_info message{"body", 1, body_bytes, 8, {}};
  const std::uint64_t letters = std::uint64_t{rings} << (shift - 2);
  std::atomic<std::uint64_t> got{0}, wrong{0};
  std::atomic<std::uint32_t> go{0}, ready{0};
  steady::time_point ended;  // written before the writer counts itself ready again
  auto reader = [&](std::uint32_t me) {
    std::vector<body> out(1024);
    std::vector<std::uint64_t> last(rings);
    ready.fetch_add(1);
    for (std::uint32_t round = 1; round <= rounds; ++round) {
      while (go.load(std::memory_order_acquire) != round) std::this_thread::yield();
      std::size_t at = me * rings / threads;
      while (got.load(std::memory_order_relaxed) < letters * round) {
        std::size_t n = 0;
        const perdure::detail::take_letter take = [&](std::uint64_t, const void* bytes,
                                                      std::uint64_t sender, std::uint64_t) {
          std::memcpy(&out[n++], bytes, body_bytes);
          std::uint64_t& before = last[sender];
          if (out[n - 1].number <= before) wrong.fetch_add(1);
          before = out[n - 1].number;
        };
        mailbox_queue& box = *boxes.find(names[me]);
        waiting_reader own{names[me], box, {&message, 0, take, out.size()}};
        box.take(names[me], own.sink);
        for (std::uint32_t i = 0; i < rings && own.sink.room != 0; ++i, at = (at + 1) % rings) {
          if (in[at].promising())
            in[at].visit(boxes, clock, 1'000'000, &own, [](const auto&, std::uint64_t) {});
        }
        if (n != 0 && got.fetch_add(n) + n == letters * round) ended = steady::now();
        if (n == 0) std::this_thread::yield();
      }
      ready.fetch_add(1);
    }
  };
  std::vector<std::thread> all;
  for (std::uint32_t t = 0; t < threads; ++t) all.emplace_back(reader, t);
  while (ready.load() != threads) std::this_thread::yield();
  std::vector<double> rates;
  for (std::uint32_t round = 1; round <= rounds; ++round) {
    for (std::uint32_t r = 0; r < rings; ++r) {
      body b{std::uint64_t{round} << 32U, {}};
      for (std::uint32_t i = 0; ++b.number, true; ++i) {
        const std::uint32_t to = names[(mixed ? i : r) % threads];
        if (!workers[r].try_letter(to, r, 1, &b, body_bytes)) break;
      }
    }
    const auto begun = steady::now();
    go.store(round, std::memory_order_release);
    while (ready.load() != threads * (round + 1)) std::this_thread::sleep_for(milliseconds{1});
    const std::chrono::duration<double> took = ended - begun;
    rates.push_back(static_cast<double>(letters) / took.count() / 1e6);
  }
  for (auto& t : all) t.join();
  if (wrong.load() != 0) {
    std::fprintf(stderr, "%llu letters out of order\n",
                 static_cast<unsigned long long>(wrong.load()));
    std::exit(1);
  }
  std::sort(rates.begin(), rates.end());
  std::printf("%u thread(s), %s mailboxes: median %.1f M letters/s (p10 %.1f, p90 %.1f)\n", threads,
              mixed ? "mixed" : "own", rates[rounds / 2], rates[rounds / 10],
              rates[rounds * 9 / 10]);
  return rates[rounds / 2];
}

}  // namespace

int main(int count, char** arguments) {
  CLI::App app{"Takes letters from full rings, without a GPU.", "perdure-drain"};
  std::vector<std::uint32_t> threads{1, 2, 4};
  app.add_option("threads", threads, "how many, one after the other")
      ->check(CLI::Range(1U, 256U))
      ->capture_default_str();
  CLI11_PARSE(app, count, arguments);
  for (const std::uint32_t one : threads) {
    drain(one, false);
    if (one > 1) drain(one, true);
  }
}
