// runtime/system/mover.cpp - see mover.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "runtime/system/mover.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <new>

namespace perdure::runtime {

result<void> mover::move(std::vector<place_list> places) {
  if (auto ok = make_room(places); !ok) return ok;
  for (std::uint32_t type = 1; type < places.size(); ++type) {
    if (places[type].empty()) continue;
    if (auto ok = move_states(type, places[type]); !ok) return ok;
    if (auto ok = write_table(type, places[type]); !ok) return ok;
    segment_.places[type] = std::move(places[type]);
  }
  chunk_ = std::vector<std::byte>{};  // not needed again soon
  images_ = std::vector<std::byte>{};
  moves_ = std::vector<slot_move>{};
  return {};
}

/// Tables have room for all that the type's chunks can hold, so that they seldom grow; an old one stays unused in the arena.
result<void> mover::make_room(const std::vector<place_list>& places) {
  std::size_t chunk_most = 0, images_most = 0, moves_most = 0;
  for (std::uint32_t type = 1; type < places.size(); ++type) {
    if (places[type].empty()) continue;
    const abi::type_row& row = segment_.types[type];
    std::size_t moved = 0;
    for (std::uint32_t i = 0; i < places[type].size(); ++i)
      moved += segment_.place_of(type, i) != places[type][i] ? 1 : 0;
    chunk_most = std::max(chunk_most, spawner_.chunk_actors(type) * row.stride);
    images_most = std::max(images_most, moved * row.stride);
    moves_most = std::max(moves_most, moved);
    table& t = tables_[type];
    if (t.room >= places[type].size()) continue;
    const std::size_t chunk = spawner_.chunk_actors(type);
    const std::size_t room = (places[type].size() + chunk - 1) / chunk * chunk;
    auto at = spawner_.allocate(room * sizeof(std::uint32_t));
    if (!at) return at.error();
    t = {*at, room};
  }
  try {
    chunk_.resize(chunk_most);
    images_.resize(images_most);
    moves_.reserve(moves_most);
  } catch (const std::bad_alloc&) {
    return error{errc::out_of_memory, fmt::format("rebalance: {} bytes of states", images_most)};
  }
  return {};
}

template <class Place, class F>
result<void> mover::each_chunk(std::uint32_t type, const std::vector<slot_move>& moves, bool write,
                               Place place, F f) {
  const std::size_t bytes = spawner_.chunk_actors(type) * segment_.types[type].stride;
  for (auto at = moves.begin(); at != moves.end();) {
    const std::uint32_t number = spawner_.chunk_of(type, place(*at));
    std::byte* chunk = spawner_.chunk(type, number);
    if (auto ok = engine_.copy_out(chunk_.data(), chunk, bytes); !ok) return ok;
    for (; at != moves.end() && spawner_.chunk_of(type, place(*at)) == number; ++at)
      f(chunk_.data() + spawner_.offset_in_chunk(type, place(*at)), *at);
    if (!write) continue;
    if (auto ok = engine_.copy_in(chunk, bytes, chunk_.data(), bytes, bytes, 1); !ok) return ok;
  }
  return {};
}

result<void> mover::move_states(std::uint32_t type, const place_list& to) {
  const std::size_t stride = segment_.types[type].stride;
  std::vector<slot_move>& moves = moves_;
  moves.clear();
  for (std::uint32_t i = 0; i < to.size(); ++i)
    if (const std::uint32_t from = segment_.place_of(type, i); from != to[i])
      moves.push_back({from, to[i], 0});
  std::sort(moves.begin(), moves.end(),
            [](const slot_move& a, const slot_move& b) { return a.from < b.from; });
  for (std::size_t i = 0; i < moves.size(); ++i) moves[i].image = i * stride;
  auto from = [](const slot_move& m) { return m.from; };
  auto ok = each_chunk(type, moves, false, from, [&](const std::byte* slot, const slot_move& m) {
    std::memcpy(images_.data() + m.image, slot, stride);
  });
  if (!ok) return ok;
  std::sort(moves.begin(), moves.end(),
            [](const slot_move& a, const slot_move& b) { return a.to < b.to; });
  auto into = [](const slot_move& m) { return m.to; };
  return each_chunk(type, moves, true, into, [&](std::byte* slot, const slot_move& m) {
    std::memcpy(slot, images_.data() + m.image, stride);
  });
}

result<void> mover::write_table(std::uint32_t type, const place_list& places) {
  const std::size_t bytes = places.size() * sizeof(std::uint32_t);
  const auto* from = reinterpret_cast<const std::byte*>(places.data());
  if (auto ok = engine_.copy_in(tables_[type].at, bytes, from, bytes, bytes, 1); !ok) return ok;
  const abi::place_table told{reinterpret_cast<const std::uint32_t*>(tables_[type].at),
                              static_cast<std::uint32_t>(places.size())};
  return engine_.copy_in(reinterpret_cast<std::byte*>(segment_.workers.places + type), sizeof(told),
                         reinterpret_cast<const std::byte*>(&told), sizeof(told), sizeof(told), 1);
}

}  // namespace perdure::runtime
