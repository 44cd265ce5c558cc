// apps/wavesim3d/live/live_view.hpp - a page with a moving slice; what is done there reaches the tiles as messages.
// Threads: the simulation's own thread steps and carries out orders; the server's reads the last frame and leaves orders.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

#include "simulation.hpp"

namespace wavesim3d {

/// Steps the simulation, which must be a laboratory, and serves http://127.0.0.1:port until `stop` is true.
/// @param ready  told the port once it is there.  @throws apps::failure when the port is in use.
void serve_live(simulation& sim, unsigned short port, const std::atomic<bool>& stop,
                const std::function<void(unsigned short)>& ready);

}  // namespace wavesim3d
