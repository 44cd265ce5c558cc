// tests/support/links.cpp - see links.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/links.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace perdure::support {
namespace {

struct port_end {
  std::uint64_t actor;
  std::uint32_t port;
};

/// The message of a port: what handlers say of it, else by its number. `messages` is not empty.
std::uint16_t carried(std::span<const std::uint16_t> messages, std::span<const port_use> uses,
                      std::size_t ports, std::size_t port) {
  for (const port_use& u : uses) {
    if (u.port == port) return u.message;
  }
  const std::size_t surplus = ports > messages.size() ? ports - messages.size() : 0;
  return messages[port < surplus ? 0 : port - surplus];
}

std::vector<port_end> ends_of(const program& p,
                              const std::vector<std::vector<std::uint64_t>>& by_type,
                              std::uint16_t message, std::span<const std::uint16_t> wide_info::* of,
                              std::span<const port_use> wide_info::* uses) {
  std::vector<port_end> ends;
  for (std::size_t t = 0; t < p.actors.size(); ++t) {
    const wide_info* wide = p.actors[t].wide;
    if (wide == nullptr || (wide->*of).empty()) continue;
    for (const std::uint64_t actor : by_type[t + 1]) {
      for (std::uint32_t port = 0; port < wide->ports.size(); ++port) {
        if (carried(wide->*of, wide->*uses, wide->ports.size(), port) == message)
          ends.push_back({actor, port});
      }
    }
  }
  return ends;
}

}  // namespace

bool is_joined(const program& actors, std::size_t handler) {
  const wide_info* wide = actors.actors[actors.handlers[handler].actor - 1U].wide;
  return wide != nullptr && wide->joined == handler + 1;
}

std::vector<detail::link_request> random_links(
    const program& actors, const std::vector<std::vector<std::uint64_t>>& by_type,
    random_source& random) {
  std::vector<detail::link_request> links;
  for (std::size_t m = 0; m < actors.messages.size(); ++m) {
    const auto message = static_cast<std::uint16_t>(m);
    const auto outs = ends_of(actors, by_type, message, &wide_info::opens, &wide_info::sends);
    auto ins = ends_of(actors, by_type, message, &wide_info::joins, &wide_info::takes);
    for (std::size_t i = ins.size(); i > 1; --i) std::swap(ins[i - 1], ins[random.below(i)]);
    const std::size_t n = std::min(outs.size(), ins.size());
    for (const auto& of_type : by_type) {
      if (of_type.empty()) continue;
      const auto first = [&](const port_end& e) { return e.actor == of_type.front(); };
      const auto from =
          std::find_if(outs.begin(), outs.begin() + static_cast<std::ptrdiff_t>(n), first);
      const auto to = std::find_if(ins.begin(), ins.end(), first);
      if (from == outs.begin() + static_cast<std::ptrdiff_t>(n) || to == ins.end()) continue;
      std::iter_swap(ins.begin() + (from - outs.begin()), to);
    }
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint32_t slots = 2U << random.below(5);  // a full ring of one slot stands still
      links.push_back(
          {outs[i].actor, ins[i].actor, outs[i].port, ins[i].port, actors.messages[m].key, slots});
    }
  }
  return links;
}

}  // namespace perdure::support
