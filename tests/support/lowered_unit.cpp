// tests/support/lowered_unit.cpp - the lowered text of a program, built by the host compiler, as a library.
// PERDURE_UNIT_SOURCE is the generated STEM.actors.cu, whose end defines perdure_lowered_invoke.
// SPDX-License-Identifier: Apache-2.0
#include PERDURE_UNIT_SOURCE

#include "tests/support/unit_exports.hpp"

PERDURE_UNIT_EXPORT void perdure_unit_invoke(unsigned handler, void* self, const void* message,
                                             perdure::context& ctx) {
  perdure_lowered_invoke(handler, self, message, ctx);
}
#ifdef PERDURE_WIDE
PERDURE_UNIT_EXPORT void perdure_unit_invoke_wide(unsigned handler, const void* self,
                                                  const void* message,
                                                  perdure::detail::block_lane& lane) {
  perdure_lowered_invoke_wide(handler, self, message, lane);
}
#endif
PERDURE_UNIT_EXPORT std::uint64_t perdure_unit_layout() { return perdure::unit_layout_here(); }
PERDURE_UNIT_EXPORT void perdure_unit_attach(bool (*is_actor_of)(std::uint64_t, std::uint64_t)) {
  perdure_unit_attach_here(is_actor_of);
}
