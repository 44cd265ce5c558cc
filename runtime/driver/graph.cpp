// runtime/driver/graph.cpp - records, instantiates and launches graphs.
// Invariant: a capture that was begun is ended on every path, so that the stream can be used again.
// SPDX-License-Identifier: Apache-2.0
#include "runtime/driver/graph.hpp"

#include "runtime/driver/call.hpp"

namespace perdure::driver {

result<graph> graph::record(const stream& on, const std::function<result<void>()>& give) {
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
  abi::graph_exec made = nullptr;
  if (given && done) {
    done = detail::in_context(in, "cuGraphInstantiate", {},
                              [&] { return cuda.cuGraphInstantiate(&made, recorded, 0); });
  }
  if (recorded != nullptr)
    detail::teardown(in, "cuGraphDestroy", [&] { return cuda.cuGraphDestroy(recorded); });
  if (!given) return given.error();
  if (!done) return done.error();
  graph owner{in, made};
  done = detail::in_context(in, "cuGraphUpload", {},
                            [&] { return cuda.cuGraphUpload(made, on.handle()); });
  if (!done) return done.error();
  return owner;
}

graph::~graph() {
  if (handle_ != nullptr)
    detail::teardown(in_, "cuGraphExecDestroy",
                     [&] { return in_.cuda->cuGraphExecDestroy(handle_); });
}

result<void> graph::launch(const stream& on) const {
  return detail::in_context(in_, "cuGraphLaunch", {},
                            [&] { return in_.cuda->cuGraphLaunch(handle_, on.handle()); });
}

}  // namespace perdure::driver
