// tests/support/links.hpp - links for wide actors that are known by their tables only, drawn at random.
// Why: joined handlers of a program that nobody has seen before must fire too.
// Invariant: a port carries one type: what handlers say of it; where they do not, the last ports carry the last types that
//            the actor opens or joins, in order, all ports before them the first type. A header whose joined handler takes several types numbers its ports so.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "perdure/program.hpp"
#include "perdure/system_core.hpp"
#include "tests/support/random.hpp"

namespace perdure::support {

/// Whether the handler takes what comes through links, so that nothing can be sent to it.
bool is_joined(const program& actors, std::size_t handler);

/// As many links as the types allow, each end drawn at random; of each type that can, the first actor is linked to itself.
/// @param by_type  [actor type id] -> references.
std::vector<detail::link_request> random_links(
    const program& actors, const std::vector<std::vector<std::uint64_t>>& by_type,
    random_source& random);

}  // namespace perdure::support
