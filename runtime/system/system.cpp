// runtime/system/system.cpp - chooses the backend and starts the system.
// SPDX-License-Identifier: Apache-2.0
#include "perdure/system.hpp"

#include "kernels/abi/layout_hash.cuh"
#include "runtime/system/core.hpp"

namespace perdure {
namespace {

/// Failures that mean "there is no GPU to be had here", for which backend::automatic takes the CPU.
bool means_no_gpu(errc code) {
  return code == errc::no_device || code == errc::no_driver || code == errc::driver_too_old ||
         code == errc::no_nvrtc;
}

result<std::unique_ptr<runtime::engine>> choose_engine(const program& actors, const options& opts) {
  if (opts.backend == backend::cpu) return runtime::make_cpu_engine(actors, opts);
  auto gpu = runtime::make_cuda_engine(actors, opts);
  if (gpu || opts.backend == backend::cuda || !means_no_gpu(gpu.error().code())) return gpu;
  if (opts.on_warning) opts.on_warning("running on the CPU: " + gpu.error().message());
  return runtime::make_cpu_engine(actors, opts);
}

}  // namespace

result<std::uint32_t> system::processors(const options& opts) {
  if (opts.backend == backend::cpu) return runtime::cpu_processors();
  auto gpu = runtime::cuda_processors(opts.device);
  if (gpu || opts.backend == backend::cuda || !means_no_gpu(gpu.error().code())) return gpu;
  return runtime::cpu_processors();
}

result<system> system::start(const program& actors, options opts) {
  if (actors.abi_hash != abi::layout_hash()) return error{errc::abi_mismatch, actors.name};
  auto engine = choose_engine(actors, opts);
  if (!engine) return engine.error();
  auto core = runtime::core::start(std::move(*engine), actors, opts);
  if (!core) return core.error();
  return system{std::move(*core)};
}

}  // namespace perdure
