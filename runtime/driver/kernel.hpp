// runtime/driver/kernel.hpp - loaded code and its launch.
// Why: nothing may be loaded while the loop runs, so a kernel is resident in the context once it is looked up.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <utility>

#include "runtime/driver/stream.hpp"

namespace perdure::driver {

struct kernel_attributes {
  int registers = 0;            ///< a thread
  int local_bytes = 0;          ///< a thread: stack and spills
  int static_shared_bytes = 0;  ///< a block
  int max_dynamic_shared_bytes = 0;
  int max_threads_per_block = 0;
  int binary_version = 0;  ///< 90 for sm_90
};

/// How a kernel is launched. Cooperative: all blocks are resident at once, or the launch fails.
struct launch_shape {
  std::array<unsigned, 3> grid{1, 1, 1};   ///< blocks
  std::array<unsigned, 3> block{1, 1, 1};  ///< threads
  unsigned dynamic_shared_bytes = 0;
  bool cooperative = false;
  unsigned cluster = 1;  ///< blocks a cluster along x; divides grid[0]
};

/// A kernel of a code_library; valid while that lives. Copyable.
class kernel {
 public:
  kernel(context_view in, abi::function handle, std::string name)
      : in_{in}, handle_{handle}, name_{std::move(name)} {}

  const std::string& name() const { return name_; }
  abi::function handle() const { return handle_; }
  result<kernel_attributes> attributes() const;
  /// Opts in to more than 48 KB of dynamic shared memory a block. @return device_failed if the device has less.
  result<void> allow_dynamic_shared(std::size_t bytes) const;
  /// Blocks of this shape that one SM holds at once.
  result<int> blocks_per_processor(int threads, std::size_t dynamic_shared_bytes) const;
  /// Block clusters of this shape that the device holds at once. A processor group may not be a multiple of a cluster.
  result<int> clusters(const launch_shape& shape) const;
  /// Launches with pointers to the arguments, in the kernel's order.
  result<void> launch_raw(const launch_shape& shape, const stream& on,
                          std::span<void*> arguments) const;
  /// Launches; each argument has exactly the type of the kernel's parameter.
  template <class... Args>
  result<void> launch(const launch_shape& shape, const stream& on, Args... arguments) const {
    std::array<void*, sizeof...(Args) + 1> pointers{static_cast<void*>(&arguments)..., nullptr};
    return launch_raw(shape, on, {pointers.data(), sizeof...(Args)});
  }

 private:
  context_view in_;
  abi::function handle_;
  std::string name_;
};

/// A global variable of a code_library.
struct global_variable {
  abi::device_ptr at;
  std::size_t bytes;
};

/// Owner of a loaded cubin. Move-only. Destroy after every kernel of it has ended: unloading waits for them.
class code_library {
 public:
  /// @param image  a cubin for this device's architecture; not kept. @return the library or device_failed.
  static result<code_library> load(context_view in, std::span<const std::byte> image,
                                   const std::string& name);
  code_library(code_library&& other) noexcept
      : in_{other.in_},
        handle_{std::exchange(other.handle_, nullptr)},
        name_{std::move(other.name_)} {}
  code_library& operator=(code_library&& other) noexcept {
    std::swap(in_, other.in_);
    std::swap(handle_, other.handle_);
    std::swap(name_, other.name_);
    return *this;
  }
  ~code_library();

  /// Finds an `extern "C" __global__` function and loads it now (cuFuncLoad), so that its launch loads nothing.
  result<kernel> find(const char* entry) const;
  result<global_variable> find_global(const char* variable) const;
  abi::library leak() noexcept { return std::exchange(handle_, nullptr); }

 private:
  code_library(context_view in, abi::library handle, std::string name)
      : in_{in}, handle_{handle}, name_{std::move(name)} {}
  context_view in_;
  abi::library handle_;
  std::string name_;
};

}  // namespace perdure::driver
