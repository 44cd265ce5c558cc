// apps/txmon/rules_file.cpp - see rules_file.hpp; the bounds of every threshold stand here.
// SPDX-License-Identifier: Apache-2.0
#include "rules_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <type_traits>

#include "failure.hpp"
#include "money.hpp"

namespace txmon {
namespace {

/// Calls visit(key, member, least, most) for every threshold.
template <class Rules, class Visit>
void each_threshold(Rules& r, const Visit& visit) {
  constexpr std::int64_t year_ms = 366LL * 24 * 3'600'000;
  visit("amount_limit_cents", r.amount_limit_cents, std::int64_t{0}, max_cents);
  visit("velocity_window_ms", r.velocity_window_ms, std::int64_t{1}, year_ms);
  visit("velocity_limit", r.velocity_limit, std::uint32_t{1}, window_slots - 1);
  visit("deviation_min_count", r.deviation_min_count, std::uint32_t{1},
        std::uint32_t{1'000'000'000});
  visit("deviation_factor", r.deviation_factor, 0.0, 1e6);
}

}  // namespace

rules read_rules(const std::string& path) {
  std::ifstream in{path};
  if (!in) {
    throw failure{fmt::format("{}: cannot be opened: {}", path, std::strerror(errno)),
                  exit_code::usage};
  }
  nlohmann::json file;
  try {
    file = nlohmann::json::parse(in);
  } catch (const nlohmann::json::parse_error& e) {
    throw failure{fmt::format("{}: expected JSON: {}", path, e.what()), exit_code::usage};
  }
  if (!file.is_object())
    throw failure{path + ": expected a JSON object of thresholds", exit_code::usage};

  rules r;
  std::string known;
  each_threshold(r, [&](const char* key, auto& member, auto least, auto most) {
    using number = std::decay_t<decltype(member)>;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", key);
    const auto found = file.find(key);
    if (found == file.end()) return;
    const bool fits =
        std::is_floating_point_v<number> ? found->is_number() : found->is_number_integer();
    const double value = fits ? found->template get<double>() : 0;
    if (!fits || value < static_cast<double>(least) || value > static_cast<double>(most)) {
      throw failure{fmt::format("{}: key '{}': expected {} from {} to {}, found {}", path, key,
                                std::is_floating_point_v<number> ? "a number" : "a whole number",
                                least, most, found->dump()),
                    exit_code::usage};
    }
    member = found->template get<number>();
    file.erase(found);
  });
  if (!file.empty()) {
    throw failure{
        fmt::format("{}: unknown key '{}'; known are {}", path, file.begin().key(), known),
        exit_code::usage};
  }
  return r;
}

nlohmann::ordered_json to_json(const rules& r) {
  nlohmann::ordered_json out;
  each_threshold(r, [&](const char* key, auto member, auto, auto) { out[key] = member; });
  return out;
}

}  // namespace txmon
