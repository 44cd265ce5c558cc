// main.cpp - sends one deposit, asks with another, prints the reply.
// Why: this is the README's example as a stranger would build it.
// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <exception>
#include <iostream>

#include "bank.actors.hpp"

int main(int argc, char** argv) try {
  using namespace std::chrono_literals;
  perdure::options options;
  // The cpu backend unless told otherwise, so that the test of the package needs no device.
  const bool automatic = argc > 1 && std::string_view{argv[1]} == "auto";
  options.backend = automatic ? perdure::backend::automatic : perdure::backend::cpu;

  auto sys = perdure::system::start(bank::actors(), options).value();
  const auto accounts = sys.spawn<account>(1'000, account{}).value();
  sys.send(accounts[42], deposit{100}).value();
  const auto reply = sys.ask<balance>(accounts[42], deposit{1}, 10s).value();
  std::cout << "account 42 on " << sys.layout().backend << " holds " << reply.cents << " cents\n";
  return reply.cents == 101 ? 0 : 1;
} catch (const std::exception& e) {
  std::cerr << "bank: " << e.what() << '\n';
  return 1;
}
