// tests/corpus/accept/wide_out_of_line.hpp - handlers and helpers of wide actors defined outside the class,
//   cyclic with a small actor.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

struct task {
  std::uint32_t n;
};
struct result_of {
  std::uint64_t value;
};
struct farm;

struct planner : perdure::actor<planner> {
  perdure::ref<farm> workers;
  std::uint64_t results = 0;
  void on(const task& m, perdure::context& ctx);
  void on(const result_of& m, perdure::context& ctx) noexcept;
};

struct farm : perdure::block_actor<farm> {
  static constexpr int lanes = 1024;
  std::uint32_t primes = 0, tasks = 0;
  perdure::ref<planner> boss;
  void on(const task& m, perdure::block_context& ctx) const noexcept;

 private:
  static bool prime(std::uint32_t n);
};

inline void planner::on(const task& m, perdure::context& ctx) { ctx.send(workers, m); }
inline void planner::on(const result_of& m, perdure::context&) noexcept { results = results * 3U + m.value; }
inline bool farm::prime(std::uint32_t n) {
  for (std::uint32_t d = 2; d * d <= n; ++d) {
    if (n % d == 0) return false;
  }
  return n > 1;
}
inline void farm::on(const task& m, perdure::block_context& ctx) const noexcept {
  const auto found = ctx.reduce<1500>(
      *this, 0U, [&](const farm&, int i) { return prime(m.n % 1000U + static_cast<std::uint32_t>(i)) ? 1U : 0U; },
      [](std::uint32_t a, std::uint32_t b) { return a + b; });
  ctx.once(*this, [&](farm& me) {
    me.primes += found;
    ++me.tasks;
  });
  ctx.send(boss, result_of{found});
}
