// tests/apps/wavesim3d/places_test.cpp - where the program writes: looked at before the first step, nothing half written.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "program.hpp"

namespace {

namespace fs = std::filesystem;
using wavesim3d_test::Program;
using wavesim3d_test::small;

TEST_F(Program, AFullDiskIsAnErrorAndOlderFilesStay) {
  const auto scene = write(small);
  const auto out = here_ / "out";
  fs::create_directories(out);
  std::ofstream{out / "scene-000030.vti"} << "older";
  // files of at most 16 blocks of 512 bytes: a .vti of 8,000 cells does not fit
  EXPECT_EQ(run(scene.string() + " --backend cpu --vti --quiet --out " + out.string(),
                "trap '' XFSZ; ulimit -f 16; "),
            1);
  EXPECT_NE(said_.find("scene-000030.vti: cannot be written: File too large"), std::string::npos)
      << said_;
  std::stringstream text;
  text << std::ifstream{out / "scene-000030.vti"}.rdbuf();
  EXPECT_EQ(text.str(), "older");
  for (const auto& left : fs::directory_iterator{out})
    EXPECT_EQ(left.path().string().find(".part-"), std::string::npos) << left.path();
}

TEST_F(Program, PlacesThatCannotBeWrittenAreFoundBeforeTheFirstStep) {
  auto s = nlohmann::json::parse(small);
  s["steps"] = 100'000'000;  // longer than any test waits
  const auto scene = write(s.dump());
  std::ofstream{here_ / "file"} << "older";
  const std::string line = scene.string() + " --backend cpu --quiet --out ";
  const std::string file = (here_ / "file").string(), good = (here_ / "out").string();
  EXPECT_EQ(run(line + file + "/out"), 1);
  EXPECT_NE(said_.find("file/out"), std::string::npos) << said_;
  EXPECT_EQ(run(line + good + " --json " + file + "/x.json"), 1);
  EXPECT_NE(said_.find("file/x.json"), std::string::npos) << said_;
  EXPECT_EQ(run(line + good + " --checkpoint " + file), 2);
  EXPECT_NE(said_.find("--checkpoint " + file + ": there is a file that is no checkpoint"),
            std::string::npos)
      << said_;
  EXPECT_EQ(run(line + good + " --checkpoint " + scene.string()), 2);
  EXPECT_NE(said_.find("is the scene and --checkpoint; it would be replaced"), std::string::npos)
      << said_;
  EXPECT_EQ(run(line + good + " --json " + scene.string()), 2);
  EXPECT_EQ(fs::file_size(scene), s.dump().size());
  EXPECT_EQ(fs::file_size(file), 5U);
}

TEST_F(Program, AFolderInThePlaceOfATraceOrTheCheckpointUnderASummaryIsFoundBeforeTheFirstStep) {
  auto s = nlohmann::json::parse(small);
  s["steps"] = 100'000'000;  // a run of hours
  const auto out = here_ / "out";
  const std::string line =
      write(s.dump()).string() + " --backend cpu --quiet --out " + out.string();
  fs::create_directories(out / "traces.png");
  EXPECT_EQ(run(line, "timeout 60 "), 1);
  EXPECT_NE(said_.find("traces.png: is not a regular file"), std::string::npos) << said_;
  fs::remove_all(out);
  const auto kept = (here_ / "kept").string();
  EXPECT_EQ(run(line + " --checkpoint " + kept + " --json " + kept, "timeout 60 "), 2);
  EXPECT_NE(said_.find("kept: is --checkpoint and --json; it would be replaced"), std::string::npos)
      << said_;
}

TEST_F(Program, NoFileIsWrittenAsTwoThingsAndTheOlderOnesStay) {
  auto s = nlohmann::json::parse(small);
  s["steps"] = 100'000'000;  // a run of hours
  s["energy_every"] = 10;
  s["vti_every"] = 15;
  const auto out = here_ / "out", kept = here_ / "kept";
  const std::string line = " --backend cpu --quiet --out " + out.string();
  fs::create_directories(out);
  for (const std::string name : {"traces.csv", "traces.png", "energy.csv", "scene-z5-000020.png",
                                 "scene-z5.mp4", "scene-000015.vti"}) {
    const auto place = (out / name).string();
    std::ofstream{place} << "older";
    for (const std::string option : {"--json", "--checkpoint"}) {
      EXPECT_EQ(run(write(s.dump()).string() + line + " " + option + " " + place, "timeout 10 "), 2)
          << place;
      EXPECT_NE(said_.find(place + ": is " + option + " and a file that the run leaves in --out "),
                std::string::npos)
          << said_;
    }
    EXPECT_EQ(fs::file_size(place), 5U) << place;
  }
  const auto result = (out / "result.json").string();
  const std::string from_within = "cd " + out.string() + "; timeout 10 ";
  EXPECT_EQ(run(write(s.dump()).string() + line + " --checkpoint result.json", from_within), 2);
  EXPECT_NE(said_.find("result.json: is --checkpoint and"), std::string::npos) << said_;
  EXPECT_EQ(
      run(write(small).string() + line + " --json " + result + " --checkpoint " + kept.string()), 0)
      << "the copy may be the summary itself: " << said_;
  fs::copy_file(kept, out / "traces.csv", fs::copy_options::overwrite_existing);
  const auto size = fs::file_size(kept);
  EXPECT_EQ(run(write(small).string() + line + " --resume " + (out / "traces.csv").string()), 2);
  EXPECT_NE(said_.find("traces.csv: is --resume and"), std::string::npos) << said_;
  EXPECT_EQ(fs::file_size(out / "traces.csv"), size);
}

TEST_F(Program, TheBenchAndTheAccuracyPageLookAtTheirPlacesFirst) {
  std::ofstream{here_ / "file"} << "in the way";
  const std::string below = " --out " + (here_ / "file" / "x").string();
  EXPECT_EQ(run("bench --backend cpu --size 512 --runs 1000" + below, "timeout 60 "), 1);
  EXPECT_NE(said_.find("file/x"), std::string::npos) << said_;
  EXPECT_EQ(run("bench --backend cpu --memory-gib nan", "timeout 60 "), 2) << said_;
  EXPECT_EQ(run("--help; timeout 60 " WAVESIM3D_PROGRAM "-accuracy --size 512" + below), 1);
  EXPECT_NE(said_.find("file/x"), std::string::npos) << said_;
}

TEST_F(Program, WhatAFilmIsMadeOfIsNamedAsThePartsThatAreRemoved) {
  // an ffmpeg that is killed on the way leaves what is there now
  std::ofstream{here_ / "ffmpeg"} << "#!/bin/sh\nls " << (here_ / "out").string() << " >"
                                  << (here_ / "seen").string() << "\nexit 1\n";
  fs::permissions(here_ / "ffmpeg", fs::perms::owner_all);
  EXPECT_EQ(run(write(small).string() + " --backend cpu --quiet --out " + (here_ / "out").string(),
                "PATH=" + here_.string() + ":$PATH "),
            0)
      << said_;
  std::ifstream in{here_ / "seen"};
  int parts = 0;
  for (std::string name; std::getline(in, name);) {
    const auto at = name.rfind(".part-");
    if (at == std::string::npos) continue;
    ++parts;
    EXPECT_EQ(name.find_first_not_of("0123456789", at + 6), std::string::npos) << name;
  }
  EXPECT_GE(parts, 2);
}

TEST_F(Program, WhatStandardErrorDoesNotTakeChangesNoExitCode) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  const auto scene = write(small).string(), out = (here_ / "out").string();
  for (const std::string error : {" >/dev/null 2>/dev/full #", " >/dev/null 2>&- #"}) {
    EXPECT_EQ(run(scene + " --backend cpu --out " + out + error, "PATH=/nowhere "), 0) << "no film";
    EXPECT_EQ(run("none.json --backend cpu --out " + out + error), 2);
    EXPECT_EQ(run(scene + " --backend cpu --out " + scene + "/x" + error), 1);
    EXPECT_EQ(run("bench --backend cpu --size 32,64 --json x" + error), 2);
    EXPECT_EQ(run("bench --backend cpu --size 32 --out " + scene + "/x" + error), 1);
    EXPECT_EQ(
        run("--help >/dev/null; " WAVESIM3D_PROGRAM "-accuracy --out " + scene + "/x" + error), 1);
  }
}

TEST_F(Program, ASummaryThatCannotBePrintedIsAnError) {
  const auto scene = write(small);
  const std::string line =
      scene.string() + " --backend cpu --no-animation --out " + (here_ / "out").string();
  EXPECT_EQ(run(line + " >/dev/full #"), 1);
  EXPECT_EQ(run(line + " --quiet --json - >/dev/full #"), 1);
}

TEST_F(Program, EachSceneHasAFolderOfItsOwn) {
  const auto scene = write(small);
  const auto program = fs::absolute(WAVESIM3D_PROGRAM).string();
  const std::string command = "cd " + here_.string() + " && " + program + " " + scene.string() +
                              " --backend cpu --quiet --no-animation";
  EXPECT_EQ(std::system(command.c_str()), 0);
  EXPECT_TRUE(fs::exists(here_ / "out/wavesim3d/scene/result.json"));
}

TEST_F(Program, WhatKilledRunsLeftIsRemoved) {
  const auto scene = write(small);
  const auto out = here_ / "out";
  fs::create_directories(out);
  const auto dead = out / "scene-z5-000010.png.part-99999999", other = out / "notes.part-of-mine";
  for (const auto& each : {dead, other}) std::ofstream{each} << "x";
  EXPECT_EQ(run(scene.string() + " --backend cpu --quiet --no-animation --out " + out.string()), 0);
  EXPECT_FALSE(fs::exists(dead));
  EXPECT_TRUE(fs::exists(other));
}

TEST_F(Program, AResumedRunNamesWhatWasWrittenBefore) {
  auto s = nlohmann::json::parse(small);
  s["vti_every"] = 10;
  const auto kept = (here_ / "kept").string(), out = (here_ / "out").string();
  const auto files = [&] {
    nlohmann::json result;
    std::ifstream{fs::path{out} / "result.json"} >> result;
    std::vector<std::string> names = result["files"];
    std::sort(names.begin(), names.end());
    return names;
  };
  const std::string line = " --backend cpu --quiet --no-animation --out " + out;
  ASSERT_EQ(run(write(s.dump()).string() + line), 0) << said_;
  const auto whole = files();
  s["steps"] = 20;
  ASSERT_EQ(run(write(s.dump()).string() + line + " --checkpoint " + kept), 0) << said_;
  s["steps"] = 30;
  ASSERT_EQ(run(write(s.dump()).string() + line + " --resume " + kept), 0) << said_;
  EXPECT_EQ(files(), whole);
}

}  // namespace
