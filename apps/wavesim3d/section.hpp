// apps/wavesim3d/section.hpp - one object of a scene file; knows where it stands, and which of its keys were asked for.
// Why: each refusal names file and key and says what is allowed there; a key that nobody asked for is refused.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "common/failure.hpp"

namespace wavesim3d {

inline constexpr int most_cells = 4096;  ///< along an axis

class section {
 public:
  using json = nlohmann::json;

  section(const json& object, std::string path, std::string where)
      : object_{object}, path_{std::move(path)}, where_{std::move(where)} {
    if (!object.is_object()) refuse("", "expected an object");
  }

  [[noreturn]] void refuse(const std::string& key, const std::string& why) const {
    const std::string place = where_.empty() ? key : key.empty() ? where_ : where_ + "." + key;
    throw apps::failure{fmt::format("{}: {}: {}", path_, place.empty() ? "scene" : place, why),
                        apps::exit_code::usage};
  }
  bool has(const std::string& key) {
    known_.insert(key);
    return object_.contains(key);
  }
  const json& need(const std::string& key) {
    if (!has(key)) refuse(key, "is missing");
    return object_[key];
  }
  double number(const std::string& key, double least, double most, double otherwise) {
    if (!has(key)) return otherwise;
    return number_of(key, object_[key], least, most);
  }
  int whole(const std::string& key, int least, int most) {
    return whole_of(key, need(key), least, most);
  }
  int whole(const std::string& key, int least, int most, int otherwise) {
    return has(key) ? whole(key, least, most) : otherwise;
  }
  std::array<int, 3> cell(const std::string& key, const std::array<int, 3>& cells) {
    const auto at = three(key, 0, most_cells);
    for (std::size_t a = 0; a < 3; ++a) {
      if (at[a] < cells[a]) continue;
      refuse(key, fmt::format("[{}] is outside the grid of [{}] cells, counted from 0",
                              fmt::join(at, ", "), fmt::join(cells, ", ")));
    }
    return at;
  }
  std::array<int, 3> three(const std::string& key, int least, int most) {
    const json& list = need(key);
    if (!list.is_array() || list.size() != 3) refuse(key, "expected three whole numbers");
    std::array<int, 3> out{};
    for (std::size_t a = 0; a < 3; ++a) out[a] = whole_of(key, list[a], least, most);
    return out;
  }
  std::array<double, 3> point(const std::string& key, double least, double most) {
    const json& list = need(key);
    if (!list.is_array() || list.size() != 3) refuse(key, "expected three numbers");
    std::array<double, 3> out{};
    for (std::size_t a = 0; a < 3; ++a) out[a] = number_of(key, list[a], least, most);
    return out;
  }
  std::string text(const std::string& key, const std::string& otherwise) {
    if (!has(key)) return otherwise;
    if (!object_[key].is_string()) refuse(key, "expected a text");
    return object_[key].get<std::string>();
  }
  /// One of the names; its place among them.
  int choice(const std::string& key, const std::vector<std::string>& names) {
    return choice_of(key, need(key), names);
  }
  int choice(const std::string& key, const std::vector<std::string>& names, int otherwise) {
    return has(key) ? choice(key, names) : otherwise;
  }
  int choice_of(const std::string& key, const json& found,
                const std::vector<std::string>& names) const {
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (found == names[i]) return static_cast<int>(i);
    }
    refuse(key, fmt::format("expected one of {}, found {}", fmt::join(names, ", "), found.dump()));
  }
  template <class Each>
  void list(const std::string& key, Each each) {
    if (!has(key)) return;
    if (!object_[key].is_array()) refuse(key, "expected a list");
    for (std::size_t i = 0; i < object_[key].size(); ++i) {
      section one{object_[key][i], path_,
                  (where_.empty() ? key : where_ + "." + key) + fmt::format("[{}]", i)};
      each(one);
      one.nothing_else();
    }
  }
  /// An object within this one, if it is there.
  template <class Each>
  void object(const std::string& key, Each each) {
    if (!has(key)) return;
    section one{object_[key], path_, where_.empty() ? key : where_ + "." + key};
    each(one);
    one.nothing_else();
  }
  void nothing_else() const {
    for (const auto& [key, value] : object_.items()) {
      if (!known_.contains(key))
        refuse(key, fmt::format("unknown key; known are {}", fmt::join(known_, ", ")));
    }
  }

 private:
  double number_of(const std::string& key, const json& found, double least, double most) const {
    const double value = found.is_number() ? found.get<double>() : std::nan("");
    if (!(value >= least && value <= most)) {
      refuse(key,
             fmt::format("expected a number from {} to {}, found {}", least, most, found.dump()));
    }
    return value;
  }
  int whole_of(const std::string& key, const json& found, int least, int most) const {
    const bool fits = found.is_number_integer() && found >= least && found <= most;
    if (!fits) {
      refuse(key, fmt::format("expected a whole number from {} to {}, found {}", least, most,
                              found.dump()));
    }
    return found.get<int>();
  }
  const json& object_;
  std::string path_, where_;
  std::set<std::string> known_;
};

}  // namespace wavesim3d
