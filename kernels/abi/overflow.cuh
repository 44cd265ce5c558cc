// kernels/abi/overflow.cuh - what becomes of a message that finds no room in its receiver's inbox.
// Why: a reading that is late is worth nothing, an order that is lost is worth much: only the type can say.
// Invariant: a type's rule is known before the loop starts and never changes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace perdure::abi {

enum class overflow : unsigned char {
  wait,  ///< the sender's outbox keeps it: back-pressure, and `exhausted` when all stocks are spent
  drop_newest,  ///< it is a dead letter `dropped`; nobody waits for it
  fail,  ///< it is a dead letter `overflowed`, nobody waits for it, and the system takes no more from hosts
};

}  // namespace perdure::abi
