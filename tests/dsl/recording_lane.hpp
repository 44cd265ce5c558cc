// tests/dsl/recording_lane.hpp - a backend that only writes down what a handler asked it for.
// Why: the context's promises can be checked without any runtime.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "perdure/context.hpp"

namespace perdure::test {

/// One call through the function table.
struct call {
  std::string what;
  std::uint64_t to = 0, key = 0, number = 0, kinds = 0;
  std::vector<std::uint8_t> bytes;
  std::vector<std::uint64_t> values;

  template <class M>
  M as() const {
    M m;
    if (bytes.size() != sizeof(M)) return M{};
    std::memcpy(&m, bytes.data(), sizeof(M));
    return m;
  }
};

struct recording_lane : detail::lane {
  std::vector<call> calls;
  std::uint64_t clock = 100, draws = 0;

  recording_lane() { ops = &table; }

 private:
  static recording_lane& mine(detail::lane& l) { return static_cast<recording_lane&>(l); }
  static std::vector<std::uint8_t> copy(const void* m, std::uint32_t bytes) {
    const auto* at = static_cast<const std::uint8_t*>(m);
    return {at, at + bytes};
  }
  static const detail::lane_ops table;
};

// Outside of the class: clang takes the class as incomplete in the initialiser of its own member.
inline const detail::lane_ops recording_lane::table = {
    [](lane& l, std::uint64_t to, std::uint64_t key, const void* m, std::uint32_t n) {
      mine(l).calls.push_back({"send", to, key, 0, 0, copy(m, n), {}});
    },
    [](lane& l, std::uint64_t to, std::uint64_t key, const void* m, std::uint32_t n) {
      mine(l).calls.push_back({"send_host", to, key, 0, 0, copy(m, n), {}});
    },
    [](lane& l, std::uint64_t key, const void* m, std::uint32_t n) {
      mine(l).calls.push_back({"reply", 0, key, 0, 0, copy(m, n), {}});
    },
    [](lane& l, std::uint64_t ns, std::uint64_t to, std::uint64_t key, const void* m,
       std::uint32_t n) { mine(l).calls.push_back({"after", to, key, ns, 0, copy(m, n), {}}); },
    [](lane& l) { return ++mine(l).clock; },
    [](lane& l) { return mine(l).draws++ * 7U; },
    [](lane& l, std::uint64_t key, std::uint32_t count, std::uint64_t kinds,
       const std::uint64_t* values) {
      mine(l).calls.push_back({"log", 0, key, count, kinds, {}, {values, values + count}});
    },
    [](lane& l) { mine(l).calls.push_back({"stop", 0, 0, 0, 0, {}, {}}); },
    [](lane& l, std::uint32_t reason) {
      mine(l).calls.push_back({"fail", 0, 0, reason, 0, {}, {}});
    },
};

}  // namespace perdure::test
