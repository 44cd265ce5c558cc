// kernels/dispatch/assign.cuh - which lane handles which messages of a batch, and in which order.
// Why: an actor handles one message at a time and in order, without a lock: its worker owns it, and one lane runs all of
//      its messages of a batch, one after another; so a hot actor costs no barrier a message. Lanes that work side by
//      side have messages of one handler: others would run one after another.
// Invariant: each message of a small actor stands in exactly one chain: order[place], then along `next`; messages of one
//            actor stand in one chain, in the order of the batch. Or those behind a chain's first stand in none: defer.cuh.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/dispatch/defer.cuh"

namespace perdure::loop {

/// Whether the message at `at` is a small actor's, whose handler is one lane's.
inline bool is_small(const on_chip& c, const memory& m, u32 at) {
  if (!has_wide(m)) return true;
  return c[m.types_here][c[m.handlers_here][abi::handler_of(c[m.in][at])].actor].lanes == 0;
}

/// An actor's slot of the claim table. The places that a worker owns are dense, so those of few actors have slots of their own.
inline u32 claim_slot(const on_chip& c, const memory& m, u32 type, u32 index) {
  const u32 local = quotient(m, place_of(c, m, type, index));
  return (local + (type * 0x9e3779b9U >> 19U)) & (m.claim_slots - 1);
}

/// Links a message to the one before it in its slot of the claim table, and to the copy of its state: that of its actor's
/// first message. @param which  of memory::late. @param nearest  of those, the one before it in its slot; ~0: it is the first.
inline void link_late(on_chip& c, const memory& m, u32 which, u32 nearest) {
  const u32 entry = c[m.late][which];
  const u32 slot = entry >> 16U;
  const u32 own = entry & 0xffffU;
  const u32 first = c[m.claim][slot] & 0xffffU;
  c[m.next][nearest == ~0U ? first : c[m.late][nearest] & 0xffffU] = static_cast<u16>(own);
  if (m.state_pitch == 0 || c[m.copy][own] == nobody) return;
  u32 same = same_receiver(c, m, own, first) ? first : nobody;
  PERDURE_ROLLED  // two actors share the slot, which few do
      for (u32 i = 0; same == nobody && i < which; ++i) {
    const u32 other = c[m.late][i];
    if (other >> 16U == slot && same_receiver(c, m, own, other & 0xffffU)) same = other & 0xffffU;
  }
  if (same == nobody) return;
  c[m.copy][own] = static_cast<u16>(same);
  c[m.home][own] = 0;
}

/// Places of a batch's groups of handlers: each group begins where lanes that work side by side begin, unless the gaps
/// would send few of them round once more. Then groups stand close, and some lanes side by side have two handlers: less
/// than one more round costs (docs/adr/034).
struct group_places {
  u32 both;  ///< of all groups: places with gaps | those without << 16

  static u32 of(u32 messages, u32 side_by_side) {
    return ((messages + side_by_side - 1) / side_by_side * side_by_side) | messages << 16U;
  }
  bool close(u32 lanes) const {
    const u32 with_gaps = both & 0xffffU;
    return with_gaps > lanes && with_gaps <= lanes + lanes / 2;
  }
  u32 all(u32 lanes) const { return start(both, lanes); }
  /// @param below  as `both`, of the groups before.
  u32 start(u32 below, u32 lanes) const { return close(lanes) ? below >> 16U : below & 0xffffU; }
};

/// What assign() found out; the same for all lanes.
struct assignment {
  u32 places;   ///< of `order` to look at; those that nobody has are `nobody`
  u32 late;     ///< messages that are not their chain's first
  bool defers;  ///< those have no chain: defer() is to follow
};

/// Fills `order` and `next`, and brings states on chip; ends behind a barrier. Two actors may share a chain: few do.
/// @tparam Pieces    of 16 bytes: the largest slot that is brought.
/// @tparam InMemory  whether there are slots that are too large to be brought.
template <u32 Pieces, bool InMemory, class Block>
assignment assign(Block& b, on_chip& c, const memory& m, batch taken) {
  constexpr u32 none = ~0U;
  const bool grouped = taken.messages > Block::group_above && m.handler_count > 1;
  const u32 round = c.claim_round;  // lower than all that stands in the table
  typename Block::template per_lane<u32> slot;
  b.region([&](u32 lane) {  // the earliest message of each actor begins its chain
    slot[lane] = none;
    PERDURE_ROLLED
    for (u32 i = lane; grouped && i < order_places(m); i += b.lanes())
      c[m.order][i] = static_cast<u16>(nobody);
    if (lane == 0) c.next_places = b.lanes() / Block::side_by_side;
    if (m.state_pitch != 0) c[m.home][lane] = 0;
    if (lane >= taken.messages || !is_small(c, m, c[m.start][lane])) return;
    const word first = c[m.in][c[m.start][lane]];
    note_home<InMemory>(c, m, lane, first);
    const u32 type = c[m.handlers_here][abi::handler_of(first)].actor;
    slot[lane] = claim_slot(c, m, type, abi::receiver_index(first));
    c[m.next][lane] = static_cast<u16>(nobody);
    fetch_min<scope::block>(&c[m.claim][slot[lane]], round << 16U | lane);
  });
  bring_states<Pieces>(b, c, m, taken.messages);
  const auto group_of = [&](u32 lane) {
    return lane < taken.messages ? abi::handler_of(c[m.in][c[m.start][lane]]) & (groups - 1) : 0;
  };
  typename Block::template per_lane<bool> is_late;
  typename Block::template per_lane<u32> place;
  typename Block::template per_lane<u64> late_before;
  // who looks whether he is late is numbered in his group, so that one barrier is enough for both
  const u32 late = static_cast<u32>(b.scan_flags(late_before, [&](u32 lane) -> u32 {
    is_late[lane] = slot[lane] != none && load<order::relaxed, scope::block>(
                                              &c[m.claim][slot[lane]]) != (round << 16U | lane);
    const bool first = slot[lane] != none && !is_late[lane];
    place[lane] = none;
    if (!grouped) {
      c[m.order][lane] = static_cast<u16>(first ? lane : nobody);
    } else if (first) {
      place[lane] = fetch_add<scope::block>(&c[m.group][group_of(lane)], 1U);
    }
    return is_late[lane] ? 1 : 0;
  }));
  u32 places = taken.messages;
  typename Block::template per_lane<u32> start;
  group_places in_groups{};
  if (grouped) {
    in_groups = {b.sum_below(start, group_of, [&](u32 g) {
      return group_places::of(c[m.group][g], Block::side_by_side);
    })};
    places = in_groups.all(b.lanes());
  }
  const bool deferring = defers(b, m, taken.messages, late);
  b.each([&](u32 lane) {
    if (is_late[lane]) {
      c[m.late][static_cast<u32>(late_before[lane]) & 0xffffU] = slot[lane] << 16U | lane;
      // what was brought for it does not go back
      if (deferring && m.state_pitch != 0) c[m.home][lane] = 0;
    } else if (place[lane] != none) {
      c[m.order][in_groups.start(start[lane], b.lanes()) + place[lane]] = static_cast<u16>(lane);
    }
  });
  if (late != 0 && !deferring) {
    b.region([](u32) {});
    b.each([&](u32 lane) {
      const u32 nearest =
          b.nearest_alike(lane, late, [&](u32 which) { return c[m.late][which] >> 16U; });
      if (lane < late) link_late(c, m, lane, nearest);
    });
  }
  b.region([&](u32 lane) {
    async_wait();
    if (lane == 0) c.claim_round = round - 1;
  });
  return {places, late, deferring};
}

/// Behind the handlers: makes the tables ready for the next batch.
template <class Block>
void forget_assignment(Block& b, on_chip& c, const memory& m) {
  b.each([&](u32 lane) {
    PERDURE_ROLLED
    for (u32 g = lane; g < groups; g += b.lanes()) c[m.group][g] = 0;
  });
  if (c.claim_round != 0) return;
  b.region([&](u32 lane) {
    PERDURE_ROLLED
    for (u32 i = lane; i < m.claim_slots; i += b.lanes()) c[m.claim][i] = ~0U;
  });
  b.lead([&] { c.claim_round = first_claim_round; });
}

}  // namespace perdure::loop
