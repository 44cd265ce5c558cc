// runtime/cuda/device_program.cpp - see device_program.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "runtime/cuda/device_program.hpp"

#include <fmt/format.h>

#include <chrono>
#include <string>
#include <utility>

#include "kernels/dispatch/memory.cuh"

namespace perdure::runtime {
namespace {

using milliseconds = std::chrono::duration<double, std::milli>;

}  // namespace

result<device_code> make_device_code(const std::string& arch, const program& actors,
                                     const chip_plan& plan, const options& opts) {
  const auto begun = std::chrono::steady_clock::now();
  const bool counts = opts.placement == placement::counted;
  device_code code;
  for (const cubin_info& made : actors.cubins) {
    if (arch != made.arch || plan.lanes != made.lanes || plan.blocks_each != 1 ||
        plan.states_on_chip || plan.states_in_memory || counts)
      continue;
    code.made.bytes.assign(made.bytes.begin(), made.bytes.end());
    code.made.from_cache = code.embedded = true;
  }
  if (code.made.bytes.empty()) {
    jit::compile_options how;
    how.extra = {fmt::format("-DPERDURE_LANES={}", plan.lanes)};
    if (plan.blocks_each != 1)
      how.extra.push_back(fmt::format("-DPERDURE_BLOCKS_EACH={}", plan.blocks_each));
    if (plan.states_on_chip) how.extra.push_back("-DPERDURE_STATES_ON_CHIP=1");
    if (plan.states_in_memory) how.extra.push_back("-DPERDURE_STATES_IN_MEMORY=1");
    if (counts) how.extra.emplace_back("-DPERDURE_PLACES=1");
    for (auto& more : jit::hot_options(actors.device_source, plan.lanes * plan.blocks_each))
      how.extra.push_back(std::move(more));
    how.cache_dir = opts.cache_dir;
    how.on_warning = opts.on_warning;
    auto made =
        jit::compile(actors.device_source, std::string{actors.name} + ".actors.cu", arch, how);
    if (!made) return made.error();
    code.made = std::move(*made);
  }
  code.ms = milliseconds(std::chrono::steady_clock::now() - begun).count();
  return code;
}

result<device_program> load_device_program(const driver::context& in, const program& actors,
                                           const device_code& code) {
  const auto begun = std::chrono::steady_clock::now();
  const auto image = std::as_bytes(std::span{code.made.bytes});
  auto library = driver::code_library::load(in, image, actors.name);
  if (!library) return library.error();
  auto kernel = library->find("perdure_loop");
  if (!kernel) return kernel.error();
  auto memory = library->find_global("perdure_memory");
  if (!memory) return memory.error();
  if (memory->bytes != sizeof(loop::memory)) {
    return error{errc::abi_mismatch,
                 fmt::format("{} was compiled with another version of perdure", actors.name)};
  }
  device_program out{std::move(*library), *kernel, memory->at};
  out.compile_ms = code.ms;
  out.load_ms = milliseconds(std::chrono::steady_clock::now() - begun).count();
  out.from_cache = code.made.from_cache;
  out.embedded = code.embedded;
  for (const auto& f : code.made.functions) out.spill_bytes += f.spill_store_bytes;
  out.hash = code.made.hash();
  return out;
}

}  // namespace perdure::runtime
