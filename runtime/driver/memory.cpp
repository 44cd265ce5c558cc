// runtime/driver/memory.cpp - allocation, pinning, copies and fills.
// SPDX-License-Identifier: Apache-2.0
#include "runtime/driver/memory.hpp"

#include <cstring>
#include <string>

#include "runtime/driver/call.hpp"

namespace perdure::driver {
namespace {

std::string size_text(std::size_t bytes) { return std::to_string(bytes) + " bytes"; }

/// Says beside a failed allocation what the device had left.
std::string asked_and_free(context_view in, std::size_t bytes) {
  std::size_t free_bytes = 0, total_bytes = 0;
  const current_scope scope{in};
  if (scope.status() != abi::success ||
      in.cuda->cuMemGetInfo(&free_bytes, &total_bytes) != abi::success)
    return size_text(bytes);
  return size_text(bytes) + " asked, " + size_text(free_bytes) + " of " + size_text(total_bytes) +
         " free";
}

}  // namespace

result<device_buffer> device_buffer::make(context_view in, std::size_t bytes) {
  abi::device_ptr at = 0;
  if (bytes == 0) return device_buffer{in, 0, 0};
  auto done = detail::in_context(in, "cuMemAlloc", size_text(bytes),
                                 [&] { return in.cuda->cuMemAlloc(&at, bytes); });
  if (!done && done.error().code() == errc::out_of_memory) {
    return in.cuda->failure(abi::out_of_memory, "cuMemAlloc", asked_and_free(in, bytes));
  }
  if (!done) return done.error();
  return device_buffer{in, at, bytes};
}

device_buffer::~device_buffer() {
  if (at_ != 0) detail::teardown(in_, "cuMemFree", [&] { return in_.cuda->cuMemFree(at_); });
}

result<mapped_host_buffer> mapped_host_buffer::make(context_view in, std::size_t bytes) {
  void* at = nullptr;
  auto done = detail::in_context(in, "cuMemHostAlloc", size_text(bytes), [&] {
    return in.cuda->cuMemHostAlloc(&at, bytes, abi::host_portable | abi::host_mapped);
  });
  if (!done) return done.error();
  std::memset(at, 0, bytes);
  mapped_host_buffer made{in, at, bytes, false};
  if (auto mapped = made.map(); !mapped) return mapped.error();
  return made;
}

result<mapped_host_buffer> mapped_host_buffer::adopt(context_view in, std::span<std::byte> memory) {
  auto done = detail::in_context(in, "cuMemHostRegister", size_text(memory.size()), [&] {
    return in.cuda->cuMemHostRegister(memory.data(), memory.size(),
                                      abi::host_portable | abi::host_mapped);
  });
  if (!done) return done.error();
  mapped_host_buffer made{in, memory.data(), memory.size(), true};
  if (auto mapped = made.map(); !mapped) return mapped.error();
  return made;
}

result<void> mapped_host_buffer::map() {
  return detail::in_context(in_, "cuMemHostGetDevicePointer", size_text(bytes_), [&] {
    return in_.cuda->cuMemHostGetDevicePointer(&device_, host_, 0);
  });
}

mapped_host_buffer& mapped_host_buffer::operator=(mapped_host_buffer&& other) noexcept {
  std::swap(in_, other.in_);
  std::swap(host_, other.host_);
  std::swap(device_, other.device_);
  std::swap(bytes_, other.bytes_);
  std::swap(adopted_, other.adopted_);
  return *this;
}

mapped_host_buffer::~mapped_host_buffer() {
  if (host_ == nullptr) return;
  if (adopted_) {
    detail::teardown(in_, "cuMemHostUnregister",
                     [&] { return in_.cuda->cuMemHostUnregister(host_); });
  } else {
    detail::teardown(in_, "cuMemFreeHost", [&] { return in_.cuda->cuMemFreeHost(host_); });
  }
}

result<void> copy_to_device(abi::device_ptr to, const void* from, std::size_t bytes,
                            const stream& on) {
  const context_view in = on.context();
  return detail::in_context(in, "cuMemcpyHtoDAsync", size_text(bytes), [&] {
    return in.cuda->cuMemcpyHtoDAsync(to, from, bytes, on.handle());
  });
}

result<void> copy_to_host(void* to, abi::device_ptr from, std::size_t bytes, const stream& on) {
  const context_view in = on.context();
  return detail::in_context(in, "cuMemcpyDtoHAsync", size_text(bytes), [&] {
    return in.cuda->cuMemcpyDtoHAsync(to, from, bytes, on.handle());
  });
}

result<void> copy_on_device(abi::device_ptr to, abi::device_ptr from, std::size_t bytes,
                            const stream& on) {
  const context_view in = on.context();
  return detail::in_context(in, "cuMemcpyDtoDAsync", size_text(bytes), [&] {
    return in.cuda->cuMemcpyDtoDAsync(to, from, bytes, on.handle());
  });
}

result<void> fill_bytes(abi::device_ptr at, std::uint8_t value, std::size_t bytes,
                        const stream& on) {
  const context_view in = on.context();
  return detail::in_context(in, "cuMemsetD8Async", size_text(bytes), [&] {
    return in.cuda->cuMemsetD8Async(at, value, bytes, on.handle());
  });
}

result<void> fill_words(abi::device_ptr at, std::uint32_t value, std::size_t words,
                        const stream& on) {
  const context_view in = on.context();
  return detail::in_context(in, "cuMemsetD32Async", size_text(words * sizeof value), [&] {
    return in.cuda->cuMemsetD32Async(at, value, words, on.handle());
  });
}

}  // namespace perdure::driver
