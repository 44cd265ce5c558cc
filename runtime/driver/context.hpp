// runtime/driver/context.hpp - a device, what it is, and its primary context.
// Why: the primary context is the one that the rest of the process (CUDA runtime, libraries) uses too.
// Invariant: the calling thread's current context is the same after every call as before it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <string>

#include "runtime/driver/api.hpp"

namespace perdure::driver {

/// What a device is. Clocks are the rated ones; what it runs at now is the management library's to say.
struct device_properties {
  int ordinal = 0;
  std::string name;
  std::string uuid;          ///< "GPU-xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx"
  std::string pci;           ///< "0000:1a:00"
  int major = 0, minor = 0;  ///< compute capability
  int processors = 0;        ///< SMs
  int clock_khz = 0, memory_clock_khz = 0, memory_bus_bits = 0;
  int threads_per_processor = 0, registers_per_processor = 0, warp_size = 0;
  std::size_t memory_bytes = 0;
  std::size_t l2_bytes = 0;
  std::size_t shared_bytes_per_processor = 0;
  std::size_t shared_bytes_per_block = 0;  ///< with the opt-in of kernel::allow_dynamic_shared
  bool cooperative_launch = false;

  /// "sm_90"
  std::string architecture() const { return "sm_" + std::to_string(major) + std::to_string(minor); }
};

/// How many devices there are; at least one, else no_device.
result<int> device_count(const api& cuda);
/// @return the properties, or no_device with the ordinals that exist.
result<device_properties> describe(const api& cuda, int ordinal);

/// What every owner keeps of its context. Valid while the `context` lives.
struct context_view {
  const api* cuda = nullptr;
  abi::context handle = nullptr;
};

/// Makes a context current on this thread for the life of the guard, and puts back what was there.
class current_scope {
 public:
  explicit current_scope(context_view of) noexcept;
  ~current_scope();
  current_scope(const current_scope&) = delete;
  current_scope& operator=(const current_scope&) = delete;
  /// Success, or why the context could not be made current.
  abi::status status() const { return status_; }

 private:
  const api& cuda_;
  bool pushed_ = false;
  abi::status status_;
};

struct memory_info {
  std::size_t free_bytes, total_bytes;
};

/// Owner of a reference to a device's primary context. Move-only.
/// Destroy after everything made in it, and after a resident kernel has ended: the release may wait for it.
class context {
 public:
  /// @return the context, or no_device, out_of_memory, device_failed.
  static result<context> retain(const api& cuda, int ordinal);
  context(context&& other) noexcept;
  context& operator=(context&& other) noexcept;
  ~context();

  context_view view() const { return {cuda_, handle_}; }
  operator context_view() const { return view(); }  // NOLINT: an owner is a view
  const device_properties& properties() const { return properties_; }
  result<memory_info> memory() const;

  /// Forgets the context without releasing it: for a kernel that never ends.
  void leak() noexcept { handle_ = nullptr; }

 private:
  context(const api& cuda, abi::device device, abi::context handle, device_properties properties);
  const api* cuda_;
  abi::device device_;
  abi::context handle_;
  device_properties properties_;
};

}  // namespace perdure::driver
