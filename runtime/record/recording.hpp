// runtime/record/recording.hpp - a recording, read and checked.
// Why: who goes through it again finds what it says by reference and by stamp, and meets no size that is not so.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "perdure/result.hpp"
#include "runtime/record/format.hpp"

namespace perdure::runtime {

struct recording {
  struct actors {
    recorded::states_head head;
    std::span<const std::byte> bytes;  ///< head.count times head.bytes
  };
  struct sent_message {
    recorded::sent_row row;
    const std::byte* at;  ///< row.bytes
  };
  recorded::program_head head{};
  recorded::end_row end{};
  std::vector<actors> spawned, states;
  std::vector<recorded::link_row> links;
  std::vector<sent_message> sent;
  std::vector<abi::record_entry>
      taken;  ///< by stamp; what is behind the first one that is missing is left out

  /// @return bad_recording: it cannot be read, is no recording, not whole, or of another program.
  static result<recording> read(const std::filesystem::path& file, const program& actors);

 private:
  std::vector<std::byte> bytes_;  ///< what the spans and pointers above show
};

}  // namespace perdure::runtime
