// tests/runtime/driver/fake_cuda.cpp - a shared library that looks like libcuda.so.1 and keeps books.
// Why: driver ages, failing calls and lifetimes can be tested on a machine without a GPU.
// Invariant: every symbol of symbols.def is exported, unless FAKE_CUDA_OMIT_LIBRARY leaves one out.
// SPDX-License-Identifier: Apache-2.0
#include "fake_cuda.hpp"

#include <cstdlib>
#include <cstring>
#include <new>

#include "runtime/driver/abi.hpp"

#pragma GCC diagnostic ignored "-Wunused-parameter"

namespace abi = perdure::driver::abi;

namespace {

fake::state& books() {
  static auto& s = *new fake::state;
  return s;
}
thread_local std::vector<abi::context> stack;  // NOLINT: the fake's own current-context stack

/// Notes the call. @return the status that it was told to fail with, else success.
int enter(const char* symbol, bool needs_context) {
  auto& s = books();
  const std::lock_guard lock{s.mutex};
  s.calls.emplace_back(symbol);
  if (needs_context && stack.empty())
    s.misuse.push_back(std::string{symbol} + " without a current context");
  auto told = s.fails.find(symbol);
  return told == s.fails.end() ? 0 : told->second;
}
void* born(const char* kind, std::size_t bytes = 16) {
  const std::lock_guard lock{books().mutex};
  books().live.emplace(kind);
  return std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);  // as the driver gives host memory
}
void dies(const char* kind, void* at) {
  auto& s = books();
  const std::lock_guard lock{s.mutex};
  auto it = s.live.find(kind);
  if (it == s.live.end()) {
    s.misuse.push_back(std::string{"second death of a "} + kind);
    return;
  }
  s.live.erase(it);
  std::free(at);
}
template <class Handle>
Handle as(void* at) {
  if constexpr (std::is_pointer_v<Handle>) {
    return static_cast<Handle>(at);
  } else {
    return static_cast<Handle>(reinterpret_cast<std::uintptr_t>(at));
  }
}
void* raw(abi::device_ptr p) { return reinterpret_cast<void*>(static_cast<std::uintptr_t>(p)); }

}  // namespace

#define FAKE(symbol, parameters, needs_context, ...)                            \
  extern "C" int symbol parameters;                                             \
  extern "C" int symbol parameters {                                            \
    if (const int told = enter(#symbol, needs_context); told != 0) return told; \
    __VA_ARGS__;                                                                \
    return 0;                                                                   \
  }

fake::state* fake_cuda_state() { return &books(); }

FAKE(cuInit, (unsigned), false)
FAKE(cuDriverGetVersion, (int* v), false, *v = books().version)
FAKE(cuGetErrorName, (int s, const char** t), false,
     *t = s == 700   ? "CUDA_ERROR_ILLEGAL_ADDRESS"
          : s == 2   ? "CUDA_ERROR_OUT_OF_MEMORY"
          : s == 100 ? "CUDA_ERROR_NO_DEVICE"
                     : nullptr)
FAKE(cuGetErrorString, (int s, const char** t), false,
     *t = s == 700 ? "an illegal memory access was encountered" : nullptr)
FAKE(cuDeviceGetCount, (int* n), false, *n = books().devices)
FAKE(cuDeviceGet, (abi::device * d, int i), false, *d = i)
FAKE(cuDeviceGetName, (char* name, int n, abi::device d), false,
     std::strncpy(name, d == 0 ? "Fake GPU 0" : "Fake GPU 1", static_cast<std::size_t>(n)))
FAKE(cuDeviceGetUuid_v2, (abi::uuid * u, abi::device), false,
     for (int i = 0; i < 16; ++i) u->bytes[i] = static_cast<unsigned char>(0xa0 + i))
FAKE(cuDeviceGetAttribute, (int* v, abi::device_attribute a, abi::device), false,
     *v = static_cast<int>(a))
FAKE(cuDeviceTotalMem_v2, (std::size_t* b, abi::device), false, *b = 1U << 30U)
FAKE(cuDevicePrimaryCtxRetain, (abi::context * c, abi::device), false,
     if (books().on_retain) books().on_retain();
     *c = as<abi::context>(born("context")))
FAKE(cuDevicePrimaryCtxRelease_v2, (abi::device), false, dies("context", nullptr))
FAKE(cuCtxGetCurrent, (abi::context * c), false, *c = stack.empty() ? nullptr : stack.back())
FAKE(cuCtxPushCurrent_v2, (abi::context c), false, stack.push_back(c))
FAKE(cuCtxPopCurrent_v2, (abi::context * c), false, *c = stack.back(); stack.pop_back())
FAKE(cuMemGetInfo_v2, (std::size_t* f, std::size_t* t), true, *f = 1000; *t = 2000)
FAKE(cuMemAlloc_v2, (abi::device_ptr * p, std::size_t n), true,
     *p = as<abi::device_ptr>(born("device memory", n)))
FAKE(cuMemFree_v2, (abi::device_ptr p), true, dies("device memory", raw(p)))
FAKE(cuMemHostAlloc, (void** p, std::size_t n, unsigned flags), true, *p = born("host memory", n);
     std::memset(*p, 0xff, n); books().last_host_flags = flags)
FAKE(cuMemFreeHost, (void* p), true, dies("host memory", p))
FAKE(cuMemHostGetDevicePointer_v2, (abi::device_ptr * d, void* h, unsigned), true,
     *d = as<abi::device_ptr>(h))
FAKE(cuMemHostRegister_v2, (void*, std::size_t, unsigned flags), true,
     std::free(born("registration"));
     books().last_host_flags = flags)
FAKE(cuMemHostUnregister, (void*), true, dies("registration", nullptr))
FAKE(cuMemcpyHtoDAsync_v2, (abi::device_ptr t, const void* f, std::size_t n, abi::stream), true,
     std::memcpy(raw(t), f, n))
FAKE(cuMemcpyDtoHAsync_v2, (void* t, abi::device_ptr f, std::size_t n, abi::stream), true,
     std::memcpy(t, raw(f), n))
FAKE(cuMemcpyDtoDAsync_v2, (abi::device_ptr t, abi::device_ptr f, std::size_t n, abi::stream), true,
     std::memcpy(raw(t), raw(f), n))
FAKE(cuMemsetD8Async, (abi::device_ptr p, unsigned char v, std::size_t n, abi::stream), true,
     std::memset(raw(p), v, n))
FAKE(cuMemsetD32Async, (abi::device_ptr p, unsigned v, std::size_t n, abi::stream), true,
     for (std::size_t i = 0; i < n; ++i) std::memcpy(static_cast<char*>(raw(p)) + 4 * i, &v, 4))
FAKE(cuStreamCreateWithPriority, (abi::stream * s, unsigned flags, int), true,
     *s = as<abi::stream>(born("stream"));
     books().last_stream_flags = flags)
FAKE(cuStreamDestroy_v2, (abi::stream s), true, dies("stream", s))
FAKE(cuStreamQuery, (abi::stream), false)
FAKE(cuStreamSynchronize, (abi::stream), true)
FAKE(cuStreamWaitEvent, (abi::stream, abi::event, unsigned), true)
FAKE(cuStreamBeginCapture_v2, (abi::stream, int), true)
FAKE(cuStreamEndCapture, (abi::stream, abi::graph* g), true, *g = as<abi::graph>(born("graph")))
FAKE(cuEventCreate, (abi::event * e, unsigned), true, *e = as<abi::event>(born("event")))
FAKE(cuEventDestroy_v2, (abi::event e), true, dies("event", e))
FAKE(cuEventRecord, (abi::event, abi::stream), true)
FAKE(cuEventQuery, (abi::event), false)
FAKE(cuEventSynchronize, (abi::event), true)
FAKE(cuEventElapsedTime_v2, (float* ms, abi::event, abi::event), false, *ms = 1.5F)
#ifndef FAKE_CUDA_OMIT_LIBRARY
FAKE(cuLibraryLoadData,
     (abi::library * l, const void*, int*, void**, unsigned, int*, void**, unsigned), true,
     *l = as<abi::library>(born("library")))
#endif
FAKE(cuLibraryUnload, (abi::library l), true, dies("library", l))
FAKE(cuLibraryGetKernel, (abi::kernel * k, abi::library l, const char*), true,
     *k = reinterpret_cast<abi::kernel>(l))
FAKE(cuLibraryGetGlobal, (abi::device_ptr * p, std::size_t* n, abi::library, const char*), true,
     books().global.resize(books().global_bytes);
     *p = reinterpret_cast<std::uintptr_t>(books().global.data()); *n = books().global_bytes)
FAKE(cuKernelGetFunction, (abi::function * f, abi::kernel k), true,
     *f = reinterpret_cast<abi::function>(k))
FAKE(cuFuncGetAttribute, (int* v, abi::function_attribute a, abi::function), true,
     *v = 100 + static_cast<int>(a))
FAKE(cuFuncSetAttribute, (abi::function, abi::function_attribute, int), true)
FAKE(cuFuncLoad, (abi::function), true)
FAKE(cuOccupancyMaxActiveBlocksPerMultiprocessor, (int* n, abi::function, int, std::size_t), true,
     *n = 3)
FAKE(cuOccupancyMaxActiveClusters, (int* n, abi::function, const abi::launch_config*), true,
     *n = 33)
FAKE(cuGraphInstantiateWithFlags, (abi::graph_exec * x, abi::graph, unsigned long long), true,
     *x = as<abi::graph_exec>(born("graph exec")))
FAKE(cuGraphUpload, (abi::graph_exec, abi::stream), true)
FAKE(cuGraphLaunch, (abi::graph_exec, abi::stream), true)
FAKE(cuGraphExecDestroy, (abi::graph_exec x), true, dies("graph exec", x))
FAKE(cuGraphDestroy, (abi::graph g), true, dies("graph", g))

extern "C" int cuLaunchKernelEx(const abi::launch_config*, abi::function, void**, void**);
extern "C" int cuLaunchKernelEx(const abi::launch_config* c, abi::function, void** arguments,
                                void**) {
  if (const int told = enter("cuLaunchKernelEx", true); told != 0) return told;
  auto& s = books();
  std::memcpy(s.last_grid, c->grid, sizeof s.last_grid);
  std::memcpy(s.last_block, c->block, sizeof s.last_block);
  s.last_shared = c->shared_bytes;
  s.last_launch_stream = c->stream;
  s.last_cooperative = false;
  s.last_cluster = 0;
  for (unsigned i = 0; i < c->attribute_count; ++i) {
    if (c->attributes[i].id == abi::launch_attribute::cooperative)
      s.last_cooperative = c->attributes[i].value.flag != 0;
    if (c->attributes[i].id == abi::launch_attribute::cluster)
      s.last_cluster = c->attributes[i].value.dim[0];
  }
  if (s.on_launch) {
    s.on_launch();
  } else {
    std::memcpy(&s.last_argument, arguments[0], sizeof s.last_argument);
  }
  return 0;
}
