// tests/corpus/accept/anonymous_unions.hpp - an anonymous union in state and a tagged union in a message-sized helper.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

enum class kind : std::uint8_t { whole, real };

struct variant_cell {
  kind what = kind::whole;
  union {
    std::int64_t whole = 0;
    double real;
  };
};

struct set_whole {
  std::int64_t value;
};
struct set_real {
  double value;
};

struct holder : perdure::actor<holder> {
  variant_cell cell;
  union {
    std::uint32_t bits = 0;
    std::int32_t number;
  };
  double sum = 0;

  double read() const {
    return cell.what == kind::whole ? static_cast<double>(cell.whole) : cell.real;
  }
  void on(const set_whole& m, perdure::context&) {
    sum += read();
    cell.what = kind::whole;
    cell.whole = m.value;
    number = -7;
  }
  void on(const set_real& m, perdure::context&) {
    sum += read();
    cell.what = kind::real;
    cell.real = m.value;
    bits = 19U;
  }
};
