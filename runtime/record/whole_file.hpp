// runtime/record/whole_file.hpp - a file that is there under its name only when it is whole.
// Why: who finds it need not ask whether whoever wrote it was done, and what stood there before stays until then.
// Invariant: what was not finished is removed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "perdure/result.hpp"

namespace perdure::runtime {

class whole_file {
 public:
  whole_file() = default;
  whole_file(const whole_file&) = delete;
  whole_file& operator=(const whole_file&) = delete;
  ~whole_file();

  /// @param meanwhile  ends its name until it is whole. @return cannot_write: there can be none, or it is a device, a pipe or a
  ///                   folder.
  result<void> open(const std::filesystem::path& file, std::string_view meanwhile);
  std::ofstream& out() { return out_; }
  const std::filesystem::path& name() const { return file_; }
  /// @return cannot_write, of any write before; there is no file then.
  result<void> finish();

 private:
  std::filesystem::path file_, part_;
  std::ofstream out_;
};

}  // namespace perdure::runtime
