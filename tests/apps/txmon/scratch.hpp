// tests/apps/txmon/scratch.hpp - files for a test, gone after it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

namespace txmon::test {

inline constexpr std::string_view header =
    "step,type,amount,nameOrig,oldbalanceOrg,newbalanceOrig,nameDest,oldbalanceDest,newbalanceDest,"
    "isFraud,isFlaggedFraud\n";

/// A directory of its own for each test.
class scratch {
 public:
  scratch() {
    std::string pattern = (std::filesystem::temp_directory_path() / "txmon-XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  scratch(const scratch&) = delete;
  scratch& operator=(const scratch&) = delete;
  ~scratch() { std::filesystem::remove_all(path_); }

  const std::filesystem::path& path() const { return path_; }
  std::string write(const std::string& name, std::string_view text) const {
    std::ofstream{path_ / name, std::ios::binary} << text;
    return (path_ / name).string();
  }
  std::string write_gzip(const std::string& name, std::string_view text) const {
    const auto at = (path_ / name).string();
    gzFile f = gzopen(at.c_str(), "wb");
    gzwrite(f, text.data(), static_cast<unsigned>(text.size()));
    gzclose(f);
    return at;
  }
  std::string read(const std::string& name) const {
    std::ifstream in{path_ / name, std::ios::binary};
    return {std::istreambuf_iterator<char>{in}, {}};
  }

 private:
  std::filesystem::path path_;
};

}  // namespace txmon::test
