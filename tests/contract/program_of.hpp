// tests/contract/program_of.hpp - the fixture of a clause: a program of its actors, and how many find each other.
// Why: clauses differ in what actors do, not in how a test comes to a program and a population of them.
// Invariant: the program is never destroyed: a worker may still be in one of its handlers when the test ends.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/contract/schedules.hpp"

namespace contract {

/// An actor type and the messages that it handles.
template <class A, class... Ms>
struct handles {
  static void add_to(registry& r) { r.actor<A, Ms...>(); }
};

/// Messages that no actor handles: replies, and letters to mailboxes.
template <class... Ms>
struct letters {
  static void add_to(registry& r) { r.also<Ms...>(); }
};

template <class... Types>
class program_of : public ::testing::Test {
 protected:
  const perdure::program& actors = made();

  /// Spawns `n` actors, made by `make(first, i)`: actor i will have the reference first.bits + i.
  template <class A, class Make>
  static perdure::range<A> spawn_peers(perdure::system& sys, std::size_t n, const Make& make) {
    const perdure::ref<A> first{sys.spawn<A>(1).value()[0].bits + 1};
    return sys.spawn<A>(n, [&](std::size_t i) { return make(first, i); }).value();
  }
  static std::uint64_t dead(const perdure::stats& s, perdure::abi::dead_reason why) {
    return s.dead[static_cast<std::size_t>(why)];
  }

 private:
  static const perdure::program& made() {
    registry& r = kept_registry();
    (Types::add_to(r), ...);
    return r.done();
  }
};

}  // namespace contract
