// tests/support/unit_exports.hpp - the C names by which a proved unit is found after dlopen.
// Why: the native build and the lowered text define the same classes; in one program the linker would
//      merge them and a test would compare a function with itself. So each is a library of its own,
//      built with hidden visibility, and these are the only names it shows.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "perdure/context.hpp"

#define PERDURE_UNIT_EXPORT extern "C" __attribute__((visibility("default")))

/// ref_cast asks the runtime, which lives in the program that loads this unit.
PERDURE_UNIT_EXPORT void perdure_unit_attach(bool (*is_actor_of)(std::uint64_t bits,
                                                                 std::uint64_t type_key));
inline void perdure_unit_attach_here(bool (*is_actor_of)(std::uint64_t, std::uint64_t)) {
  perdure::detail::is_actor_of = is_actor_of;
}
