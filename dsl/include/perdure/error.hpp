// dsl/include/perdure/error.hpp - what went wrong, with enough context to act on it.
// Why: one table (kernels/abi/errors.def) serves host, device and manual.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <source_location>
#include <string>
#include <utility>

namespace perdure {

enum class errc : unsigned {
#define PERDURE_ERROR(name, number, text) name = number,
#include "kernels/abi/errors.def"
#undef PERDURE_ERROR
};

/// The code's name as written in the table, such as "inbox_full".
constexpr const char* name_of(errc code) {
  switch (code) {
#define PERDURE_ERROR(name, number, text) \
  case errc::name:                        \
    return #name;
#include "kernels/abi/errors.def"
#undef PERDURE_ERROR
  }
  return "unknown";
}

/// What the code means and what to do about it.
constexpr const char* text_of(errc code) {
  switch (code) {
#define PERDURE_ERROR(name, number, text) \
  case errc::name:                        \
    return text;
#include "kernels/abi/errors.def"
#undef PERDURE_ERROR
  }
  return "unknown error";
}

/// An error code, what it was about, and where in the library it arose.
class error {
 public:
  explicit error(errc code, std::string context = {},
                 std::source_location where = std::source_location::current())
      : code_{code}, context_{std::move(context)}, where_{where} {}

  errc code() const noexcept { return code_; }
  const std::string& context() const noexcept { return context_; }
  const std::source_location& where() const noexcept { return where_; }

  /// One line for people: "inbox_full: <context> (no room in ...)".
  std::string message() const {
    std::string line{name_of(code_)};
    if (!context_.empty()) line.append(": ").append(context_);
    return line.append(" (").append(text_of(code_)).append(")");
  }

 private:
  errc code_;
  std::string context_;
  std::source_location where_;
};

}  // namespace perdure
