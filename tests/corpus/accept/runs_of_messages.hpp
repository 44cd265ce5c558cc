// tests/corpus/accept/runs_of_messages.hpp - types that have on_run(): in the class, in a base that is a template, for one
//   message of two, defined behind the class; three that send from it, to actors and to a host.
// SPDX-License-Identifier: Apache-2.0
// ORDER-FREE: sums, and one message for each taken
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include <perdure/actor.hpp>

struct vote {
  std::uint32_t for_whom;
};
struct pause {
  std::uint32_t length;
};

template <class Self>
struct adds {
  std::uint64_t sum = 0;
  void on(const vote& m, perdure::context&) { sum += m.for_whom; }
  std::uint32_t on_run(const perdure::run<vote>& run) {
    const auto whom =
        run.each([](std::uint32_t, const vote& m) { return std::uint64_t{m.for_whom}; });
    const auto before = run.sum_before(whom);
    const std::uint64_t all = before.of(run.size() - 1) + whom.of(run.size() - 1);
    run.once([&] { sum += all; });
    return run.size();
  }
};
struct total : adds<total>, perdure::actor<total> {};

struct board : perdure::actor<board> {
  std::array<std::uint32_t, 40> of{};
  std::uint32_t pauses = 0;
  perdure::ref<total> all;
  void on(const pause& m, perdure::context&) { pauses += m.length % 3; }
  void on(const vote& m, perdure::context& ctx) {
    ++of[m.for_whom % 40];
    if (m.for_whom % 2 == 0) ctx.send(all, m);
  }
  std::uint32_t on_run(const perdure::run<vote>& run);
};
inline std::uint32_t board::on_run(const perdure::run<vote>& run) {
  const auto whom = run.each([](std::uint32_t, const vote& m) { return m.for_whom; });
  for (std::uint32_t i = 0; i < run.size(); ++i) {
    const std::uint32_t place = whom.of(i) % 40;
    run.once([&] { ++of[place]; });
  }
  const std::uint32_t even =
      run.which([](std::uint32_t, const vote& m) { return m.for_whom % 2 == 0; });
  run.in_order(even, [&](std::uint32_t i, perdure::context& ctx) { ctx.send(all, vote{whom[i]}); });
  return run.size();
}
struct idler : perdure::actor<idler> {
  std::uint32_t seen = 0;
  perdure::ref<board> next;
  void on(const vote& m, perdure::context& ctx) {
    ++seen;
    ctx.send(next, vote{m.for_whom / 2});
    ctx.send(next, pause{m.for_whom});
  }
};
struct count {
  std::uint32_t of;
};
/// Tells a host.
struct herald : perdure::actor<herald> {
  std::uint64_t told = 0;
  perdure::ref<perdure::host<count>> desk;
  void on(const vote& m, perdure::context& ctx) {
    if (m.for_whom % 3 != 0) return;
    ++told;
    ctx.send(desk, count{m.for_whom});
  }
  std::uint32_t on_run(const perdure::run<vote>& run) {
    const std::uint32_t thirds =
        run.which([](std::uint32_t, const vote& m) { return m.for_whom % 3 == 0; });
    run.send(thirds, desk,
             run.each([](std::uint32_t, const vote& m) { return count{m.for_whom}; }));
    run.once([&] { told += static_cast<std::uint32_t>(std::popcount(thirds)); });
    return run.size();
  }
};
/// Hands on to an actor.
struct relay : perdure::actor<relay> {
  perdure::ref<total> all;
  void on(const vote& m, perdure::context& ctx) { ctx.send(all, vote{m.for_whom + 1}); }
  std::uint32_t on_run(const perdure::run<vote>& run) {
    const auto next = run.each([](std::uint32_t, const vote& m) { return vote{m.for_whom + 1}; });
    run.send(run.which([](std::uint32_t) { return true; }), all, next);
    return run.size();
  }
};
