// runtime/bridge/lane_ways.hpp - the rings from the host to each worker, given out to those who send to it.
// Why: a worker looks at its rings one after another, over the bus; a ring that nobody fills costs it as much as one with
//      messages. So a host lane gets a ring of a worker with its first message there, and the worker looks at no others.
// Invariant: rings 0 .. given - 1 of a worker have an owner each; the worker looks at as many as it has been told, which only
//            rises. One is told from the start, so that a first sender is seen by a worker's next look.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/abi/control.cuh"
#include "kernels/dispatch/memory.cuh"

namespace perdure::runtime {

class lane_ways {
 public:
  struct way {
    loop::word* words;
    const loop::line_counter* head;
  };

  /// @param words  [host lanes][workers][ring_pitch(shift)] @param heads  [host lanes][workers] @param pages  [workers]
  lane_ways(loop::word* words, const loop::line_counter* heads, abi::control_page* pages,
            std::size_t workers, std::uint32_t shift)
      : words_{words}, heads_{heads}, pages_{pages}, shift_{shift}, given_(workers) {}

  std::uint32_t shift() const { return shift_; }
  /// A ring of the worker's that nobody has, of which the worker is told. @pre asked once a host lane, so there is one
  way give(std::uint32_t worker) {
    // relaxed: it says who has which ring, and the rings are empty
    const std::uint32_t which = given_[worker].fetch_add(1, std::memory_order_relaxed);
    // before the ring's first word, so a worker that has seen the number finds what is there by its next looks; a maximum,
    // since several threads may be here
    loop::fetch_max<loop::scope::system>(&pages_[worker].lanes_used, std::uint64_t{which} + 1);
    const std::size_t at = which * given_.size() + worker;
    return {words_ + abi::ring_start(at, shift_), heads_ + at};
  }

 private:
  loop::word* words_;
  const loop::line_counter* heads_;
  abi::control_page* pages_;
  std::uint32_t shift_;
  std::vector<std::atomic<std::uint32_t>> given_;
};

}  // namespace perdure::runtime
