// tests/corpus/refuse/coroutine_handler.hpp - refused: a coroutine.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <coroutine>
#include <cstdint>

#include <perdure/actor.hpp>

struct task {
  struct promise_type {
    task get_return_object() { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() {}
  };
};
inline task work(std::uint32_t& sum) {
  ++sum;
  // EXPECT-ERROR: coroutine|co_return
  co_return;
}
struct tick {};
struct counter : perdure::actor<counter> {
  std::uint32_t sum = 0;
  void on(const tick&, perdure::context&) { work(sum); }
};
