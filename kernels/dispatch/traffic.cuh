// kernels/dispatch/traffic.cuh - who sends to whom, and how far: what the host moves actors by.
// Why: a message within a worker costs a fraction of one to another; which actors talk to each other shows only while
//      they do (docs/adr/021).
// Invariant: every message that has a place in an inbox is counted once, by its sender's worker; lanes add to the tally
//            and lane 0 moves it; a sample is whole when the worker has acknowledged a command. Only where
//            PERDURE_PLACES, or the memory, says so.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/dispatch/on_chip.cuh"
#include "kernels/dispatch/outbox.cuh"

namespace perdure::loop {

inline abi::distance distance_to(const on_chip& c, const memory& m, u32 worker) {
  if (worker == c.worker) return abi::distance::own_worker;
  return m.cluster > 1 && worker / m.cluster == c.worker / m.cluster ? abi::distance::own_cluster
                                                                     : abi::distance::elsewhere;
}

/// Whether the message is one of those that are kept. @param number  of the message; near ones need not differ by much.
inline bool is_sampled(u64 number, u32 shift) {
  const u32 mixed = static_cast<u32>((number * 0x9e3779b97f4a7c15UL) >> 32U);
  return ((mixed ^ mixed >> 15U) & ((1U << shift) - 1)) == 0;
}

/// Any lane: keeps a sample of one of 2^shift messages. @param number  of those that the batch sent, from anywhere.
/// @param first  () -> the message's first word.
template <class First>
void take_sample(on_chip& c, const memory& m, u32 number, First first) {
  traffic_meter& meter = *c[m.meter];
  const u32 rounds = load<order::relaxed, scope::block>(&meter.taken) >> abi::samples_shift;
  const u32 shift = rounds < abi::rarest_shift ? rounds : abi::rarest_shift;
  // sent: of the batches before, the same for all lanes
  if (!is_sampled(c.count[static_cast<u32>(abi::counter::sent)] + number, shift)) return;
  const u32 at = fetch_add<scope::block>(&meter.taken, 1U) & (abi::samples_kept - 1);
  const word w = first();
  const u32 type = c[m.handlers_here][abi::handler_of(w)].actor;
  m.samples[static_cast<u64>(c.worker) * abi::samples_kept + at] = {
      abi::sender_of(w) | static_cast<u64>(shift) << 56U,
      abi::make_ref(abi::receiver_index(w), abi::receiver_generation(w), type, 0)};
}

inline void add_traffic(on_chip& c, const memory& m, abi::distance far, u32 messages) {
  if (messages != 0) fetch_add<scope::block>(&(*c[m.meter]).tally[static_cast<u32>(far)], messages);
}

/// What one lane finds in the outbox: its counts are added once.
struct traffic_of_lane {
  u32 own_worker = 0, own_cluster = 0;

  void note(on_chip& c, const memory& m, u32 worker, u32 number, const outbox_place& message) {
    if (!counts_traffic(m)) return;
    const abi::distance far = distance_to(c, m, worker);
    own_worker += far == abi::distance::own_worker ? 1 : 0;
    own_cluster += far == abi::distance::own_cluster ? 1 : 0;
    take_sample(c, m, number, [&] { return message.get(0); });
  }
  /// @param all  messages noted.
  void tell(on_chip& c, const memory& m, u32 all) const {
    if (!counts_traffic(m)) return;
    add_traffic(c, m, abi::distance::own_worker, own_worker);
    add_traffic(c, m, abi::distance::own_cluster, own_cluster);
    add_traffic(c, m, abi::distance::elsewhere, all - own_worker - own_cluster);
  }
};

/// Any lane: one message to an actor has its place.
inline void note_sent(on_chip& c, const memory& m, u32 worker, u32 number, word first) {
  if (!counts_traffic(m)) return;
  add_traffic(c, m, distance_to(c, m, worker), 1);
  take_sample(c, m, number, [&] { return first; });
}
/// The one lane that is at work, which has counted the message. Not inlined: handlers send from many places.
PERDURE_OUT_OF_LINE inline void note_straight(on_chip& chip, const memory& mem, u32 dst,
                                              word first) {
  on_chip& c = here(chip);
  const memory& m = here(mem);
  // such messages are in the tally until it is folded, as a batch's are not
  const u32 number =
      load<order::relaxed, scope::block>(&c.tally[static_cast<u32>(abi::counter::sent)]);
  note_sent(c, m, waits(m, dst) ? dst : worker_behind(m, dst), number, first);
}

/// Lane 0, while no other counts; by then a tally has 32 bits.
inline void fold_traffic(on_chip& c, const memory& m) {
  if (!counts_traffic(m)) return;
  traffic_meter& meter = *c[m.meter];
  PERDURE_ROLLED
  for (u32 i = 0; i < abi::distances; ++i) {
    meter.sent[i] += meter.tally[i];
    meter.tally[i] = 0;
  }
  constexpr u32 soon_spent =
      1U << 31U;  // whole rounds of the ring less: the next sample goes where it would
  if (meter.taken >= soon_spent) meter.taken -= soon_spent / 2;
}

/// As fold_traffic(), behind each batch's or firing's sends, if a tally could soon be spent.
inline void fold_full_traffic(on_chip& c, const memory& m) {
  if (!counts_traffic(m)) return;
  constexpr u32 much = 1U << 31U;
  u32 most = 0;
  PERDURE_ROLLED
  for (u32 i = 0; i < abi::distances; ++i) most |= (*c[m.meter]).tally[i];
  if (most >= much) fold_traffic(c, m);
}

/// Lanes lane, lane + lanes, ... of a worker that has just begun: nobody was moved, nothing is counted.
inline void begin_traffic(on_chip& c, const memory& m, u32 lane, u32 lanes) {
  if (!counts_traffic(m)) return;
  PERDURE_ROLLED
  for (u32 i = lane; i <= m.type_count; i += lanes) c[m.places_here][i] = {nullptr, 0};
  if (lane == 0) *c[m.meter] = {};
}

/// Lanes lane, lane + lanes, ... of a worker that follows a command, while no handler runs: tells what was counted, and
/// learns whom the host has moved.
inline void follow_places(on_chip& c, const memory& m, u32 lane, u32 lanes) {
  if (!counts_traffic(m)) return;
  // plain: the host changes them before it gives a command, which has been acquired
  PERDURE_ROLLED
  for (u32 i = lane; i <= m.type_count; i += lanes) c[m.places_here][i] = m.places[i];
  if (lane != 0) return;
  traffic_meter& meter = *c[m.meter];
  fold_traffic(c, m);
  if (const abi::traffic_restart now = *m.restart; now.number != meter.restart) {
    meter = {};
    meter.restart = now.number;
    if (c.clock < now.clock) c.clock = now.clock;
  }
  abi::traffic_page& page = m.traffic[c.worker];
  PERDURE_ROLLED
  for (u32 i = 0; i < abi::distances; ++i) page.sent[i] = meter.sent[i];
  page.taken = meter.taken;
  page.clock = c.clock;
}

}  // namespace perdure::loop
