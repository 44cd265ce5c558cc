// tools/perdure/baseline_lanes.cpp - the host ends of baseline_lanes.cu, one thread a ring.
// Invariant: a word's half with the lap is stored last and loaded first, so who sees the lap sees
// the word.
// SPDX-License-Identifier: Apache-2.0
#include "baseline_lanes.hpp"

#include <fmt/format.h>

#include <cstring>
#include <optional>

#include "bench_actors.hpp"
#include "egress_actors.hpp"
#include "gpu.hpp"
#include "kernel_texts.hpp"
#include "threads.hpp"

namespace bench {
namespace {

namespace cu = perdure::driver;

constexpr unsigned ring_bits = 13;
constexpr std::uint64_t capacity = 1U << ring_bits;
constexpr std::size_t apart = 16;  ///< 64-bit words between two rings' counters
constexpr double patience = 5;     ///< seconds

/// As in baseline_lanes.cu.
struct counted_notes {
  std::uint64_t sum;
  std::uint32_t handled, errors;
};

/// The kernel, its rings and the counters that both sides see. Its kernel must have ended before it
/// goes.
struct rings_by_hand {
  gpu g;
  std::uint32_t rings;
  cu::mapped_host_buffer slots, counters;
  cu::device_buffer stalled;

  explicit rings_by_hand(std::uint32_t count)
      : g{gpu::with("baseline_lanes.cu", baseline_lanes_text,
                    perdure::runtime::jit::embedded_headers())
              .value()},
        rings{count},
        slots{cu::mapped_host_buffer::make(g.context, count * capacity * 64).value()},
        counters{cu::mapped_host_buffer::make(g.context, 2 * count * apart * 8).value()},
        stalled{cu::device_buffer::make(g.context, 4).value()} {}

  std::uint64_t* slot(std::uint32_t ring, std::uint64_t at) const {
    return static_cast<std::uint64_t*>(slots.host()) + (ring * capacity + at % capacity) * 8;
  }
  std::uint64_t* head(std::uint32_t ring) const {
    return static_cast<std::uint64_t*>(counters.host()) + ring * apart;
  }
  std::uint64_t* until(std::uint32_t ring) const { return head(rings + ring); }
  cu::abi::device_ptr untils() const { return counters.device() + rings * apart * 8; }
  void clear() const {
    std::memset(slots.host(), 0, slots.bytes());
    std::memset(counters.host(), 0, counters.bytes());
    // no end is known yet; with 0 a block that looks before the first message is there would leave
    for (std::uint32_t r = 0; r < rings; ++r) *until(r) = ~std::uint64_t{0};
    cu::fill_bytes(stalled.address(), 0, 4, g.stream).value();
    g.stream.synchronize().value();
  }
  void finish(const char* what) const {
    std::uint32_t gave_up = 0;
    cu::copy_to_host(&gave_up, stalled.address(), 4, g.stream).value();
    g.stream.synchronize().value();
    if (gave_up != 0) throw wrong_answer{fmt::format("{} by hand: a block gave up waiting", what)};
  }
  cu::launch_shape shape() const {
    return {.grid = {rings, 1, 1}, .block = {256, 1, 1}, .cooperative = true};
  }
};

std::uint64_t lap_of(std::uint64_t at) {
  return static_cast<std::uint64_t>(static_cast<std::uint32_t>(at >> ring_bits) + 1) << 32U;
}
void put_slot(std::uint64_t* to, const std::uint64_t (&half)[8], std::uint64_t lap) {
  for (unsigned k = 0; k < 8; k += 2) {
    __atomic_store_n(to + k, half[k], __ATOMIC_RELAXED);
    __atomic_store_n(to + k + 1, half[k + 1] | lap, __ATOMIC_RELEASE);
  }
}
bool get_slot(const std::uint64_t* from, std::uint64_t (&half)[8], std::uint64_t lap) {
  for (unsigned k = 0; k < 8; k += 2) {
    half[k + 1] = __atomic_load_n(from + k + 1, __ATOMIC_ACQUIRE);
    if (half[k + 1] >> 32U != lap >> 32U) return false;
    half[k] = __atomic_load_n(from + k, __ATOMIC_RELAXED);
  }
  return true;
}

/// @return the first place that has no room now; beyond `at`.
std::uint64_t wait_for_room(const rings_by_hand& by_hand, std::uint32_t ring, std::uint64_t at) {
  for (const auto since = steady::now(); seconds_since(since) < patience;) {
    const std::uint64_t head = __atomic_load_n(by_hand.head(ring), __ATOMIC_ACQUIRE);
    if (head + capacity > at) return head + capacity;
  }
  throw wrong_answer{"inject by hand: no room"};
}

/// One thread's ring in: laps over its actors until the time is up. @return laps.
std::uint32_t feed(const rings_by_hand& by_hand, std::uint32_t ring, const std::vector<note>& notes,
                   double seconds) {
  std::uint64_t at = 0, room_to = capacity;
  std::uint32_t laps = 0;
  const auto from = steady::now();
  do {
    for (std::uint32_t i = 0; i < notes.size(); ++i, ++at) {
      if (at >= room_to) room_to = wait_for_room(by_hand, ring, at);
      note n = notes[i];
      put_word(n.halves, 0, laps);
      std::uint32_t p[12] = {};  // the pieces of baseline_lanes.cu, receiver first
      p[0] = i;
      std::memcpy(p + 1, n.halves.data(), sizeof n);
      const auto two = [&](unsigned k) {
        return p[k] | static_cast<std::uint64_t>(p[k + 1]) << 32U;
      };
      put_slot(by_hand.slot(ring, at), {two(0), p[2], two(3), p[5], two(6), p[8], two(9), 0},
               lap_of(at));
    }
    ++laps;
  } while (seconds_since(from) < seconds);
  __atomic_store_n(by_hand.until(ring), at, __ATOMIC_RELEASE);
  for (auto since = steady::now(); __atomic_load_n(by_hand.head(ring), __ATOMIC_ACQUIRE) != at;) {
    if (seconds_since(since) > patience) throw wrong_answer{"inject by hand: notes were not taken"};
  }
  return laps;
}

double inject_once(const rings_by_hand& by_hand, const std::vector<note>& notes, double seconds) {
  const std::size_t each = notes.size();
  std::vector<counted_notes> actors(each * by_hand.rings, counted_notes{});
  auto states =
      cu::device_buffer::make(by_hand.g.context, actors.size() * sizeof(counted_notes)).value();
  by_hand.clear();
  cu::fill_bytes(states.address(), 0, states.bytes(), by_hand.g.stream).value();
  by_hand.g.code.find("lanes_in")
      .value()
      .launch(by_hand.shape(), by_hand.g.stream, by_hand.slots.device(), ring_bits,
              by_hand.counters.device(), by_hand.untils(), states.address(),
              static_cast<std::uint32_t>(each), by_hand.stalled.address())
      .value();
  std::vector<std::uint32_t> laps(by_hand.rings);
  const auto from = on_threads(
      by_hand.rings, [&](std::uint32_t t) { laps[t] = feed(by_hand, t, notes, seconds); });
  const double took = seconds_since(from);
  by_hand.finish("inject");
  cu::copy_to_host(actors.data(), states.address(), states.bytes(), by_hand.g.stream).value();
  by_hand.g.stream.synchronize().value();
  double messages = 0;
  for (std::size_t i = 0; i < actors.size(); ++i) {
    const std::uint32_t mine = laps[i / each];
    std::uint64_t sum = sum_of(notes[i % each]) * mine;
    if (i % each == 0) messages += static_cast<double>(mine) * static_cast<double>(each);
    for (std::uint32_t lap = 0; lap < mine; ++lap) sum += (lap & 0xffffU) + 3ULL * (lap >> 16U);
    if (actors[i].handled != mine || actors[i].errors != 0 || actors[i].sum != sum)
      throw wrong_answer{fmt::format("inject by hand: receiver {} has a wrong sum", i)};
  }
  return messages / took;
}

/// One thread's ring out: takes and checks all letters.
void drain(const rings_by_hand& by_hand, std::uint32_t ring, std::uint32_t senders,
           std::uint64_t count) {
  auto last = steady::now();
  for (std::uint64_t at = 0; at < count;) {
    std::uint64_t half[8];
    if (!get_slot(by_hand.slot(ring, at), half, lap_of(at))) {
      if (seconds_since(last) > patience) throw wrong_answer{"egress by hand: a letter is missing"};
      continue;
    }
    const auto place = static_cast<std::uint32_t>(half[0]);
    const auto number = static_cast<std::uint32_t>(half[0] >> 32U);
    const dispatch_note due = written(place, number);
    const std::uint32_t p[10] = {place,
                                 number,
                                 static_cast<std::uint32_t>(half[1]),
                                 static_cast<std::uint32_t>(half[2]),
                                 static_cast<std::uint32_t>(half[2] >> 32U),
                                 static_cast<std::uint32_t>(half[3]),
                                 static_cast<std::uint32_t>(half[4]),
                                 static_cast<std::uint32_t>(half[4] >> 32U),
                                 static_cast<std::uint32_t>(half[5]),
                                 static_cast<std::uint32_t>(half[6])};
    if (place != at % senders || number != static_cast<std::uint32_t>(at / senders) ||
        std::memcmp(p, &due, sizeof due) != 0) {
      throw wrong_answer{fmt::format("egress by hand: letter {} is wrong", at)};
    }
    if ((++at & 63U) == 0 || at == count) {
      __atomic_store_n(by_hand.head(ring), at, __ATOMIC_RELEASE);
      last = steady::now();
    }
  }
}

double egress_once(const rings_by_hand& by_hand, std::uint32_t senders, std::uint64_t count) {
  by_hand.clear();
  const cu::kernel out = by_hand.g.code.find("lanes_out").value();
  const auto from = steady::now();
  out.launch(by_hand.shape(), by_hand.g.stream, by_hand.slots.device(), ring_bits,
             by_hand.counters.device(), senders, count, by_hand.stalled.address())
      .value();
  on_threads(by_hand.rings, [&](std::uint32_t t) { drain(by_hand, t, senders, count); });
  const double took = seconds_since(from);
  by_hand.finish("egress");
  return took;
}

}  // namespace

nlohmann::json inject_baselines(const bench_options& options,
                                const std::vector<std::uint32_t>& threads, std::uint32_t actors) {
  if (auto why = no_gpu(options)) return {{"by_hand", {{"skipped", *why}}}};
  nlohmann::json figures;
  for (const std::uint32_t count : threads) {
    const rings_by_hand by_hand{count};
    std::vector<note> notes(std::max(256U, actors / count));  // no actor twice in a batch
    for (std::uint32_t i = 0; i < notes.size(); ++i) {
      for (unsigned h = 2; h < full_halves; ++h) notes[i].halves[h] = cargo(mix(i), h);
    }
    inject_once(by_hand, notes, 0.05);  // warm-up
    std::vector<double> rate;
    for (std::uint32_t run = 0; run < options.runs; ++run)
      rate.push_back(inject_once(by_hand, notes, options.seconds));
    figures[fmt::format("by_hand_threads_{}_many_messages_per_s", count)] = summary(rate);
  }
  return figures;
}

nlohmann::json egress_baselines(const bench_options& options,
                                const std::vector<std::uint32_t>& threads, std::uint32_t senders) {
  if (auto why = no_gpu(options)) return {{"by_hand", {{"skipped", *why}}}};
  nlohmann::json figures;
  for (const std::uint32_t count : threads) {
    const rings_by_hand by_hand{count};
    const std::uint32_t each = std::max(1U, senders / count);
    std::uint64_t letters = 1U << 20U;
    double took = egress_once(by_hand, each, letters);  // warm-up
    const double most = 2e9;                            // numbers and laps have 32 bits
    letters = static_cast<std::uint64_t>(
        std::clamp(static_cast<double>(letters) * options.seconds / took, 1e4, most));
    std::vector<double> rate;
    for (std::uint32_t run = 0; run < options.runs; ++run) {
      took = egress_once(by_hand, each, letters);
      rate.push_back(static_cast<double>(letters) * count / took);
    }
    figures[fmt::format("by_hand_threads_{}_messages_per_s", count)] = summary(rate);
  }
  return figures;
}

}  // namespace bench
