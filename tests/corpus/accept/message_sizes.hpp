// tests/corpus/accept/message_sizes.hpp - messages of 0, 1, 38, 240, 241 and 1,000 bytes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include <perdure/actor.hpp>

struct empty_message {};
struct tiny_message {
  std::uint8_t b;
};
template <std::uint32_t N>
struct bytes_message {
  std::array<std::uint8_t, N> b;
};
struct spread_to {
  perdure::ref<struct packet_sink> to;
};

struct packet_sink : perdure::actor<packet_sink> {
  std::uint64_t digest = 1;
  std::uint32_t empties = 0;
  template <class A>
  void take(const A& bytes) {
    for (const std::uint8_t b : bytes) digest = digest * 1099511628211U + b;
  }
  void on(const empty_message&, perdure::context&) { ++empties; }
  void on(const tiny_message& m, perdure::context&) { digest += m.b; }
  void on(const bytes_message<38>& m, perdure::context&) { take(m.b); }
  void on(const bytes_message<240>& m, perdure::context&) { take(m.b); }
  void on(const bytes_message<241>& m, perdure::context&) { take(m.b); }
  void on(const bytes_message<1000>& m, perdure::context&) { take(m.b); }
  void on(const spread_to& m, perdure::context& ctx) {
    bytes_message<241> big{};
    bytes_message<38> mid{};
    for (std::uint32_t i = 0; i < 241; ++i) big.b[i] = static_cast<std::uint8_t>(i * 7U);
    for (std::uint32_t i = 0; i < 38; ++i) mid.b[i] = big.b[i + 3U];
    ctx.send(m.to, big);
    ctx.send(m.to, mid);
    ctx.send(m.to, empty_message{});
  }
};
