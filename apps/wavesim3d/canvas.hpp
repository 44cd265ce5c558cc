// apps/wavesim3d/canvas.hpp - an image of RGB pixels with lines, text and axes, which becomes a PNG.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

namespace wavesim3d {

using rgb = std::array<std::uint8_t, 3>;
inline constexpr rgb black{32, 32, 32}, grey{200, 200, 200}, white{255, 255, 255};

class canvas {
 public:
  static constexpr int letter_width = 12, letter_height = 16;

  canvas(int width, int height);
  int width() const { return width_; }
  int height() const { return height_; }
  /// Pixels outside the image are left out.
  void put(int x, int y, rgb colour);
  void fill(int x, int y, int width, int height, rgb colour);
  void frame(int x, int y, int width, int height, rgb colour);
  void line(double x0, double y0, double x1, double y1, rgb colour);
  /// @param x, y  the upper left corner; @param place  0 from there, 0.5 around x, 1 up to x.
  void text(int x, int y, std::string_view what, double place = 0, rgb colour = black);
  rgb at(int x, int y) const;

  /// Appears whole or not at all. @throws apps::failure
  void save(const std::filesystem::path& to) const;

 private:
  int width_, height_;
  std::vector<std::uint8_t> pixels_;  ///< [height][width][3]
};

/// Round numbers (1, 2 or 5 times a power of ten apart) from `low` to `high`, `most` at the most.
std::vector<double> ticks(double low, double high, int most);

/// Colour of v in -1..1, after ColorBrewer's diverging blue, white, red; faint values are drawn by their square root.
rgb diverging(double v);

}  // namespace wavesim3d
