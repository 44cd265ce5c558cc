// codegen/model/std_names.cpp - the table; one header of the standard library a paragraph.
// SPDX-License-Identifier: Apache-2.0
#include "codegen/model/std_names.hpp"

#include <algorithm>
#include <sstream>
#include <unordered_set>

namespace perdure::codegen {
namespace {

/// Names in namespace std, without "std::".
constexpr const char* std_table =
    // <cstddef> <cstdint>
    "size_t ptrdiff_t nullptr_t max_align_t byte to_integer "
    "int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t intptr_t uintptr_t intmax_t "
    "uintmax_t "
    "int_fast8_t int_fast16_t int_fast32_t int_fast64_t uint_fast8_t uint_fast16_t uint_fast32_t "
    "uint_fast64_t "
    "int_least8_t int_least16_t int_least32_t int_least64_t "
    "uint_least8_t uint_least16_t uint_least32_t uint_least64_t "
    // <array> <tuple> <utility> <optional> <span> <initializer_list>
    "array to_array get tuple make_tuple tie forward_as_tuple apply make_from_tuple ignore "
    "tuple_size tuple_size_v tuple_element tuple_element_t pair make_pair piecewise_construct "
    "piecewise_construct_t "
    "move forward exchange swap as_const declval in_place in_place_t "
    "move_if_noexcept cmp_equal cmp_not_equal cmp_less "
    "cmp_greater cmp_less_equal cmp_greater_equal integer_sequence index_sequence "
    "make_integer_sequence make_index_sequence index_sequence_for optional nullopt nullopt_t "
    "make_optional "
    "span dynamic_extent initializer_list begin end cbegin cend rbegin rend crbegin crend size "
    "ssize data empty "
    ""
    // <iterator>
    "iterator_traits reverse_iterator make_reverse_iterator advance distance next prev "
    "input_iterator_tag output_iterator_tag forward_iterator_tag bidirectional_iterator_tag "
    "random_access_iterator_tag "
    // <algorithm> <numeric>
    "min max minmax clamp all_of any_of none_of for_each for_each_n find find_if find_if_not count "
    "count_if mismatch "
    "equal copy copy_n copy_if copy_backward move_backward fill fill_n generate transform replace "
    "replace_if remove remove_if unique reverse rotate swap_ranges iter_swap sort stable_sort "
    "is_sorted is_sorted_until partial_sort nth_element lower_bound upper_bound equal_range "
    "binary_search merge "
    "min_element max_element minmax_element lexicographical_compare adjacent_find partition "
    "is_partitioned "
    "push_heap pop_heap make_heap sort_heap set_union set_intersection set_difference "
    "iota accumulate reduce inner_product transform_reduce partial_sum inclusive_scan "
    "exclusive_scan "
    "adjacent_difference gcd lcm midpoint "
    "partition_point find_first_of next_permutation prev_permutation inplace_merge reverse_copy "
    "shift_left shift_right "
    "set_symmetric_difference "
    // <cmath> <cstdlib>
    "div labs llabs abs fabs fmod remainder fma fmax fmin fdim exp exp2 expm1 log log2 log10 log1p "
    "pow sqrt cbrt hypot sin cos tan "
    "asin acos atan atan2 sinh cosh tanh asinh acosh atanh erf erfc tgamma lgamma ceil floor trunc "
    "round lround "
    "llround nearbyint rint lrint llrint frexp ldexp modf scalbn ilogb logb nextafter copysign "
    "isfinite isinf isnan "
    "isnormal signbit lerp "
    // <limits> <numbers> <bit>
    "numeric_limits bit_cast popcount countl_zero countl_one countr_zero countr_one has_single_bit "
    "bit_ceil bit_floor "
    "bit_width rotl rotr endian "
    // <compare>
    "strong_ordering weak_ordering partial_ordering is_eq is_neq is_lt is_lteq is_gt is_gteq "
    "common_comparison_category "
    "common_comparison_category_t compare_three_way_result compare_three_way_result_t "
    "compare_three_way "
    "three_way_comparable "
    // <functional>
    "plus minus multiplies divides modulus negate equal_to not_equal_to greater less greater_equal "
    "less_equal "
    "logical_and logical_or logical_not bit_and bit_or bit_xor identity invoke reference_wrapper "
    "ref cref "
    // <memory> <cstring> <new>
    "addressof construct_at destroy_at memcpy memset memmove memcmp strlen launder "
    "is_constant_evaluated "
    // <type_traits>
    "integral_constant bool_constant true_type false_type is_void is_null_pointer is_integral "
    "is_floating_point "
    "is_array is_enum is_union is_class is_function is_pointer is_lvalue_reference "
    "is_rvalue_reference "
    "is_member_object_pointer is_member_function_pointer is_fundamental is_arithmetic is_scalar "
    "is_object "
    "is_compound is_reference is_member_pointer is_const is_volatile is_trivial "
    "is_trivially_copyable "
    "is_standard_layout is_empty is_polymorphic is_abstract is_final is_aggregate is_signed "
    "is_unsigned "
    "is_bounded_array is_unbounded_array is_constructible is_default_constructible "
    "is_copy_constructible is_move_constructible is_assignable is_copy_assignable "
    "is_move_assignable "
    "is_destructible is_trivially_constructible is_trivially_default_constructible "
    "is_trivially_copy_constructible is_trivially_move_constructible is_trivially_assignable "
    "is_trivially_copy_assignable is_trivially_move_assignable is_trivially_destructible "
    "is_nothrow_constructible is_nothrow_default_constructible is_nothrow_copy_constructible "
    "is_nothrow_move_constructible is_nothrow_assignable is_nothrow_copy_assignable "
    "is_nothrow_move_assignable "
    "is_nothrow_destructible is_same is_base_of is_convertible is_invocable is_invocable_r "
    "has_unique_object_representations alignment_of rank extent remove_cv remove_const "
    "remove_volatile add_cv "
    "add_const add_volatile remove_reference add_lvalue_reference add_rvalue_reference "
    "remove_pointer add_pointer "
    "make_signed make_unsigned remove_extent remove_all_extents decay remove_cvref enable_if "
    "conditional "
    "common_type underlying_type invoke_result void_t type_identity conjunction disjunction "
    "negation "
    // <concepts>
    "same_as derived_from convertible_to common_with integral signed_integral "
    "unsigned_integral floating_point assignable_from swappable destructible constructible_from "
    "default_initializable move_constructible copy_constructible equality_comparable "
    "equality_comparable_with "
    "totally_ordered totally_ordered_with movable copyable semiregular regular invocable "
    "regular_invocable "
    "predicate relation strict_weak_order "
    // <ratio> <chrono>
    "ratio ratio_add ratio_subtract ratio_multiply ratio_divide pico nano micro milli centi deci "
    "kilo mega giga chrono::duration chrono::duration_cast "
    "chrono::nanoseconds chrono::microseconds chrono::milliseconds chrono::seconds chrono::minutes "
    "chrono::hours "
    "chrono::days chrono::weeks chrono::abs chrono::floor chrono::ceil chrono::round "
    "chrono::treat_as_floating_point "
    "chrono::treat_as_floating_point_v chrono::duration_values chrono::time_point "
    "chrono::time_point_cast chrono::sys_time chrono::sys_days "
    "chrono::sys_seconds chrono::months chrono::years ";

/// Namespaces whose every name is on the device, without "std::".
constexpr const char* std_spaces =
    "numbers literals chrono_literals literals::chrono_literals chrono::chrono_literals";

/// Names of the global namespace.
constexpr const char* global_table =
    "size_t ptrdiff_t int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t intptr_t "
    "uintptr_t "
    "intmax_t uintmax_t int_fast8_t int_fast16_t int_fast32_t int_fast64_t uint_fast8_t "
    "uint_fast16_t uint_fast32_t "
    "uint_fast64_t memcpy memset memmove memcmp abs fabs fabsf fmod fmodf fma fmaf fmax fmaxf fmin "
    "fminf exp expf exp2 "
    "exp2f log logf log2 log2f log10 log10f pow powf sqrt sqrtf cbrt cbrtf hypot hypotf sin sinf "
    "cos cosf tan tanf asin "
    "acos atan atan2 atan2f sinh cosh tanh tanhf erf erfc ceil ceilf floor floorf trunc truncf "
    "round roundf "
    "nearbyint rint ldexp copysign copysignf";

/// Builtins that Clang, g++ and NVRTC all have.
constexpr const char* builtin_table =
    "popcount popcountl popcountll clz clzl clzll ctz ctzl ctzll expect huge_val huge_valf nan nanf "
    "inf inff isnan isinf isfinite memcpy memset addressof is_constant_evaluated launder trap "
    "unreachable LINE FILE FUNCTION";

constexpr const char* perdure_table =
    "actor context ref any_ref host hlc ref_cast log_format abi::max_actor_types abi::mailbox_type "
    "block_actor block_context per_lane joined outgoing lanes_are_threads by_itself "
    "run per_message";

const std::unordered_set<std::string>& table() {
  static const auto all = [] {
    std::unordered_set<std::string> names;
    const auto add = [&](const char* text, const std::string& prefix) {
      std::istringstream words{text};
      for (std::string word; words >> word;) names.insert(prefix + word);
    };
    add(std_table, "std::");
    add(global_table, "");
    add(builtin_table, "__builtin_");
    add(perdure_table, "perdure::");
    return names;
  }();
  return all;
}

bool derived_name(const std::string& name) {
  // is_same_v, remove_cv_t: the short forms of a trait that is in the table.
  return name.size() > 2 && (name.ends_with("_v") || name.ends_with("_t")) &&
         table().contains(name.substr(0, name.size() - 2));
}

}  // namespace

bool namespace_on_device(std::string_view name) {
  if (name == "std" || name == "std::chrono" || name == "perdure") return true;
  if (!name.starts_with("std::")) return false;
  name.remove_prefix(5);
  std::istringstream words{std_spaces};
  for (std::string word; words >> word;) {
    if (name == word) return true;
  }
  return false;
}

bool on_device(std::string_view name) {
  const std::string n{name};
  if (table().contains(n) || derived_name(n) || n.starts_with("perdure::detail::")) return true;
  const auto last = n.rfind("::");
  if (last == std::string::npos) return n.starts_with("__is_");
  const auto space = n.substr(0, last);
  const auto leaf = n.substr(last + 2);
  if (n.starts_with("__gnu_cxx::")) return true;  // libstdc++'s iterators, never named by a user
  // Reserved names are the library's own business: whoever led here is checked by name.
  if (n.starts_with("std::") && (leaf.starts_with("_") || n.find("::__") != std::string::npos))
    return true;
  if (leaf.starts_with("operator")) return true;  // judged by its operands' types
  return space != "std" && space != "std::chrono" && space != "perdure" &&
         namespace_on_device(space);
}

std::string advice_for(std::string_view name) {
  const auto is = [&](std::initializer_list<std::string_view> names) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  if (is({"std::string", "std::basic_string", "std::string_view", "std::basic_string_view"})) {
    return "; use a number, an enum or std::array<char, N>";
  }
  if (is({"std::vector", "std::deque", "std::list", "std::map", "std::unordered_map",
          "std::set"})) {
    return "; use std::array with a fixed length";
  }
  if (is({"std::function", "std::move_only_function"}))
    return "; use a lambda or a template parameter";
  if (is({"std::unique_ptr", "std::shared_ptr", "std::weak_ptr"})) {
    return "; keep values in the state, or name another actor with perdure::ref";
  }
  if (is({"std::cout", "std::cerr", "printf", "puts", "std::printf", "fprintf"}))
    return "; use ctx.log(\"...\", values)";
  if (is({"std::variant"})) return "; use an enum and one member a case";
  if (is({"rand", "std::rand", "std::mt19937", "std::mersenne_twister_engine",
          "std::random_device"})) {
    return "; use ctx.random()";
  }
  if (name.starts_with("std::chrono::") && name.ends_with("_clock")) return "; use ctx.now()";
  if (is({"time", "std::time", "clock"})) return "; use ctx.now()";
  if (is({"std::atomic", "std::mutex", "std::atomic_ref"})) {
    return "; an actor handles one message at a time, so its state needs no locks";
  }
  if (is({"__assert_fail", "abort", "exit", "std::abort", "std::exit", "std::terminate"}))
    return "; use ctx.fail(reason)";
  return "";
}

std::vector<std::string_view> device_std_names() {
  std::vector<std::string_view> names;
  for (const auto& name : table()) {
    if (name.starts_with("std::")) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace perdure::codegen
