// apps/wavesim3d/canvas.cpp - see canvas.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "canvas.hpp"

#include <png.h>

#include <algorithm>
#include <cmath>

#include "common/failure.hpp"
#include "common/output_file.hpp"
#include "font.hpp"

namespace wavesim3d {
namespace {

void put_bytes(png_structp png, png_bytep from, png_size_t bytes) {
  auto& file = *static_cast<apps::output_file*>(png_get_io_ptr(png));
  file.write({reinterpret_cast<const char*>(from), bytes});
}
[[noreturn]] void refuse(png_structp, png_const_charp why) {
  throw apps::failure{std::string{"libpng: "} + why};
}

}  // namespace

canvas::canvas(int width, int height)
    : width_{width},
      height_{height},
      pixels_(static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * 3, 255) {}

void canvas::put(int x, int y, rgb colour) {
  if (x < 0 || y < 0 || x >= width_ || y >= height_) return;
  const auto i =
      static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) + static_cast<std::size_t>(x);
  std::copy(colour.begin(), colour.end(), pixels_.begin() + static_cast<std::ptrdiff_t>(3 * i));
}

rgb canvas::at(int x, int y) const {
  const auto i = 3 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) +
                      static_cast<std::size_t>(x));
  return {pixels_.at(i), pixels_.at(i + 1), pixels_.at(i + 2)};
}

void canvas::fill(int x, int y, int width, int height, rgb colour) {
  for (int b = y; b < y + height; ++b) {
    for (int a = x; a < x + width; ++a) put(a, b, colour);
  }
}

void canvas::frame(int x, int y, int width, int height, rgb colour) {
  fill(x - 1, y - 1, width + 2, 1, colour);
  fill(x - 1, y + height, width + 2, 1, colour);
  fill(x - 1, y - 1, 1, height + 2, colour);
  fill(x + width, y - 1, 1, height + 2, colour);
}

void canvas::line(double x0, double y0, double x1, double y1, rgb colour) {
  const int steps =
      static_cast<int>(std::ceil(std::max({std::abs(x1 - x0), std::abs(y1 - y0), 1.0})));
  for (int i = 0; i <= steps; ++i) {
    const double f = static_cast<double>(i) / steps;
    put(static_cast<int>(std::lround(x0 + f * (x1 - x0))),
        static_cast<int>(std::lround(y0 + f * (y1 - y0))), colour);
  }
}

void canvas::text(int x, int y, std::string_view what, double place, rgb colour) {
  constexpr int zoom = 2;
  x -= static_cast<int>(place * letter_width * static_cast<double>(what.size()));
  for (const char c : what) {
    const char known = c < ' ' || c > '~' ? '?' : c;
    const auto& columns = font[static_cast<std::size_t>(known - ' ')];
    for (int a = 0; a < 5; ++a) {
      for (int b = 0; b < 8; ++b) {
        if ((columns[static_cast<std::size_t>(a)] >> b & 1) != 0)
          fill(x + a * zoom, y + b * zoom, zoom, zoom, colour);
      }
    }
    x += letter_width;
  }
}

void canvas::save(const std::filesystem::path& to) const {
  apps::output_file file{to};
  struct writer {
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, refuse, nullptr);
    png_infop info = png_create_info_struct(png);
    ~writer() { png_destroy_write_struct(&png, &info); }
  } w;
  png_set_write_fn(w.png, &file, put_bytes, nullptr);
  png_set_IHDR(w.png, w.info, static_cast<png_uint_32>(width_), static_cast<png_uint_32>(height_),
               8, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
               PNG_FILTER_TYPE_DEFAULT);
  png_write_info(w.png, w.info);
  for (int y = 0; y < height_; ++y)
    png_write_row(w.png,
                  &pixels_[static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) * 3]);
  png_write_end(w.png, w.info);
  file.commit();
}

std::vector<double> ticks(double low, double high, int most) {
  std::vector<double> out;
  const double span = high - low;
  if (!(span > 0) || most < 1) return out;
  double apart = std::pow(10.0, std::floor(std::log10(span / most)));
  for (const double factor : {2.0, 2.5, 2.0, 2.0}) {
    if (span / apart <= most) break;
    apart *= factor;
  }
  const double first = std::ceil(low / apart - 1e-9);
  for (double n = first; n * apart <= high + 1e-9 * span; n += 1)
    out.push_back(n == 0 ? 0 : n * apart);  // no -0
  return out;
}

rgb diverging(double v) {
  constexpr std::array<double, 3> low{33, 102, 172}, high{178, 24, 43};
  const auto& end = v < 0 ? low : high;
  const double far = std::sqrt(std::min(std::abs(v), 1.0));
  rgb out{};
  for (std::size_t i = 0; i < 3; ++i)
    out[i] = static_cast<std::uint8_t>(std::lround(255 + (end[i] - 255) * far));
  return out;
}

}  // namespace wavesim3d
