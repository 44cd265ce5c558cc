// dsl/examples/life/main.cpp - Conway's life on a torus of 256 x 256 cells, sixteen tiles in a ring.
// Shows: links between ports, seats beside whom one is linked to, joined handlers, a system that comes to rest by itself.
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <perdure/seats.hpp>
#include <vector>

#include "arguments.hpp"
#include "life.actors.hpp"  // made by the build from life.hpp

int main(int argc, char** argv) try {
  using namespace std::chrono_literals;
  examples::counted generations{"--generations", 1'000'000, 1'000};
  const auto backend = examples::backend_of(argc, argv, &generations);
  auto sys = perdure::system::start(life::actors(), {.backend = backend}).value();
  constexpr std::size_t tiles = 16;
  std::vector<perdure::declared_link> neighbours;
  for (std::uint32_t t = 0; t < tiles; ++t)
    neighbours.push_back({t, static_cast<std::uint32_t>((t + 1) % tiles)});
  const auto seat = perdure::seats(tiles, neighbours, sys.layout()).value();
  auto ring = sys.spawn<tile>(tiles,
                              [&](std::size_t i) {
                                const std::size_t t = seat.who(i);
                                tile made{};
                                for (std::size_t y = 0; y < tile::height; ++y) {
                                  for (std::size_t x = 0; x < tile::width; ++x) {
                                    const std::size_t cell =
                                        (t * tile::height + y) * tile::width + x;
                                    made.cell[y + 1][x] = cell * 2'654'435'761U >> 13U & 1U;
                                  }
                                }
                                return made;
                              })
                  .value();
  std::vector<perdure::link> links;
  for (std::size_t t = 0; t < tiles; ++t) {
    const auto here = ring[seat.of(t)], below = ring[seat.of((t + 1) % tiles)];
    using enum tile::port;
    links.push_back(perdure::link::of<border>(here, down, below, up));
    links.push_back(perdure::link::of<border>(below, up, here, down));
    links.push_back(perdure::link::of<go>(here, self, here, self));
  }
  sys.link(links).value();

  for (auto t : ring) sys.send(t, run{static_cast<std::int32_t>(generations.value)}).value();
  sys.quiesce(600s).value();

  std::vector<tile> field(tiles);
  sys.view(ring, std::span{field}).value();
  std::size_t alive = 0;
  for (const tile& t : field) {
    for (std::size_t y = 1; y <= tile::height; ++y) {
      for (auto cell : t.cell[y]) alive += cell;
    }
  }
  std::printf("alive after %u generations: %zu\n", generations.value, alive);
  return 0;
} catch (const perdure::bad_result& e) {
  std::fprintf(stderr, "life: %s\n", e.what());
  return 1;
}
