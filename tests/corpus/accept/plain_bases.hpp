// tests/corpus/accept/plain_bases.hpp - state and helpers inherited from plain bases, two levels and two bases.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

struct named {
  std::uint32_t id = 7;
};
struct dated : named {
  std::uint16_t year = 2026;
  std::uint32_t stamp() const { return id * 10000U + year; }
};
class limits {
 public:
  bool allows(std::uint32_t n) const { return n <= most_; }

 protected:
  void grow() { ++most_; }
  std::uint32_t most_ = 3;
};

struct file_in {
  std::uint32_t pages;
};

struct cabinet : perdure::actor<cabinet>, dated, private limits {
  std::uint32_t refused = 0;
  std::uint64_t pages = 0;

  void on(const file_in& m, perdure::context&) {
    if (!allows(m.pages)) {
      ++refused;
      grow();
      return;
    }
    pages += m.pages * std::uint64_t{stamp()};
    id += limits::most_;
    dated::year = static_cast<std::uint16_t>(year + 1U);
  }
};
