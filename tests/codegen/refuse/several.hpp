// tests/codegen/refuse/several.hpp - all errors of a header in one run, of every stage of the tool.
#pragma once

#include <cstdint>
#include <vector>

#include <perdure/actor.hpp>

struct gone {
  // EXPECT-ERROR: member 'all' of message 'gone' is 'std::vector', which is not trivially copyable
  std::vector<int> all;
};
struct tick {};
struct alignas(32) wide {
  double x[1];
};
struct quiet : perdure::actor<quiet> {
  void on(const tick&, perdure::context&) {}
};
struct loud : perdure::actor<loud> {
  perdure::ref<quiet> other;
  void on(const tick&, perdure::context& ctx) {
    // EXPECT-ERROR: actor 'quiet' has no handler for message 'gone'
    ctx.send(other, gone{});
  }
  // EXPECT-ERROR: its message is not taken by const reference
  void on(gone&, perdure::context&) {}
  // EXPECT-ERROR: it returns 'int'
  int on(const tick&) { return 1; }
};
// EXPECT-ERROR: actor 'idle' has no handler
struct idle : perdure::actor<idle> {
  int n = 0;
};
// EXPECT-ERROR: must derive from perdure::actor<astray>
struct astray : perdure::actor<quiet> {
  void on(const tick&, perdure::context&) {}
};
