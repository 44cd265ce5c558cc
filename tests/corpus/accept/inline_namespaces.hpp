// tests/corpus/accept/inline_namespaces.hpp - an inline namespace supplies the current version; the old one stays reachable.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

namespace protocol {
namespace v1 {
struct reading {
  std::int16_t tenths;
};
constexpr std::int32_t kelvin_tenths(const reading& r) { return r.tenths + 2731; }
}  // namespace v1

inline namespace v2 {
struct reading {
  std::int32_t hundredths;
  std::uint8_t quality;
};
constexpr std::int32_t kelvin_tenths(const reading& r) { return r.hundredths / 10 + 2731; }
}  // namespace v2

struct sensor : perdure::actor<sensor> {
  std::int64_t sum_tenths = 0;
  std::uint32_t old_ones = 0, new_ones = 0;
  void on(const v1::reading& m, perdure::context&) {
    sum_tenths += kelvin_tenths(m);  // found by argument
    ++old_ones;
  }
  void on(const reading& m, perdure::context&) {  // v2
    sum_tenths += protocol::kelvin_tenths(m);
    new_ones += m.quality > 2U ? 1U : 0U;
  }
};
}  // namespace protocol
