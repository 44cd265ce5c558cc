// runtime/replay/population.hpp - the actors of a replay, found by reference.
// Why: those of a spawn lie side by side, as many as they were; each generation of a slot is an actor of its own.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <new>
#include <vector>

#include "kernels/abi/actor_slot.cuh"
#include "kernels/abi/regions.cuh"
#include "runtime/record/recording.hpp"

namespace perdure::runtime {

/// Zeroed bytes where any state or message may lie.
class aligned_bytes {
 public:
  static constexpr std::size_t align = 128;
  aligned_bytes() = default;
  explicit aligned_bytes(std::size_t bytes)
      : at_{static_cast<std::byte*>(::operator new(bytes, std::align_val_t{align}))} {
    std::memset(at_.get(), 0, bytes);
  }
  aligned_bytes(std::size_t bytes, const void* from) : aligned_bytes{bytes} {
    if (bytes != 0) std::memcpy(at_.get(), from, bytes);
  }
  std::byte* get() const { return at_.get(); }

 private:
  struct give_back {
    void operator()(std::byte* at) const { ::operator delete(at, std::align_val_t{align}); }
  };
  std::unique_ptr<std::byte, give_back> at_;
};

/// What a wide actor has besides its state.
struct wide_parts {
  aligned_bytes store;                                ///< per_lane values
  std::array<std::uint32_t, abi::max_ports> out, in;  ///< 1 + number of the link, 0 none
};
/// The actors of one spawn.
struct actor_range {
  const actor_info* info;
  std::uint64_t first, count;
  std::size_t stride;
  aligned_bytes states;
  std::vector<abi::actor_header> headers;
  std::vector<wide_parts> wide;  ///< empty: they are small
};
struct actor_place {
  actor_range* range = nullptr;  ///< null: no such actor
  std::size_t i = 0;

  explicit operator bool() const { return range != nullptr; }
  abi::actor_header& header() const { return range->headers[i]; }
  std::byte* state() const { return range->states.get() + i * range->stride; }
  wide_parts& wide() const { return range->wide[i]; }
};

class population {
 public:
  void add(const recording::actors& spawned, const program& of) {
    const std::uint64_t first = spawned.head.first;
    const actor_info& info = of.actors[abi::ref_type(first) - 1U];
    actor_range r{&info, first, spawned.head.count, info.size, {}, {}, {}};
    r.stride = (r.stride + info.align - 1) / info.align * info.align;
    r.states = aligned_bytes{r.count * r.stride};
    r.headers.assign(r.count,
                     {static_cast<abi::u16>(abi::ref_generation(first)), abi::slot_alive, 0});
    for (std::uint64_t i = 0; i < r.count; ++i)
      std::memcpy(r.states.get() + i * r.stride, spawned.bytes.data() + i * info.size, info.size);
    if (info.wide != nullptr) {
      r.wide.resize(r.count);
      for (wide_parts& w : r.wide) {
        w.store = aligned_bytes{std::size_t{info.wide->lanes} * info.wide->private_bytes};
        w.out.fill(0);
        w.in.fill(0);
      }
    }
    ranges_.insert_or_assign(first, std::move(r));
  }
  actor_place find(std::uint64_t bits) {
    auto at = ranges_.upper_bound(bits);
    if (at == ranges_.begin()) return {};
    actor_range& r = (--at)->second;
    if (bits - r.first >= r.count) return {};
    return {&r, static_cast<std::size_t>(bits - r.first)};
  }

 private:
  std::map<std::uint64_t, actor_range> ranges_;  ///< by the first one's reference
};

}  // namespace perdure::runtime
