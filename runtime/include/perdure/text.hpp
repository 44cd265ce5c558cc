// runtime/include/perdure/text.hpp - a state or a message as people read it, by the tables of its program.
// Why: what an actor holds is bytes once it comes from a view; the tool wrote down where each field lies and what it is called.
// Threads: no state; any number at the same time.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "perdure/detail/keys.hpp"
#include "perdure/program.hpp"
#include "perdure/result.hpp"

namespace perdure {
namespace detail {
result<std::string> text_of(const program& actors, std::uint64_t key, const void* value);
}  // namespace detail

/// "bank::account{cents: 101, last.at: 7, window: [1, 2, 3], owner: bank::clerk#4.2}": each scalar by its path, a member of an array's
/// elements as a list; C arrays and bit-fields, too. An enum's value is named, or the bits of its number told as a whole number; a reference is told by index and, from the
/// second life at it on, generation, or "null". Floating point in the fewest digits that give it again. Of a wide actor's per_lane
/// members nothing is told.
/// @param actors  the program that the type belongs to, such as bank::actors().
/// @return the text, or no_handler: the program has no such actor or message.
template <class T>
result<std::string> to_text(const program& actors, const T& value) {
  return detail::text_of(actors, detail::type_key<T>(), &value);
}

}  // namespace perdure
