// apps/txmon/column_map.cpp - see column_map.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "column_map.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "common/json_file.hpp"
#include "failure.hpp"

namespace txmon {
namespace {

using nlohmann::json;

constexpr std::string_view paysim_columns = R"({
  "time": "step", "time_unit_ms": 3600000,
  "account": "nameOrig", "counterparty": "nameDest", "amount": "amount", "type": "type", "label": "isFraud",
  "types": {"PAYMENT": "payment", "TRANSFER": "transfer", "CASH_OUT": "cash_out", "DEBIT": "debit",
            "CASH_IN": "cash_in reversed"}
})";

class map_reader {
 public:
  map_reader(std::string_view text, const std::string& name)
      : name_{name}, file_(apps::parse_json(text, name)) {
    if (!file_.is_object()) refuse("expected a JSON object of column names");
  }
  [[noreturn]] void refuse(const std::string& what) const {
    throw failure{name_ + ": " + what, exit_code::usage};
  }
  std::string text(const char* key, bool needed) {
    const json v = take(key);
    if (v.is_null() && !needed) return {};
    if (!v.is_string() || v.get<std::string>().empty())
      refuse(fmt::format("key '{}': expected the name of a column, found {}", key, v.dump()));
    const auto column = v.get<std::string>();
    const auto [before, is_new] = named_.try_emplace(column, key);
    if (!is_new)
      refuse(fmt::format("key '{}': column '{}' is what '{}' names", key, column, before->second));
    return column;
  }
  /// What no one has taken, without its white space.
  std::string rest() const { return file_.dump(); }
  template <class Use>
  void each(const char* key, const Use& use) {
    const json v = take(key);
    if (v.is_null()) return;
    if (!v.is_object())
      refuse(fmt::format("key '{}': expected an object, found {}", key, v.dump()));
    for (const auto& [from, to] : v.items()) {
      if (!to.is_string() || !use(from, to.template get<std::string>()))
        refuse(fmt::format("key '{}': '{}' cannot mean {}", key, from, to.dump()));
    }
  }
  json take(const char* key) {
    known_ += (known_.empty() ? "" : ", ") + std::string{key};
    const auto found = file_.find(key);
    if (found == file_.end()) return nullptr;
    json v = *found;
    file_.erase(found);
    return v;
  }
  void must_be_empty() const {
    if (!file_.empty())
      refuse(fmt::format("unknown key '{}'; known are {}", file_.begin().key(), known_));
  }

 private:
  std::string name_, known_;
  std::map<std::string, std::string, std::less<>> named_;  // columns, and the key of each
  json file_;
};

}  // namespace

column_map column_map::paysim() { return parse(paysim_columns, "PaySim's columns"); }

column_map column_map::read(const std::string& path) { return parse(apps::read_text(path), path); }

column_map column_map::parse(std::string_view text, const std::string& name) {
  map_reader r{text, name};
  column_map m;
  m.text_ = r.rest();
  m.time = r.text("time", true);
  m.account = r.text("account", true);
  m.counterparty = r.text("counterparty", true);
  m.amount = r.text("amount", true);
  m.type = r.text("type", false);
  m.currency = r.text("currency", false);
  m.country = r.text("country", false);
  m.channel = r.text("channel", false);
  m.label = r.text("label", false);
  if (const json unit = r.take("time_unit_ms"); !unit.is_null()) {
    m.time_unit_ms = unit.is_number_integer() ? unit.get<std::int64_t>() : 0;
    if (m.time_unit_ms < 1 || m.time_unit_ms > 86'400'000)
      r.refuse("key 'time_unit_ms': expected a whole number from 1 to 86400000, found " +
               unit.dump());
  }
  const json money = r.take("default_currency");
  constexpr const char* no_currency = "XXX";  // ISO 4217's own code for it
  const auto code = currency_of(money.is_string() ? money.get<std::string>() : no_currency);
  if (!code || !(money.is_null() || money.is_string()))
    r.refuse("key 'default_currency': expected a code of ISO 4217 such as \"EUR\", found " +
             money.dump());
  m.default_currency = *code;
  r.each("types", [&](const std::string& from, std::string to) {
    constexpr std::string_view mark = " reversed";
    const bool reversed = to.ends_with(mark);
    if (reversed) to.resize(to.size() - mark.size());
    const auto what = kind_of(to);
    if (what) m.types[from] = {*what, reversed};
    return what.has_value();
  });
  r.each("channels", [&](const std::string& from, const std::string& to) {
    const auto via = channel_of(to);
    if (via) m.channels[from] = *via;
    return via.has_value();
  });
  r.must_be_empty();
  if (m.types.empty()) {
    for (unsigned k = 0; k < kind_count; ++k)
      m.types[std::string{name_of(static_cast<kind>(k))}] = {static_cast<kind>(k), false};
  }
  if (m.channels.empty()) {
    for (unsigned k = 0; k < channel_count; ++k)
      m.channels[std::string{name_of(static_cast<txmon::channel>(k))}] =
          static_cast<txmon::channel>(k);
  }
  return m;
}

}  // namespace txmon
