// tests/contract/actors/albums.hpp - actors that write to hosts and answer them with up to 64 KB, among short messages.
// Why: to a host such a message stands in the worker's ring whole (kernels/dispatch/long_letters.cuh), and others beside it.
// Invariant: each album's numbers rise by one; what a page is filled with follows from its number and its album.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <perdure/actor.hpp>

namespace albums {

constexpr std::uint64_t fill_of(std::uint32_t from, std::uint32_t number, std::uint32_t i) {
  return (std::uint64_t{from} << 48U) + std::uint64_t{number} * 0x9e37'79b9U + i;
}
template <std::size_t Words>
struct sheet_of {
  std::uint32_t from, number;
  std::array<std::uint64_t, Words> fill;
};
using card = sheet_of<4>;      ///< 40 bytes: as all others
using page = sheet_of<125>;    ///< 1,008 bytes
using book = sheet_of<8'191>;  ///< 65,536 bytes: no message is longer
using box = perdure::host<card, page, book>;

/// From the host: writes so many.
struct write {
  std::uint32_t count;
};
/// Answered with one of these; the answer's number is the request's.
struct show_card {
  std::uint32_t number;
};
struct show_page {
  std::uint32_t number;
};
struct show_book {
  std::uint32_t number;
};

/// Of every 64 letters one is a book, a third are cards, the others pages.
constexpr std::uint32_t kind_of(std::uint32_t from, std::uint32_t number) {
  const std::uint32_t dice = (number * 7 + from) % 64;
  return dice == 5 ? 2 : dice % 3 == 0 ? 0 : 1;
}
template <class M>
void fill_in(M& m, std::uint32_t from, std::uint32_t number) {
  m.from = from;
  m.number = number;
  for (std::uint32_t i = 0; i < m.fill.size(); ++i) m.fill[i] = fill_of(from, number, i);
}

/// Every other message is made where it will lie.
template <class Self>
struct writing : perdure::actor<Self> {
  std::uint32_t index = 0, written = 0, asked = 0;
  perdure::ref<box> to;

  void on(const write& w, perdure::context& ctx) {
    for (std::uint32_t n = 0; n < w.count; ++n) {
      const std::uint32_t kind = kind_of(index, ++written);
      if (kind == 0) put<card>(ctx);
      if (kind == 1) put<page>(ctx);
      if (kind == 2) put<book>(ctx);
    }
  }
  void on(const show_card& s, perdure::context& ctx) { answer<card>(s.number, ctx); }
  void on(const show_page& s, perdure::context& ctx) { answer<page>(s.number, ctx); }
  void on(const show_book& s, perdure::context& ctx) { answer<book>(s.number, ctx); }

 private:
  template <class M>
  void put(perdure::context& ctx) {
    if (written % 2 == 0 || sizeof(M) > 2'000) {
      ctx.send_in_place<M>(to, [&](M& m) { fill_in(m, index, written); });
    } else {
      M m;
      fill_in(m, index, written);
      ctx.send(to, m);
    }
  }
  template <class M>
  void answer(std::uint32_t number, perdure::context& ctx) {
    ++asked;
    if (number % 2 == 0 || sizeof(M) > 2'000) {
      ctx.reply_in_place<M>([&](M& m) { fill_in(m, index, number); });
    } else {
      M m;
      fill_in(m, index, number);
      ctx.reply(m);
    }
  }
};
struct album : writing<album> {};
struct hot_album : writing<hot_album> {
  static constexpr bool hot = true;
};

}  // namespace albums
