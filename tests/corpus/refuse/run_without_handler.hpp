// tests/corpus/refuse/run_without_handler.hpp - refused: on_run() for a message that the actor does not handle, or by a handler of
//   another class.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

struct tick {
  std::uint32_t n;
};
struct tock {
  std::uint32_t n;
};
struct clock_face : perdure::actor<clock_face> {
  std::uint32_t n = 0;
  void on(const tick& m, perdure::context&) { n += m.n; }
  // EXPECT-ERROR: on_run stands beside the handler of its message, and there is none
  std::uint32_t on_run(const perdure::run<tock>& run) { return run.size(); }
};

template <class Self>
struct adds {
  std::uint32_t n = 0;
  void on(const tick& m, perdure::context&) { n += m.n; }
  // EXPECT-ERROR: on_run does what its class's own handler does, and 'counts' takes that message by another one
  std::uint32_t on_run(const perdure::run<tick>& run) { return run.size(); }
};
struct counts : adds<counts>, perdure::actor<counts> {
  void on(const tick&, perdure::context&) { ++n; }
};
