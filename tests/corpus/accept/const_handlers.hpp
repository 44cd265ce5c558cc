// tests/corpus/accept/const_handlers.hpp - const handlers read the state and send, beside handlers that write it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

struct write {
  std::uint32_t value;
};
struct read {
  std::uint8_t times;
};
struct observed {
  std::uint32_t value;
};

struct log_book;

struct cell : perdure::actor<cell> {
  std::uint32_t value = 3;
  perdure::ref<log_book> book;
  constexpr std::uint32_t doubled() const { return value * 2U; }
  constexpr std::uint32_t& slot() { return value; }
  constexpr const std::uint32_t& slot() const { return value; }

  void on(const read& m, perdure::context& ctx) const;
  void on(const write& m, perdure::context&) { slot() = m.value; }
};

struct log_book : perdure::actor<log_book> {
  std::uint64_t sum = 0;
  std::uint32_t lines = 0;
  void on(const observed& m, perdure::context&) {
    sum += m.value;
    ++lines;
  }
};

inline void cell::on(const read& m, perdure::context& ctx) const {
  for (std::uint32_t i = 0; i < m.times % 4U; ++i) ctx.send(book, observed{doubled() + slot() + i});
}
