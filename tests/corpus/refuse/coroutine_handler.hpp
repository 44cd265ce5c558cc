// tests/corpus/refuse/coroutine_handler.hpp - refused: a coroutine.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <coroutine>
#include <cstdint>

#include <perdure/actor.hpp>

struct task {
  struct promise_type {
    task get_return_object() { return {}; }
    // MAY-ERROR: std::suspend_never|coroutine
    std::suspend_never initial_suspend() noexcept { return {}; }
    // MAY-ERROR: std::suspend_never|coroutine
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() {}
  };
};
// EXPECT-ERROR: coroutine
inline task work(std::uint32_t& sum) {
  ++sum;
  co_return;
}
struct tick {};
struct counter : perdure::actor<counter> {
  std::uint32_t sum = 0;
  // MAY-ERROR: coroutine
  void on(const tick&, perdure::context&) { work(sum); }
};
