// tests/apps/wavesim3d/checkpoint_test.cpp - a run that is killed and resumed gives the bits of one that is not.
// Replay: a failing run prints its seed; PERDURE_SEED=n runs that seed.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <thread>

#include "checkpoint.hpp"
#include "common/failure.hpp"
#include "simulation.hpp"

namespace wavesim3d {
namespace {

namespace fs = std::filesystem;

/// Both kinds of tiles: with nothing special, and with walls that remember, sources over shapes and damping.
constexpr const char* plain_scene =
    R"({"cells": [40, 36, 20], "mode": [2, 1, 1], "energy_every": 100,
        "sources": [{"kind": "sine", "at": [20, 10, 5], "frequency_hz": 900}],
        "receivers": [{"at": [30, 10, 5]}]})";
constexpr const char* medium_scene =
    R"({"cells": [40, 36, 20], "energy_every": 100, "damping_per_s": 5, "sponge_cells": 6,
        "faces": {"all": "mur", "west": "sponge", "down": "reflecting"},
        "materials": [{"name": "wall", "kind": "rigid"}],
        "bodies": [{"shape": "sphere", "center": [20, 20, 10], "radius": 5, "material": "wall"}],
        "sources": [{"kind": "sine", "frequency_hz": 900,
                     "over": {"shape": "box", "from": [3, 3, 3], "to": [30, 5, 6]}}],
        "receivers": [{"at": [30, 10, 5]}, {"at": [39, 35, 19]}]})";

class Checkpoint : public testing::TestWithParam<std::string> {
 protected:
  Checkpoint() : here_{fs::temp_directory_path() / ("wavesim3d-kept-" + std::to_string(getpid()))} {
    fs::remove_all(here_);
    fs::create_directories(here_);
    end_at(3'000);
  }
  ~Checkpoint() override { fs::remove_all(here_); }

  void end_at(int steps) const {
    auto s = nlohmann::json::parse(GetParam() == "plain" ? plain_scene : medium_scene);
    s["steps"] = steps;
    std::ofstream{here_ / "scene.json"} << s;
  }
  pid_t start(const fs::path& out, const fs::path& kept, bool resume) const {
    std::vector<std::string> line = {WAVESIM3D_PROGRAM,
                                     here_ / "scene.json",
                                     "--backend",
                                     "cpu",
                                     "--quiet",
                                     "--vti",
                                     "--out",
                                     out,
                                     "--workers",
                                     "2",
                                     "--checkpoint",
                                     kept,
                                     "--checkpoint-every",
                                     "31"};
    if (resume) line.insert(line.end(), {"--resume", kept});
    std::vector<char*> words;
    for (std::string& word : line) words.push_back(word.data());
    words.push_back(nullptr);
    const pid_t child = fork();
    if (child == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);  // no run outlives a test that was ended
      execv(words[0], words.data());
      _exit(127);
    }
    return child;
  }
  static std::string bytes(const fs::path& of) {
    std::ifstream in{of, std::ios::binary};
    return {std::istreambuf_iterator<char>{in}, {}};
  }
  fs::path here_;
};

// The killed runs have no end in sight, and the end is chosen behind the last kill: so each is killed before it, however
// slow the machine is.
TEST_P(Checkpoint, KilledTenTimesAtRandomStepsARunEndsInTheSameBits) {
  const char* one = std::getenv("PERDURE_SEED");
  const unsigned seed = one != nullptr ? static_cast<unsigned>(std::strtoul(one, nullptr, 10))
                                       : std::random_device{}();
  SCOPED_TRACE("PERDURE_SEED=" + std::to_string(seed));
  std::mt19937 random{seed};
  const auto kept = here_ / "killed.kept";
  end_at(10'000'000);
  int status = 0;
  for (int kills = 0; kills < 10; ++kills) {
    const auto seen = [&] {
      std::error_code none;
      return fs::last_write_time(kept, none);
    };
    auto last = seen();
    const pid_t child = start(here_ / "killed", kept, fs::exists(kept));
    // some checkpoints later, and then anywhere on the way to the next one, or within its writing
    for (auto changes = random() % 4 + 1; changes > 0;) {
      std::this_thread::sleep_for(std::chrono::microseconds{200});
      ASSERT_EQ(waitpid(child, &status, WNOHANG), 0) << "it ended by itself with " << status;
      if (seen() != last) --changes, last = seen();
    }
    std::this_thread::sleep_for(std::chrono::microseconds{random() % 5'000});
    kill(child, SIGKILL);
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status)) << status;
  }
  const int killed_behind = read_checkpoint(kept, read_scene(here_ / "scene.json")).step;
  EXPECT_GE(killed_behind, 10 * 31);  // each went on from the one before
  const int end = killed_behind + 100;
  end_at(end);
  waitpid(start(here_ / "killed", kept, true), &status, 0);
  ASSERT_EQ(status, 0);
  waitpid(start(here_ / "whole", here_ / "whole.kept", false), &status, 0);
  ASSERT_EQ(status, 0);
  const std::string field = fmt::format("scene-{:06}.vti", end);
  for (const std::string& name : {field, std::string{"traces.csv"}, std::string{"energy.csv"}}) {
    EXPECT_FALSE(bytes(here_ / "whole" / name).empty()) << name;
    EXPECT_TRUE(bytes(here_ / "whole" / name) == bytes(here_ / "killed" / name)) << name;
  }
}

TEST_P(Checkpoint, AFileThatIsCutOffDamagedOrOfAnotherSceneIsRefusedByName) {
  scene s = read_scene(here_ / "scene.json");
  perdure::options cpu;
  cpu.backend = perdure::backend::cpu;
  simulation sim{s, cpu};
  sim.advance(20);
  const auto path = here_ / "kept";
  write_checkpoint(path, s, sim.save());
  const auto why = [&](const scene& of) -> std::string {
    try {
      (void)read_checkpoint(path, of);
    } catch (const apps::failure& e) {
      EXPECT_EQ(e.code(), apps::exit_code::usage);
      return e.what();
    }
    return "";
  };
  EXPECT_EQ(why(s), "");
  scene longer = s;
  longer.steps = 9'999;
  longer.slices = {{2, 3}};
  EXPECT_EQ(why(longer), "") << "what is written may differ";
  scene other = s;
  other.cells[1] = 37;
  EXPECT_NE(why(other).find("kept: was written for another scene: cells is [40,36,20] there and "
                            "[40,37,20] here"),
            std::string::npos)
      << why(other);
  other = s;
  other.sources[0].frequency_hz += 1;
  EXPECT_NE(why(other).find("another scene: sources is"), std::string::npos) << why(other);
  const std::string whole = bytes(path);
  for (const std::size_t size : {std::size_t{0}, std::size_t{10}, std::size_t{27}, std::size_t{200},
                                 whole.size() / 2, whole.size() - 1}) {
    std::ofstream{path, std::ios::binary} << whole.substr(0, size);
    EXPECT_NE(why(s), "") << size;
    if (size > 1000) {
      EXPECT_NE(why(s).find("of " + std::to_string(whole.size())), std::string::npos) << why(s);
    }
  }
  for (const std::size_t at : {whole.size() / 2, whole.size() - 2}) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 4);
    std::ofstream{path, std::ios::binary} << damaged;
    EXPECT_NE(why(s).find("checksum"), std::string::npos) << why(s);
  }
}

INSTANTIATE_TEST_SUITE_P(Tiles, Checkpoint, testing::Values("plain", "medium"));

}  // namespace
}  // namespace wavesim3d
