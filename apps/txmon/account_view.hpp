// apps/txmon/account_view.hpp - what accounts send and hold, free of its representation.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "account.hpp"
#include "outcome.hpp"

namespace txmon {

/// @param hlc  the stamp of the letter it came in.
finding to_finding(const alert& a, std::uint64_t hlc);

/// Numbers are the low 48 bits that the state keeps.
account_figures figures_of(const account& a);

}  // namespace txmon
