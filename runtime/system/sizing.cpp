// runtime/system/sizing.cpp - see sizing.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "runtime/system/sizing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <utility>

#include "kernels/dispatch/buffers.cuh"
#include "kernels/wide/whole.cuh"
#include "runtime/system/host_time.hpp"

namespace perdure::runtime {
namespace {

constexpr std::uint32_t lane_parts = 8;
constexpr std::uint32_t words_a_slot = loop::unit_words;

struct bounds {
  const char* name;
  std::uint32_t value, least, most;
  bool power_of_two;
};

result<void> check(const bounds& b) {
  if (b.value < b.least || b.value > b.most || (b.power_of_two && !std::has_single_bit(b.value))) {
    return error{errc::bad_option,
                 fmt::format("{} is {}; it must be {}{}..{}", b.name, b.value,
                             b.power_of_two ? "a power of two in " : "in ", b.least, b.most)};
  }
  return {};
}

std::uint32_t log2_words(std::uint32_t slots) {
  return static_cast<std::uint32_t>(std::countr_zero(slots * words_a_slot));
}

/// Whether the host may send messages over 240 bytes: to an ordinary handler; what links carry only actors send.
bool takes_large(const program& actors) {
  for (std::uint32_t i = 0; i < actors.handlers.size(); ++i) {
    const handler_info& h = actors.handlers[i];
    const wide_info* wide = actors.actors[h.actor - 1U].wide;
    const bool joined = wide != nullptr && wide->joined == i + 1;
    if (!joined && actors.messages[h.message].size > abi::inline_payload) return true;
  }
  return false;
}

/// Words that the longest message to a host takes in the ring to there, if it is one over 240 bytes; else 0.
std::uint32_t longest_letter(const program& actors) {
  std::uint32_t parts = 0;
  for (const message_info& m : actors.messages)
    if (m.to_host) parts = std::max(parts, abi::parts_for(m.size));
  return parts * abi::max_words;
}

}  // namespace

result<void> choose_sizes(loop::memory& m, const options& o, const engine_defaults& d,
                          const program& actors) {
  auto pick = [](std::uint32_t set, std::uint32_t otherwise) { return set != 0 ? set : otherwise; };
  const std::uint32_t workers = pick(o.workers, d.workers);
  const std::uint32_t lanes = pick(o.lanes, d.lanes);
  const std::uint32_t inbox = pick(o.inbox_slots, d.inbox_slots);
  const std::uint32_t spill = pick(o.spill_slots, std::max(d.spill_slots, inbox));
  const std::uint32_t outbox = pick(o.outbox_slots, d.outbox_slots);
  const std::uint32_t letter_slots = loop::units_for(longest_letter(actors));
  const std::uint32_t host = pick(o.host_slots, d.host_slots);
  const std::uint32_t timers = pick(o.timer_slots, d.timer_slots);
  const std::uint32_t host_lanes = pick(o.host_lanes, 8);
  std::uint32_t largest = 0;
  for (const message_info& info : actors.messages) largest = std::max(largest, info.size);
  const std::uint32_t buffer_bytes =
      (largest + loop::buffer_align - 1) / loop::buffer_align * loop::buffer_align;
  std::uint32_t buffers = pick(o.buffer_slots, d.buffer_slots);
  if (o.buffer_slots == 0 && letter_slots != 0) {
    // one for each message of all workers' batches, so that a host that is slow makes them wait and loses nothing
    const std::uint64_t room = std::uint64_t{d.host_buffer_bytes} * 16 / buffer_bytes;
    const std::uint64_t in_batches = std::uint64_t{workers} * lanes;
    buffers = std::max(buffers, static_cast<std::uint32_t>(std::min(in_batches, room)));
  }
  const std::uint32_t fit = d.host_buffer_bytes / std::max(buffer_bytes, loop::buffer_align);
  const std::uint32_t host_buffers = pick(o.host_buffer_slots, std::clamp(fit, 64U, 4096U));
  constexpr std::uint32_t records_of_all = (256U << 20U) / sizeof(abi::record_entry);
  const std::uint32_t records = pick(o.record_slots, std::max(records_of_all / workers, 16U));
  // a batch must be able to hold the longest message, or it would wait for ever
  const std::uint32_t longest_words =
      largest > abi::inline_payload ? abi::max_words : abi::words_for(largest);
  m.lane_words_in = lane_words_in(lanes, widest(actors) != 0);
  const std::uint32_t least_lanes = (longest_words + m.lane_words_in - 1) / m.lane_words_in;
  const std::uint32_t in_words = lanes * m.lane_words_in;
  // each message of a batch may send one of the longest, beside what timers may take before it (a quarter and one)
  const std::uint32_t longest_units = loop::units_for(longest_words);
  const std::uint32_t least_outbox = (lanes + 1) * longest_units * 4 / 3;
  const bounds all[] = {
      {"workers", workers, 1, 4096, false},
      {"lanes", lanes, least_lanes, 1024, false},
      {"inbox_slots", inbox, 64, 1U << 23U, true},
      {"spill_slots", spill, std::bit_ceil(std::max(64U, in_words / 2)), 1U << 26U, true},
      {"outbox_slots", outbox, std::max(64U, least_outbox), 1U << 24U, false},
      {"host_slots", host, std::bit_ceil(std::max(64U, letter_slots)), 1U << 22U, true},
      {"timer_slots", timers, 1, 1U << 22U, true},
      {"buffer_slots", buffers, 1, 1U << 24U, false},
      {"host_lanes", host_lanes, 1, 64, false},
      {"host_buffer_slots", host_buffers, 1, 1U << 20U, false},
      {"record_slots", records, 16, 1U << 30U, false},
  };
  for (const bounds& b : all) {
    if (auto ok = check(b); !ok) return ok;
  }
  if (o.park_after.count() < 0) return error{errc::bad_option, "park_after must not be below 0"};
  if (o.stall_time.count() <= 0) return error{errc::bad_option, "stall_time must be above 0"};
  if (time_scale_set() == 0) {
    return error{errc::bad_option,
                 fmt::format("PERDURE_TIME_SCALE is '{}'; it must be a whole number from 1 to 1000",
                             std::getenv("PERDURE_TIME_SCALE"))};
  }
  m.workers = workers;
  m.lanes = lanes;
  m.seed = o.seed;
  m.worker_magic = workers == 1 ? 0 : ~std::uint64_t{0} / workers + 1;
  m.stall_ns = static_cast<std::uint64_t>(o.stall_time.count());
  m.control_shift = d.control_shift;
  m.ring_shift = log2_words(inbox);
  m.spill_shift = log2_words(spill);
  m.out_units = outbox;
  m.chip_units = std::min(d.chip_units, outbox);
  m.claim_slots = d.claim_slots;
  m.timer_capacity = timers;
  m.host_shift = log2_words(host);
  m.host_lane_count = host_lanes;
  // each worker has its own part of a host lane; together they hold several times what a ring to the host does
  const std::uint32_t lane = std::bit_ceil((lane_parts * host + workers - 1) / workers);
  m.lane_shift = log2_words(std::clamp(lane, 64U, host));
  m.state_pitch = d.brings_states ? state_pitch(actors) : 0;
  m.lands_ahead = d.lands_ahead ? 1 : 0;
  m.overflow_rules = has_overflow_rules(actors) ? 1 : 0;
  m.counts_traffic = o.placement == placement::counted ? 1 : 0;
  m.type_count = static_cast<std::uint32_t>(actors.actors.size());
  m.handler_count = static_cast<std::uint32_t>(actors.handlers.size());
  m.buffer_bytes = largest > abi::inline_payload ? buffer_bytes : 0;
  m.buffer_count = m.buffer_bytes == 0 ? 0 : buffers;
  m.buffer_shift = loop::pool_shift(m.buffer_count);
  // host lanes have equal parts of them
  const std::uint32_t host_buffers_a_lane = (host_buffers + host_lanes - 1) / host_lanes;
  m.record_slots = o.record.empty() ? 0 : records;
  m.host_buffer_count = takes_large(actors) ? host_buffers_a_lane * host_lanes : 0;
  m.cluster = pick(o.cluster, d.cluster);
  if (m.cluster > 8 || !std::has_single_bit(m.cluster) || workers % m.cluster != 0) {
    return error{errc::bad_option,
                 fmt::format("cluster is {}; it must be 1, 2, 4 or 8 and divide workers ({})",
                             m.cluster, workers)};
  }
  if (widest(actors) == 0) {
    loop::lay_out_chip(m);
    return {};
  }
  auto planned = plan_wide(m, actors, d.chip_bytes, o.port_messages, d.states_in_memory);
  return planned ? result<void>{} : result<void>{planned.error()};
}

std::uint32_t state_pitch(const program& actors) {
  std::uint32_t pitch = 0;
  for (const actor_info& a : actors.actors) {
    if (a.wide != nullptr) return 0;  // their states need the chip
    if (abi::is_staged(a.size, a.align))
      pitch = std::max(pitch, abi::staged_pitch(abi::slot_stride(a.size, a.align)));
  }
  return pitch;
}

bool has_overflow_rules(const program& actors) {
  return std::any_of(actors.actors.begin(), actors.actors.end(),
                     [](const actor_info& a) { return a.on_overflow != abi::overflow::wait; });
}

bool has_runs(const program& actors) {
  return std::any_of(actors.handlers.begin(), actors.handlers.end(),
                     [](const handler_info& h) { return h.in_runs; });
}

std::uint32_t widest(const program& actors) {
  std::uint32_t lanes = 0;
  for (const actor_info& a : actors.actors) {
    if (a.wide != nullptr) lanes = std::max<std::uint32_t>(lanes, a.wide->lanes);
  }
  return lanes;
}

namespace {

struct port_room {
  bool small_too =
      true;  ///< a little more for small messages, such as what an actor sends itself, and for the smallest one if that is larger
  bool each_once = false;  ///< no more than it takes if each message has a port
};
/// Makes room on chip for messages at ports: of each actor, of its largest one at `most` of its ports, or of as many
/// smaller ones.
void plan_ports(loop::memory& m, const program& actors, std::uint32_t most, port_room how = {}) {
  m.land_bytes = m.stage_bytes = m.stage_spare = m.run_most = 0;
  const auto size_of = [&](std::uint16_t message) { return actors.messages[message].size; };
  for (const actor_info& a : actors.actors) {
    if (a.wide == nullptr) continue;
    const auto ports = static_cast<std::uint32_t>(a.wide->ports.size());
    const std::uint32_t counted = std::min(ports, most);
    const auto room = [&](auto messages) {
      std::uint32_t largest = 0, smallest = ~0U, sum = 0, count = 0;
      for (const std::uint16_t id : messages) {
        const std::uint32_t bytes = abi::landed_bytes(size_of(id));
        largest = std::max(largest, bytes);
        smallest = std::min(smallest, bytes);
        sum += bytes;
        ++count;
      }
      std::uint32_t all = counted * largest;
      if (how.small_too && counted < ports) {
        const std::uint32_t little = largest / 256 * 16;
        all += little + (smallest > little && smallest < largest / 2 ? smallest : 0);
      }
      if (how.each_once && count <= ports) all = std::min(all, sum + (ports - count) * largest);
      return std::pair{all, largest};
    };
    m.land_bytes = std::max(m.land_bytes, room(a.wide->joins).first);
    const auto [staged, largest] = room(a.wide->opens);
    m.stage_bytes = std::max(m.stage_bytes, staged);
    m.stage_spare = std::max(m.stage_spare, largest);
  }
  // runs of whatever set of messages has room in so many bytes: another actor's room lets an actor have more of its own
  const auto runs_in = [&](std::uint32_t bytes, const actor_info& a, auto messages) {
    const auto ports = static_cast<std::uint32_t>(a.wide->ports.size());
    std::uint32_t longest = 0;
    for (const std::uint16_t id : messages)
      longest = std::max(longest, abi::link_runs(size_of(id), m.lanes));
    return std::min(ports * longest, bytes / abi::least_run_bytes(m.lanes) + ports);
  };
  for (const actor_info& a : actors.actors) {
    if (a.wide == nullptr) continue;
    m.run_most = std::max(m.run_most, runs_in(m.land_bytes, a, a.wide->joins) +
                                          runs_in(m.stage_bytes, a, a.wide->opens));
  }
  if (m.whole_links != 0) {  // neither those that have come nor those that are filled
    m.land_bytes = sizeof(loop::whole_messages);
    m.stage_bytes = m.run_most = 0;
  }
  m.stage_bytes += m.stage_spare;
  loop::lay_out_chip(m);
}

/// The largest state that has room beside all else. 0 if that does not fit by itself.
std::uint32_t largest_held(const loop::memory& m, const program& actors, std::uint32_t chip_bytes) {
  const std::uint32_t room = chip_bytes > m.chip_bytes ? chip_bytes - m.chip_bytes : 0;
  std::uint32_t held = 0;
  for (const actor_info& a : actors.actors) {
    const std::uint32_t bytes = abi::wide_up(a.size);
    if (a.wide != nullptr && bytes <= room / abi::wide_align * abi::wide_align)
      held = std::max(held, bytes);
  }
  return held;
}

/// Room for wide actors that are not held, if all states that are brought on chip are small.
/// @param spare  bytes. @return those that it takes.
std::uint32_t plan_cache(loop::memory& m, std::uint32_t spare) {
  constexpr std::uint32_t most_ways = 32,
                          most_bytes = 80U << 10U;  // the first cache has what is left
  constexpr std::uint32_t most_state =
      8192;  // the copy engine moves a larger one sooner than lanes
  if (m.held_bytes == 0 || m.held_bytes > most_state) return 0;
  const auto each = loop::way_bytes(m) + static_cast<std::uint32_t>(sizeof(loop::cached_actor));
  const std::uint32_t ways = std::min(most_ways, std::min(spare, most_bytes) / each);
  m.cache_ways = ways < 2 ? 0 : std::bit_floor(ways);
  return m.cache_ways * each;
}

}  // namespace

result<std::uint32_t> plan_wide(loop::memory& m, const program& actors, std::uint32_t chip_bytes,
                                std::uint32_t port_messages, bool states_in_memory) {
  m.wide = 1;
  m.whole_links = states_in_memory ? 1 : 0;
  m.held_bytes = m.link_bytes = m.cache_ways = 0;
  m.linked_most = 1U << abi::linked_shift;
  plan_ports(m, actors, abi::max_ports);
  if (chip_bytes == 0) return 0U;
  // small actors make do with less on chip: what does not fit goes to memory
  while (m.chip_units > 64) m.chip_units /= 2;
  while (m.claim_slots > 2 * m.lanes) m.claim_slots /= 2;
  // a state on chip is worth more than room for the largest message at every port: links are refused that have none
  constexpr std::uint32_t least = 2;
  constexpr port_room no_more{.small_too = false};
  plan_ports(m, actors, least, no_more);
  const auto most_held = [&] {
    return states_in_memory ? 0U : largest_held(m, actors, chip_bytes);
  };
  const std::uint32_t held = most_held();
  std::uint32_t most =
      port_messages != 0 && port_messages < abi::max_ports ? port_messages : abi::max_ports;
  for (plan_ports(m, actors, most); most > least && most_held() < held;)
    plan_ports(m, actors, --most);
  if (most_held() < held || m.chip_bytes > chip_bytes) plan_ports(m, actors, most, no_more);
  while (most > 1 && m.chip_bytes > chip_bytes) plan_ports(m, actors, --most, no_more);
  if (m.chip_bytes > chip_bytes) {
    return error{errc::bad_option,
                 fmt::format("{}: its joined and open messages need {} bytes on chip; a block of "
                             "this device has {}",
                             actors.name, m.chip_bytes, chip_bytes)};
  }
  const std::uint32_t states = most_held();
  // links within a cluster need room, too: at least those of small messages
  constexpr std::uint32_t least_link_bytes = 1024;
  const auto links_fit = [&] { return chip_bytes - m.chip_bytes >= states + least_link_bytes; };
  if (m.cluster > 1 && m.whole_links == 0 && !links_fit()) {
    const loop::memory roomier = m;
    plan_ports(m, actors, most, {.each_once = true});
    if (!links_fit()) m = roomier;
  }
  m.held_bytes = states;
  const std::uint32_t room = (chip_bytes - m.chip_bytes) / abi::wide_align * abi::wide_align;
  const std::uint32_t spare = room - m.held_bytes;
  const bool has_chip_links = m.cluster > 1 && m.whole_links == 0;
  const std::uint32_t cache_bytes = plan_cache(m, has_chip_links ? spare / 2 : spare);
  if (has_chip_links) m.link_bytes = (spare - cache_bytes) / 16 * 16;
  loop::lay_out_chip(m);
  return m.held_bytes;
}

}  // namespace perdure::runtime
