// dsl/examples/ping_pong/main.cpp - two actors play; whoever has the last stroke tells the host.
// Shows: two types of actor in a cycle, ctx.self, a host mailbox that actors send to.
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstdio>

#include "arguments.hpp"
#include "ping_pong.actors.hpp"  // made by the build from ping_pong.hpp

int main(int argc, char** argv) try {
  using namespace std::chrono_literals;
  auto sys =
      perdure::system::start(ping_pong::actors(), {.backend = examples::backend_of(argc, argv)})
          .value();
  auto box = sys.make_mailbox<match>(16).value();

  server first;
  first.tells = box.ref();
  receiver second;
  second.tells = box.ref();
  auto servers = sys.spawn<server>(1, first).value();
  auto receivers = sys.spawn<receiver>(1, second).value();
  sys.send(servers[0], serve{receivers[0], 10'001}).value();

  std::array<perdure::letter<match>, 1> letters;
  if (box.receive(letters, 30s).value() == 0) {
    std::fprintf(stderr, "ping_pong: the match did not end in 30 s\n");
    return 1;
  }
  const match& m = letters[0].body;
  std::printf("pings: %u\npongs: %u\n", m.pings, m.pongs);
  std::printf("told by the receiver: %s\n", letters[0].sender == receivers[0] ? "yes" : "no");
  return 0;
} catch (const perdure::bad_result& e) {
  std::fprintf(stderr, "ping_pong: %s\n", e.what());
  return 1;
}
