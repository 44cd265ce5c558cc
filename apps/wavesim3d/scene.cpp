// apps/wavesim3d/scene.cpp - see scene.hpp; the bounds of every key stand here.
// SPDX-License-Identifier: Apache-2.0
#include "scene.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "common/failure.hpp"

namespace wavesim3d {
namespace {

using json = nlohmann::json;

constexpr int most_cells = 4096;  // along an axis
constexpr int most_steps = 100'000'000;

/// One object of the file; knows where it stands, and which of its keys were asked for.
class section {
 public:
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
  /// One of the names; its place among them.
  int choice(const std::string& key, const std::vector<std::string>& names) {
    const json& found = need(key);
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

void read_source(section& in, const scene& s, source_spec& out) {
  out.kind = static_cast<wave>(in.choice("kind", {"impulse", "ricker", "sine"}));
  out.at = in.cell("at", s.cells);
  out.amplitude_pa = in.number("amplitude_pa", -1e6, 1e6, 1);
  if (out.kind == wave::impulse) return;
  const double highest = 0.5 / s.time_step_s();
  if (!in.has("frequency_hz")) in.refuse("frequency_hz", "is missing");
  out.frequency_hz = in.number("frequency_hz", highest * 1e-6, highest, 0);
  if (out.kind == wave::ricker) {
    const double usual = 1.5 / out.frequency_hz;
    out.delay_s = in.number("delay_s", 0, 4 * usual, usual);
  }
}

}  // namespace

scene read_scene(const std::string& path) {
  std::ifstream in{path};
  if (!in) {
    throw apps::failure{fmt::format("{}: cannot be opened: {}", path, std::strerror(errno)),
                        apps::exit_code::usage};
  }
  json file;
  try {
    file = json::parse(in, nullptr, true, true);  // comments are welcome
  } catch (const json::parse_error& e) {
    throw apps::failure{fmt::format("{}: expected JSON: {}", path, e.what()),
                        apps::exit_code::usage};
  }
  scene s;
  s.name = std::filesystem::path{path}.stem().string();
  section top{file, path, ""};
  s.cells = top.three("cells", 1, most_cells);
  s.spacing_m = top.number("spacing_m", 1e-9, 1e9, s.spacing_m);
  s.speed_m_s = top.number("speed_m_s", 1e-9, 1e9, s.speed_m_s);
  s.courant = top.number("courant", 1e-6, 1e6, s.courant);
  const double limit = 1 / std::sqrt(3.0);
  if (s.courant > limit) {
    top.refuse("courant", fmt::format("{} is unstable; in three dimensions speed * time step / "
                                      "spacing is at most 1/sqrt(3) = {:.6f}",
                                      s.courant, limit));
  }
  s.steps = top.whole("steps", 1, most_steps);
  if (top.has("mode")) s.mode = top.three("mode", 1, most_cells);
  top.list("sources", [&](section& one) { read_source(one, s, s.sources.emplace_back()); });
  top.list("receivers", [&](section& one) {
    receiver_spec& r = s.receivers.emplace_back();
    r.at = one.cell("at", s.cells);
    r.name = fmt::format("p{}", s.receivers.size());
    if (one.has("name")) {
      if (!one.need("name").is_string()) one.refuse("name", "expected a text");
      r.name = one.need("name").get<std::string>();
    }
  });
  top.list("slices", [&](section& one) {
    slice_spec& v = s.slices.emplace_back();
    v.axis = one.choice("axis", {"x", "y", "z"});
    v.index = one.whole("index", 0, s.cells[static_cast<std::size_t>(v.axis)] - 1);
    v.every = one.whole("every", 0, most_steps, 0);
  });
  top.nothing_else();
  return s;
}

}  // namespace wavesim3d
