// runtime/jit/compile.hpp - device source in, cubin out; from the disk cache where it can.
// Why: the runtime at start and the tool's check go through the same step with the same options.
// Invariant: a cubin from the cache is byte for byte what a compile of the same inputs gave.
// Threads: any number of threads and processes at the same time.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "perdure/result.hpp"
#include "runtime/jit/headers.hpp"
#include "runtime/jit/ptxas_log.hpp"

namespace perdure::runtime::jit {

struct compile_options {
  std::vector<std::string> extra;  ///< further options, such as "-DPERDURE_LANES=256"
  std::span<const header> headers = embedded_headers();
  bool use_cache = true;
  std::filesystem::path cache_dir;  ///< empty: $PERDURE_CACHE, or ~/.cache/perdure
  std::function<void(const std::string&)>
      on_warning;  ///< a cache that is damaged or cannot be written
};

struct cubin {
  std::string arch;  ///< such as "sm_90"
  std::vector<std::uint8_t> bytes;
  std::vector<function_usage> functions;
  std::string log;    ///< warnings, and what ptxas -v said
  std::string nvrtc;  ///< version, such as "13.0"
  bool from_cache = false;
  double compile_ms = 0;  ///< this call, with the loading of NVRTC and the cache

  /// What tells one cubin from another in a report: FNV-1a of the bytes, 128 bits, 32 hexadecimal digits.
  std::string hash() const;
  /// The function of this name as spelled in the cubin, or null.
  const function_usage* function(std::string_view name) const;
};

/// Compiles one unit for a real architecture.
/// @param name  what messages call the unit, such as "bank.actors.cu"; its `#line`s name the
///   user's files.
/// @return the cubin; or no_nvrtc, unsupported (this NVRTC does not know the architecture),
///   bad_option,
///         out_of_memory, compile_failed (the context holds the first error and the path of the
///   whole log).
result<cubin> compile(std::string_view source, std::string_view name, std::string_view arch,
                      const compile_options& options = {});

/// Whether NVRTC takes a unit, by making PTX of it and no machine code, the quickest way it knows: a third to a thirteenth of
/// compile()'s time. What the assembler alone would refuse (it warns of registers and of stacks) is not found; nothing is cached.
/// @param arch  a virtual architecture, such as "compute_90".
/// @return NVRTC's warnings; or an error of compile()'s (compile_failed keeps no log).
result<std::string> try_compile(std::string_view source, std::string_view name,
                                std::string_view arch, const compile_options& options = {});

/// What every unit is compiled with, before `extra`: C++20, everything device code, arithmetic as
///   the host's
/// (contract, clause 9), line numbers, the assembler's report, jump tables for the dispatch switch.
std::vector<std::string> standard_options(std::string_view arch);

/// What a loop with hot types is compiled with besides: as many registers as a block of so many threads leaves each. The
/// kernel's bounds say the same, but what is not inlined into it is then made for few registers, and one warp at work
/// waits for each instruction before the next: docs/adr/040.
std::vector<std::string> hot_options(std::string_view source, std::uint32_t lanes);

/// What is only to make the compile itself faster; the instructions are the same without. The number of threads is a
///   constant, since it stands in the cubin. An NVRTC that does not know this compiles without it. docs/adr/028.
std::vector<std::string> speed_options();

}  // namespace perdure::runtime::jit
