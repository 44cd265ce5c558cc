// tests/codegen/refuse/helper_chain.hpp - the error stands in the helper; the notes lead back to the handler.
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

struct tick {};
template <class T>
T* fresh() {
  // EXPECT-ERROR: 'new' cannot be used
  return new T{};
}
struct keeper : perdure::actor<keeper> {
  std::uint32_t n = 0;
  void on(const tick&, perdure::context&) { n += *fresh<std::uint32_t>(); }
};
