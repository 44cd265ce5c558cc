// tests/corpus/refuse/run_returns_nothing.hpp - refused: forms of on_run() that are none.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

struct tick {
  std::uint32_t n;
};
struct silent : perdure::actor<silent> {
  std::uint32_t n = 0;
  void on(const tick& m, perdure::context&) { n += m.n; }
  // EXPECT-ERROR: it returns 'void' instead of how many messages it has handled
  void on_run(const perdure::run<tick>& run) { n += run.size(); }
};
struct asks_for_more : perdure::actor<asks_for_more> {
  std::uint32_t n = 0;
  void on(const tick& m, perdure::context&) { n += m.n; }
  // EXPECT-ERROR: its only parameter is a run of messages by const reference
  std::uint32_t on_run(const perdure::run<tick>& run, perdure::context&) { return run.size(); }
};
struct hides : perdure::actor<hides> {
  std::uint32_t n = 0;
  void on(const tick& m, perdure::context&) { n += m.n; }

 private:
  // EXPECT-ERROR: it is not public
  std::uint32_t on_run(const perdure::run<tick>& run) { return run.size(); }
};
struct is_template : perdure::actor<is_template> {
  std::uint32_t n = 0;
  void on(const tick& m, perdure::context&) { n += m.n; }
  template <class M>
  // EXPECT-ERROR: it is no such function
  std::uint32_t on_run(const perdure::run<M>& run) {
    return run.size();
  }
};
