// tests/support/unit_exports.hpp - the C names by which a proved unit is found after dlopen.
// Why: the native build and the lowered text define the same classes; in one program the linker would
//      merge them and a test would compare a function with itself. So each is a library of its own,
//      built with hidden visibility, and these are the only names it shows.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/abi/layout_hash.cuh"
#include "perdure/block_context.hpp"
#include "perdure/context.hpp"
#include "perdure/program.hpp"

#define PERDURE_UNIT_EXPORT extern "C" __attribute__((visibility("default")))

namespace perdure {

/// One number for what a unit and the program that loads it read of each other, by sizes.
constexpr std::uint64_t unit_layout_here() {
  std::uint64_t h = abi::layout_hash();
  for (const std::uint64_t size :
       {sizeof(program), sizeof(actor_info), sizeof(message_info), sizeof(handler_info),
        sizeof(format_info), sizeof(field_info), sizeof(enum_info), sizeof(enumerator_info),
        sizeof(wide_info), sizeof(private_info), sizeof(port_use), sizeof(cubin_info),
        sizeof(detail::lane), sizeof(detail::lane_ops), sizeof(detail::block_lane),
        sizeof(detail::block_ops), sizeof(abi::landed_messages)}) {
    h = (h ^ size) * 0x100000001b3U;
  }
  return h;
}

}  // namespace perdure

/// A program that loads this unit may be of another build: it compares before it reads anything else.
PERDURE_UNIT_EXPORT std::uint64_t perdure_unit_layout();

/// ref_cast asks the runtime, which lives in the program that loads this unit.
PERDURE_UNIT_EXPORT void perdure_unit_attach(bool (*is_actor_of)(std::uint64_t bits,
                                                                 std::uint64_t type_key));
inline void perdure_unit_attach_here(bool (*is_actor_of)(std::uint64_t, std::uint64_t)) {
  perdure::detail::is_actor_of = is_actor_of;
}
