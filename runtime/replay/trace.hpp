// runtime/replay/trace.hpp - a replay as a picture: calls in rows by actor, messages as arrows, for ui.perfetto.dev.
// Why: who waited for whom is seen sooner than read.
// Invariant: one event is a nanosecond, the least that the viewer tells apart: so times are 65.536 times as long as they were.
// Source: Google, Trace Event Format: complete events, and flow events bound to the slice they lie in.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "perdure/result.hpp"
#include "runtime/record/whole_file.hpp"

namespace perdure::runtime {

class trace {
 public:
  /// @param begin  stamp that no event is before. @return cannot_write
  static result<std::unique_ptr<trace>> open(const std::filesystem::path& file,
                                             std::uint64_t begin);
  /// A call of the actor, from its first event up to its last one, both stamps.
  void call(std::uint64_t actor, const std::string& actor_name, std::string_view handler,
            std::uint64_t first, std::uint64_t last);
  /// The message that a call took: sent by an actor's call that was put down, or by a host, 0.
  void arrow(std::uint64_t from, std::uint64_t sent, std::uint64_t to, std::uint64_t taken);
  /// @return cannot_write; there is no file then.
  result<void> finish();

 private:
  trace() = default;
  double microseconds(std::uint64_t stamp) const;
  /// Rows are numbered as they come; 0 is the hosts'.
  std::uint32_t row_of(std::uint64_t actor);
  void put(const std::string& event);

  whole_file file_;
  std::unordered_map<std::uint64_t, std::uint32_t> rows_;
  std::uint64_t begin_ = 0;
  std::uint64_t arrows_ = 0;
  bool any_ = false;
};

}  // namespace perdure::runtime
