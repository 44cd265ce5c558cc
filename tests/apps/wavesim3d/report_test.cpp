// tests/apps/wavesim3d/report_test.cpp - what a run leaves behind can be read back.
// SPDX-License-Identifier: Apache-2.0
#include "report.hpp"

#include <gtest/gtest.h>
#include <png.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include "canvas.hpp"
#include "chart.hpp"
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

TEST(Chart, EachLineHasAColourOfItsOwnThatIsSeenOnWhite) {
  std::set<rgb> all;
  for (std::size_t n = 0; n < 50; ++n) {
    const rgb c = line_colour(n);
    all.insert(c);
    EXPECT_LT(*std::min_element(c.begin(), c.end()), 128) << n;
  }
  EXPECT_EQ(all.size(), 50U);
}

TEST(Chart, ThereIsRoomForEveryName) {
  const auto path = std::filesystem::temp_directory_path() / "wavesim3d-chart-test.png";
  const auto rows = [&](std::size_t lines) {
    chart c{"t", "x", "y", {}};
    for (std::size_t n = 0; n < lines; ++n) c.lines.push_back({"name", {0, 1}, {0, 1}});
    draw_chart(path, c);
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    EXPECT_NE(png_image_begin_read_from_file(&image, path.c_str()), 0);
    const auto height = image.height;
    png_image_free(&image);
    std::filesystem::remove(path);
    return height;
  };
  EXPECT_EQ(rows(1), rows(6));
  EXPECT_GE(rows(40), 64U + 40 * 24);
}

TEST(Picture, ThePlaneHasItsColoursUnderAxesAndABar) {
  scene s;
  s.name = "here";
  s.cells = {4, 2, 3};
  s.materials.push_back({"wall", substance::rigid});
  s.bodies = {{1, {}}};  // the cell at the origin
  const plane y1{4, 3, {0, 0, 0, 0, 0, 0, -5, 0, 0, 0, 2.5, 0}};
  const auto path = std::filesystem::temp_directory_path() / "wavesim3d-picture-test.png";
  EXPECT_EQ(write_slice(path, s, world{s}, {1, 0}, y1, 10), 5);
  EXPECT_EQ(write_slice(path, s, world{s}, {1, 0, 0, 8}, y1, 10), 8) << "a range that is given";
  EXPECT_EQ(write_slice(path, s, world{s}, {1, 0}, {4, 3, std::vector<float>(12)}, 10), 0);
  write_slice(path, s, world{s}, {1, 0}, y1, 10);
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  ASSERT_NE(png_image_begin_read_from_file(&image, path.c_str()), 0);
  image.format = PNG_FORMAT_RGB;
  std::vector<std::uint8_t> pixels(PNG_IMAGE_SIZE(image));
  ASSERT_NE(png_image_finish_read(&image, nullptr, pixels.data(), 0, nullptr), 0);
  const auto at = [&](int x, int y) {
    const auto i = 3 * (static_cast<std::size_t>(y) * image.width + static_cast<std::size_t>(x));
    return rgb{pixels[i], pixels[i + 1], pixels[i + 2]};
  };
  const int zoom = 128, left = 90, above = 40;  // 4 cells over 512 pixels
  const auto cell = [&](int x, int z) {
    return at(left + x * zoom + zoom / 2, above + (2 - z) * zoom + zoom / 2);
  };
  EXPECT_EQ(cell(2, 1), diverging(-1));
  EXPECT_EQ(cell(2, 2), diverging(0.5));
  EXPECT_EQ(cell(3, 2), white);
  EXPECT_EQ(cell(0, 0), (rgb{96, 96, 96})) << "the wall";
  const int bar = left + 512 + 24 + 10;
  EXPECT_NEAR(at(bar, above)[0], diverging(1)[0], 2);
  EXPECT_NEAR(at(bar, above + 3 * zoom - 1)[2], diverging(-1)[2], 2);
  std::filesystem::remove(path);
}

TEST(Picture, TicksAreRoundNumbersAndNoMoreThanAllowed) {
  EXPECT_EQ(ticks(0, 1, 5), (std::vector<double>{0, 0.2, 0.4, 0.2 * 3, 0.8, 1}));
  for (const double high : {0.003, 1.0, 7.7, 12'000.0}) {
    for (const int most : {5, 9}) {
      const auto t = ticks(-high, high, most);
      EXPECT_GE(t.size(), 2U);
      EXPECT_LE(t.size(), static_cast<std::size_t>(most) + 1);
      EXPECT_GE(t.front(), -high * 1.001);
      EXPECT_LE(t.back(), high * 1.001);
    }
  }
}

}  // namespace
}  // namespace wavesim3d
