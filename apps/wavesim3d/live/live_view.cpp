// apps/wavesim3d/live/live_view.cpp - see live_view.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "live_view.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <ranges>
#include <set>
#include <string>
#include <thread>

#include "common/failure.hpp"
#include "live_page.hpp"
#include "web_server.hpp"
#include "world.hpp"

namespace wavesim3d {
namespace {

using json = nlohmann::json;
using clock = std::chrono::steady_clock;
constexpr std::size_t shown_samples = 600;  // of a trace
constexpr double frame_ms = 40;

/// What an order may say, and of what in it.
const std::map<std::string, std::set<std::string>> known_orders = {{"pause", {}},
                                                                   {"slice", {"axis", "index"}},
                                                                   {"drop", {}},
                                                                   {"damping_per_s", {}},
                                                                   {"receiver", {"at", "which"}}};

/// @return  empty, or which key no order has
std::string unknown_in(const json& order) {
  if (order.empty()) return "an order says something: one of ";
  for (const auto& [key, value] : order.items()) {
    const auto known = known_orders.find(key);
    if (known == known_orders.end()) return fmt::format("unknown order \"{}\"; known are ", key);
    if (!value.is_object()) continue;
    for (const auto& [inner, ignored] : value.items()) {
      if (!known->second.contains(inner))
        return fmt::format("unknown key \"{}\" of the order \"{}\"; orders are ", inner, key);
    }
  }
  return "";
}

class live_view {
 public:
  explicit live_view(simulation& sim)
      : sim_{sim},
        world_{sim.what()},
        index_{sim.what().cells[2] / 2},
        damping_{sim.what().damping_per_s} {
    publish();
  }

  /// Carries out what was ordered, steps for about a frame, and shows it.
  void turn() {
    const bool ordered = carry_out();
    if (paused_ && !ordered) {
      std::this_thread::sleep_for(std::chrono::milliseconds{20});
      return;
    }
    if (!paused_) {
      const auto from = clock::now();
      sim_.advance(piece_);
      sim_.forget(shown_samples);
      const double took = std::chrono::duration<double, std::milli>(clock::now() - from).count();
      steps_per_s_ = 0.8 * steps_per_s_ + 0.2 * piece_ / took * 1e3;
      if (took < frame_ms / 2) piece_ = std::min(piece_ * 2, 1 << 16);
      if (took > frame_ms && piece_ > 1) piece_ /= 2;
    } else {
      steps_per_s_ = 0;
    }
    publish();
  }

  web_server::reply answer(const web_server::request& in) {
    if (in.method == "GET" && in.path == "/") return {200, "text/html; charset=utf-8", live_page};
    if (in.method == "GET" && in.path == "/frame") {
      const std::lock_guard lock{mutex_};
      return {200, "application/octet-stream", frame_};
    }
    if (in.method != "POST" || in.path != "/order") return {404, "text/plain", "not here\n"};
    json order = json::parse(in.body, nullptr, false);
    if (!order.is_object()) return {400, "text/plain", "an order is a JSON object\n"};
    if (const std::string unknown = unknown_in(order); !unknown.empty()) {
      return {400, "text/plain",
              fmt::format("{}{}\n", unknown, fmt::join(std::views::keys(known_orders), ", "))};
    }
    const std::lock_guard lock{mutex_};
    if (orders_.size() >= 256) return {503, "text/plain", "too many orders at once\n"};
    orders_.push_back(std::move(order));
    return {200, "application/json", "{}"};
  }

 private:
  bool carry_out() {
    std::deque<json> orders;
    {
      const std::lock_guard lock{mutex_};
      orders.swap(orders_);
    }
    for (const json& one : orders) {
      try {
        said_.clear();
        obey(one);
      } catch (const json::exception& e) {
        said_ = e.what();
      } catch (const apps::failure& e) {
        said_ = e.what();
      }
    }
    return !orders.empty();
  }
  /// Where something may sound or listen.
  std::array<int, 3> cell(const json& at) const {
    const auto c = at.get<std::array<int, 3>>();
    for (std::size_t a = 0; a < 3; ++a) {
      if (c[a] < 0 || c[a] >= sim_.what().cells[a])
        throw apps::failure{"that cell is outside the grid"};
    }
    if (world_.at(c).courant2 == 0) throw apps::failure{"that cell is an obstacle"};
    return c;
  }
  /// A whole number from 0 to `most`, of the order to show a slice.
  static int of_slice(const json& slice, const char* key, int most) {
    const json& said = slice.at(key);
    if (!said.is_number_unsigned() || said.get<std::uint64_t>() > static_cast<unsigned>(most)) {
      throw apps::failure{fmt::format("slice.{} is {}; expected a whole number from 0 to {}", key,
                                      said.dump().substr(0, 40), most)};
    }
    return said.get<int>();
  }
  void obey(const json& one) {
    const scene& s = sim_.what();
    if (one.contains("pause")) paused_ = one["pause"].get<bool>();
    if (one.contains("slice")) {
      const int axis = of_slice(one["slice"], "axis", 2);
      index_ = of_slice(one["slice"], "index", s.cells[static_cast<std::size_t>(axis)] - 1);
      axis_ = axis;
    }
    if (one.contains("drop")) {
      source_spec drop;  // a short pulse, of 12 cells a wave
      drop.kind = wave::ricker;
      drop.at = cell(one["drop"]);
      drop.frequency_hz = s.fastest_m_s() / (12 * s.spacing_m);
      drop.delay_s = 1.2 / drop.frequency_hz;
      sim_.inject(drop);
    }
    if (one.contains("receiver")) {
      const json& which = one["receiver"].at("which");
      const std::size_t count = s.receivers.size();
      if (!which.is_number_unsigned() || which.get<std::size_t>() >= count) {
        throw apps::failure{fmt::format(
            "receiver.which is {}; the scene's receivers are numbered from 0, and it has {}",
            which.dump().substr(0, 40), count)};
      }
      sim_.move_receiver(which.get<std::size_t>(), cell(one["receiver"].at("at")));
    }
    if (one.contains("damping_per_s")) {
      const auto damping = one["damping_per_s"].get<double>();
      if (!(damping >= 0 && damping <= 1e12)) {
        throw apps::failure{
            fmt::format("damping_per_s is {}; expected a number from 0 to 1e12", damping)};
      }
      sim_.damp(damping_ = damping);
    }
  }

  /// A line of JSON, then the plane's pressures as float32, then a byte a cell: 1 where there is an obstacle.
  void publish() {
    const scene& s = sim_.what();
    const plane p = sim_.slice(axis_, index_);
    float peak = 0;
    for (const float v : p.p) peak = std::max(peak, std::abs(v));
    json traces = json::array(), receivers = json::array();
    for (const auto& t : sim_.traces()) {
      const std::size_t n = std::min(t.size(), shown_samples);
      traces.push_back(std::vector<float>(t.end() - static_cast<std::ptrdiff_t>(n), t.end()));
    }
    for (const receiver_spec& r : s.receivers)
      receivers.push_back({{"name", r.name}, {"at", r.at}});
    std::string out = json{{"scene", s.name},
                           {"step", sim_.step()},
                           {"t_ms", static_cast<double>(sim_.step()) * s.time_step_s() * 1e3},
                           {"step_ms", s.time_step_s() * 1e3},
                           {"shown_samples", shown_samples},
                           {"steps_per_s", steps_per_s_},
                           {"paused", paused_},
                           {"axis", axis_},
                           {"index", index_},
                           {"cells", s.cells},
                           {"width", p.width},
                           {"height", p.height},
                           {"peak_pa", peak},
                           {"damping_per_s", damping_},
                           {"spacing_m", s.spacing_m},
                           {"receivers", receivers},
                           {"traces", traces},
                           {"said", said_}}
                          .dump(-1, ' ', false, json::error_handler_t::replace) +
                      "\n";
    out.append(reinterpret_cast<const char*>(p.p.data()), p.p.size() * sizeof(float));
    const auto [u, v] = axes_across(axis_);
    for (int b = 0; b < p.height; ++b) {
      for (int a = 0; a < p.width; ++a) {
        std::array<int, 3> c{};
        c[static_cast<std::size_t>(axis_)] = index_;
        c[u] = a;
        c[v] = b;
        out += static_cast<char>(world_.at(c).courant2 == 0 ? 1 : 0);
      }
    }
    const std::lock_guard lock{mutex_};
    frame_.swap(out);
  }

  simulation& sim_;
  const world world_;
  int axis_ = 2, index_, piece_ = 1;
  bool paused_ = false;
  double damping_, steps_per_s_ = 0;
  std::string said_;  ///< of the last order
  std::mutex mutex_;  ///< of what follows
  std::deque<json> orders_;
  std::string frame_;
};

}  // namespace

void serve_live(simulation& sim, unsigned short port, const std::atomic<bool>& stop,
                const std::function<void(unsigned short)>& ready) {
  live_view view{sim};
  web_server server{port, [&](const web_server::request& in) { return view.answer(in); }};
  ready(server.port());
  while (!stop) view.turn();
}

}  // namespace wavesim3d
