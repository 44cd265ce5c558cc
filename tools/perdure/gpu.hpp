// tools/perdure/gpu.hpp - a device with compiled kernels on it, for the baselines.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>

#include "bench.hpp"
#include "runtime/driver/kernel.hpp"
#include "runtime/driver/memory.hpp"
#include "runtime/jit/headers.hpp"

namespace bench {

/// Context, stream and one compiled file. Members are destroyed last to first, the context last of
/// all.
struct gpu {
  perdure::driver::context context;
  perdure::driver::stream stream;
  perdure::driver::code_library code;

  /// Compiles `source` with NVRTC for device 0 and loads it. @param name  of the file, for
  /// messages.
  /// @param headers  what the source includes; they and their texts must live during the call.
  static perdure::result<gpu> with(const std::string& name, const std::string& source,
                                   std::span<const perdure::runtime::jit::header> headers = {});
};

/// Why there can be no baselines, or nothing.
std::optional<std::string> no_gpu(const bench_options& options);

}  // namespace bench
