// apps/txmon/rule_schedule.cpp - see rule_schedule.hpp; the bounds of every parameter stand here.
// SPDX-License-Identifier: Apache-2.0
#include "rule_schedule.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "codes.hpp"
#include "common/json_file.hpp"
#include "failure.hpp"

namespace txmon {
namespace {

using nlohmann::json;

/// Calls visit(key, member, least, most) for every whole-numbered parameter.
template <class Rules, class Visit>
void each_parameter(Rules& r, const Visit& visit) {
  constexpr std::uint32_t any = 0xffffffffU, window = 0x7fffffffU;
  visit("amount_limit", r.amount_limit, 0U, any);
  visit("amount_high", r.amount_high, 1U, 255U);
  visit("amount_critical", r.amount_critical, 1U, 255U);
  visit("velocity_limit", r.velocity_limit, 1U, velocity_slots - 1);
  visit("velocity_high", r.velocity_high, 1U, velocity_slots);
  visit("velocity_critical", r.velocity_critical, 1U, velocity_slots);
  visit("velocity_window_ms", r.velocity_window_ms, 1U, window);
  visit("structuring_count", r.structuring_count, 1U, structuring_slots);
  visit("structuring_percent", r.structuring_percent, 0U, 100U);
  visit("structuring_window_ms", r.structuring_window_ms, 1U, window);
  visit("travel_window_ms", r.travel_window_ms, 0U, window);
  visit("pep_limit", r.pep_limit, 0U, any);
  visit("deviation_count", r.deviation_count, 1U, 65'535U);
  visit("rapid_least", r.rapid_least, 0U, any);
  visit("rapid_percent", r.rapid_percent, 1U, 100U);
  visit("rapid_window_ms", r.rapid_window_ms, 1U, window);
}

/// Takes known keys out of JSON objects and refuses what is wrong or left over.
class taker {
 public:
  explicit taker(std::string name) : name_{std::move(name)} {}

  [[noreturn]] void refuse(std::string_view where, std::string_view what) const {
    throw failure{fmt::format("{}: {}{}", name_, where, what), exit_code::usage};
  }
  [[noreturn]] void refuse_value(std::string_view where, std::string_view key, const json& found,
                                 const std::string& expected) const {
    refuse(where, fmt::format("key '{}': expected {}, found {}", key, expected, found.dump()));
  }

  void take_rules(json& from, rules& r, const std::string& where) {
    each_parameter(r, [&](const char* key, auto& member, std::uint32_t least, std::uint32_t most) {
      note(key);
      const auto found = from.find(key);
      if (found == from.end()) return;
      const double value = found->is_number_integer() ? found->get<double>() : -1;
      if (value < least || value > most)
        refuse_value(where, key, *found, fmt::format("a whole number from {} to {}", least, most));
      member = static_cast<std::decay_t<decltype(member)>>(value);
      from.erase(found);
    });
    take(from, "deviation_factor", [&](const json& v) {
      const double value = v.is_number() ? v.get<double>() : -1;
      if (!(value >= 0 && value <= 655))
        refuse_value(where, "deviation_factor", v, "a number from 0 to 655");
      r.deviation_hundredths = static_cast<std::uint16_t>(std::lround(value * 100));
    });
    take(from, "high_risk", [&](const json& v) {
      r.high_risk = {};
      for (const auto c : countries(v, "high_risk", where, country_count))
        r.high_risk[c / 64U] |= std::uint64_t{1} << c % 64U;
    });
  }
  void take_customer(json& from, customer& c, const std::string& where) {
    take(from, "home",
         [&](const json& v) { c.home = countries(json::array({v}), "home", where, 1).front(); });
    take(from, "pep", [&](const json& v) {
      if (!v.is_boolean()) refuse_value(where, "pep", v, "true or false");
      c.pep = v.get<bool>();
    });
    take(from, "allowed", [&](const json& v) {
      c.allowed = {};
      const auto list = countries(v, "allowed", where, c.allowed.size());
      std::copy(list.begin(), list.end(), c.allowed.begin());
    });
  }
  template <class Use>
  void take(json& from, const char* key, const Use& use) {
    note(key);
    const auto found = from.find(key);
    if (found == from.end()) return;
    use(*found);
    from.erase(found);
  }
  void must_be_object(const json& v, const std::string& where) const {
    if (!v.is_object()) refuse(where, "expected a JSON object, found " + v.dump());
  }
  /// After all known keys were taken. Forgets which ones they were.
  void must_be_empty(const json& from, const std::string& where) {
    if (!from.empty())
      refuse(where, fmt::format("unknown key '{}'; known are {}", from.begin().key(), known_));
    known_.clear();
  }

 private:
  void note(const char* key) { known_ += (known_.empty() ? "" : ", ") + std::string{key}; }
  std::vector<std::uint8_t> countries(const json& v, const char* key, const std::string& where,
                                      std::size_t most) const {
    std::vector<std::uint8_t> out;
    for (const auto& one : v.is_array() ? v : json::array({nullptr})) {
      const auto c = one.is_string() ? country_of(one.get<std::string>()) : std::nullopt;
      if (!c || out.size() == most)
        refuse_value(where, key, v,
                     fmt::format("at most {} country codes of ISO 3166-1, such as \"DE\"", most));
      out.push_back(*c);
    }
    return out;
  }
  std::string name_, known_;
};

}  // namespace

rule_schedule::rule_schedule() : versions_(1) {}

rule_schedule rule_schedule::read(const std::string& path) {
  return parse(apps::read_text(path), path);
}

rule_schedule rule_schedule::parse(std::string_view text, const std::string& name) {
  const json file = apps::parse_json(text, name);
  taker t{name};
  t.must_be_object(file, "");
  rule_schedule out;
  out.text_ = std::string{text};
  std::vector<json> parts{file};
  if (const auto changes = file.find("changes"); changes != file.end()) {
    if (!changes->is_array()) t.refuse_value("", "changes", *changes, "an array of objects");
    if (changes->size() > most_changes)
      t.refuse("", fmt::format("key 'changes': expected at most {} changes, found {}", most_changes,
                               changes->size()));
    for (const auto& change : *changes) parts.push_back(change);
    parts.front().erase("changes");
  }

  rules limits;
  std::map<std::string, json, std::less<>> named;  // what is said of each customer so far
  for (std::size_t v = 0; v < parts.size(); ++v) {
    json& part = parts[v];
    const std::string where = v == 0 ? "" : fmt::format("change {}: ", v);
    t.must_be_object(part, where);
    version next;
    if (v > 0) {
      bool given = false;
      t.take(part, "from_ms", [&](const json& at) {
        given = at.is_number_integer();
        next.from_ms = given ? at.get<std::int64_t>() : 0;
      });
      const std::int64_t before = v > 1 ? out.versions_.back().from_ms : 0;
      if (!given || next.from_ms <= before || next.from_ms > last_time_ms)
        t.refuse(where, fmt::format("key 'from_ms': expected an event time in ms over {}", before));
    }
    t.take_rules(part, limits, where);
    t.take(part, "customers", [&](const json& all) {
      t.must_be_object(all, where + "customers: ");
      for (const auto& [who, said] : all.items()) {
        t.must_be_object(said, fmt::format("{}customer '{}': ", where, who));
        auto& sum = named.try_emplace(who, json::object()).first->second;
        sum.update(said);
      }
    });
    t.must_be_empty(part, where);
    next.common.limits = limits;
    for (const auto& [who, said] : named) {
      terms own = next.common;
      json left = said;
      const std::string place = fmt::format("{}customer '{}': ", where, who);
      t.take_rules(left, own.limits, place);
      t.take_customer(left, own.who, place);
      t.must_be_empty(left, place);
      next.customers.emplace(who, own);
    }
    out.versions_.resize(v);
    out.versions_.push_back(std::move(next));
  }
  return out;
}

std::size_t rule_schedule::at(std::int64_t time_ms) const {
  std::size_t v = versions_.size() - 1;
  while (v > 0 && versions_[v].from_ms > time_ms) --v;
  return v;
}

const terms& rule_schedule::of(std::size_t v, std::string_view customer) const {
  const auto& named = versions_[v].customers;
  const auto found = named.empty() ? named.end() : named.find(customer);
  return found == named.end() ? versions_[v].common : found->second;
}

std::optional<std::string> rule_schedule::changes_the_past(const rule_schedule& newer,
                                                           std::int64_t time_ms) const {
  const std::size_t past = at(time_ms) + 1;
  if (newer.at(time_ms) + 1 != past)
    return fmt::format("it has {} versions up to event time {} ms, where {} are in force",
                       newer.at(time_ms) + 1, time_ms, past);
  for (std::size_t v = 0; v < past; ++v) {
    const version &a = versions_[v], &b = newer.versions_[v];
    if (a.from_ms != b.from_ms || a.common != b.common || a.customers != b.customers)
      return fmt::format("version {}, in force since event time {} ms, is not the same", v,
                         a.from_ms);
  }
  return std::nullopt;
}

nlohmann::ordered_json rule_schedule::to_json(std::size_t v) const {
  nlohmann::ordered_json out;
  rules r = versions_[v].common.limits;
  if (v > 0) out["from_ms"] = versions_[v].from_ms;
  each_parameter(r, [&](const char* key, auto& member, auto, auto) { out[key] = member; });
  out["deviation_factor"] = r.deviation_hundredths / 100.0;
  auto& listed = out["high_risk"] = nlohmann::ordered_json::array();
  for (std::uint16_t c = 1; c <= country_count; ++c)
    if (r.is_high_risk(c)) listed.push_back(country_name(c));
  out["customers"] = versions_[v].customers.size();
  return out;
}

}  // namespace txmon
