// runtime/system/log_text.cpp - see log_text.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "runtime/system/log_text.hpp"

#include <fmt/args.h>
#include <fmt/format.h>

#include <bit>

#include "kernels/abi/ref_bits.cuh"

namespace perdure::runtime {

std::string log_text(const program& actors, std::uint64_t key, std::uint32_t count,
                     std::uint64_t kinds, const std::uint64_t* values) {
  fmt::dynamic_format_arg_store<fmt::format_context> args;
  std::string plain;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint64_t bits = values[i];
    switch (kinds >> (4 * i) & 15U) {
      case 1:
        args.push_back(static_cast<std::int64_t>(bits));
        break;
      case 3:
        args.push_back(std::bit_cast<double>(bits));
        break;
      case 4:
        args.push_back(bits != 0);
        break;
      case 5:
        args.push_back(fmt::format("{}#{}.{}", abi::ref_type(bits), abi::ref_index(bits),
                                   abi::ref_generation(bits)));
        break;
      default:
        args.push_back(bits);
        break;
    }
    plain += fmt::format(" {:#x}", bits);
  }
  for (const format_info& f : actors.formats) {
    if (f.key != key) continue;
    try {
      return fmt::vformat(f.text, args);
    } catch (const fmt::format_error& wrong) {
      return fmt::format("{} [{}:{}]", f.text, wrong.what(), plain);
    }
  }
  return fmt::format("log {:#018x}:{}", key, plain);
}

}  // namespace perdure::runtime
