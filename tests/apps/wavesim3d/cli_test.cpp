// tests/apps/wavesim3d/cli_test.cpp - what the program leaves, and what it says of scenes and options that are wrong.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <thread>
#include <vector>

#include "program.hpp"

namespace {

namespace fs = std::filesystem;
using wavesim3d_test::Program;
using wavesim3d_test::small;

/// One column of traces.csv, the last `rows` steps.
std::vector<double> last_of_trace(const fs::path& csv, int column, std::size_t rows) {
  std::vector<double> out;
  std::ifstream in{csv};
  std::string line, field;
  std::getline(in, line);
  while (std::getline(in, line)) {
    std::stringstream fields{line};
    for (int i = 0; i <= column; ++i) std::getline(fields, field, ',');
    out.push_back(std::stod(field));
  }
  out.erase(out.begin(), out.end() - static_cast<std::ptrdiff_t>(std::min(rows, out.size())));
  return out;
}

TEST_F(Program, LeavesPicturesTracesAndASummary) {
  const auto scene = write(small);
  const auto out = here_ / "out";
  ASSERT_EQ(run(scene.string() + " --backend cpu --quiet --out " + out.string()), 0) << said_;
  EXPECT_EQ(said_, "");
  for (const char* picture : {"scene-z5-000010.png", "scene-z5-000020.png", "scene-z5-000030.png"})
    EXPECT_TRUE(fs::exists(out / picture)) << picture;
  nlohmann::json result;
  std::ifstream{out / "result.json"} >> result;
  EXPECT_EQ(result["backend"], "cpu");
  EXPECT_EQ(result["tiles"], 2);
  EXPECT_EQ(result["steps"], 30);
  for (const auto& name : result["files"]) EXPECT_TRUE(fs::exists(out / name)) << name;
  EXPECT_GT(result["field_peak_pa"].get<double>(), 0);
  std::ifstream traces{out / "traces.csv"};
  std::string line;
  int rows = 0;
  while (std::getline(traces, line)) ++rows;
  EXPECT_EQ(rows, 31);
}

TEST_F(Program, WritesEnergyAFieldForParaViewAndAFilmOrSaysWhyNot) {
  auto s = nlohmann::json::parse(small);
  s["energy_every"] = 10;
  const auto scene = write(s.dump());
  const auto out = here_ / "o'ut";
  ASSERT_EQ(run(scene.string() + " --backend cpu --vti --out \"" + out.string() + "\""), 0)
      << said_;
  for (const char* name : {"energy.csv", "energy.png", "traces.png", "scene-000030.vti"})
    EXPECT_TRUE(fs::exists(out / name)) << name;
  const bool said = said_.find("no film of scene-z5: ffmpeg is not installed") != std::string::npos;
  EXPECT_NE(fs::exists(out / "scene-z5.mp4"), said) << said_;
  if (!said) {
    EXPECT_GT(fs::file_size(out / "scene-z5.mp4"), 1000U);
  }
  for (const auto& left : fs::directory_iterator{out})
    EXPECT_EQ(left.path().string().find(".part-"), std::string::npos) << left.path();
  fs::remove_all(out);
  ASSERT_EQ(run(scene.string() + " --backend cpu --no-animation --out " + (here_ / "b").string()),
            0);
  EXPECT_FALSE(fs::exists(here_ / "b" / "scene-z5.mp4"));
}

TEST_F(Program, WithoutFfmpegARunSaysSoAndEndsWell) {
  const auto scene = write(small);
  ASSERT_EQ(
      run(scene.string() + " --backend cpu --out " + (here_ / "out").string(), "PATH=/nowhere "), 0)
      << said_;
  EXPECT_NE(said_.find("no film of scene-z5: ffmpeg is not installed"), std::string::npos) << said_;
}

TEST_F(Program, AnOptionThatTheLibraryRefusesIsUsage) {
  const auto scene = write(small);
  EXPECT_EQ(
      run(scene.string() + " --backend cpu --workers 100000 --out " + (here_ / "out").string()), 2);
  EXPECT_NE(said_.find("workers is 100000"), std::string::npos) << said_;
  EXPECT_FALSE(fs::exists(here_ / "out"));
}

TEST_F(Program, TheBenchTakesNoMoreWorkersThanTheLibraryAndItsLoopNoMoreThanCores) {
  const std::string line = "bench --backend cpu --size 32 --steps 2 --check-steps 2 --runs 1";
  EXPECT_EQ(run(line + " --workers 100000"), 2);
  EXPECT_NE(said_.find("--workers: Value 100000 not in range 0 to 4096"), std::string::npos)
      << said_;
  const unsigned cores = std::thread::hardware_concurrency();
  EXPECT_EQ(run(line + " --workers " + std::to_string(cores + 3),
                "OMP_DISPLAY_AFFINITY=true OMP_AFFINITY_FORMAT='team of %N.' "),
            0)
      << said_;
  EXPECT_EQ(said_.find("team of " + std::to_string(cores + 3) + "."), std::string::npos) << said_;
  EXPECT_NE(said_.find("team of " + std::to_string(cores) + "."), std::string::npos) << said_;
}

TEST_F(Program, AWholeNumberIsDecimal) {
  const auto scene = write(small).string();
  EXPECT_EQ(run(scene + " --backend cpu --workers 010 --out " + (here_ / "out").string()), 2);
  EXPECT_NE(said_.find("--workers: expected a whole number"), std::string::npos) << said_;
  EXPECT_EQ(run(scene + " --checkpoint x --checkpoint-every 010"), 2);
  EXPECT_EQ(run("bench --backend cpu --steps 2 --runs 1 --size 32,064"), 2);
  EXPECT_NE(said_.find("found 064"), std::string::npos) << said_;
  EXPECT_FALSE(fs::exists(here_ / "out"));
}

TEST_F(Program, APathThatIsEmptyIsNoOptionThatWasLeftOut) {
  const auto scene = write(small).string();
  for (const std::string option : {"--out", "--json", "--checkpoint"}) {
    EXPECT_EQ(run(scene + " --backend cpu " + option + " ''", "cd " + here_.string() + "; "), 2);
    EXPECT_NE(said_.find(option + ": expected a path, found nothing"), std::string::npos) << said_;
  }
  EXPECT_FALSE(fs::exists(here_ / "out"));
  for (const std::string option : {"--out ''", "--json ''"})
    EXPECT_EQ(run("bench --backend cpu --steps 2 --runs 1 --size 32 " + option), 2) << option;
}

TEST_F(Program, ItsHelpNamesTheBench) {
  EXPECT_EQ(run("--help"), 0);
  EXPECT_NE(said_.find("wavesim3d bench"), std::string::npos) << said_;
}

TEST_F(Program, ALiveViewWritesNoFilesAndOptionsThatDoAreRefused) {
  const auto scene = write(small);
  for (const char* writes : {"--vti", "--json x.json", "--checkpoint x", "--out x"}) {
    EXPECT_EQ(run(scene.string() + " --serve 0 " + writes), 2) << writes;
    EXPECT_NE(said_.find(" excludes "), std::string::npos) << said_;
  }
}

TEST_F(Program, ABadSceneWritesNothingAndOlderFilesStay) {
  const auto out = here_ / "out";
  fs::create_directories(out);
  std::ofstream{out / "result.json"} << "older";
  const auto scene = write(R"({"cells": [40, 20, 10], "steps": 30, "courant": 0.7})");
  EXPECT_EQ(run(scene.string() + " --backend cpu --out " + out.string()), 2);
  EXPECT_NE(said_.find("courant: 0.7 is unstable"), std::string::npos) << said_;
  std::stringstream text;
  text << std::ifstream{out / "result.json"}.rdbuf();
  EXPECT_EQ(text.str(), "older");
  EXPECT_EQ(std::distance(fs::directory_iterator{out}, {}), 1);
}

TEST_F(Program, AGridThatDoesNotFitIsRefusedWithWhatFits) {
  const auto scene = write(R"({"cells": [256, 256, 64], "steps": 1})");
  const std::string line =
      scene.string() + " --backend cpu --quiet --out " + (here_ / "out").string();
  EXPECT_EQ(run(line + " --memory-gib 0.03"), 2);
  EXPECT_NE(said_.find(
                "scene.json: cells: the grid of 256 x 256 x 64 cells does not fit: 256 tiles need"),
            std::string::npos)
      << said_;
  EXPECT_FALSE(fs::exists(here_ / "out"));
  const auto at = said_.find("a cube of ");
  ASSERT_NE(at, std::string::npos) << said_;
  const int side = std::stoi(said_.substr(at + 10));
  ASSERT_GE(side, 32);
  const auto fitting = nlohmann::json{{"cells", {side, side, side}}, {"steps", 1}}.dump();
  EXPECT_EQ(run(write(fitting).string() + " --backend cpu --quiet --memory-gib 0.03 --out " +
                (here_ / "out").string()),
            0)
      << said_;
}

TEST_F(Program, AGridFarTooLargeTakesNoMemoryBeforeItIsRefused) {
  const auto scene = write(
      R"({"cells": [4096, 4096, 4096], "steps": 1, "materials": [{"name": "wall", "kind": "rigid"}],
          "bodies": [{"material": "wall", "shape": "box", "from": [0, 0, 0], "to": [9, 9, 9]}]})");
  // a byte a cell would be 64 GiB
  EXPECT_EQ(run(scene.string() + " --backend cpu --quiet --memory-gib 0.1", "ulimit -v 8000000; "),
            2);
  EXPECT_NE(said_.find("cells does not fit"), std::string::npos) << said_;
  EXPECT_EQ(run(scene.string() + " --memory-gib 1e-12"), 2);
  EXPECT_NE(said_.find("not one tile does"), std::string::npos) << said_;
  EXPECT_EQ(run(scene.string() + " --memory-gib nan"), 2);
}

TEST_F(Program, MoreThanATileHasRoomForIsNamedByFileAndKey) {
  auto s = nlohmann::json::parse(small);
  s["receivers"].clear();
  for (int i = 1; i < 5; ++i) s["receivers"].push_back({{"at", {i, 1, 1}}});
  EXPECT_EQ(run(write(s.dump()).string() + " --backend cpu --quiet --no-animation --out " +
                (here_ / "a").string()),
            0)
      << said_;
  s["receivers"].push_back({{"at", {5, 1, 1}}});
  const auto scene = write(s.dump());
  EXPECT_EQ(run(scene.string() + " --backend cpu --quiet --out " + (here_ / "b").string()), 2);
  EXPECT_NE(said_.find(scene.string() + ": receivers[4].at: one more than the tile"),
            std::string::npos)
      << said_;
  s["receivers"].clear();
  s["sources"].clear();
  for (int i = 0; i < 4; ++i) s["sources"].push_back({{"kind", "impulse"}, {"at", {i, 1, 1}}});
  s["sources"].push_back(
      {{"kind", "impulse"}, {"over", {{"shape", "layer"}, {"axis", "y"}, {"from", 3}, {"to", 3}}}});
  EXPECT_EQ(
      run(write(s.dump()).string() + " --backend cpu --quiet --out " + (here_ / "b").string()), 2);
  EXPECT_NE(said_.find("scene.json: sources[4].over: one more"), std::string::npos) << said_;
  EXPECT_FALSE(fs::exists(here_ / "b"));
}

TEST_F(Program, AResumeFileThatDoesNotFitTheSceneIsRefusedAndNothingIsWritten) {
  const auto kept = here_ / "kept";
  const std::string line = write(small).string() + " --backend cpu --quiet --no-animation --out ";
  ASSERT_EQ(run(line + (here_ / "a").string() + " --checkpoint " + kept.string()), 0) << said_;
  EXPECT_EQ(run(line + (here_ / "b").string() + " --resume " + kept.string()), 0) << said_;
  auto s = nlohmann::json::parse(small);
  s["steps"] = 20;
  write(s.dump());
  EXPECT_EQ(run(line + (here_ / "c").string() + " --resume " + kept.string()), 2);
  EXPECT_NE(said_.find("kept: is at step 30, the scene ends at 20"), std::string::npos) << said_;
  s["cells"] = {40, 20, 11};
  write(s.dump());
  EXPECT_EQ(run(line + (here_ / "c").string() + " --resume " + kept.string()), 2);
  EXPECT_NE(said_.find("cells is [40,20,10] there and [40,20,11] here"), std::string::npos)
      << said_;
  EXPECT_EQ(run(line + (here_ / "c").string() + " --resume " + (here_ / "none").string()), 2);
  EXPECT_FALSE(fs::exists(here_ / "c"));
}

TEST_F(Program, WrongUsageIsTwoAndAFileInTheWayIsOne) {
  EXPECT_EQ(run(""), 2);
  EXPECT_EQ(run("--backend gpu x.json"), 2);
  const auto scene = write(small);
  std::ofstream{here_ / "file"} << "in the way";
  EXPECT_EQ(run(scene.string() + " --backend cpu --quiet --out " + (here_ / "file").string()), 1);
  EXPECT_NE(said_.find((here_ / "file").string()), std::string::npos) << said_;
}

TEST_F(Program, TheShippedScenesAreScenes) {
  for (const auto& entry : fs::directory_iterator{WAVESIM3D_SCENES}) {
    std::ifstream in{entry.path()};
    auto scene = nlohmann::json::parse(in, nullptr, true, true);
    scene["steps"] = 2;
    const auto path = write(scene.dump());
    EXPECT_EQ(run(path.string() + " --backend cpu --quiet --out " + (here_ / "out").string()), 0)
        << entry.path() << ": " << said_;
  }
}

TEST_F(Program, TheDoubleSlitHasAMinimumWhereItSaysAndNoConstantPressure) {
  const auto scene = fs::path{WAVESIM3D_SCENES} / "double_slit.json";
  ASSERT_EQ(run(scene.string() + " --backend cpu --quiet --no-animation --out " + here_.string()),
            0)
      << said_;
  // eight periods of 22.9 steps
  const auto axis = last_of_trace(here_ / "traces.csv", 2, 183);
  const auto minimum = last_of_trace(here_ / "traces.csv", 3, 183);
  const auto amplitude = [](const std::vector<double>& p) {
    return (*std::max_element(p.begin(), p.end()) - *std::min_element(p.begin(), p.end())) / 2;
  };
  EXPECT_GT(amplitude(axis), 0.5);
  EXPECT_LT(amplitude(minimum), 0.2 * amplitude(axis));
  EXPECT_LT(std::abs(std::accumulate(axis.begin(), axis.end(), 0.0)) / 183, 0.02 * amplitude(axis));
}

TEST_F(Program, ServesNoCheckpointOfTilesThatTakeNoOrders) {
  const auto scene = write(small).string();
  const auto kept = (here_ / "kept").string();
  ASSERT_EQ(run(scene + " --backend cpu --quiet --out " + (here_ / "out").string() +
                " --checkpoint " + kept),
            0)
      << said_;
  // timeout ends a program that serves all the same, with exit code 124
  EXPECT_EQ(run(scene + " --backend cpu --serve 0 --resume " + kept, "timeout 60 "), 2);
  EXPECT_NE(said_.find("kept: was written by a plain run"), std::string::npos) << said_;
  EXPECT_EQ(said_.find("http://"), std::string::npos) << said_;
}

}  // namespace
