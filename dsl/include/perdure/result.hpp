// dsl/include/perdure/result.hpp - a value or an error, with std::expected's member names.
// Why: C++20 has no std::expected; a full ring or a lost device is an answer, not an exception.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <utility>
#include <variant>

#include "perdure/error.hpp"

namespace perdure {

/// The only exception that leaves the library: value() of a result that holds an error.
class bad_result : public std::runtime_error {
 public:
  explicit bad_result(perdure::error e) : std::runtime_error{e.message()}, error_{std::move(e)} {}
  const perdure::error& error() const noexcept { return error_; }

 private:
  perdure::error error_;
};

/// A `T`, or why there is none.
template <class T>
class [[nodiscard]] result {
 public:
  using value_type = T;
  result(T value) : state_{std::in_place_index<0>, std::move(value)} {}           // NOLINT
  result(perdure::error why) : state_{std::in_place_index<1>, std::move(why)} {}  // NOLINT

  bool has_value() const noexcept { return state_.index() == 0; }
  explicit operator bool() const noexcept { return has_value(); }

  /// The value. @throws bad_result if there is none.
  T& value() & {
    require();
    return std::get<0>(state_);
  }
  const T& value() const& {
    require();
    return std::get<0>(state_);
  }
  T&& value() && {
    require();
    return std::get<0>(std::move(state_));
  }
  /// The value; the caller has checked that there is one.
  T& operator*() & { return *std::get_if<0>(&state_); }
  const T& operator*() const& { return *std::get_if<0>(&state_); }
  T* operator->() { return std::get_if<0>(&state_); }
  const T* operator->() const { return std::get_if<0>(&state_); }

  template <class U>
  T value_or(U&& other) const& {
    return has_value() ? **this : static_cast<T>(std::forward<U>(other));
  }
  /// The error; the caller has checked that there is one.
  const perdure::error& error() const { return *std::get_if<1>(&state_); }

 private:
  void require() const {
    if (!has_value()) throw bad_result{error()};
  }
  std::variant<T, perdure::error> state_;
};

/// Success, or why not.
template <>
class [[nodiscard]] result<void> {
 public:
  using value_type = void;
  result() = default;
  result(perdure::error why) : state_{std::in_place_index<1>, std::move(why)} {}  // NOLINT

  bool has_value() const noexcept { return state_.index() == 0; }
  explicit operator bool() const noexcept { return has_value(); }
  /// @throws bad_result if this holds an error.
  void value() const {
    if (!has_value()) throw bad_result{error()};
  }
  const perdure::error& error() const { return *std::get_if<1>(&state_); }

 private:
  std::variant<std::monostate, perdure::error> state_;
};

}  // namespace perdure
