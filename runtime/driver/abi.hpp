// runtime/driver/abi.hpp - the few types of the CUDA driver API that perdure uses, declared by ourselves.
// Why: the library is built without the toolkit and still drives a GPU wherever libcuda.so.1 is found.
// Invariant: sizes, values and calling conventions equal <cuda.h> of CUDA 13; tests/runtime/driver/abi_test.cpp
//            asserts that against the toolkit's header.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace perdure::driver::abi {

using status = int;  ///< CUresult
using device = int;  ///< CUdevice
using device_ptr = unsigned long long;

using context = struct context_object*;
using stream = struct stream_object*;
using event = struct event_object*;
using library = struct library_object*;
using kernel = struct kernel_object*;
using function = struct function_object*;
using graph = struct graph_object*;
using graph_exec = struct graph_exec_object*;

/// The statuses that perdure tells apart; all others are `device_failed` with CUDA's own name and text.
inline constexpr status success = 0;
inline constexpr status out_of_memory = 2;
inline constexpr status stub_library = 34;
inline constexpr status no_device = 100;
inline constexpr status invalid_device = 101;
inline constexpr status not_ready = 600;

struct uuid {
  unsigned char bytes[16];
};

/// CUdevice_attribute
enum class device_attribute : int {
  warp_size = 10,
  clock_khz = 13,
  processors = 16,
  pci_bus = 33,
  pci_device = 34,
  memory_clock_khz = 36,
  memory_bus_bits = 37,
  l2_bytes = 38,
  threads_per_processor = 39,
  pci_domain = 50,
  major = 75,
  minor = 76,
  shared_bytes_per_processor = 81,
  registers_per_processor = 82,
  cooperative_launch = 95,
  shared_bytes_per_block = 97,
};

/// CUfunction_attribute
enum class function_attribute : int {
  max_threads_per_block = 0,
  static_shared_bytes = 1,
  constant_bytes = 2,
  local_bytes = 3,
  registers = 4,
  binary_version = 6,
  max_dynamic_shared_bytes = 8,
};

inline constexpr unsigned host_portable = 1,
                          host_mapped = 2;  ///< CU_MEMHOSTALLOC_*, CU_MEMHOSTREGISTER_*
inline constexpr unsigned stream_non_blocking = 1;
inline constexpr unsigned event_timing = 0, event_no_timing = 2;
inline constexpr int capture_thread_local = 1;

/// CUlaunchAttribute
struct launch_attribute {
  static constexpr int cooperative = 2, cluster = 4;
  int id;
  char pad[4];
  union {
    char whole[64];
    int flag;
    unsigned dim[3];
    std::uint64_t align8;
  } value;
};

/// CUlaunchConfig
struct launch_config {
  unsigned grid[3];
  unsigned block[3];
  unsigned shared_bytes;
  abi::stream stream;
  launch_attribute* attributes;
  unsigned attribute_count;
};

}  // namespace perdure::driver::abi
