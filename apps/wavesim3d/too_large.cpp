// apps/wavesim3d/too_large.cpp - see too_large.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "too_large.hpp"

#include <fmt/format.h>

#include <string>

#include "common/failure.hpp"

namespace wavesim3d {
namespace {

/// For people.
std::string bytes_of(std::size_t n) {
  constexpr std::size_t kib = 1024, mib = kib * kib;
  return n < 10 * mib ? fmt::format("{} KiB", (n + kib - 1) / kib) : fmt::format("{} MiB", n / mib);
}

}  // namespace

void refuse_too_large(const scene& what, const cut& grid, std::size_t tile_bytes,
                      std::size_t arena) {
  int side = 0;
  while (cut{{side + 1, side + 1, side + 1}, grid.size}.count() * tile_bytes <= arena) ++side;
  const auto fits = side == 0 ? std::string{"not one tile does"}
                              : fmt::format("a cube of {} cells a side fits", side);
  throw apps::failure{
      fmt::format("{}: cells: the grid of {} x {} x {} cells does not fit: {} tiles need {}, {} "
                  "are set aside; {}, or more with --memory-gib",
                  what.origin(), grid.cells[0], grid.cells[1], grid.cells[2], grid.count(),
                  bytes_of(grid.count() * tile_bytes), bytes_of(arena), fits),
      apps::exit_code::usage};
}

}  // namespace wavesim3d
