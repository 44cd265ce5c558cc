// runtime/driver/graph.cpp - records, instantiates and launches graphs.
// Invariant: a capture that was begun is ended on every path, so that the stream can be used again.
// SPDX-License-Identifier: Apache-2.0
#include "runtime/driver/graph.hpp"

#include "runtime/driver/call.hpp"

namespace perdure::driver {

result<recording> recording::of(const stream& on, const std::function<result<void>()>& give) {
  const context_view in = on.context();
  const api& cuda = *in.cuda;
  auto begun = detail::in_context(in, "cuStreamBeginCapture", {}, [&] {
    return cuda.cuStreamBeginCapture(on.handle(), abi::capture_thread_local);
  });
  if (!begun) return begun.error();
  const result<void> given = give();
  abi::graph recorded = nullptr;
  auto done = detail::in_context(in, "cuStreamEndCapture", {},
                                 [&] { return cuda.cuStreamEndCapture(on.handle(), &recorded); });
  recording owner{in, recorded};
  if (!given) return given.error();
  if (!done) return done.error();
  return owner;
}

recording::~recording() {
  if (handle_ != nullptr)
    detail::teardown(in_, "cuGraphDestroy", [&] { return in_.cuda->cuGraphDestroy(handle_); });
}

result<graph> recording::instantiate() const {
  abi::graph_exec made = nullptr;
  auto done = detail::in_context(in_, "cuGraphInstantiate", {},
                                 [&] { return in_.cuda->cuGraphInstantiate(&made, handle_, 0); });
  if (!done) return done.error();
  return graph{in_, made};
}

result<graph> graph::record(const stream& on, const std::function<result<void>()>& give) {
  auto recorded = recording::of(on, give);
  if (!recorded) return recorded.error();
  auto owner = recorded->instantiate();
  if (!owner) return owner.error();
  auto done = owner->upload(on);
  if (!done) return done.error();
  return owner;
}

graph::~graph() {
  if (handle_ != nullptr)
    detail::teardown(in_, "cuGraphExecDestroy",
                     [&] { return in_.cuda->cuGraphExecDestroy(handle_); });
}

result<void> graph::upload(const stream& on) const {
  return detail::in_context(in_, "cuGraphUpload", {},
                            [&] { return in_.cuda->cuGraphUpload(handle_, on.handle()); });
}

result<void> graph::launch(const stream& on) const {
  return detail::in_context(in_, "cuGraphLaunch", {},
                            [&] { return in_.cuda->cuGraphLaunch(handle_, on.handle()); });
}

}  // namespace perdure::driver
