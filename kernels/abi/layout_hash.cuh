// kernels/abi/layout_hash.cuh - one number for all layouts that generated code and library must agree on.
// Why: a header lowered with another version of perdure must be refused, not misread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/abi/actor_slot.cuh"
#include "kernels/abi/control.cuh"
#include "kernels/abi/envelope.cuh"
#include "kernels/abi/link.cuh"

namespace perdure::abi {

constexpr u64 layout_hash() {
  u64 h = 0xcbf29ce484222325UL;
  const u64 facts[] = {6 /* version of the registry and of the generated unit */,
                       sizeof(word),
                       ring_pitch(0),
                       header_bytes,
                       inline_payload,
                       parts_for(max_payload),
                       max_payload,
                       sizeof(actor_header),
                       slot_stride(1, 1),
                       chunk_slots,
                       sizeof(type_row),
                       sizeof(link_end),
                       max_ports,
                       counters,
                       sizeof(control_page),
                       mailbox_type,
                       ask_type,
                       max_handlers};
  for (u64 fact : facts) h = (h ^ fact) * 0x100000001b3UL;
  return h;
}

}  // namespace perdure::abi
