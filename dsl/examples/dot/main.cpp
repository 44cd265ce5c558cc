// dsl/examples/dot/main.cpp - a dot product of 65,536 numbers on 16 wide actors.
// Shows: spawn with a function of the index, ask_async with many in flight, reduce.
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <future>
#include <vector>

#include "arguments.hpp"
#include "dot.actors.hpp"  // made by the build from dot.hpp

int main(int argc, char** argv) try {
  using namespace std::chrono_literals;
  auto sys =
      perdure::system::start(dot::actors(), {.backend = examples::backend_of(argc, argv)}).value();
  auto pieces = sys.spawn<piece>(16,
                                 [](std::size_t p) {
                                   piece made{};
                                   for (int i = 0; i < piece::length; ++i) {
                                     made.a[i] = static_cast<float>(i % 7);
                                     made.b[i] = static_cast<float>(p + 1);
                                   }
                                   return made;
                                 })
                    .value();

  std::vector<std::future<perdure::result<dot_product>>> answers;
  for (auto p : pieces) answers.push_back(sys.ask_async<dot_product>(p, multiply{2.0F}, 5s));
  double sum = 0;
  for (auto& a : answers) sum += a.get().value().value;
  std::printf("a . b = %.0f\n", sum);
  return 0;
} catch (const perdure::bad_result& e) {
  std::fprintf(stderr, "dot: %s\n", e.what());
  return 1;
}
