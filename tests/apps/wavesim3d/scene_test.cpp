// tests/apps/wavesim3d/scene_test.cpp - a scene is read whole, or refused with the key that is wrong.
// SPDX-License-Identifier: Apache-2.0
#include "scene.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "common/failure.hpp"
#include "world.hpp"

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

TEST_F(Scene, KeysOfTheMediumArrive) {
  const scene s =
      read(R"({"cells": [40, 20, 10], "steps": 1, "courant_squared": 0.25, "damping_per_s": 3,
    "speed_m_s": 343, "sponge_cells": 7, "energy_every": 5,
    "faces": {"all": "mur", "down": "reflecting", "up": "sponge"},
    "materials": [{"name": "rock", "speed_m_s": 686, "damping_per_s": 9}, {"name": "wall", "kind": "rigid"}],
    "bodies": [{"shape": "layer", "axis": "z", "from": 0, "to": 3, "material": "rock"},
               {"shape": "cylinder", "axis": "z", "from": 2, "to": 9, "center": [10, 10, 0], "radius": 2.5,
                "material": "wall"},
               {"shape": "sphere", "center": [10, 10, 5], "radius": 1, "material": "medium"}],
    "sources": [{"kind": "impulse", "over": {"shape": "box", "from": [1, 1, 1], "to": [3, 1, 1]}}]})");
  EXPECT_DOUBLE_EQ(s.time_step_s(), 0.5 * s.spacing_m / 686);  // of the fastest material
  EXPECT_FALSE(s.plain());
  EXPECT_EQ(s.faces[0], boundary::mur);
  EXPECT_EQ(s.faces[4], boundary::reflecting);
  EXPECT_EQ(s.faces[5], boundary::sponge);
  EXPECT_EQ(s.sponge_cells, 7);
  EXPECT_EQ(s.energy_every, 5);
  ASSERT_TRUE(s.sources[0].over.has_value());
  EXPECT_TRUE(s.sources[0].over->holds({3, 1, 1}));
  EXPECT_FALSE(s.sources[0].over->holds({3, 2, 1}));
  const world w{s};
  const auto rock = static_cast<float>(9 * s.time_step_s() / 2);
  EXPECT_EQ(w.at({30, 10, 2}), (cell_law{0.25F, rock, 6}));  // rock
  EXPECT_EQ(w.at({30, 10, 0}), (cell_law{0.25F, rock, 5}));  // above the rigid floor
  EXPECT_EQ(w.at({10, 10, 3}), (cell_law{}));                // in the pillar
  EXPECT_NEAR(w.at({10, 10, 6}).neighbours, 1, 0.2);         // in the hole in it, in the sponge
  EXPECT_EQ(w.at({10, 10, 5}).courant2, 0.0625F);
  EXPECT_EQ(w.at({-1, 0, 0}), (cell_law{}));
  EXPECT_GT(w.at({30, 10, 9}).damping, w.at({30, 10, 8}).damping);  // the sponge rises outwards
  EXPECT_TRUE(w.absorbs(0) && w.absorbs(5) && !w.absorbs(4));
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
  refused(R"({"cells": [8, 8, 8], "steps": 1, "courant": 0.5, "courant_squared": 0.25})",
          "courant_squared", "give one of them");
  refused(R"({"cells": [8, 8, 8], "steps": 1, "courant_squared": 0.34})", "courant_squared",
          "its square at most 1/3");
  refused(R"({"cells": [8, 8, 8], "steps": 1, "faces": {"top": "mur"}})", "faces.top",
          "known are all, down, east, north, south, up, west");
  refused(R"({"cells": [8, 8, 8], "steps": 1, "faces": {"up": "open"}})", "faces.up",
          "dirichlet, reflecting, sponge, mur");
  refused(R"({"cells": [30, 9, 30], "steps": 1, "sponge_cells": 10, "faces": {"north": "sponge"}})",
          "sponge_cells", "10; the grid is 9 cells thick behind the sponge at \"north\"");
  refused(R"({"cells": [30, 30, 8], "steps": 1, "faces": {"all": "sponge"}})", "sponge_cells",
          "20, if nothing is said; the grid is 8 cells thick behind the sponge at \"down\"");
  refused(
      R"({"cells": [8, 8, 8], "steps": 1, "bodies": [{"shape": "sphere", "material": "clay"}]})",
      "bodies[0].material", "one of medium, found \"clay\"");
  refused(R"({"cells": [8, 8, 8], "steps": 1, "materials": [{"name": "a"}, {"name": "a"}]})",
          "materials[1].name", "already");
  refused(R"({"cells": [8, 8, 8], "steps": 1, "sources": [{"kind": "impulse",
            "over": {"shape": "box", "from": [3, 3, 3], "to": [2, 3, 3]}}]})",
          "sources[0].over.to", "lies before");
  refused(R"({"cells": [8, 8, 8], "steps": 1, "sources": [{"kind": "impulse", "at": [0, 0, 0],
            "over": {"shape": "box", "from": [3, 3, 3], "to": [3, 3, 3]}}]})",
          "sources[0].over", "one place");
  refused(R"({"cells": [8, 8, 8], "steps": 1, "receivers": [{"at": [-1, 0, 0]}]})",
          "receivers[0].at", "from 0");
  refused(
      R"({"cells": [8, 8, 8], "steps": 1, "receivers": [{"name": "a", "at": [1, 1, 1]}, {"name": "a", "at": [2, 2, 2]}]})",
      "receivers[1].name", "there is a receiver \"a\" already");
  refused(
      R"({"cells": [8, 8, 8], "steps": 1, "receivers": [{"name": "p2", "at": [1, 1, 1]}, {"at": [2, 2, 2]}]})",
      "receivers[1].name", "there is a receiver \"p2\" already");
  refused(R"({"cells": [8, 8, 8], "steps": 1, "steps": 2})", "", "key 'steps' stands twice");
  refused(R"({"cells": [8, 8, 8], "sources": [{"amplitude_pa": 1e999}]})",
          "in 'sources/amplitude_pa'", "number overflow");
  refused(R"({"cells": [8, 8, 8], "steps": 1, "courant": 1e999})", "", "number overflow");
  refused(std::string(100'000, '['), "", "at most 16 objects and arrays within each other");
  refused(
      "{\"cells\": [8, 8, 8], \"steps\": 1, \"receivers\": [{\"name\": \"\xff\", \"at\": [1, 1, 1]}]}",
      "", "ill-formed UTF-8");
  refused(
      R"({"cells": [8, 8, 8], "steps": 1, "slices": [{"axis": "z", "index": 1}, {"axis": "z", "index": 1, "every": 1}]})",
      "slices[1].index", "there is a slice at z 1 already");
  refused(R"({"cells": [8, 8, 8], "steps": 1, "slices": [{"axis": "z", "index": 8}]})",
          "slices[0].index", "from 0 to 7");
}

TEST_F(Scene, WhatSoundsOrListensInAnObstacleIsNamed) {
  const std::string walled = R"({"cells": [20, 10, 10], "steps": 1,
    "materials": [{"name": "wall", "kind": "rigid"}, {"name": "foam", "kind": "soft"}],
    "bodies": [{"shape": "box", "from": [5, 0, 0], "to": [9, 9, 9], "material": "wall"},
               {"shape": "sphere", "center": [15, 5, 5], "radius": 2, "material": "foam"},
               {"shape": "box", "from": [7, 5, 5], "to": [7, 5, 5], "material": "medium"}], )";
  refused(
      walled +
          R"("sources": [{"kind": "impulse", "at": [1, 1, 1]}, {"kind": "impulse", "at": [5, 1, 1]}]})",
      "sources[1].at", "[5, 1, 1] lies in a body of the rigid material \"wall\"");
  refused(walled + R"("receivers": [{"at": [15, 5, 6]}]})", "receivers[0].at",
          "of the soft material \"foam\"");
  EXPECT_NO_THROW((void)read(walled + R"("sources": [{"kind": "impulse", "at": [7, 5, 5]}]})"));
  const auto over = [&](const std::string& shape) {
    return walled + R"("sources": [{"kind": "impulse", "over": )" + shape + "}]}";
  };
  refused(over(R"({"shape": "box", "from": [5, 0, 0], "to": [9, 4, 9]})"), "sources[0].over",
          "no cell of a fluid");
  refused(over(R"({"shape": "sphere", "center": [7.5, 4.5, 4.5], "radius": 0.5})"),
          "sources[0].over", "no cell of a fluid");
  for (
      const char* fluid :
      {R"({"shape": "box", "from": [5, 0, 0], "to": [9, 9, 9]})",
       R"({"shape": "sphere", "center": [-1, -1, 5], "radius": 2})",
       R"({"shape": "layer", "axis": "y", "from": 3, "to": 3})",
       R"({"shape": "cylinder", "axis": "z", "from": 5, "to": 5, "center": [7, 5, 0], "radius": 1})"})
    EXPECT_NO_THROW((void)read(over(fluid))) << fluid;
}

TEST_F(Scene, AModeThatTheCellsCannotShowIsNamed) {
  refused(R"({"cells": [8, 9, 8], "steps": 1, "mode": [8, 10, 1]})", "mode",
          "more half waves than the grid of [8, 9, 8]");
  EXPECT_EQ(read(R"({"cells": [8, 9, 8], "steps": 1, "mode": [8, 9, 1]})").mode,
            (std::array{8, 9, 1}));
}

TEST_F(Scene, AFileThatIsNotThereIsNamed) {
  EXPECT_THROW((void)read_scene("/nowhere/room.json"), apps::failure);
}

}  // namespace
}  // namespace wavesim3d
