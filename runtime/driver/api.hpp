// runtime/driver/api.hpp - the CUDA driver library, found and opened at run time.
// Why: a binary that links libcuda cannot start on a machine without a GPU.
// Invariant: an api is made once a library path and lives until the process ends: libcuda is never closed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <mutex>
#include <optional>
#include <string>

#include "perdure/result.hpp"
#include "runtime/driver/abi.hpp"

namespace perdure::driver {

/// The oldest driver that this library works with, as cuDriverGetVersion counts: 13.0.
inline constexpr int oldest_driver = 13000;

/// "13.0" for 13000.
std::string version_text(int version);

/// The table of entry points. Threads: all members may be used from any thread.
class api {
 public:
#define PERDURE_CUDA(name, symbol, parameters) abi::status(*name) parameters = nullptr;
#include "runtime/driver/symbols.def"
#undef PERDURE_CUDA

  /// Opens `$PERDURE_CUDA_DRIVER`, or libcuda.so.1, and initialises it. Later calls give the same answer's object.
  /// @return the table, or no_driver (not found, or the toolkit's stub), driver_too_old (says what was found),
  ///         no_device (a driver, but no GPU that it may use), device_failed.
  static result<const api*> load();
  /// As load(), from the library at `path`.
  static result<const api*> load_from(const std::string& path);

  int version() const { return version_; }                   ///< such as 13000
  const std::string& library_path() const { return path_; }  ///< where the loaded library lies

  /// Nothing, or an error that names the call, what it was for, and CUDA's name and text of the status.
  /// out_of_memory and no_device keep their own codes; all else is device_failed.
  result<void> check(abi::status status, const char* call, const std::string& what = {},
                     std::source_location where = std::source_location::current()) const;
  /// The error that check() would give.
  error failure(abi::status status, const char* call, const std::string& what = {},
                std::source_location where = std::source_location::current()) const;

  /// For destructors, which never throw: keeps the first failure.
  void note_teardown(abi::status status, const char* call) const noexcept;
  /// The first failure of a destructor since the last call of this, if there was one.
  std::optional<error> take_teardown_failure() const;

 private:
  api() = default;
  static result<const api*> open(const std::string& path);

  int version_ = 0;
  std::string path_;
  mutable std::mutex teardown_mutex_;
  mutable std::optional<error> teardown_;
};

}  // namespace perdure::driver
