// tests/contract/actors/endings.hpp - actors that fail, stop, answer twice, write to nobody or more than anybody reads.
// Why: how a life, an ask and a message end is the same on every backend; one small type is soon compiled.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

namespace endings {

struct done {
  std::uint32_t number;
};
struct work {
  std::uint32_t number;
  bool fails;
};
enum class stray : std::uint8_t { null, foreign, other_box };
/// Writes to one who is not there.
struct write_to {
  stray whom;
};
struct question {
  std::uint32_t number;
  std::uint32_t replies;
  bool fails;  ///< before it replies
};
struct answer {
  std::uint32_t number;
};
struct leave {};
/// Letters to the box, numbered from the first one on.
struct write_letters {
  std::uint32_t count;
  bool again;  ///< and so on, without an end
};

struct clerk : perdure::actor<clerk> {
  perdure::ref<clerk> to;  ///< is told what is done
  perdure::ref<perdure::host<done>> box;
  std::uint32_t born = 0;
  std::uint32_t handled = 0;
  std::uint32_t told = 0;
  std::uint32_t written = 0;
  std::uint64_t sum = 0;

  void on(const work& m, perdure::context& ctx) {
    ++handled;
    ctx.send(to, done{m.number});
    if (m.fails) ctx.fail(m.number);
    ctx.send(to, done{1'000'000});  // also what it sends after fail() and before it returns
  }
  void on(const done& m, perdure::context&) {
    ++told;
    sum += m.number;
  }
  void on(const write_to& m, perdure::context& ctx) {
    ++handled;
    if (m.whom == stray::other_box) {
      ctx.send(box, done{1});
    } else {
      const std::uint64_t foreign = to.bits ^ std::uint64_t{1} << 56U;
      ctx.send(perdure::ref<clerk>{m.whom == stray::null ? 0 : foreign}, done{1});
    }
  }
  void on(const question& m, perdure::context& ctx) {
    ++handled;
    if (m.fails) ctx.fail(3);
    for (std::uint32_t i = 0; i < m.replies; ++i) ctx.reply(answer{m.number + born + i});
  }
  void on(const leave&, perdure::context& ctx) {
    ++handled;
    ctx.stop();
  }
  void on(const write_letters& m, perdure::context& ctx) {
    ++handled;
    for (std::uint32_t i = 0; i < m.count; ++i) ctx.send(box, done{written++});
    if (m.again) ctx.send(ctx.self(*this), m);
  }
};

}  // namespace endings
