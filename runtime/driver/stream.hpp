// runtime/driver/stream.hpp - owners of streams and events.
// Why: all work goes to non-blocking streams, since the legacy stream would wait for the resident kernel.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "runtime/driver/context.hpp"

namespace perdure::driver {

class event;

/// A stream that does not synchronise with the legacy stream. Move-only; made in a context that outlives it.
/// The destructor returns at once; work under way is finished by the driver.
class stream {
 public:
  /// @param priority  lower is served first; 0 is the default.
  static result<stream> make(context_view in, int priority = 0);
  stream(stream&& other) noexcept
      : in_{other.in_}, handle_{std::exchange(other.handle_, nullptr)} {}
  stream& operator=(stream&& other) noexcept {
    std::swap(in_, other.in_);
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~stream();

  abi::stream handle() const { return handle_; }
  context_view context() const { return in_; }

  /// True when all work given so far has ended; device_failed if some of it failed.
  result<bool> done() const;
  /// Waits for all work given so far; never returns while a resident kernel on this stream runs.
  result<void> synchronize() const;
  /// Work given from now on starts after `e`.
  result<void> wait_for(const event& e) const;

  /// Gives the handle away: the destructor will do nothing.
  abi::stream leak() noexcept { return std::exchange(handle_, nullptr); }

 private:
  stream(context_view in, abi::stream handle) : in_{in}, handle_{handle} {}
  context_view in_;
  abi::stream handle_;
};

/// A point in a stream. Move-only.
class event {
 public:
  /// @param timed  keeps a time stamp for milliseconds_since(); costs a little.
  static result<event> make(context_view in, bool timed);
  event(event&& other) noexcept : in_{other.in_}, handle_{std::exchange(other.handle_, nullptr)} {}
  event& operator=(event&& other) noexcept {
    std::swap(in_, other.in_);
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~event();

  abi::event handle() const { return handle_; }
  result<void> record(const stream& on) const;
  result<bool> done() const;
  result<void> synchronize() const;
  /// Device time from `earlier` to this one; both timed and done.
  result<float> milliseconds_since(const event& earlier) const;
  abi::event leak() noexcept { return std::exchange(handle_, nullptr); }

 private:
  event(context_view in, abi::event handle) : in_{in}, handle_{handle} {}
  context_view in_;
  abi::event handle_;
};

}  // namespace perdure::driver
