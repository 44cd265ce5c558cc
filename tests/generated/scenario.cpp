// tests/generated/scenario.cpp - see scenario.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "tests/generated/scenario.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "perdure/system.hpp"
#include "tests/support/fields.hpp"
#include "tests/support/random.hpp"

namespace perdure::generated {
namespace {

using namespace std::chrono_literals;

std::string_view namespace_of(std::string_view name) {
  if (name.starts_with("::")) name.remove_prefix(2);
  return name.substr(0, name.find("::"));
}
std::string_view last_part(std::string_view name) {
  const auto at = name.rfind("::");
  return at == std::string_view::npos ? name : name.substr(at + 2);
}

class director {
 public:
  director(const program_slice& s, const plan& plan, detail::system_core& core)
      : slice_{s},
        program_{*s.of},
        plan_{plan},
        core_{core},
        random_{plan.seed},
        by_type_(program_.actors.size() + 1) {}

  result<void> spawn_all() {
    for (std::size_t t : slice_.actors) {
      const actor_info& a = program_.actors[t];
      if (a.construct == nullptr)
        return error{errc::bad_option, fmt::format("{} cannot be constructed", a.name)};
      auto made = core_.spawn(a.key, plan_.actors_per_type,
                              [&](std::size_t, void* at) { a.construct(at); });
      if (!made) return made.error();
      for (std::size_t i = 0; i < made->size; ++i) {
        by_type_[t + 1].push_back(made->first + i);
        numbers_.emplace(made->first + i, numbers_.size() + 1);
      }
    }
    return {};
  }

  /// Every actor learns its peers; a few references stay null.
  result<void> wire_all() {
    for (std::size_t h = 0; h < program_.handlers.size(); ++h) {
      if (!mine(h) || !message_name(h).starts_with("wire_")) continue;
      for (const std::uint64_t to : by_type_[program_.handlers[h].actor]) {
        if (auto ok = send(h, to); !ok) return ok;
      }
    }
    return rest();
  }

  /// Stops one actor in sixteen, between two rests, so that what it had handled is the same everywhere.
  result<void> stop_some() {
    std::uint64_t n = 0;
    for (std::size_t h = 0; h < program_.handlers.size(); ++h) {
      if (!mine(h) || message_name(h) != "poison") continue;
      for (const std::uint64_t to : by_type_[program_.handlers[h].actor]) {
        if (++n % 16 != 0) continue;
        if (auto ok = send(h, to); !ok) return ok;
      }
    }
    return rest();
  }

  result<void> load() {
    std::vector<std::size_t> working;
    for (std::size_t h = 0; h < program_.handlers.size(); ++h) {
      if (mine(h) && !message_name(h).starts_with("wire_") && message_name(h) != "poison")
        working.push_back(h);
    }
    if (working.empty()) return error{errc::no_handler, "no handler to load"};
    for (std::size_t i = 0; i < plan_.messages; ++i) {
      const std::size_t h = working[i < working.size() ? i : random_.below(working.size())];
      const auto& receivers = by_type_[program_.handlers[h].actor];
      if (auto ok = send(h, receivers[random_.below(receivers.size())]); !ok) return ok;
    }
    return rest();
  }

  result<outcome> gather() {
    out_.hash = 1;
    for (const std::size_t t : slice_.actors) {
      const actor_info& a = program_.actors[t];
      for (const std::uint64_t bits : by_type_[t + 1]) {
        actor_state image{static_cast<std::uint8_t>(t + 1), bits, std::vector<std::byte>(a.size)};
        if (auto ok = core_.view(bits, a.key, 1, image.state.data(), a.size); !ok)
          return ok.error();
        out_.hash = support::fold(
            out_.hash, support::hash_fields(a.fields, image.state.data(), [this](std::uint64_t r) {
              const auto it = numbers_.find(r);
              return it == numbers_.end() ? 0 : it->second;
            }));
        out_.actors.push_back(std::move(image));
      }
    }
    out_.counters = core_.statistics();
    out_.layout = core_.layout();
    const stats& c = out_.counters;
    if (c.sent != c.handled + c.dead_total() + c.queued || c.queued != 0) {
      return error{errc::bad_option,
                   fmt::format("{}: sent {}, handled {}, dead {}, queued {}", slice_.name, c.sent,
                               c.handled, c.dead_total(), c.queued)};
    }
    if (const auto lost = c.dead[static_cast<std::size_t>(abi::dead_reason::exhausted)];
        lost != 0) {
      return error{errc::bad_option, fmt::format("{}: {} messages exhausted ({})", slice_.name,
                                                 lost, c.exhausted_pair)};
    }
    return std::move(out_);
  }

 private:
  bool mine(std::size_t h) const {
    const std::size_t actor = program_.handlers[h].actor - 1U;
    return std::find(slice_.actors.begin(), slice_.actors.end(), actor) != slice_.actors.end();
  }
  std::string_view message_name(std::size_t h) const {
    return last_part(program_.messages[program_.handlers[h].message].name);
  }

  result<void> send(std::size_t h, std::uint64_t to) {
    const message_info& m = program_.messages[program_.handlers[h].message];
    host_message message{to, h, std::vector<std::byte>(m.size)};
    support::fill_random(m.fields, message.bytes.data(), random_, [this](unsigned target) {
      const auto& from = by_type_[target];
      return random_.below(12) == 0 || from.empty() ? 0 : from[random_.below(from.size())];
    });
    for (const field_info& f : m.fields) {
      if (std::string_view{f.name} == "id")
        support::write_bits(f, 0, message.bytes.data(), random_.bits());
      if (std::string_view{f.name} == "hops")
        support::write_bits(f, 0, message.bytes.data(), random_.below(7));
    }
    if (auto ok = core_.send(to, program_.handlers[h].key, message.bytes.data(), m.size, 20s); !ok)
      return ok;
    out_.sent.push_back(std::move(message));
    return {};
  }

  result<void> rest() {
    std::uint64_t last_sent = ~std::uint64_t{0};
    for (int tries = 0; tries < 20'000; ++tries) {
      if (auto ok = core_.quiesce(30s); !ok) return ok;
      // What a timer brings may be queued after it has fired, so two rests in a row must count the same.
      const stats s = core_.statistics();
      const bool fired = s.timers_set == s.timers_fired;
      if (fired && s.sent == last_sent) return {};
      last_sent = fired ? s.sent : ~std::uint64_t{0};
    }
    return error{errc::timeout, "timers did not fire"};
  }

  const program_slice& slice_;
  const program& program_;
  const plan& plan_;
  detail::system_core& core_;
  support::random_source random_;
  std::vector<std::vector<std::uint64_t>> by_type_;  // [actor type id] -> references
  std::unordered_map<std::uint64_t, std::uint64_t> numbers_;
  outcome out_;
};

}  // namespace

std::vector<program_slice> slices_of(const program& p) {
  std::vector<program_slice> out;
  for (std::size_t i = 0; i < p.actors.size(); ++i) {
    const std::string_view name = namespace_of(p.actors[i].name);
    auto it = std::find_if(out.begin(), out.end(),
                           [&](const program_slice& s) { return s.name == name; });
    if (it == out.end()) it = out.insert(out.end(), program_slice{&p, std::string{name}, {}});
    it->actors.push_back(i);
  }
  return out;
}

options small_rings(std::uint64_t seed) {
  options o;
  o.seed = seed;
  o.inbox_slots = 64;
  o.spill_slots = 1U << 16U;
  o.timer_slots = 1U << 14U;
  o.memory_bytes = std::size_t{256} << 20U;
  o.stall_time = 20s;  // a loaded machine may not let a thread run for long
  o.send_timeout = 20s;
  return o;
}

result<outcome> run(const program_slice& slice, const options& opts, const plan& plan) {
  auto started = system::start(*slice.of, opts);
  if (!started) return started.error();
  director d{slice, plan, started->core()};
  if (auto ok = d.spawn_all(); !ok) return ok.error();
  if (auto ok = d.wire_all(); !ok) return ok.error();
  if (auto ok = d.stop_some(); !ok) return ok.error();
  if (auto ok = d.load(); !ok) return ok.error();
  auto out = d.gather();
  if (auto ok = started->stop(10s); !ok && out) return ok.error();
  return out;
}

std::string compare(const program_slice& slice, const outcome& first, const outcome& second) {
  auto numbers = [](const outcome& o) {
    std::unordered_map<std::uint64_t, std::uint64_t> map;
    for (const actor_state& a : o.actors) map.emplace(a.bits, map.size() + 1);
    return [map = std::move(map)](std::uint64_t bits) {
      const auto it = map.find(bits);
      return it == map.end() ? bits : it->second;
    };
  };
  std::string text;
  if (first.actors.size() != second.actors.size()) text = "  numbers of actors differ\n";
  const auto name_first = numbers(first);
  const auto name_second = numbers(second);
  int shown = 0;
  for (std::size_t i = 0; i < first.actors.size() && i < second.actors.size() && shown < 5; ++i) {
    const actor_info& type = slice.of->actors[first.actors[i].type - 1U];
    const std::string diff =
        support::difference(type.fields, first.actors[i].state.data(),
                            second.actors[i].state.data(), name_first, name_second);
    if (diff.empty()) continue;
    text += fmt::format("  {} (actor {}):{}\n", type.name, i, diff.substr(0, 400));
    ++shown;
  }
  if (first.counters.handled != second.counters.handled) {
    text += fmt::format("  handled {}|{}\n", first.counters.handled, second.counters.handled);
  }
  return text;
}

}  // namespace perdure::generated
