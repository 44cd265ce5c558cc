// runtime/cpu/cpu_memory.hpp - memory, copies and workers' shared state of the CPU engines.
// Why: pages are given when first touched, so a large arena costs nothing until actors live in it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "kernels/dispatch/on_chip.cuh"
#include "runtime/system/engine.hpp"

namespace perdure::runtime {

/// What both CPU engines have in common.
class cpu_memory : public engine {
 public:
  ~cpu_memory() override;
  engine_defaults defaults() const override;
  result<std::byte*> worker_bytes(std::size_t bytes) override;
  result<std::byte*> arena_bytes(std::size_t bytes) override;
  result<shared_bytes> host_bytes(std::size_t bytes) override;
  result<void> copy_in(std::byte* to, std::size_t to_pitch, const std::byte* from,
                       std::size_t from_pitch, std::size_t width, std::size_t rows) override;
  result<void> copy_out(std::byte* to, const std::byte* from, std::size_t bytes) override;
  /// Fresh pages are zero already, and the system zeroes only fresh ones.
  result<void> zero(std::byte*, std::size_t) override { return {}; }
  void describe(layout_report& report) const override;

  /// Keeps all memory for ever: a worker is stuck in a handler and may still write.
  void leak() { mapped_.clear(); }

 protected:
  /// The part of a worker that a GPU has on chip.
  loop::on_chip* make_chip(const loop::memory& m);
  /// What a GPU's shared memory is when a grid has ended: whoever comes back must not rely on it.
  static void forget_chips(const std::vector<loop::on_chip*>& chips, const loop::memory& m);

 private:
  struct mapping {
    void* at;
    std::size_t bytes;
  };
  std::vector<mapping> mapped_;
};

}  // namespace perdure::runtime
