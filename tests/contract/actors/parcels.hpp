// tests/contract/actors/parcels.hpp - actors that get messages of up to 64 KB from host threads, among short ones.
// Why: what does not travel in a ring lies in buffers of the host's, which come round again (kernels/dispatch/host_buffers.cuh).
// Invariant: each sender's numbers rise by one at each shelf; what a parcel is filled with follows from its number.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <perdure/actor.hpp>

namespace parcels {

inline constexpr std::uint32_t senders = 4;

constexpr std::uint64_t fill_of(std::uint32_t from, std::uint32_t number, std::uint32_t i) {
  return (std::uint64_t{from} << 48U) + std::uint64_t{number} * 0x9e37'79b9U + i;
}
template <std::size_t Words>
struct filled {
  std::uint32_t from, number;
  std::array<std::uint64_t, Words> fill;
};
using slip = filled<2>;       ///< number 0: the receiver stops
using parcel = filled<125>;   ///< 1,008 bytes
using crate = filled<8'191>;  ///< 65,536 bytes: no message is longer

struct receipt {
  std::uint32_t number, handled;
};

struct shelf : perdure::actor<shelf> {
  std::array<std::uint32_t, senders> last{};
  std::uint32_t handled = 0, errors = 0, passed_on = 0;
  perdure::ref<shelf> next;  ///< gets what of every 16th parcel from the first sender is passed on

  void on(const slip& s, perdure::context& ctx) {
    if (s.number == 0) return ctx.stop();
    take(s, 1, ctx);
  }
  void on(const parcel& p, perdure::context& ctx) {
    take(p, 1, ctx);
    if (p.from == 0 && p.number % 16 == 0) {
      parcel copy = p;
      copy.from = senders - 1;  // whose numbers the receiver keeps
      copy.number = ++passed_on;
      for (std::uint32_t i = 0; i < copy.fill.size(); ++i)
        copy.fill[i] = fill_of(copy.from, copy.number, i);
      ctx.send(next, copy);
    }
  }
  void on(const crate& c, perdure::context& ctx) { take(c, 17, ctx); }

 private:
  template <std::size_t Words>
  void take(const filled<Words>& m, std::uint32_t step, perdure::context& ctx) {
    for (std::uint32_t i = 0; i < Words; i += step)
      if (m.fill[i] != fill_of(m.from, m.number, i)) ++errors;
    if (m.fill[Words - 1] != fill_of(m.from, m.number, Words - 1)) ++errors;
    std::uint32_t& before = last[m.from % senders];
    if (m.number != before + 1) ++errors;
    before = m.number;
    ctx.reply(receipt{m.number, ++handled});
  }
};

/// Nobody waits for room in its inbox.
struct counter : perdure::actor<counter> {
  static constexpr auto overflow = perdure::overflow::fail;
  std::uint32_t handled = 0;

  void on(const parcel&, perdure::context&) { ++handled; }
};

}  // namespace parcels
