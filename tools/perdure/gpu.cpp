// tools/perdure/gpu.cpp - compiles a baseline for the device at hand and loads it.
// SPDX-License-Identifier: Apache-2.0
#include "gpu.hpp"

#include "runtime/jit/compile.hpp"

namespace bench {

namespace cu = perdure::driver;

perdure::result<gpu> gpu::with(const std::string& name, const std::string& source,
                               std::span<const perdure::runtime::jit::header> headers) {
  auto cuda = cu::api::load();
  if (!cuda) return cuda.error();
  auto context = cu::context::retain(**cuda, 0);
  if (!context) return context.error();
  auto stream = cu::stream::make(*context);
  if (!stream) return stream.error();
  perdure::runtime::jit::compile_options plain;
  plain.headers = headers;
  plain.use_cache = false;
  auto cubin =
      perdure::runtime::jit::compile(source, name, context->properties().architecture(), plain);
  if (!cubin) return cubin.error();
  auto code = cu::code_library::load(*context, std::as_bytes(std::span{cubin->bytes}), name);
  if (!code) return code.error();
  return gpu{std::move(*context), std::move(*stream), std::move(*code)};
}

std::optional<std::string> no_gpu(const bench_options& options) {
  if (!options.baselines) return "--no-baselines was given";
  if (options.backend == perdure::backend::cpu) return "--backend cpu was given";
  auto cuda = cu::api::load();
  if (!cuda) return cuda.error().message();
  auto count = cu::device_count(**cuda);
  if (!count) return count.error().message();
  return std::nullopt;
}

}  // namespace bench
