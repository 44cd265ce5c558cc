// runtime/cuda/device_program.cpp - see device_program.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "runtime/cuda/device_program.hpp"

#include <fmt/format.h>

#include <chrono>
#include <string>
#include <utility>

#include "kernels/dispatch/memory.cuh"
#include "runtime/jit/loop_layout.hpp"

namespace perdure::runtime {
namespace {

using milliseconds = std::chrono::duration<double, std::milli>;

jit::loop_layout layout_of(const chip_plan& plan, const options& opts) {
  return {plan.lanes, plan.blocks_each,
          plan.states_on_chip     ? jit::wide_states::on_chip
          : plan.states_in_memory ? jit::wide_states::in_memory
                                  : jit::wide_states::varied,
          opts.placement == placement::counted, !opts.record.empty()};
}

}  // namespace

result<device_code> make_device_code(const std::string& arch, const program& actors,
                                     const chip_plan& plan, const options& opts) {
  const auto begun = std::chrono::steady_clock::now();
  const auto layout = layout_of(plan, opts);
  const auto name = jit::name_of(layout, actors.device_source);
  device_code code;
  for (const cubin_info& made : actors.cubins) {
    if (arch != made.arch || name != made.layout) continue;
    code.made.bytes.assign(made.bytes.begin(), made.bytes.end());
    code.made.from_cache = code.embedded = true;
  }
  if (code.made.bytes.empty()) {
    jit::compile_options how;
    how.extra = jit::options_of(layout, actors.device_source);
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
