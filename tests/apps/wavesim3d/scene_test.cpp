// tests/apps/wavesim3d/scene_test.cpp - a scene is read whole, or refused with the key that is wrong.
// SPDX-License-Identifier: Apache-2.0
#include "scene.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "common/failure.hpp"

namespace wavesim3d {
namespace {

class Scene : public testing::Test {
 protected:
  Scene()
      : path_{std::filesystem::temp_directory_path() /
              ("scene-" + std::to_string(getpid()) + ".json")} {}
  ~Scene() override { std::filesystem::remove(path_); }
  scene read(const std::string& text) const {
    std::ofstream{path_} << text;
    return read_scene(path_.string());
  }
  void refused(const std::string& text, const std::string& key, const std::string& why) const {
    try {
      (void)read(text);
      FAIL() << "accepted: " << text;
    } catch (const apps::failure& e) {
      const std::string said = e.what();
      EXPECT_NE(said.find(path_.string()), std::string::npos) << said;
      EXPECT_NE(said.find(key), std::string::npos) << said;
      EXPECT_NE(said.find(why), std::string::npos) << said;
      EXPECT_EQ(e.code(), apps::exit_code::usage);
    }
  }
  std::filesystem::path path_;
};

TEST_F(Scene, EveryKeyArrives) {
  const scene s =
      read(R"({"cells": [10, 20, 30], "spacing_m": 0.5, "speed_m_s": 1500, "courant": 0.25,
    "steps": 7, "mode": [1, 2, 3], // comments are welcome
    "sources": [{"kind": "ricker", "at": [1, 2, 3], "amplitude_pa": 2, "frequency_hz": 100, "delay_s": 0.01},
                {"kind": "impulse", "at": [9, 19, 29]}],
    "receivers": [{"name": "ear", "at": [4, 5, 6]}, {"at": [0, 0, 0]}],
    "slices": [{"axis": "y", "index": 19, "every": 3}]})");
  EXPECT_EQ(s.cells, (std::array{10, 20, 30}));
  EXPECT_EQ(s.spacing_m, 0.5);
  EXPECT_DOUBLE_EQ(s.time_step_s(), 0.25 * 0.5 / 1500);
  EXPECT_EQ(s.steps, 7);
  EXPECT_EQ(s.mode, (std::array{1, 2, 3}));
  ASSERT_EQ(s.sources.size(), 2U);
  EXPECT_EQ(s.sources[0].kind, wave::ricker);
  EXPECT_EQ(s.sources[0].delay_s, 0.01);
  EXPECT_EQ(s.sources[1].at, (std::array{9, 19, 29}));
  ASSERT_EQ(s.receivers.size(), 2U);
  EXPECT_EQ(s.receivers[0].name, "ear");
  EXPECT_EQ(s.receivers[1].name, "p2");
  ASSERT_EQ(s.slices.size(), 1U);
  EXPECT_EQ(s.slices[0].axis, 1);
}

TEST_F(Scene, WhatIsWrongIsNamed) {
  refused("{", "expected JSON", "");
  refused("[]", "scene", "expected an object");
  refused(R"({"steps": 1})", "cells", "is missing");
  refused(R"({"cells": [1, 2], "steps": 1})", "cells", "three whole numbers");
  refused(R"({"cells": [8, 8, 0], "steps": 1})", "cells", "from 1 to 4096");
  refused(R"({"cells": [8, 8, 8]})", "steps", "is missing");
  refused(R"({"cells": [8, 8, 8], "steps": 1.5})", "steps", "whole number");
  refused(R"({"cells": [8, 8, 8], "steps": 1, "colour": 3})", "colour", "unknown key; known are");
  refused(R"({"cells": [8, 8, 8], "steps": 1, "courant": 0.6})", "courant",
          "at most 1/sqrt(3) = 0.577350");
  refused(R"({"cells": [8, 8, 8], "steps": 1, "sources": [{"kind": "impulse", "at": [0, 8, 0]}]})",
          "sources[0].at", "outside the grid of [8, 8, 8]");
  refused(R"({"cells": [8, 8, 8], "steps": 1, "sources": [{"kind": "bang", "at": [0, 0, 0]}]})",
          "sources[0].kind", "impulse, ricker, sine");
  refused(R"({"cells": [8, 8, 8], "steps": 1, "sources": [{"kind": "sine", "at": [0, 0, 0]}]})",
          "sources[0].frequency_hz", "is missing");
  refused(
      R"({"cells": [8, 8, 8], "steps": 1, "sources": [{"kind": "impulse", "at": [0, 0, 0], "x": 1}]})",
      "sources[0].x", "unknown key");
  refused(R"({"cells": [8, 8, 8], "steps": 1, "receivers": [{"at": [-1, 0, 0]}]})",
          "receivers[0].at", "from 0");
  refused(R"({"cells": [8, 8, 8], "steps": 1, "slices": [{"axis": "z", "index": 8}]})",
          "slices[0].index", "from 0 to 7");
}

TEST_F(Scene, AFileThatIsNotThereIsNamed) {
  EXPECT_THROW((void)read_scene("/nowhere/room.json"), apps::failure);
}

}  // namespace
}  // namespace wavesim3d
