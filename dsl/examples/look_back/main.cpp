// dsl/examples/look_back/main.cpp - a run is recorded, and gone through again up to the call that went wrong.
// Shows: options.record, replay() on one thread of the CPU, to_text() of a state and of a message.
// SPDX-License-Identifier: Apache-2.0
#include <perdure/replay.hpp>
#include <perdure/text.hpp>

#include <cstdio>
#include <filesystem>
#include <string>

#include "arguments.hpp"
#include "look_back.actors.hpp"  // made by the build from look_back.hpp

namespace {

constexpr std::size_t purses = 1'000, poor = 700;

/// Everybody pays the next one; one is to pay more than it ever has.
void run(perdure::backend backend, const std::filesystem::path& recording) {
  using namespace std::chrono_literals;
  perdure::options how{.backend = backend};
  how.record = recording;
  auto sys = perdure::system::start(look_back::actors(), how).value();
  auto all = sys.spawn<purse>(purses, purse{}).value();
  for (int round = 1; round <= 3; ++round) {
    for (std::size_t i = 0; i < purses; ++i) {
      const std::int64_t cents = i == poor && round == 2 ? 800 : 10;
      sys.send(all[i], pay{all[(i + 1) % purses], cents}).value();
    }
  }
  sys.stop(30s).value();
}

}  // namespace

int main(int argc, char** argv) try {
  const auto backend = examples::backend_of(argc, argv);
  const auto recording = std::filesystem::temp_directory_path() / "look_back.recording";
  run(backend, recording);

  perdure::replay_options look;
  std::string found;
  look.on_call = [&](const perdure::replayed_call& c) {
    if (c.message_type != "pay") return true;
    const auto& before = *static_cast<const purse*>(c.state);
    const auto& m = *static_cast<const pay*>(c.message);
    if (m.cents <= before.cents) return true;
    found = perdure::to_text(look_back::actors(), m).value();
    return false;  // with a breakpoint here in place of that, a debugger would step into the handler
  };
  const auto report = perdure::replay(look_back::actors(), recording, look).value();
  std::filesystem::remove(recording);
  std::printf("too much: %s\n", report.ended ? found.c_str() : "never");
  return 0;
} catch (const perdure::bad_result& e) {
  std::fprintf(stderr, "look_back: %s\n", e.what());
  return 1;
}
