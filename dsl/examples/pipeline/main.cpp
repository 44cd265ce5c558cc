// dsl/examples/pipeline/main.cpp - frames through three stages, one summary at the end; --frames N, 10,000 unless told.
// Shows: fan-out in a handler, references in state, order kept through a chain of actors.
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstdio>

#include "arguments.hpp"
#include "pipeline.actors.hpp"  // made by the build from pipeline.hpp

int main(int argc, char** argv) try {
  using namespace std::chrono_literals;
  examples::counted frames{"--frames", 1'000'000, 10'000};
  auto sys = perdure::system::start(pipeline::actors(),
                                    {.backend = examples::backend_of(argc, argv, &frames)})
                 .value();
  auto box = sys.make_mailbox<summary>(16).value();

  collector last;
  last.out = box.ref();
  filter middle;
  middle.next = sys.spawn<collector>(1, last).value()[0];
  decoder first;
  first.next = sys.spawn<filter>(1, middle).value()[0];
  const auto head = sys.spawn<decoder>(1, first).value()[0];

  for (unsigned i = 0; i < frames.value; ++i) {
    frame f;
    for (unsigned k = 0; k < 4; ++k)
      f.raw[k] = static_cast<std::uint16_t>((i * 4 + k) * 2'654'435'761U >> 16U);
    sys.send(head, f).value();
  }
  sys.send(head, done{0}).value();

  std::array<perdure::letter<summary>, 1> letters;
  if (box.receive(letters, 30s).value() == 0) {
    std::fprintf(stderr, "pipeline: no summary came in 30 s\n");
    return 1;
  }
  const summary& s = letters[0].body;
  std::printf("kept %u, dropped %u\n", s.count, s.dropped);
  std::printf("lowest %.4f, highest %.4f, mean %.6f\n", s.lowest, s.highest, s.sum / s.count);
  return 0;
} catch (const perdure::bad_result& e) {
  std::fprintf(stderr, "pipeline: %s\n", e.what());
  return 1;
}
