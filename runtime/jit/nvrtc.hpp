// runtime/jit/nvrtc.hpp - the NVRTC library, found and loaded at run time.
// Why: neither the build nor a machine without a toolkit needs CUDA; only this folder knows NVRTC.
// Threads: all members may be called from any thread at the same time.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "perdure/result.hpp"
#include "runtime/jit/headers.hpp"

namespace perdure::runtime::jit {

/// What NVRTC said about one unit. Where it was not accepted, `log` says why.
struct nvrtc_output {
  bool accepted = false;  ///< no errors
  bool compiled = false;  ///< and there is a cubin: of a virtual architecture there is none
  std::vector<std::uint8_t> cubin;
  std::string log;
};

class nvrtc {
 public:
  /// The library that $PERDURE_NVRTC names (a file or a folder; then no other is tried), else the
  ///   first of:
  /// the loader's own search, /usr/local/cuda, the toolkit of the nvcc on PATH. Stays loaded.
  /// @return the library, or no_nvrtc with all that was tried.
  static result<nvrtc> open();

  int major() const { return major_; }
  int minor() const { return minor_; }
  std::string version() const { return std::to_string(major_) + "." + std::to_string(minor_); }
  /// Where the loader found it.
  const std::string& path() const { return path_; }
  /// Compute capabilities that it can make code for, such as 90 and 100, ascending.
  result<std::vector<int>> architectures() const;

  /// Compiles one unit. Errors in the source are no error here but `compiled == false` and a log.
  /// @return the output, or no_nvrtc (its builtins are missing), bad_option, out_of_memory.
  result<nvrtc_output> compile(const std::string& source, const std::string& name,
                               std::span<const std::string> options,
                               std::span<const header> headers) const;

 private:
  friend struct nvrtc_loader;
  struct functions;
  std::shared_ptr<const functions> call_;
  std::string path_;
  int major_ = 0, minor_ = 0;
};

}  // namespace perdure::runtime::jit
