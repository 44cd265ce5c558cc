// runtime/driver/stream.cpp - streams and events.
// SPDX-License-Identifier: Apache-2.0
#include "runtime/driver/stream.hpp"

#include "runtime/driver/call.hpp"

namespace perdure::driver {
namespace {

result<bool> ready(const api& cuda, abi::status status, const char* call) {
  if (status == abi::not_ready) return false;
  if (auto done = cuda.check(status, call); !done) return done.error();
  return true;
}

}  // namespace

result<stream> stream::make(context_view in, int priority) {
  abi::stream handle = nullptr;
  auto done = detail::in_context(in, "cuStreamCreateWithPriority", {}, [&] {
    return in.cuda->cuStreamCreateWithPriority(&handle, abi::stream_non_blocking, priority);
  });
  if (!done) return done.error();
  return stream{in, handle};
}

stream::~stream() {
  if (handle_ != nullptr)
    detail::teardown(in_, "cuStreamDestroy", [&] { return in_.cuda->cuStreamDestroy(handle_); });
}

result<bool> stream::done() const {
  return ready(*in_.cuda, in_.cuda->cuStreamQuery(handle_), "cuStreamQuery");
}

result<void> stream::synchronize() const {
  return detail::in_context(in_, "cuStreamSynchronize", {},
                            [&] { return in_.cuda->cuStreamSynchronize(handle_); });
}

result<void> stream::wait_for(const event& e) const {
  return detail::in_context(in_, "cuStreamWaitEvent", {},
                            [&] { return in_.cuda->cuStreamWaitEvent(handle_, e.handle(), 0); });
}

result<event> event::make(context_view in, bool timed) {
  abi::event handle = nullptr;
  const unsigned flags = timed ? abi::event_timing : abi::event_no_timing;
  auto done = detail::in_context(in, "cuEventCreate", {},
                                 [&] { return in.cuda->cuEventCreate(&handle, flags); });
  if (!done) return done.error();
  return event{in, handle};
}

event::~event() {
  if (handle_ != nullptr)
    detail::teardown(in_, "cuEventDestroy", [&] { return in_.cuda->cuEventDestroy(handle_); });
}

result<void> event::record(const stream& on) const {
  return detail::in_context(in_, "cuEventRecord", {},
                            [&] { return in_.cuda->cuEventRecord(handle_, on.handle()); });
}

result<bool> event::done() const {
  return ready(*in_.cuda, in_.cuda->cuEventQuery(handle_), "cuEventQuery");
}

result<void> event::synchronize() const {
  return detail::in_context(in_, "cuEventSynchronize", {},
                            [&] { return in_.cuda->cuEventSynchronize(handle_); });
}

result<float> event::milliseconds_since(const event& earlier) const {
  float ms = 0;
  auto done = in_.cuda->check(in_.cuda->cuEventElapsedTime(&ms, earlier.handle_, handle_),
                              "cuEventElapsedTime");
  if (!done) return done.error();
  return ms;
}

}  // namespace perdure::driver
