// tests/corpus/accept/host_only_functions.hpp - host-only includes, globals and functions in the same file are not reached.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstdio>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <perdure/actor.hpp>

inline std::map<std::string, int> registry;  // a mutable global of the host
inline thread_local int depth = 0;
inline const std::string title = "host only";

inline void report(std::ostream& out, const std::vector<int>& values) {
  static int calls = 0;
  out << title << ' ' << ++calls << ' ' << depth << '\n';
  for (int v : values) out << v << '\n';
}
struct animal {
  virtual ~animal() = default;
  virtual int legs() const = 0;
};
struct dog final : animal {
  int legs() const override { return 4; }
};
inline std::unique_ptr<animal> make_animal() { return std::make_unique<dog>(); }
inline int deep(int n) { return n == 0 ? 0 : 1 + deep(n - 1); }
inline std::function<int(int)> host_callback = deep;

struct beat {
  std::uint32_t n;
};

struct heart : perdure::actor<heart> {
  std::uint64_t beats = 0;
  void on(const beat& m, perdure::context&) { beats += m.n; }
  void print() const { std::printf("%llu\n", static_cast<unsigned long long>(beats)); }
};
