// tests/runtime/replay/passing_on.hpp - a small run that is recorded: two actors that pass something on to each other.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <perdure/replay.hpp>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "tests/contract/schedules.hpp"

namespace replay_test {

using contract::expect_ok;
using namespace std::chrono_literals;

struct ball {
  std::uint32_t left;
};
struct player : perdure::actor<player> {
  perdure::ref<player> other;
  std::uint64_t drawn = 0;
  perdure::hlc last;

  void on(const ball& m, perdure::context& ctx) {
    drawn ^= ctx.random();
    last = ctx.now();
    ctx.log("{} left", m.left);
    if (m.left != 0) ctx.send(other, ball{m.left - 1});
  }
};

class PassingOn : public ::testing::Test {
 protected:
  static constexpr std::uint32_t passes = 11;

  PassingOn() { program.actor<player, ball>().log("{} left"); }
  void TearDown() override {
    std::error_code none;
    std::filesystem::remove(file, none);
  }

  void record() {
    auto o = contract::tight(perdure::schedule::seeded, 3);
    o.record = file;
    o.record_slots = 64;
    o.on_log = [this](const perdure::log_record& r) { lines.emplace(r.at.bits, r.text); };
    auto sys = perdure::system::start(program.done(), o).value();
    const perdure::ref<player> first{sys.spawn<player>(1).value()[0].bits + 1};
    const auto both = sys.spawn<player>(2, [&](std::size_t i) {
      player p;
      p.other = perdure::ref<player>{first.bits + 1 - i};
      return p;
    });
    expect_ok(both);
    expect_ok(sys.send((*both)[0], ball{passes}));
    expect_ok(sys.stop(20s));
  }
  /// Files that begin with its name and go on.
  std::size_t parts() const {
    std::size_t n = 0;
    for (const auto& e : std::filesystem::directory_iterator{file.parent_path()}) {
      const auto name = e.path().string();
      n += name != file.string() && name.starts_with(file.string()) ? 1 : 0;
    }
    return n;
  }
  std::vector<char> bytes() const {
    std::ifstream in{file, std::ios::binary};
    return {std::istreambuf_iterator<char>{in}, {}};
  }
  void write(const std::vector<char>& all) const {
    std::ofstream{file, std::ios::binary}.write(all.data(),
                                                static_cast<std::streamsize>(all.size()));
  }

  contract::registry program;
  std::map<std::uint64_t, std::string> lines;  ///< of the run, by time
  const std::filesystem::path file{std::filesystem::temp_directory_path() /
                                   ("perdure_replay_" + std::to_string(::getpid()))};
};

}  // namespace replay_test
