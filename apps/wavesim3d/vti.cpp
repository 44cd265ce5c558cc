// apps/wavesim3d/vti.cpp - see vti.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "vti.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <boost/archive/iterators/base64_from_binary.hpp>
#include <boost/archive/iterators/transform_width.hpp>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "common/output_file.hpp"

namespace wavesim3d {
namespace {

static_assert(std::endian::native == std::endian::little);

/// Base64 of a block: its length in 8 bytes, then its bytes; written in pieces.
class encoder {
 public:
  explicit encoder(apps::output_file& to) : to_{to} {}
  void put(const void* from, std::size_t bytes) {
    const auto* begin = static_cast<const char*>(from);
    held_.insert(held_.end(), begin, begin + bytes);
    if (held_.size() >= 3U << 18U) flush(held_.size() / 3 * 3);
  }
  void end() {
    const std::size_t padding = (3 - held_.size() % 3) % 3;
    flush(held_.size());
    to_.write(std::string(padding, '='));
  }
  static std::uint64_t length(std::uint64_t bytes) { return (bytes + 2) / 3 * 4; }

 private:
  void flush(std::size_t bytes) {
    using namespace boost::archive::iterators;
    using letters = base64_from_binary<transform_width<const char*, 6, 8>>;
    const char* first = held_.data();
    text_.assign(letters{first}, letters{first + bytes});
    to_.write(text_);
    held_.erase(held_.begin(), held_.begin() + static_cast<std::ptrdiff_t>(bytes));
  }
  apps::output_file& to_;
  std::vector<char> held_;
  std::string text_;
};

}  // namespace

void write_vti(const std::filesystem::path& to, const scene& s, const world& w,
               std::span<const float> field, int step) {
  const auto& n = s.cells;
  const std::string extent = fmt::format("0 {} 0 {} 0 {}", n[0] - 1, n[1] - 1, n[2] - 1);
  const std::uint64_t pressure_bytes = field.size_bytes(), kinds = field.size();
  apps::output_file file{to};
  file.write(fmt::format(
      R"(<?xml version="1.0"?>
<VTKFile type="ImageData" version="1.0" byte_order="LittleEndian" header_type="UInt64">
  <ImageData WholeExtent="{0}" Origin="{1} {1} {1}" Spacing="{2} {2} {2}">
    <FieldData>
      <DataArray type="Float64" Name="TimeValue" NumberOfTuples="1" format="ascii">{3}</DataArray>
    </FieldData>
    <Piece Extent="{0}">
      <PointData Scalars="pressure_pa">
        <DataArray type="Float32" Name="pressure_pa" format="appended" offset="0"/>
        <DataArray type="UInt8" Name="material" format="appended" offset="{4}"/>
      </PointData>
    </Piece>
  </ImageData>
  <AppendedData encoding="base64">
    _)",
      extent, s.spacing_m / 2, s.spacing_m, step * s.time_step_s(),
      encoder::length(sizeof pressure_bytes + pressure_bytes)));
  encoder pressure{file};
  pressure.put(&pressure_bytes, sizeof pressure_bytes);
  constexpr std::size_t piece = 1U << 16U;
  for (std::size_t i = 0; i < field.size(); i += piece) {
    const auto some = field.subspan(i, std::min(piece, field.size() - i));
    pressure.put(some.data(), some.size_bytes());
  }
  pressure.end();
  encoder material{file};
  material.put(&kinds, sizeof kinds);
  std::vector<std::uint8_t> row(static_cast<std::size_t>(n[0]));
  for (int z = 0; z < n[2]; ++z) {
    for (int y = 0; y < n[1]; ++y) {
      for (int x = 0; x < n[0]; ++x)
        row[static_cast<std::size_t>(x)] = static_cast<std::uint8_t>(w.material({x, y, z}));
      material.put(row.data(), row.size());
    }
  }
  material.end();
  file.write("\n  </AppendedData>\n</VTKFile>\n");
  file.commit();
}

}  // namespace wavesim3d
