// tests/apps/wavesim3d/report_test.cpp - what a run leaves behind can be read back.
// SPDX-License-Identifier: Apache-2.0
#include "report.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "picture.hpp"

namespace wavesim3d {
namespace {

TEST(Report, TracesHaveARowAStepAndAColumnAReceiver) {
  scene s;
  s.courant = 0.5;
  s.spacing_m = 343;
  s.receivers = {{"ear", {}}, {"a \"b\", c", {}}};
  EXPECT_EQ(to_csv(s, {{1.5F, -2}, {0.25F}}),
            "step,time_s,ear,\"a \"\"b\"\", c\"\n1,0.5,1.5,0.25\n2,1,-2,\n");
}

TEST(Report, TheFieldIsSummedUp) {
  run_report r;
  measure(r, {3, -4, 0, 0});
  EXPECT_DOUBLE_EQ(r.field_rms_pa, 2.5);
  EXPECT_DOUBLE_EQ(r.field_peak_pa, 4);
}

TEST(Picture, APlaneIsEnlargedAndItsScaleIsTheLargestPressure) {
  scene s;
  s.cells = {4, 2, 3};
  std::vector<float> field(24, 0);
  field[(1 * 2 + 1) * 4 + 2] = -5;  // x 2, y 1, z 1
  const auto path = std::filesystem::temp_directory_path() / "wavesim3d-picture-test.png";
  EXPECT_EQ(write_slice(path, s, {2, 1, 0}, field), 5);
  EXPECT_EQ(write_slice(path, s, {0, 3, 0}, field), 0) << "another plane";
  std::ifstream in{path, std::ios::binary};
  unsigned char head[24] = {};
  in.read(reinterpret_cast<char*>(head), sizeof head);
  EXPECT_EQ(std::string(reinterpret_cast<char*>(head) + 1, 3), "PNG");
  const auto number = [&](int at) {
    return head[at] << 24 | head[at + 1] << 16 | head[at + 2] << 8 | head[at + 3];
  };
  EXPECT_EQ(number(16), 2 * 171) << "y: 2 cells";
  EXPECT_EQ(number(20), 3 * 171) << "z: 3 cells, at least 512 pixels";
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace wavesim3d
