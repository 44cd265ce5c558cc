// runtime/include/perdure/fields.hpp - messages printed and compared field by field, without a program.
// Why: a message is a plain aggregate, so nothing says what it holds when a test fails or a letter surprises.
// Needs Boost.PFR's headers (Debian: libboost-dev), which nothing else of the package does. For a state, a message with a base
// class, or names of fields: text.hpp, which reads the program's tables.
// Threads: no state; any number at the same time.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <boost/pfr.hpp>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "kernels/abi/ref_bits.cuh"
#include "perdure/ref.hpp"

namespace perdure {
namespace detail {

/// "bank::deposit", as the compiler spells it.
template <class T>
constexpr std::string_view type_name() {
  const std::string_view all = __PRETTY_FUNCTION__;  // "... [with T = bank::deposit; ...]"
  const std::size_t from = all.find("T = ") + 4;
  std::size_t to = from;
  for (int open = 0; to < all.size(); ++to) {  // as far as its own brackets go
    if (all[to] == '<' || all[to] == '(' || all[to] == '[') ++open;
    if (all[to] == '>' || all[to] == ')') --open;
    if (open == 0 && (all[to] == ';' || all[to] == ']')) break;
    if (all[to] == ']') --open;
  }
  return all.substr(from, to - from);
}

template <class T>
struct field_traits {
  static constexpr bool is_array = false, is_ref = false;
};
template <class T, std::size_t N>
struct field_traits<std::array<T, N>> {
  static constexpr bool is_array = true, is_ref = false;
};
template <>
struct field_traits<any_ref> {
  static constexpr bool is_array = false, is_ref = true;
  static std::string name(std::uint64_t bits) {
    const std::uint32_t type = abi::ref_type(bits);
    return type == abi::mailbox_type ? "host" : "type " + std::to_string(type);
  }
};
template <class A>
struct field_traits<ref<A>> {
  static constexpr bool is_array = false, is_ref = true;
  static std::string name(std::uint64_t) { return std::string{type_name<A>()}; }
};
template <class... M>
struct field_traits<ref<host<M...>>> {
  static constexpr bool is_array = false, is_ref = true;
  static std::string name(std::uint64_t) { return "host"; }
};

template <class T>
void append_text(std::string& to, const T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    to += value ? "true" : "false";
  } else if constexpr (std::is_enum_v<T>) {
    to.append(type_name<T>()).append("(");
    append_text(to, static_cast<std::underlying_type_t<T>>(value));
    to += ')';
  } else if constexpr (std::is_arithmetic_v<T>) {
    char digits[64];
    to.append(digits, std::to_chars(digits, digits + sizeof(digits), +value).ptr);
  } else if constexpr (requires { value.has_value(); }) {  // std::optional
    if (!value.has_value()) return void(to += "none");
    append_text(to, *value);
  } else if constexpr (requires { T::min(), value.count(); }) {  // std::chrono::duration
    append_text(to, value.count());
  } else if constexpr (field_traits<T>::is_ref) {
    if (value.bits == 0) return void(to += "null");
    to += field_traits<T>::name(value.bits) + "#" + std::to_string(abi::ref_index(value.bits));
    if (const auto generation = abi::ref_generation(value.bits); generation > 1)
      to += "." + std::to_string(generation);
  } else {
    const bool list = field_traits<T>::is_array;
    std::size_t n = 0;
    const auto one = [&](const auto& part) {
      if (n++ != 0) to += ", ";
      append_text(to, part);
    };
    to += list ? '[' : '{';
    if constexpr (field_traits<T>::is_array) {
      for (const auto& part : value) one(part);
    } else {
      boost::pfr::for_each_field(value, one);
    }
    to += list ? ']' : '}';
  }
}

template <class T>
constexpr bool equal_fields(const T& a, const T& b) {
  if constexpr (std::is_scalar_v<T> || field_traits<T>::is_ref ||
                requires { T::min(), a.count(); }) {
    return a == b;
  } else if constexpr (requires { a.has_value(); }) {
    return a.has_value() == b.has_value() && (!a.has_value() || equal_fields(*a, *b));
  } else if constexpr (field_traits<T>::is_array) {
    for (std::size_t i = 0; i < a.size(); ++i)
      if (!equal_fields(a[i], b[i])) return false;
    return true;
  } else {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return (equal_fields(boost::pfr::get<I>(a), boost::pfr::get<I>(b)) && ...);
    }(std::make_index_sequence<boost::pfr::tuple_size_v<T>>{});
  }
}

}  // namespace detail

/// What can be printed and compared here: what a message may be, without base classes.
template <class M>
concept plain_message = std::is_aggregate_v<M> && std::is_trivially_copyable_v<M>;

/// "bank::deposit{100, [1, 2], {0.5, true}, bank::account#42.2}": numbers as they are (characters, too), an enum's number behind
/// its type, a reference by index and, from its second life on, generation, or "null", an empty optional as "none". Floating point in the fewest digits that give it again.
template <plain_message M>
std::string to_text(const M& message) {
  std::string text{detail::type_name<M>()};
  detail::append_text(text, message);
  return text;
}

/// Field by field with ==, whatever stands between fields: so 0.0 equals -0.0, and a NaN equals nothing.
template <plain_message M>
constexpr bool equal(const M& a, const M& b) {
  return detail::equal_fields(a, b);
}
}  // namespace perdure
