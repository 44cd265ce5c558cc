// tests/corpus/accept/actor_templates.hpp - actor templates, instantiated through an alias, a derived struct and explicitly.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

template <class T>
struct put_value {
  T value;
};

template <class T, std::uint32_t Scale>
struct store : perdure::actor<store<T, Scale>> {
  T total{};
  std::uint32_t count = 0;
  void on(const put_value<T>& m, perdure::context& ctx) {
    total = static_cast<T>(total + m.value * static_cast<T>(Scale));
    ++count;
    if (count % 4U == 0) ctx.send(next, put_value<T>{m.value});
  }
  perdure::ref<store> next;  // the injected class name
};

using int_store = store<std::int64_t, 3>;
template struct store<float, 2>;

template <class Self>
struct relay_base : perdure::actor<Self> {
  std::uint32_t relayed = 0;
  perdure::ref<int_store> out;
};

struct relay : relay_base<relay> {
  void on(const put_value<std::int64_t>& m, perdure::context& ctx) {
    ++this->relayed;
    ctx.send(out, put_value<std::int64_t>{m.value + 1});
  }
};
struct starter : perdure::actor<starter> {
  perdure::ref<int_store> ints;
  perdure::ref<store<float, 2>> floats;
  std::uint32_t started = 0;
  void on(const put_value<std::uint8_t>& m, perdure::context& ctx) {
    ++started;
    ctx.send(ints, put_value<std::int64_t>{m.value});
    ctx.send(floats, put_value<float>{0.5F});
  }
};
