// tests/corpus/accept/std_optional.hpp - std::optional as result of helpers and as local state of a handler.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include <perdure/actor.hpp>

struct lookup {
  std::int32_t key;
  std::int32_t fallback;
};

constexpr std::optional<std::int32_t> half(std::int32_t x) {
  if (x % 2 != 0) return std::nullopt;
  return x / 2;
}

struct finder : perdure::actor<finder> {
  std::int64_t found = 0;
  std::uint32_t missing = 0;
  std::int32_t last = 0;

  void on(const lookup& m, perdure::context&) {
    std::optional<std::int32_t> got = half(m.key);
    if (got) {
      found += *got;
    } else {
      ++missing;
    }
    last = got.value_or(m.fallback);
    if (got.has_value() && half(*got)) got.reset();
    std::optional<std::int32_t> again;
    again = last;
    found += again == std::optional<std::int32_t>{7} ? 1 : 0;
    missing += got ? 0U : 2U;
  }
};
