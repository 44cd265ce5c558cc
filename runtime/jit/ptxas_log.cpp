// runtime/jit/ptxas_log.cpp - see ptxas_log.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "runtime/jit/ptxas_log.hpp"

#include <charconv>

namespace perdure::runtime::jit {
namespace {

/// The number right before `what` in `line`, such as 40 for " registers" in "Used 40 registers".
bool number_before(std::string_view line, std::string_view what, std::uint32_t& number) {
  const auto at = line.find(what);
  if (at == std::string_view::npos) return false;
  auto first = at;
  while (first > 0 && line[first - 1] >= '0' && line[first - 1] <= '9') --first;
  std::uint32_t value = 0;
  if (std::from_chars(line.data() + first, line.data() + at, value).ptr == line.data() + first)
    return false;
  number = value;
  return true;
}

/// What follows `before` in `line`, up to `end` (or to the end of the line).
std::string_view text_after(std::string_view line, std::string_view before, char end) {
  const auto at = line.find(before);
  if (at == std::string_view::npos) return {};
  line.remove_prefix(at + before.size());
  return line.substr(0, line.find(end));
}

function_usage& usage_of(std::vector<function_usage>& all, std::string_view name) {
  for (auto& one : all) {
    if (one.name == name) return one;
  }
  all.emplace_back().name = name;
  return all.back();
}

}  // namespace

std::vector<function_usage> parse_ptxas_log(std::string_view log) {
  std::vector<function_usage> all;
  std::string entry;     // "Compiling entry function" opens it, "Used" belongs to it
  std::string function;  // "Function properties for" opens it, the line below belongs to it
  while (!log.empty()) {
    const auto end = log.find('\n');
    const auto line = log.substr(0, end);
    log.remove_prefix(end == std::string_view::npos ? log.size() : end + 1);

    if (const auto name = text_after(line, "Compiling entry function '", '\''); !name.empty()) {
      entry = name;
      usage_of(all, entry).entry = true;
    } else if (const auto of = text_after(line, "Function properties for ", '\r'); !of.empty()) {
      function = of;
    } else if (std::uint32_t frame = 0;
               !function.empty() && number_before(line, " bytes stack frame", frame)) {
      auto& usage = usage_of(all, function);
      usage.stack_bytes = frame;
      number_before(line, " bytes spill stores", usage.spill_store_bytes);
      number_before(line, " bytes spill loads", usage.spill_load_bytes);
    } else if (std::uint32_t registers = 0;
               !entry.empty() && number_before(line, " registers", registers)) {
      auto& usage = usage_of(all, entry);
      usage.registers = registers;
      number_before(line, " barriers", usage.barriers);
      number_before(line, " bytes smem", usage.shared_bytes);
      usage.deepest_stack_bytes = usage.stack_bytes;
      number_before(line, " bytes cumulative stack size", usage.deepest_stack_bytes);
    }
  }
  return all;
}

}  // namespace perdure::runtime::jit
