// tests/support/native_unit.cpp - the registry of a program as a library: the user's own handlers.
// PERDURE_UNIT_SOURCE is the generated STEM.actors.cpp, PERDURE_UNIT_PROGRAM its namespace.
// SPDX-License-Identifier: Apache-2.0
#include PERDURE_UNIT_SOURCE

#include "perdure/program.hpp"
#include "tests/support/unit_exports.hpp"

PERDURE_UNIT_EXPORT const perdure::program* perdure_unit_program() {
  return &PERDURE_UNIT_PROGRAM::actors();
}
PERDURE_UNIT_EXPORT std::uint64_t perdure_unit_layout() { return perdure::unit_layout_here(); }
PERDURE_UNIT_EXPORT void perdure_unit_attach(bool (*is_actor_of)(std::uint64_t, std::uint64_t)) {
  perdure_unit_attach_here(is_actor_of);
}
