// tests/runtime/driver/abi_test.cpp - our declarations of the driver API against the toolkit's <cuda.h>.
// Why: perdure declares the API itself; a wrong size or symbol would show only as a crash on a GPU.
// Built only where the toolkit is installed.
// SPDX-License-Identifier: Apache-2.0
#include "runtime/driver/abi.hpp"

#include <cuda.h>
#include <gtest/gtest.h>

#include <string_view>
#include <type_traits>

namespace {

namespace abi = perdure::driver::abi;

template <class A, class B>
constexpr bool passed_alike =
    (std::is_pointer_v<A> && std::is_pointer_v<B>) ||
    (!std::is_pointer_v<A> && !std::is_pointer_v<B> && sizeof(A) == sizeof(B) &&
     (std::is_integral_v<A> || std::is_enum_v<A>) && (std::is_integral_v<B> || std::is_enum_v<B>));

template <class Ours, class Theirs>
struct same_call : std::false_type {};
template <class R, class... P, class S, class... Q>
  requires(sizeof...(P) == sizeof...(Q))
struct same_call<R (*)(P...), S (*)(Q...)>
    : std::bool_constant<passed_alike<R, S> && (passed_alike<P, Q> && ...)> {};

static_assert(!same_call<int (*)(int), int (*)(int, int)>::value,
              "the comparison counts parameters");
static_assert(!same_call<int (*)(int), int (*)(long)>::value, "the comparison sees sizes");

#define TEXT_OF_EXPANDED(x) #x
#define TEXT_OF(x) TEXT_OF_EXPANDED(x)
// `name` expands through <cuda.h>'s own macros, such as cuMemAlloc -> cuMemAlloc_v2.
#define PERDURE_CUDA(name, symbol, parameters)                                  \
  static_assert(std::string_view{TEXT_OF(name)} == #symbol,                     \
                #symbol " is not what <cuda.h> calls");                         \
  static_assert(same_call<abi::status(*) parameters, decltype(&::name)>::value, \
                #symbol " differs from <cuda.h>");
#include "runtime/driver/symbols.def"
#undef PERDURE_CUDA

static_assert(sizeof(abi::uuid) == sizeof(CUuuid));
static_assert(sizeof(abi::device_ptr) == sizeof(CUdeviceptr));
static_assert(sizeof(abi::launch_attribute) == sizeof(CUlaunchAttribute) &&
              alignof(abi::launch_attribute) == alignof(CUlaunchAttribute));
static_assert(offsetof(abi::launch_attribute, value) == offsetof(CUlaunchAttribute, value));
static_assert(sizeof(abi::launch_config) == sizeof(CUlaunchConfig));
static_assert(offsetof(abi::launch_config, block) == offsetof(CUlaunchConfig, blockDimX));
static_assert(offsetof(abi::launch_config, shared_bytes) ==
              offsetof(CUlaunchConfig, sharedMemBytes));
static_assert(offsetof(abi::launch_config, stream) == offsetof(CUlaunchConfig, hStream));
static_assert(offsetof(abi::launch_config, attributes) == offsetof(CUlaunchConfig, attrs));
static_assert(offsetof(abi::launch_config, attribute_count) == offsetof(CUlaunchConfig, numAttrs));

template <class Ours, class Theirs>
constexpr bool equal(Ours ours, Theirs theirs) {
  return static_cast<long>(ours) == static_cast<long>(theirs);
}

TEST(DriverAbi, StatusesAreThoseOfTheToolkit) {
  EXPECT_TRUE(equal(abi::success, CUDA_SUCCESS));
  EXPECT_TRUE(equal(abi::out_of_memory, CUDA_ERROR_OUT_OF_MEMORY));
  EXPECT_TRUE(equal(abi::stub_library, CUDA_ERROR_STUB_LIBRARY));
  EXPECT_TRUE(equal(abi::no_device, CUDA_ERROR_NO_DEVICE));
  EXPECT_TRUE(equal(abi::invalid_device, CUDA_ERROR_INVALID_DEVICE));
  EXPECT_TRUE(equal(abi::not_ready, CUDA_ERROR_NOT_READY));
}

TEST(DriverAbi, DeviceAttributesAreThoseOfTheToolkit) {
  using a = abi::device_attribute;
  EXPECT_TRUE(equal(a::warp_size, CU_DEVICE_ATTRIBUTE_WARP_SIZE));
  EXPECT_TRUE(equal(a::clock_khz, CU_DEVICE_ATTRIBUTE_CLOCK_RATE));
  EXPECT_TRUE(equal(a::processors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT));
  EXPECT_TRUE(equal(a::pci_bus, CU_DEVICE_ATTRIBUTE_PCI_BUS_ID));
  EXPECT_TRUE(equal(a::pci_device, CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID));
  EXPECT_TRUE(equal(a::pci_domain, CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID));
  EXPECT_TRUE(equal(a::memory_clock_khz, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE));
  EXPECT_TRUE(equal(a::memory_bus_bits, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH));
  EXPECT_TRUE(equal(a::l2_bytes, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE));
  EXPECT_TRUE(equal(a::threads_per_processor, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR));
  EXPECT_TRUE(equal(a::major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR));
  EXPECT_TRUE(equal(a::minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR));
  EXPECT_TRUE(equal(a::shared_bytes_per_processor,
                    CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR));
  EXPECT_TRUE(
      equal(a::registers_per_processor, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR));
  EXPECT_TRUE(equal(a::cooperative_launch, CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH));
  EXPECT_TRUE(
      equal(a::shared_bytes_per_block, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN));
}

TEST(DriverAbi, FunctionAttributesAndFlagsAreThoseOfTheToolkit) {
  using f = abi::function_attribute;
  EXPECT_TRUE(equal(f::max_threads_per_block, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK));
  EXPECT_TRUE(equal(f::static_shared_bytes, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES));
  EXPECT_TRUE(equal(f::constant_bytes, CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES));
  EXPECT_TRUE(equal(f::local_bytes, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES));
  EXPECT_TRUE(equal(f::registers, CU_FUNC_ATTRIBUTE_NUM_REGS));
  EXPECT_TRUE(equal(f::binary_version, CU_FUNC_ATTRIBUTE_BINARY_VERSION));
  EXPECT_TRUE(equal(f::max_dynamic_shared_bytes, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES));
  EXPECT_TRUE(equal(abi::host_portable, CU_MEMHOSTALLOC_PORTABLE) &&
              equal(abi::host_portable, CU_MEMHOSTREGISTER_PORTABLE));
  EXPECT_TRUE(equal(abi::host_mapped, CU_MEMHOSTALLOC_DEVICEMAP) &&
              equal(abi::host_mapped, CU_MEMHOSTREGISTER_DEVICEMAP));
  EXPECT_TRUE(equal(abi::stream_non_blocking, CU_STREAM_NON_BLOCKING));
  EXPECT_TRUE(equal(abi::event_timing, CU_EVENT_DEFAULT));
  EXPECT_TRUE(equal(abi::event_no_timing, CU_EVENT_DISABLE_TIMING));
  EXPECT_TRUE(equal(abi::capture_thread_local, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
  EXPECT_TRUE(equal(abi::launch_attribute::cooperative, CU_LAUNCH_ATTRIBUTE_COOPERATIVE));
  EXPECT_TRUE(equal(abi::launch_attribute::cluster, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION));
}

}  // namespace
