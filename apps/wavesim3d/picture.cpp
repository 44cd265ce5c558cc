// apps/wavesim3d/picture.cpp - see picture.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "picture.hpp"

#include <png.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "common/failure.hpp"
#include "common/output_file.hpp"

namespace wavesim3d {
namespace {

constexpr int least_pixels = 512;

struct plane {
  int width = 0, height = 0;
  std::vector<float> p;  ///< [height][width]
};

plane cut_out(const scene& s, const slice_spec& which, std::span<const float> field) {
  const int across[3][2] = {{1, 2}, {0, 2}, {0, 1}};  // the two other axes
  const int u = across[which.axis][0];
  const int v = across[which.axis][1];
  plane out{s.cells[static_cast<std::size_t>(u)], s.cells[static_cast<std::size_t>(v)], {}};
  for (int b = 0; b < out.height; ++b) {
    for (int a = 0; a < out.width; ++a) {
      std::array<int, 3> at{};
      at[static_cast<std::size_t>(which.axis)] = which.index;
      at[static_cast<std::size_t>(u)] = a;
      at[static_cast<std::size_t>(v)] = out.height - 1 - b;  // the axis points up
      const auto row = static_cast<std::size_t>(at[2]) * static_cast<std::size_t>(s.cells[1]) +
                       static_cast<std::size_t>(at[1]);
      out.p.push_back(
          field[row * static_cast<std::size_t>(s.cells[0]) + static_cast<std::size_t>(at[0])]);
    }
  }
  return out;
}

/// Colour of `v` in -1..1, after ColorBrewer's diverging blue, white, red.
void colour(float v, unsigned char* rgb) {
  constexpr float low[3] = {33, 102, 172};
  constexpr float high[3] = {178, 24, 43};
  const float* end = v < 0 ? low : high;
  const float far = std::sqrt(std::min(std::abs(v), 1.0F));  // faint waves can be seen, too
  for (int i = 0; i < 3; ++i)
    rgb[i] = static_cast<unsigned char>(std::lround(255 + (end[i] - 255) * far));
}

void put_bytes(png_structp png, png_bytep from, png_size_t bytes) {
  auto& file = *static_cast<apps::output_file*>(png_get_io_ptr(png));
  file.write({reinterpret_cast<const char*>(from), bytes});
}
[[noreturn]] void refuse(png_structp, png_const_charp why) {
  throw apps::failure{std::string{"libpng: "} + why};
}

}  // namespace

float write_slice(const std::filesystem::path& to, const scene& s, const slice_spec& which,
                  std::span<const float> field) {
  const plane cells = cut_out(s, which, field);
  float largest = 0;
  for (const float p : cells.p) largest = std::max(largest, std::abs(p));
  const int zoom = std::max(1, (least_pixels + std::max(cells.width, cells.height) - 1) /
                                   std::max(cells.width, cells.height));
  const auto width = static_cast<png_uint_32>(cells.width * zoom);
  const auto height = static_cast<png_uint_32>(cells.height * zoom);
  apps::output_file file{to};
  struct writer {
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, refuse, nullptr);
    png_infop info = png_create_info_struct(png);
    ~writer() { png_destroy_write_struct(&png, &info); }
  } w;
  png_set_write_fn(w.png, &file, put_bytes, nullptr);
  png_set_IHDR(w.png, w.info, width, height, 8, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_write_info(w.png, w.info);
  std::vector<unsigned char> row(std::size_t{width} * 3);
  for (png_uint_32 y = 0; y < height; ++y) {
    for (png_uint_32 x = 0; x < width; ++x) {
      const auto cell = y / static_cast<png_uint_32>(zoom) * static_cast<std::size_t>(cells.width) +
                        x / static_cast<png_uint_32>(zoom);
      colour(largest == 0 ? 0 : cells.p[cell] / largest, &row[std::size_t{x} * 3]);
    }
    png_write_row(w.png, row.data());
  }
  png_write_end(w.png, w.info);
  file.commit();
  return largest;
}

}  // namespace wavesim3d
