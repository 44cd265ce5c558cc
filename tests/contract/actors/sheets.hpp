// tests/contract/actors/sheets.hpp - actors that make messages of up to 64 KB where these will lie, among short ones.
// Why: what a handler fills is the buffer that the receiver reads; nobody else may have it meanwhile.
// Invariant: each press's numbers rise by one; what a message is filled with follows from its number and its press.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <perdure/actor.hpp>

namespace sheets {

inline constexpr std::uint32_t most_presses = 8;

constexpr std::uint64_t fill_of(std::uint32_t from, std::uint32_t number, std::uint32_t i) {
  return (std::uint64_t{from} << 48U) + std::uint64_t{number} * 0x9e37'79b9U + i;
}
template <std::size_t Words>
struct sheet_of {
  std::uint32_t from, number;
  std::array<std::uint64_t, Words> fill;
};
using note = sheet_of<4>;        ///< 40 bytes: travels in the ring
using sheet = sheet_of<125>;     ///< 1,008 bytes
using poster = sheet_of<8'191>;  ///< 65,536 bytes: no message is longer

/// From the host: makes so many.
struct print {
  std::uint32_t count;
};
/// The receiver takes nothing more.
struct close {};

struct reader : perdure::actor<reader> {
  std::array<std::uint32_t, most_presses> last{};
  std::uint32_t handled = 0, errors = 0, gaps = 0;

  void on(const note& m, perdure::context&) { take(m, 1); }
  void on(const sheet& m, perdure::context&) { take(m, 1); }
  void on(const poster& m, perdure::context&) { take(m, 17); }
  void on(const close&, perdure::context& ctx) { ctx.stop(); }

 private:
  template <std::size_t Words>
  void take(const sheet_of<Words>& m, std::uint32_t step) {
    for (std::uint32_t i = 0; i < Words; i += step)
      if (m.fill[i] != fill_of(m.from, m.number, i)) ++errors;
    if (m.fill[Words - 1] != fill_of(m.from, m.number, Words - 1)) ++errors;
    std::uint32_t& before = last[m.from % most_presses];
    if (m.number <= before) ++errors;
    if (m.number != before + 1) ++gaps;
    before = m.number;
    ++handled;
  }
};

/// Of every 64 messages one is a poster, a third are notes, the others sheets.
constexpr std::uint32_t kind_of(std::uint32_t from, std::uint32_t number) {
  const std::uint32_t dice = (number * 7 + from) % 64;
  return dice == 5 ? 2 : dice % 3 == 0 ? 0 : 1;
}

template <class Self>
struct printing : perdure::actor<Self> {
  std::uint32_t index = 0, made = 0;
  perdure::ref<reader> to;

  void on(const print& p, perdure::context& ctx) {
    for (std::uint32_t n = 0; n < p.count; ++n) {
      const std::uint32_t kind = kind_of(index, ++made);
      if (kind == 0) make<note>(ctx);
      if (kind == 1) make<sheet>(ctx);
      if (kind == 2) make<poster>(ctx);
    }
  }

 private:
  template <class M>
  void make(perdure::context& ctx) {
    ctx.send_in_place<M>(to, [&](M& m) {
      m.from = index;
      m.number = made;
      for (std::uint32_t i = 0; i < m.fill.size(); ++i) m.fill[i] = fill_of(index, made, i);
    });
  }
};
struct press : printing<press> {};
struct hot_press : printing<hot_press> {
  static constexpr bool hot = true;
};

}  // namespace sheets
