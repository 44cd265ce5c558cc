// runtime/system/names_by.hpp - says for a thread which program's actors the references of a system name.
// Why: ref_cast asks the system that a reference belongs to; in a replay that system does not run.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "kernels/abi/ref_bits.cuh"
#include "runtime/system/program_index.hpp"

namespace perdure::runtime {

/// Whether a reference names an actor of that type of the program.
inline bool names(const program_index& index, std::uint64_t bits, std::uint64_t type_key) {
  const std::uint32_t type = index.actors.find(type_key);
  return type != key_table::none && abi::ref_type(bits) == type + 1;
}

/// As long as it lives, and on the thread that made it. The last one made counts.
class names_by {
 public:
  names_by(std::uint32_t system, const program_index& index);
  names_by(const names_by&) = delete;
  names_by& operator=(const names_by&) = delete;
  ~names_by();

  bool is_of(std::uint32_t system) const { return system == system_; }
  bool is_actor_of(std::uint64_t bits, std::uint64_t type_key) const {
    return names(index_, bits, type_key);
  }

 private:
  std::uint32_t system_;
  const program_index& index_;
  const names_by* before_;
};

}  // namespace perdure::runtime
