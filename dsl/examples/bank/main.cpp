// dsl/examples/bank/main.cpp - a hundred accounts hand money round; at rest, not a cent is missing.
// Shows: references in messages, actors that send to actors, quiesce, view.
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <vector>

#include "arguments.hpp"
#include "bank.actors.hpp"  // made by the build from bank.hpp

int main(int argc, char** argv) try {
  using namespace std::chrono_literals;
  constexpr std::size_t people = 100;
  auto sys =
      perdure::system::start(bank::actors(), {.backend = examples::backend_of(argc, argv)}).value();
  auto accounts = sys.spawn<account>(people, account{}).value();

  for (auto a : accounts) sys.send(a, deposit{100'00}).value();
  for (std::int64_t round = 1; round <= 50; ++round) {
    for (std::size_t i = 0; i < people; ++i) {
      const auto to = accounts[(i * 7 + static_cast<std::size_t>(round)) % people];
      sys.send(accounts[i], transfer{to, round * 100}).value();
    }
  }
  // More than there is in the whole bank: refused whatever came in before it.
  sys.send(accounts[3], transfer{accounts[4], people * 100'00 + 1}).value();
  sys.quiesce(10s).value();

  std::vector<account> states(people);
  sys.view(accounts, std::span{states}).value();
  std::int64_t all = 0;
  for (const auto& a : states) all += a.cents;
  const auto third = sys.ask<balance>(accounts[3], inquiry{}, 5s).value();
  std::printf("in the bank: %lld.%02lld\n", static_cast<long long>(all / 100),
              static_cast<long long>(all % 100));
  std::printf("refused by account 3: %s\n", third.refused > 0 ? "yes" : "no");
  return all == people * 100'00 ? 0 : 1;
} catch (const perdure::bad_result& e) {
  std::fprintf(stderr, "bank: %s\n", e.what());
  return 1;
}
