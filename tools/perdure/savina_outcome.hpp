// tools/perdure/savina_outcome.hpp - what the Savina programs' actors have in common.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <perdure/actor.hpp>

namespace savina {

/// What a run ends with: how much was done, how much of it was wrong.
struct outcome {
  std::uint64_t done, wrong;
};
using to_host = perdure::ref<perdure::host<outcome>>;

/// An actor to itself: go on with the start of a run.
struct tick {};

}  // namespace savina
