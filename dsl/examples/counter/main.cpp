// dsl/examples/counter/main.cpp - a thousand counters, each told to add 1 to 100, then asked.
// Shows: spawn, send, ask. A later message of the same sender is handled after the earlier ones.
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include "arguments.hpp"
#include "counter.actors.hpp"  // made by the build from counter.hpp

int main(int argc, char** argv) try {
  using namespace std::chrono_literals;
  auto sys =
      perdure::system::start(counter::actors(), {.backend = examples::backend_of(argc, argv)})
          .value();
  auto tallies = sys.spawn<tally>(1'000, tally{}).value();

  for (auto t : tallies) {
    for (std::int64_t i = 1; i <= 100; ++i) sys.send(t, add{i}).value();
  }

  std::int64_t sum = 0;
  for (auto t : tallies) sum += sys.ask<total>(t, question{}, 5s).value().value;
  std::printf("one counter: %lld\n",
              static_cast<long long>(sys.ask<total>(tallies[42], question{}, 5s).value().value));
  std::printf("all counters: %lld\n", static_cast<long long>(sum));
  return 0;
} catch (const perdure::bad_result& e) {
  std::fprintf(stderr, "counter: %s\n", e.what());
  return 1;
}
