// tests/kernels/mini_std/cases/sink.cuh - where a case puts its results: a line number and 64
//   bits each.
// Why: the same cases run against libstdc++, against mini_std on the host, and on the device.
// SPDX-License-Identifier: Apache-2.0
#pragma once

struct record {
  unsigned long long line, bits;
};

struct sink {
  record* records;
  unsigned capacity;
  unsigned count = 0;

  template <class T>
  void put(unsigned line, const T& value) {
    unsigned long long bits = 0;
    if constexpr (sizeof(T) == 4 && T(0.5) != T(0)) {
      bits = value != value ? 0x7fc00000U : __builtin_bit_cast(unsigned, value);
    } else if constexpr (sizeof(T) == 8 && T(0.5) != T(0)) {
      bits = value != value ? 0x7ff8000000000000ULL : __builtin_bit_cast(unsigned long long, value);
    } else {
      bits = static_cast<unsigned long long>(value);
    }
    if (count < capacity) records[count] = record{line, bits};
    ++count;
  }
};
#define PUT(...) out.put(__LINE__, (__VA_ARGS__))

/// Numbers to work on; the same everywhere.
struct dice {
  unsigned long long state;
  unsigned next() {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<unsigned>(state >> 33U);
  }
  int below(int n) { return static_cast<int>(next() % static_cast<unsigned>(n)); }
};
