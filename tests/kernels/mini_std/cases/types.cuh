// tests/kernels/mini_std/cases/types.cuh - sizes, layouts, traits, concepts and limits.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <chrono>
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <ratio>
#include <tuple>
#include <type_traits>
#include <utility>

#include "sink.cuh"

namespace types {
struct plain {
  int a;
  double b;
};
struct derived : plain {};
struct empty {};
struct final_one final {
  short s;
};
struct nontrivial {
  nontrivial() {}
  nontrivial(const nontrivial&) {}
  nontrivial& operator=(const nontrivial&) { return *this; }
  ~nontrivial() {}
  int x = 0;
};
struct from_int {
  explicit from_int(int) {}
  from_int(double) noexcept {}
};
struct no_copy {
  no_copy() = default;
  no_copy(const no_copy&) = delete;
  no_copy(no_copy&&) = default;
};
struct callable {
  int operator()(int) const { return 1; }
  double member(float) noexcept { return 0; }
  int data = 0;
};
enum plain_enum { pe_a, pe_b };
enum class scoped : std::uint16_t { a, b };
union both {
  int i;
  float f;
};

template <class T>
void unary(sink& out) {
  PUT(std::is_integral_v<T>);
  PUT(std::is_floating_point_v<T>);
  PUT(std::is_arithmetic_v<T>);
  PUT(std::is_scalar_v<T>);
  PUT(std::is_fundamental_v<T>);
  PUT(std::is_compound_v<T>);
  PUT(std::is_object_v<T>);
  PUT(std::is_void_v<T>);
  PUT(std::is_const_v<T>);
  PUT(std::is_volatile_v<T>);
  PUT(std::is_reference_v<T>);
  PUT(std::is_lvalue_reference_v<T>);
  PUT(std::is_rvalue_reference_v<T>);
  PUT(std::is_pointer_v<T>);
  PUT(std::is_null_pointer_v<T>);
  PUT(std::is_array_v<T>);
  PUT(std::is_bounded_array_v<T>);
  PUT(std::is_enum_v<T>);
  PUT(std::is_union_v<T>);
  PUT(std::is_class_v<T>);
  PUT(std::is_function_v<T>);
  PUT(std::is_member_pointer_v<T>);
  PUT(std::is_member_object_pointer_v<T>);
  PUT(std::is_member_function_pointer_v<T>);
  PUT(std::is_signed_v<T>);
  PUT(std::is_unsigned_v<T>);
  PUT(std::rank_v<T>);
  PUT(std::extent_v<T>);
  PUT(std::extent_v<T, 1>);
  PUT(std::is_destructible_v<T>);
  PUT(std::is_trivially_destructible_v<T>);
  PUT(std::is_nothrow_destructible_v<T>);
  PUT(std::is_default_constructible_v<T>);
  PUT(std::is_copy_constructible_v<T>);
  PUT(std::is_move_constructible_v<T>);
  PUT(std::is_copy_assignable_v<T>);
  PUT(std::is_move_assignable_v<T>);
  PUT(std::is_convertible_v<T, int>);
  PUT(std::is_convertible_v<int, T>);
  PUT(std::is_convertible_v<T, double>);
  PUT(std::is_convertible_v<T, void>);
  PUT(std::is_same_v<std::decay_t<T>, T>);
  PUT(std::is_same_v<std::remove_cvref_t<T>, T>);
  PUT(std::is_same_v<std::add_pointer_t<T>, T>);
  PUT(std::is_same_v<std::add_lvalue_reference_t<T>, T>);
  PUT(std::is_same_v<std::remove_pointer_t<T>, T>);
  PUT(std::is_same_v<std::remove_extent_t<T>, T>);
  PUT(std::is_same_v<std::remove_all_extents_t<T>, int>);
}
template <class T>
void complete(sink& out) {
  PUT(sizeof(T));
  PUT(alignof(T));
  PUT(std::is_trivially_copyable_v<T>);
  PUT(std::is_standard_layout_v<T>);
  PUT(std::is_aggregate_v<T>);
  PUT(std::is_empty_v<T>);
  PUT(std::is_nothrow_move_constructible_v<T>);
  PUT(std::is_trivially_copy_constructible_v<T>);
  PUT(std::is_trivially_default_constructible_v<T>);
  PUT(std::is_nothrow_constructible_v<T, int>);
  PUT(std::is_constructible_v<T, int>);
  PUT(std::has_unique_object_representations_v<T>);
  PUT(std::copyable<T>);
  PUT(std::movable<T>);
  PUT(std::regular<T>);
  PUT(std::equality_comparable<T>);
  PUT(std::totally_ordered<T>);
  PUT(std::default_initializable<T>);
}
template <class T>
void limits(sink& out) {
  using L = std::numeric_limits<T>;
  PUT(L::min());
  PUT(L::max());
  PUT(L::lowest());
  PUT(L::epsilon());
  PUT(L::round_error());
  PUT(L::infinity());
  PUT(L::quiet_NaN());
  PUT(L::denorm_min());
  PUT(L::digits);
  PUT(L::digits10);
  PUT(L::max_digits10);
  PUT(L::radix);
  PUT(L::min_exponent);
  PUT(L::max_exponent);
  PUT(L::min_exponent10);
  PUT(L::max_exponent10);
  PUT(L::is_specialized);
  PUT(L::is_signed);
  PUT(L::is_integer);
  PUT(L::is_exact);
  PUT(L::is_modulo);
  PUT(L::is_bounded);
  PUT(L::is_iec559);
  PUT(L::has_infinity);
  PUT(L::has_quiet_NaN);
  PUT(L::traps);
  PUT(static_cast<int>(L::round_style));
}

template <class... T>
void all_unary(sink& out) {
  (unary<T>(out), ...);
}
template <class... T>
void all_complete(sink& out) {
  (complete<T>(out), ...);
}
template <class... T>
void all_limits(sink& out) {
  (limits<T>(out), ...);
}

inline void run(sink& out) {
  all_unary<void, int, const int, volatile unsigned char, bool, char, char8_t, long long, float,
            const double, int*, int* const, const int*, int&, const int&, int&&, int[3], int[2][5],
            const int[4], plain, const plain, derived, nontrivial, no_copy, empty, scoped,
            plain_enum, both, std::nullptr_t, int(int), int (*)(int), int plain::*,
            double (callable::*)(float) noexcept, std::byte>(out);
  all_complete<int, double, plain, derived, empty, final_one, nontrivial, no_copy, from_int, scoped,
               both, int[4], std::array<int, 3>, std::array<plain, 2>, std::array<char, 7>,
               std::optional<int>, std::optional<char>, std::optional<plain>, std::optional<double>,
               std::pair<int, char>, std::chrono::nanoseconds, std::chrono::duration<float>,
               std::chrono::time_point<std::chrono::steady_clock>,
               std::chrono::system_clock::time_point, std::strong_ordering, std::partial_ordering,
               std::byte, std::integral_constant<int, 3>, std::ratio<1, 2>,
               std::index_sequence<1, 2>, std::array<int, 0>>(out);
  all_limits<bool, char, signed char, unsigned char, short, unsigned short, int, unsigned, long,
             unsigned long, long long, unsigned long long, float, double, char16_t, wchar_t>(out);

  PUT(std::is_base_of_v<plain, derived>);
  PUT(std::is_base_of_v<derived, plain>);
  PUT(std::derived_from<derived, plain>);
  PUT(std::is_convertible_v<derived*, plain*>);
  PUT(std::is_convertible_v<plain*, derived*>);
  PUT(std::is_convertible_v<int, from_int>);
  PUT(std::is_nothrow_convertible_v<double, from_int>);
  PUT(std::is_assignable_v<int&, double>);
  PUT(std::is_assignable_v<int, double>);
  PUT(std::is_assignable_v<const int&, double>);
  PUT(std::is_trivially_assignable_v<plain&, const plain&>);
  PUT(std::is_invocable_v<callable, int>);
  PUT(std::is_invocable_v<callable, plain>);
  PUT(std::is_invocable_v<double (callable::*)(float) noexcept, callable&, float>);
  PUT(std::is_invocable_v<int callable::*, callable>);
  PUT(std::is_invocable_r_v<double, callable, int>);
  PUT(std::is_invocable_r_v<int*, callable, int>);
  PUT(std::is_same_v<std::invoke_result_t<callable, int>, int>);
  PUT(std::is_same_v<std::invoke_result_t<int callable::*, callable&>, int&>);
  PUT(std::is_same_v<std::common_type_t<int, long, float>, float>);
  PUT(std::is_same_v<std::common_type_t<char, short>, int>);
  PUT(std::is_same_v<std::common_type_t<std::chrono::hours, std::chrono::seconds>,
                     std::chrono::seconds>);
  PUT(std::is_same_v<std::make_unsigned_t<const long>, const unsigned long>);
  PUT(std::is_same_v<std::make_unsigned_t<long long>, unsigned long long>);
  PUT(std::is_same_v<std::make_signed_t<scoped>, short>);
  PUT(std::is_same_v<std::underlying_type_t<scoped>, std::uint16_t>);
  PUT(std::is_same_v<std::conditional_t<true, int, char>, int>);
  PUT(std::conjunction_v<std::true_type, std::is_integral<int>>);
  PUT(std::disjunction_v<std::false_type, std::is_integral<float>>);
  PUT(std::negation_v<std::false_type>);
  PUT(std::is_same_v<std::int64_t, long> + std::is_same_v<std::uint64_t, unsigned long> * 2);
  PUT(sizeof(std::int_fast16_t) + sizeof(std::uint_least32_t) * 16);
  PUT(std::integral<bool> + std::signed_integral<unsigned> * 2 + std::floating_point<float> * 4);
  PUT(std::same_as<int, int> + std::convertible_to<int, plain> * 2 +
      std::invocable<callable, int> * 4);
  PUT(std::predicate<callable, int> + std::constructible_from<from_int, int> * 2);
  PUT(std::swappable<plain> + std::assignable_from<int&, char> * 2 +
      std::common_with<int, long> * 4);
  PUT(std::ratio<6, -4>::num * 100 + std::ratio<6, -4>::den);
  PUT(std::ratio_multiply<std::ratio<3, 4>, std::ratio<8, 9>>::den);
  PUT(std::ratio_divide<std::milli, std::nano>::num);
  PUT(std::ratio_add<std::ratio<1, 6>, std::ratio<1, 4>>::num);
  PUT(std::make_index_sequence<13>::size() +
      std::is_same_v<std::make_integer_sequence<int, 3>, std::integer_sequence<int, 0, 1, 2>>);
  PUT(std::is_same_v<std::common_comparison_category_t<std::strong_ordering, std::partial_ordering>,
                     std::partial_ordering>);
}
}  // namespace types
