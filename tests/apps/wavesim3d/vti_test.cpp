// tests/apps/wavesim3d/vti_test.cpp - a .vti is XML whose arrays, decoded by another library, are the field's bits.
// SPDX-License-Identifier: Apache-2.0
#include "vti.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <boost/archive/iterators/binary_from_base64.hpp>
#include <boost/archive/iterators/transform_width.hpp>
#include <boost/property_tree/ptree.hpp>
#include <boost/property_tree/xml_parser.hpp>
#include <cstring>

namespace wavesim3d {
namespace {

std::string decoded(std::string text) {
  using namespace boost::archive::iterators;
  using bytes = transform_width<binary_from_base64<std::string::const_iterator>, 8, 6>;
  std::size_t padding = 0;
  for (; !text.empty() && text.back() == '='; ++padding) text.pop_back();
  text.append(padding, 'A');
  std::string out{bytes{text.cbegin()}, bytes{text.cend()}};
  out.resize(out.size() - padding);
  return out;
}
/// The array that begins at `offset` of the appended text.
std::string array_at(const std::string& appended, std::size_t offset) {
  std::uint64_t length = 0;
  std::memcpy(&length, decoded(appended.substr(offset, 12)).data(), sizeof length);
  const std::size_t letters = (sizeof length + length + 2) / 3 * 4;
  return decoded(appended.substr(offset, letters)).substr(sizeof length);
}

TEST(Vti, TheArraysAreTheFieldsBits) {
  for (const auto& cells : {std::array{1, 1, 1}, std::array{5, 4, 3}, std::array{101, 83, 47}}) {
    scene s;
    s.cells = cells;
    s.spacing_m = 0.5;
    s.materials.push_back({"wall", substance::rigid});
    shape low;
    low.what = shape::kind::layer;
    low.axis = 0;
    s.bodies = {{1, low}};  // x = 0
    std::vector<float> field(static_cast<std::size_t>(s.cell_count()));
    for (std::size_t i = 0; i < field.size(); ++i) field[i] = static_cast<float>(i) * -0.37F;
    const auto path =
        std::filesystem::temp_directory_path() / ("wavesim3d-" + std::to_string(getpid()) + ".vti");
    write_vti(path, s, world{s}, field, 12);
    boost::property_tree::ptree file;
    read_xml(path.string(), file);
    std::filesystem::remove(path);
    EXPECT_EQ(file.get<std::string>("VTKFile.<xmlattr>.byte_order"), "LittleEndian");
    EXPECT_EQ(file.get<std::string>("VTKFile.<xmlattr>.header_type"), "UInt64");
    const auto& image = file.get_child("VTKFile.ImageData");
    EXPECT_EQ(image.get<std::string>("<xmlattr>.Spacing"), "0.5 0.5 0.5");
    EXPECT_EQ(image.get<std::string>("Piece.<xmlattr>.Extent"),
              "0 " + std::to_string(cells[0] - 1) + " 0 " + std::to_string(cells[1] - 1) + " 0 " +
                  std::to_string(cells[2] - 1));
    EXPECT_DOUBLE_EQ(image.get<double>("FieldData.DataArray"), 12 * s.time_step_s());
    std::string appended = file.get<std::string>("VTKFile.AppendedData");
    appended.erase(0, appended.find('_') + 1);
    appended.erase(appended.find_last_not_of(" \n") + 1);
    int arrays = 0;
    for (const auto& [tag, array] : image.get_child("Piece.PointData")) {
      if (tag != "DataArray") continue;
      const auto bytes = array_at(appended, array.get<std::size_t>("<xmlattr>.offset"));
      if (array.get<std::string>("<xmlattr>.type") == "Float32") {
        ASSERT_EQ(bytes.size(), field.size() * sizeof(float));
        EXPECT_EQ(std::memcmp(bytes.data(), field.data(), bytes.size()), 0);
      } else {
        ASSERT_EQ(bytes.size(), field.size());
        for (std::size_t i = 0; i < bytes.size(); ++i)
          ASSERT_EQ(bytes[i], i % static_cast<std::size_t>(cells[0]) == 0 ? 1 : 0) << i;
      }
      ++arrays;
    }
    EXPECT_EQ(arrays, 2);
  }
}

}  // namespace
}  // namespace wavesim3d
