// apps/common/tell.hpp - what a program says beside its results, on standard error.
// Why: standard error may be closed or full. fmt::print throws then, also where an error is just being told, and the
//      program would end by a signal and not as it has ended.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <utility>

namespace apps {

/// One line. That it cannot be told changes nothing, but that a pipe whose reader has gone is SIGPIPE, as ever. Any thread.
template <class... Values>
void tell(fmt::format_string<Values...> text, Values&&... values) {
  const std::string line = fmt::format(text, std::forward<Values>(values)...) + "\n";
  (void)std::fwrite(line.data(), 1, line.size(), stderr);
}

}  // namespace apps
