// runtime/driver/call.hpp - one checked call in a context; for the files of this folder only.
// Why: every call needs the same three steps: make current, call, turn the status into a result.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

#include "runtime/driver/context.hpp"

namespace perdure::driver::detail {

/// Runs `call()` with the context current. @return its status as a result that names `name` and `what`.
template <class Call>
result<void> in_context(context_view in, const char* name, const std::string& what, Call&& call,
                        std::source_location where = std::source_location::current()) {
  const current_scope scope{in};
  if (scope.status() != abi::success)
    return in.cuda->failure(scope.status(), "cuCtxPushCurrent", what, where);
  return in.cuda->check(std::forward<Call>(call)(), name, what, where);
}

/// For destructors: the same, and a failure is kept in the api instead of returned.
template <class Call>
void teardown(context_view in, const char* name, Call&& call) noexcept {
  const current_scope scope{in};
  in.cuda->note_teardown(scope.status() != abi::success ? scope.status() : call(), name);
}

}  // namespace perdure::driver::detail
