// kernels/abi/dead_letter.cuh - why a message was not handled; one counter a worker and reason.
// Why: a loss is never silent (contract, clause 3).
// Invariant: sent = handled + the sum over these reasons + still queued.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace perdure::abi {

enum class dead_reason : unsigned char {
  null_ref,    ///< sent to a null reference
  stopped,     ///< the receiver is stopped, has failed or its slot has another generation
  exhausted,   ///< ring, spill and outbox were spent and nothing moved for the stall time
  no_mailbox,  ///< the host mailbox is closed, or was before anybody read this
  foreign,     ///< the reference belongs to another system
  shutdown,    ///< still queued when the system stopped
  dropped,     ///< found no room, and its receiver's type drops the newest: see overflow.cuh
  overflowed,  ///< as that, and its receiver's type fails: the system takes no more from hosts
  count_
};
inline constexpr unsigned dead_reasons = static_cast<unsigned>(dead_reason::count_);

}  // namespace perdure::abi
