// tests/corpus/accept/long_letters.hpp - messages over 240 bytes to hosts and as answers, copied and made in place, by small actors:
//   a hot one, one with on_run(), whose notes of that size go one by one, and a function that handlers call.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <perdure/actor.hpp>
#include <perdure/run.hpp>

template <std::size_t Words>
struct report {
  perdure::any_ref from;
  std::array<std::uint32_t, Words> w;
};
using reader = perdure::host<report<8>, report<100>, report<16'000>>;
struct ask_for {
  std::uint32_t words;
};
struct put {
  std::uint32_t what;
};

struct clerk : perdure::actor<clerk> {
  perdure::ref<reader> to;
  std::uint32_t asked = 0;
  void on(const ask_for& a, perdure::context& ctx) {
    ++asked;
    if (a.words == 8) ctx.reply(report<8>{ctx.self(*this), {}});
    if (a.words == 100) ctx.reply(report<100>{ctx.self(*this), {asked}});
    if (a.words > 100) {
      ctx.reply_in_place<report<16'000>>([&](auto& m) {
        m.from = ctx.self(*this);
        m.w.fill(asked);
      });
    }
    ctx.reply_in_place<report<8>>([me = ctx.self(*this)](report<8>& m) { m = {me, {}}; });
  }
  void on(const put& p, perdure::context& ctx) { write(p.what, ctx); }

 private:
  void write(std::uint32_t what, perdure::context& ctx) {
    ctx.send(to, report<100>{ctx.self(*this), {what}});
    ctx.send_in_place<report<16'000>>(to, [&](report<16'000>& m) {
      m.from = ctx.sender();
      for (std::size_t i = 0; i < m.w.size(); ++i) m.w[i] = what + static_cast<std::uint32_t>(i);
    });
  }
};

struct counter : perdure::actor<counter> {
  static constexpr bool hot = true;
  perdure::ref<reader> to;
  std::uint64_t sum = 0;
  void on(const put& p, perdure::context& ctx) {
    sum += p.what;
    if (p.what % 100 == 0) ctx.send(to, report<100>{ctx.self(*this), {p.what}});
    if (p.what % 1'000 == 0)
      ctx.reply_in_place<report<100>>([&](report<100>& m) { m = {ctx.self(*this), {p.what}}; });
  }
};

struct judge : perdure::actor<judge> {
  perdure::ref<reader> to;
  std::uint32_t judged = 0;
  void on(const put& p, perdure::context& ctx) {
    ++judged;
    if (p.what > 900) ctx.send(to, report<100>{ctx.self(*this), {p.what}});
  }
  std::uint32_t on_run(const perdure::run<put>& many) {
    many.once([&] { judged += many.size(); });
    const auto bad = many.which([](std::uint32_t, const put& p) { return p.what > 900; });
    many.send(bad, to, many.each([](std::uint32_t, const put& p) {
      return report<100>{{}, {p.what}};
    }));
    return many.size();
  }
};
