// runtime/driver/memory.hpp - owners of device memory and of host memory that the device sees.
// Why: everything is allocated before the loop starts and freed after it has ended; owners make that order visible.
// Invariant: while a resident kernel runs, the driver's frees wait for it: destroy owners after the loop has ended,
//            or leak() them if it never will. Destructors never throw; api::take_teardown_failure() tells.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "runtime/driver/stream.hpp"

namespace perdure::driver {

/// Bytes in device memory, not initialised. Move-only; made in a context that outlives it.
class device_buffer {
 public:
  /// Synchronous; 256-byte aligned. @return the buffer, or out_of_memory with how much was asked for and is free.
  static result<device_buffer> make(context_view in, std::size_t bytes);
  device_buffer(device_buffer&& other) noexcept
      : in_{other.in_}, at_{std::exchange(other.at_, 0)}, bytes_{std::exchange(other.bytes_, 0)} {}
  device_buffer& operator=(device_buffer&& other) noexcept {
    std::swap(in_, other.in_);
    std::swap(at_, other.at_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~device_buffer();

  abi::device_ptr address() const { return at_; }
  std::size_t bytes() const { return bytes_; }
  abi::device_ptr leak() noexcept { return std::exchange(at_, 0); }

 private:
  device_buffer(context_view in, abi::device_ptr at, std::size_t bytes)
      : in_{in}, at_{at}, bytes_{bytes} {}
  context_view in_;
  abi::device_ptr at_;
  std::size_t bytes_;
};

/// Pinned host memory, zeroed, that the device reads and writes over the bus. Move-only.
/// Who orders accesses: both sides, with system-scope atomics on each word.
class mapped_host_buffer {
 public:
  /// Portable and mapped; page-aligned. @return the buffer, or out_of_memory.
  static result<mapped_host_buffer> make(context_view in, std::size_t bytes);
  /// Pins and maps memory that somebody else owns (such as a shared segment); it must outlive this.
  static result<mapped_host_buffer> adopt(context_view in, std::span<std::byte> memory);
  mapped_host_buffer(mapped_host_buffer&& other) noexcept
      : in_{other.in_},
        host_{std::exchange(other.host_, nullptr)},
        device_{other.device_},
        bytes_{other.bytes_},
        adopted_{other.adopted_} {}
  mapped_host_buffer& operator=(mapped_host_buffer&& other) noexcept;
  ~mapped_host_buffer();

  void* host() const { return host_; }
  abi::device_ptr device() const {
    return device_;
  }  ///< the same bytes as the device addresses them
  std::size_t bytes() const { return bytes_; }
  void* leak() noexcept { return std::exchange(host_, nullptr); }

 private:
  mapped_host_buffer(context_view in, void* host, std::size_t bytes, bool adopted)
      : in_{in}, host_{host}, device_{0}, bytes_{bytes}, adopted_{adopted} {}
  result<void> map();
  context_view in_;
  void* host_;
  abi::device_ptr device_;
  std::size_t bytes_;
  bool adopted_;
};

/// Asynchronous copies and fills on a stream. Host memory must stay until the stream has passed them;
/// only pinned host memory is copied without the driver waiting.
result<void> copy_to_device(abi::device_ptr to, const void* from, std::size_t bytes,
                            const stream& on);
result<void> copy_to_host(void* to, abi::device_ptr from, std::size_t bytes, const stream& on);
result<void> copy_on_device(abi::device_ptr to, abi::device_ptr from, std::size_t bytes,
                            const stream& on);
result<void> fill_bytes(abi::device_ptr at, std::uint8_t value, std::size_t bytes,
                        const stream& on);
/// @param at  4-byte aligned
result<void> fill_words(abi::device_ptr at, std::uint32_t value, std::size_t words,
                        const stream& on);

}  // namespace perdure::driver
