// tests/wide/mesh_test.hpp - what the tests of wide actors share: rings of tiles and the same by plain loops.
// The same sources for each place: seeded schedules and threads, or a device (PERDURE_ON_DEVICE), as in tests/contract/places.hpp.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <perdure/system.hpp>

#include <vector>

#include "mesh.actors.hpp"  // made by the build from actors/mesh.hpp
#include "tests/contract/schedules.hpp"

namespace mesh_test {

using namespace std::chrono_literals;
using contract::expect_error;
using contract::expect_ok;

#ifdef PERDURE_ON_DEVICE
#define MESH_SUITE(name) name##OnDevice
/// A block is as wide as the widest actor: the unit is compiled once.
inline perdure::result<perdure::system> try_start(perdure::options how) {
  how.backend = perdure::backend::cuda;
  how.lanes = 0;
  how.outbox_slots = 1024;
  return perdure::system::start(mesh::actors(), how);
}
inline perdure::system start(const perdure::options& how) { return try_start(how).value(); }
/// Up to three starts a claim. Skips where there is no device.
inline void under_every_schedule(std::uint64_t, std::uint64_t threaded,
                                 const std::function<void(perdure::options)>& claim) {
  static const perdure::result<void> there = []() -> perdure::result<void> {
    const auto made = try_start(contract::tight(perdure::schedule::parallel, 0));
    return made ? perdure::result<void>{} : perdure::result<void>{made.error()};
  }();
  if (!there) {
    const perdure::errc why = there.error().code();
    if (why == perdure::errc::no_device || why == perdure::errc::no_driver)
      GTEST_SKIP() << there.error().message();
    FAIL() << there.error().message();
  }
  const std::uint64_t runs = threaded == 0 || threaded > 3 ? 3 : threaded;
  for (std::uint64_t run = 0; run < runs && !::testing::Test::HasFailure(); ++run) {
    SCOPED_TRACE("on the device, run " + std::to_string(run));
    contract::until_not_spoiled([&] { claim(contract::tight(perdure::schedule::parallel, run)); });
  }
}
#else
#define MESH_SUITE(name) name
using contract::under_every_schedule;

inline perdure::system start(const perdure::options& how) {
  return perdure::system::start(mesh::actors(), how).value();
}
#endif
inline tile first_tile(std::size_t t) {
  tile made{};
  for (std::size_t y = 1; y <= tile::height; ++y) {
    for (std::size_t x = 0; x < tile::width; ++x)
      made.cell[y][x] = static_cast<std::uint32_t>((t * tile::height + y) * tile::width + x);
  }
  return made;
}
inline std::vector<perdure::link> ring_of(const perdure::range<tile>& tiles) {
  std::vector<perdure::link> links;
  for (std::size_t t = 0; t < tiles.size(); ++t) {
    const auto below = tiles[(t + 1) % tiles.size()];
    using enum tile::port;
    links.push_back(perdure::link::of<border>(tiles[t], down, below, up));
    links.push_back(perdure::link::of<border>(below, up, tiles[t], down));
    links.push_back(perdure::link::of<go>(tiles[t], self, tiles[t], self));
  }
  return links;
}
/// `steps` steps of `tiles` tiles by plain loops over one field.
inline std::vector<std::vector<std::uint32_t>> plain_rows(std::size_t tiles, int steps) {
  const std::size_t rows = tiles * tile::height;
  std::vector<std::vector<std::uint32_t>> now;
  for (std::size_t t = 0; t < tiles; ++t) {
    const tile made = first_tile(t);
    for (std::size_t y = 1; y <= tile::height; ++y)
      now.emplace_back(made.cell[y].begin(), made.cell[y].end());
  }
  for (int s = 0; s < steps; ++s) {
    auto next = now;
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t x = 0; x < tile::width; ++x) {
        next[r][x] = now[(r + rows - 1) % rows][x] + 3 * now[r][(x + 1) % tile::width] +
                     5 * now[(r + 1) % rows][x];
      }
    }
    now = next;
  }
  return now;
}
template <class A>
std::vector<A> view_all(perdure::system& sys, const perdure::range<A>& of) {
  std::vector<A> out(of.size());
  sys.view(of, std::span{out}).value();
  return out;
}
inline std::uint64_t dead(const perdure::stats& s, perdure::abi::dead_reason why) {
  return s.dead[static_cast<std::size_t>(why)];
}

}  // namespace mesh_test
