// runtime/system/spawner.cpp - see spawner.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "runtime/system/spawner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace perdure::runtime {
namespace {

constexpr std::uint16_t first_generation = 1;
constexpr std::uint16_t last_generation = 0xffff;

}  // namespace

spawner::spawner(engine& e, segment& s, const program& actors)
    : engine_{e}, segment_{s}, actors_{actors}, types_(actors.actors.size() + 1) {}

result<spawner::plan> spawner::prepare(std::uint32_t type, std::size_t n) {
  type_state& t = types_[type];
  std::size_t run = 0;
  std::uint32_t previous = 0;
  for (auto at = t.free.begin(); n > 0 && at != t.free.end();
       ++at) {  // a run of n free slots in a row
    run = run > 0 && at->first == previous + 1 ? run + 1 : 1;
    previous = at->first;
    if (run < n) continue;
    const auto first = static_cast<std::uint32_t>(previous - (n - 1));
    std::uint16_t highest = 0;
    for (auto i = t.free.find(first); i != std::next(at); ++i)
      highest = std::max(highest, i->second);
    return plan{type, first, static_cast<std::uint16_t>(highest + 1), n, true};
  }
  const abi::type_row& row = segment_.types[type];
  const std::size_t chunk_actors = std::size_t{segment_.workers.workers} << row.chunk_shift;
  const std::size_t chunk_bytes = (chunk_actors * row.stride + 127) / 128 * 128;
  const std::size_t chunks_left = (segment_.arena_size - arena_used_) / chunk_bytes;
  const std::size_t fit =
      std::min<std::size_t>((t.chunks.size() + chunks_left) * chunk_actors, 0xffff'fffeU) - t.next;
  if (n > fit) {
    return error{
        errc::too_many_actors,
        fmt::format("{} {} asked for, {} more fit ({} bytes each, arena of {} MiB)", n,
                    actors_.actors[type - 1].name, fit, row.stride, segment_.arena_size >> 20U)};
  }
  return plan{type, t.next, first_generation, n, false};
}

result<void> spawner::add_chunks(std::uint32_t type, std::uint32_t upto_index) {
  type_state& t = types_[type];
  const abi::type_row& row = segment_.types[type];
  const std::size_t chunk_actors = std::size_t{segment_.workers.workers} << row.chunk_shift;
  const std::size_t before = t.chunks.size();
  while (t.chunks.size() * chunk_actors < upto_index) {
    auto at = allocate(chunk_actors * row.stride);
    if (!at) return at.error();
    t.chunks.push_back(*at);
  }
  if (t.chunks.size() == before) return {};
  const std::size_t bytes = (t.chunks.size() - before) * sizeof(void*);
  return engine_.copy_in(reinterpret_cast<std::byte*>(row.chunks + before), bytes,
                         reinterpret_cast<const std::byte*>(t.chunks.data() + before), bytes, bytes,
                         1);
}

result<std::byte*> spawner::allocate(std::size_t bytes) {
  bytes = (bytes + 127) / 128 * 128;
  std::byte* at = segment_.arena + arena_used_;
  if (bytes > arena_left()) {
    return error{errc::too_many_actors,
                 fmt::format("{} bytes asked for, {} are left of the arena's {} MiB", bytes,
                             arena_left(), segment_.arena_size >> 20U)};
  }
  if (auto ok = engine_.zero(at, bytes); !ok) return ok.error();
  arena_used_ += bytes;
  return at;
}

const std::byte* spawner::slot(std::uint32_t type, std::uint32_t index) const {
  const std::uint32_t place = segment_.place_of(type, index);
  return chunk(type, chunk_of(type, place)) + offset_in_chunk(type, place);
}

std::size_t spawner::offset_in_chunk(std::uint32_t type, std::uint32_t place) const {
  const std::uint32_t workers = segment_.workers.workers;
  const abi::type_row& row = segment_.types[type];
  const std::uint32_t within = place / workers & ((1U << row.chunk_shift) - 1);
  return ((std::size_t{place % workers} << row.chunk_shift) + within) * row.stride;
}

/// Actors with consecutive indices that have the same local number lie a worker's part of a chunk apart.
result<void> spawner::write_row(const plan& p, std::uint32_t index, std::size_t count,
                                const std::byte* images) {
  const std::size_t stride = segment_.types[p.type].stride;
  auto* to = const_cast<std::byte*>(slot(p.type, index));
  const std::size_t apart = stride << segment_.types[p.type].chunk_shift;
  return engine_.copy_in(to, apart, images, stride, stride, count);
}

/// Of what could not be finished: no reference names it, and what was written comes to be as before anybody was there.
void spawner::take_back(const plan& p, std::size_t written) {
  const std::vector<std::byte> nobody(segment_.types[p.type].stride);
  for (std::size_t i = 0; i < written; ++i)
    (void)write_row(p, static_cast<std::uint32_t>(p.first + i), 1, nobody.data());
}

result<detail::raw_range> spawner::carry_out(const plan& p, const detail::make_state& make) {
  type_state& t = types_[p.type];
  if (!p.reuses) {
    if (auto ok = add_chunks(p.type, static_cast<std::uint32_t>(p.first + p.n)); !ok)
      return ok.error();
  }
  std::size_t done = 0;
  try {
    if (auto ok = write_states(p, make, done); !ok) return ok.error();
  } catch (...) {
    take_back(p, done);
    throw;
  }
  if (p.reuses) {
    for (std::size_t i = 0; i < p.n; ++i) t.free.erase(static_cast<std::uint32_t>(p.first + i));
  } else {
    t.next = static_cast<std::uint32_t>(p.first + p.n);
  }
  return detail::raw_range{abi::make_ref(p.first, p.generation, p.type, segment_.workers.system),
                           p.n};
}

result<void> spawner::write_states(const plan& p, const detail::make_state& make,
                                   std::size_t& done) {
  const abi::type_row& row = segment_.types[p.type];
  const std::uint32_t workers = segment_.workers.workers;
  const std::size_t chunk_actors = std::size_t{workers} << row.chunk_shift;
  const abi::actor_header header{p.generation, abi::slot_alive, 0};
  auto write_image = [&](std::byte* at, std::size_t i) {
    std::memset(at, 0, row.stride);
    std::memcpy(at, &header, sizeof(header));
    make(i, at + row.offset);
  };
  std::vector<std::byte> images(chunk_actors * row.stride);
  while (done < p.n) {
    const std::size_t index = p.first + done;
    if (index % chunk_actors == 0 && p.n - done >= chunk_actors &&
        index >= segment_.places[p.type].size()) {  // a whole chunk: one copy
      for (std::size_t i = 0; i < chunk_actors; ++i) {
        const std::size_t place = (i % workers << row.chunk_shift) + i / workers;
        write_image(images.data() + place * row.stride, done + i);
      }
      auto* to = const_cast<std::byte*>(slot(p.type, static_cast<std::uint32_t>(index)));
      const std::size_t bytes = images.size();
      if (auto ok = engine_.copy_in(to, bytes, images.data(), bytes, bytes, 1); !ok) return ok;
      done += chunk_actors;
      continue;
    }
    // slots that are used again may have been moved, each by itself
    const bool alone = index < segment_.places[p.type].size();
    const std::size_t count =
        alone ? 1 : std::min<std::size_t>(workers - index % workers, p.n - done);
    for (std::size_t i = 0; i < count; ++i) write_image(images.data() + i * row.stride, done + i);
    if (auto ok = write_row(p, static_cast<std::uint32_t>(index), count, images.data()); !ok)
      return ok;
    done += count;
  }
  return {};
}

void spawner::stopped(std::uint64_t bits) {
  const std::uint32_t type = abi::ref_type(bits);
  const std::uint32_t generation = abi::ref_generation(bits);
  if (type == 0 || type >= types_.size() || generation >= last_generation)
    return;  // spent: retired for good
  types_[type].free[abi::ref_index(bits)] = static_cast<std::uint16_t>(generation);
}

bool spawner::known(std::uint64_t bits) const {
  const std::uint32_t type = abi::ref_type(bits);
  return type != 0 && type < types_.size() && abi::ref_index(bits) < types_[type].next;
}

}  // namespace perdure::runtime
