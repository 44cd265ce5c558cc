// tools/perdure/gpu.hpp - a device with compiled kernels on it, for the baselines.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "bench.hpp"
#include "runtime/driver/kernel.hpp"
#include "runtime/driver/memory.hpp"

namespace bench {

/// Context, stream and one compiled file. Members are destroyed last to first, the context last of all.
struct gpu {
  perdure::driver::context context;
  perdure::driver::stream stream;
  perdure::driver::code_library code;

  /// Compiles `source` with NVRTC for device 0 and loads it. @param name  of the file, for messages.
  /// @param header, text  of the one file that the source includes, if it does.
  static perdure::result<gpu> with(const std::string& name, const std::string& source,
                                   const std::string& header = {}, const std::string& text = {});
};

/// Why there can be no baselines, or nothing.
std::optional<std::string> no_gpu(const bench_options& options);

}  // namespace bench
