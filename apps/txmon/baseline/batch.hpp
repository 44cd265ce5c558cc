// apps/txmon/baseline/batch.hpp - the same rules without actors: one batch on a GPU, and one loop on a core.
// Why: what the actors cost is seen only beside the same rule code, fed by hand.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "account.hpp"

namespace txmon::baseline {

/// What a run gave. Rows are in the order of time; each account's postings are handled in that order.
struct batch_result {
  double seconds = 0;  ///< rows in host memory to all alerts in host memory
  double device_seconds =
      0;  ///< of those, from the end of the copy in to the end of the last kernel; 0 on a core
  int registers = 0, local_bytes = 0;  ///< of the kernel that judges
  std::vector<alert> alerts;           ///< in no order
  std::vector<account> states;         ///< by id
};

/// As a user would write it with CUDA: copy in, sort the postings by account (radix, 8 bits a pass), one thread an
/// account, copy the alerts out. Owns a device until it goes.
class cuda_batch {
 public:
  /// Compiles, allocates and pins. @param rows  are copied to pinned memory here, outside the clock.
  /// @throws perdure::bad_result with the reason
  cuda_batch(std::span<const transaction> rows, std::uint32_t accounts, const terms& by);
  cuda_batch(const cuda_batch&) = delete;
  cuda_batch& operator=(const cuda_batch&) = delete;
  ~cuda_batch();
  /// From fresh accounts. @throws perdure::bad_result; std::runtime_error if the alerts did not fit
  batch_result run();

 private:
  struct body;
  std::unique_ptr<body> body_;
};

/// One thread, one loop, the states in an array: no sorting is needed where time orders the rows.
batch_result single_thread(std::span<const transaction> rows, std::uint32_t accounts,
                           const terms& by);

/// kernels.cu and the headers of the rules, for a test that compiles them for an architecture. @return the cubin's log
std::string compile_for(const std::string& architecture);

}  // namespace txmon::baseline
