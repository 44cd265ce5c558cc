// runtime/driver/graph.hpp - a launch recorded once and repeated cheaply.
// Why: a parked loop is started again through a graph, and a graph is the baseline that the round trip is compared with.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <utility>

#include "runtime/driver/stream.hpp"

namespace perdure::driver {

class graph;

/// What streams were given, not executable yet. Move-only.
class recording {
 public:
  /// Records what `give` puts on the stream; nothing runs. Other streams join by wait_for() an
  /// event recorded on this one, and must be waited for before `give` returns. Arguments are
  /// copied.
  /// @return the recording, the error of `give`, or device_failed.
  static result<recording> of(const stream& on, const std::function<result<void>()>& give);
  recording(recording&& other) noexcept
      : in_{other.in_}, handle_{std::exchange(other.handle_, nullptr)} {}
  recording& operator=(recording&& other) noexcept {
    std::swap(in_, other.in_);
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~recording();

  /// An executable copy. It is not on the device yet: upload() brings it there, or a launch.
  result<graph> instantiate() const;

 private:
  recording(context_view in, abi::graph handle) : in_{in}, handle_{handle} {}
  context_view in_;
  abi::graph handle_;
};

/// Owner of an executable graph. Move-only. Destroy after its last launch has ended.
class graph {
 public:
  /// Records as recording::of(), instantiates it and uploads it on that stream.
  /// @return the graph, the error of `give`, or device_failed.
  static result<graph> record(const stream& on, const std::function<result<void>()>& give);
  graph(graph&& other) noexcept : in_{other.in_}, handle_{std::exchange(other.handle_, nullptr)} {}
  graph& operator=(graph&& other) noexcept {
    std::swap(in_, other.in_);
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~graph();

  result<void> upload(const stream& on) const;
  result<void> launch(const stream& on) const;
  abi::graph_exec leak() noexcept { return std::exchange(handle_, nullptr); }

 private:
  friend class recording;
  graph(context_view in, abi::graph_exec handle) : in_{in}, handle_{handle} {}
  context_view in_;
  abi::graph_exec handle_;
};

}  // namespace perdure::driver
