// kernels/wide/ports.cuh - the ports of the held actor: landing what has come in, and the books of both ends.
// Why: the words of a link say themselves whether they are there, so data and readiness cost one trip and no fence.
// Invariant: a slot is written only when the message that had it was taken; all in-ports are taken together.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/wide/bring.cuh"
#include "kernels/wide/whole.cuh"

namespace perdure::loop {

inline word read_link(on_chip& c, const abi::link_end& end, u64 place) {
  // relaxed: a word carries its message's number, so seeing it is seeing all of it
  if (end.where == abi::tier::chip) return load_near(near_words(c, end) + place);
  return load<order::relaxed, scope::device>(end.words + place);
}

/// @param owed  1: one more is in the link than is counted.
inline bool is_full(const abi::link_end& out, u32 owed = 0) {
  return out.slots != 0 && out.count + owed - out.seen >= out.slots;
}
/// How many messages of a link its receiver has taken.
/// @memory  relaxed, device: partner take_from_ports(). Nothing is read because of it; words of a link are written and
///          read by relaxed operations only, and a word that has been read and compared cannot be one that is written
///          after the receiver said so.
inline u64 taken_of(const abi::link_end& out) {
  return load<order::relaxed, scope::device>(out.taken);
}
/// Whether there is room for one more message. One lane a port.
template <class Block>
bool has_room(abi::link_end& out, u32 owed = 0) {
  if constexpr (Block::whole_links) {
    return room_for_whole(out);
  } else {
    if (is_full(out, owed)) out.seen = taken_of(out);
    return !is_full(out, owed);
  }
}

/// What a lane waits for of one run: up to Most words, a group's width apart.
template <u32 Most>
struct awaited_words {
  u64 at;      ///< of the first
  u32 piece;   ///< where its data lands
  u32 number;  ///< of the message
  u32 words;   ///< that are this lane's

  template <class Groups>
  awaited_words(on_chip& c, const memory& m, const Groups& of, const run_of_words& r, bool waits) {
    const u32 count = static_cast<u32>(c[m.ends][r.end].count);
    at = word_in_run(r, of.lane, count);
    piece = r.piece + of.lane * abi::link_word_pieces;
    number = count + 1;
    words = words_of_lane<Most>(of, r, waits);
  }
  void look(u32 width, word (&seen)[Most]) const {
    each([&](u32 j) { seen[j] = load_link_word(at + u64{j} * width * sizeof(word), j < words); });
  }
  bool are_there(const word (&seen)[Most]) const {
    u32 other = 0;  // bits of numbers that are not this one
    each([&](u32 j) { other |= j < words ? abi::number_of(seen[j]) ^ number : 0; });
    return other == 0;
  }
  void land(u32* landing, u32 width, const word (&seen)[Most]) const {
    each([&](u32 j) {
      if (j >= words) return;
      u32* to = landing + piece + j * width * abi::link_word_pieces;
      to[0] = static_cast<u32>(seen[j].lo);
      to[1] = static_cast<u32>(seen[j].lo >> 32U);
      to[2] = static_cast<u32>(seen[j].hi);
    });
  }

 private:
  template <class F>
  static void each(F f) {
#if defined(__CUDACC_RTC__)
#pragma unroll
#endif
    for (u32 j = 0; j < Most; ++j) f(j);
  }
};

/// Lands what a lane's group of lanes waits for: a long run and a short one at a time, when all of their words are there.
/// @param meanwhile  what a lane that waits for any does while the first ones are on their way; lane 0 does, since who fires
/// has an in-port.  @return whether words are missing.
template <class Block, class Meanwhile>
bool misses_words(const Block& b, on_chip& c, const memory& m, u32 tries, u32 lane,
                  Meanwhile& meanwhile) {
  using groups = run_groups<Block>;
  const groups of{b, lane};
  u32* landing = reinterpret_cast<u32*>(c[m.in]);
  const u32 runs = c.in_runs;
  for (u32 k = 0; of.nth(k) < runs; ++k) {
    const bool begins = k == 0;
    const runs_in_hand now = runs_at(c[m.runs], of, k, runs);
    const awaited_words<groups::most> some{c, m, of, now.some, true};
    const awaited_words<1> few{c, m, of, now.few, now.both};
    k += now.both ? 1 : 0;
    word seen[groups::most], also[1];
    for (u32 t = 0;; ++t) {  // a short loop: whoever waits should see soon what comes
      some.look(of.width, seen);
      few.look(of.width, also);
      if (begins && t == 0) meanwhile();
      if (some.are_there(seen) && few.are_there(also)) break;
      if (t + 1 >= tries) return true;
    }
    some.land(landing, of.width, seen);
    few.land(landing, of.width, also);
  }
  return false;
}

/// Whether a port of the lane's is full.
template <class Block>
bool misses_room(const Block& b, on_chip& c, const memory& m, u32 ports, u32 owed, u32 tries,
                 u32 lane) {
  for (u32 p = port_of(b, lane); p < ports; p += b.lanes()) {
    abi::link_end& out = c[m.ends][abi::max_ports + p];
    for (u32 t = 0; !has_room<Block>(out, owed >> p & 1U); ++t) {
      if (t + 1 >= tries) return true;
    }
  }
  return false;
}

/// What a lane reads of ports while words are on their way, so that nothing of it is waited for behind the landing. Where a lane
/// has several ports nothing is.
struct port_books {
  u64 sent = 0;   ///< out: messages committed
  u64 count = 0;  ///< in: messages taken before this one
  u64* taken = nullptr;
  bool owes = false, takes = false;
  u32 stamp = abi::no_place;  ///< of the in-port of the lane's number in its warp: link_end::place
};

/// Lands the next message of every linked in-port, if all are there and every linked out-port has room. What has landed
/// of a message that is not whole yet lands again.
/// @param owed   bit: out-port whose last message is in its link and not counted yet.
/// @param tries  looks at words that are missing.  @param books  for take_from_ports() and merge_landed(), if it fires.
/// @param meanwhile  what lane 0 does while words are on their way.  @return whether the actor fires.
template <class Block, class Meanwhile>
bool land_at_ports(Block& b, on_chip& c, const memory& m, u32 ports, u32 owed, u32 tries,
                   port_books& books, Meanwhile meanwhile) {
  static_assert(Block::lane_a_port || !Block::alone_by_lane, "books are one lane's");
  if constexpr (Block::in_order) {
    b.lead(meanwhile);
    return are_whole(c, m, ports);
  } else if constexpr (Block::whole_links) {
    b.lead(meanwhile);
    return !misses_whole(b, c, m, tries);
  } else if constexpr (Block::lane_a_port) {
    return !b.any([&](u32 lane) {
      const u32 port = port_of(b, lane);
      abi::link_end* out = c[m.ends] + abi::max_ports + port;
      bool asked = false, looks = false;
      u64 taken = 0;
      u32 slots = 0;
      const auto ask = [&] {
        asked = true;
        books = {};
        books.stamp = c[m.ends][lane % abi::max_ports].place;
        if (port >= ports) return;
        const abi::link_end& in = c[m.ends][port];
        books.count = in.count;
        books.taken = in.taken;
        books.takes = in.slots != 0;
        books.owes = (owed >> port & 1U) != 0;
        books.sent = out->count + (owed >> port & 1U);
        slots = out->slots;
        looks = slots != 0 && books.sent - out->seen >= slots;
        if (looks) taken = taken_of(*out);
      };
      const auto while_waiting = [&] {  // words come first: whoever has ports has words as well
        if (lane == 0) meanwhile();
        ask();
      };
      if (misses_words(b, c, m, tries, lane, while_waiting)) return true;
      if (!asked) ask();
      if (!looks) return false;
      out->seen = taken;
      return books.sent - taken >= slots && misses_room(b, c, m, ports, owed, tries, lane);
    });
  } else {
    return !b.any([&](u32 lane) {
      const auto of_lane_0 = [&] {
        if (lane == 0) meanwhile();
      };
      return misses_words(b, c, m, tries, lane, of_lane_0) ||
             misses_room(b, c, m, ports, owed, tries, lane);
    });
  }
}
template <class Block>
bool land_at_ports(Block& b, on_chip& c, const memory& m, u32 ports, u32 owed, u32 tries) {
  port_books books;
  return land_at_ports(b, c, m, ports, owed, tries, books, [] {});
}

/// Counts the landed messages as taken and tells the senders; and counts those that the actor has sent before. All lanes,
/// behind a barrier behind the landing; where messages are read in their links, behind the handler.
/// @param owed    bit: out-port with a message to be counted.
/// @param fenced  bit: out-port behind whose last message release_fence() was called, by the lane that its ports share.
/// @memory  relaxed, device: partner taken_of(), which says why. Where messages stay in their links release: take_whole().
template <class Block>
void take_from_ports(Block& b, on_chip& c, const memory& m, u32 ports, u32 owed, u32 fenced = 0) {
  each_port(b, ports, [&](u32 port) {
    abi::link_end& in = c[m.ends][port];
    if constexpr (Block::whole_links) {
      if (in.slots != 0 && (fenced >> port & 1U) == 0) release_fence();
      take_whole(in);
    } else {
      if ((owed >> port & 1U) != 0) ++c[m.ends][abi::max_ports + port].count;
      if (in.slots == 0) return;
      ++in.count;
      store<order::relaxed, scope::device>(in.taken, in.count);
    }
  });
}

/// The same, of what this landing's land_at_ports() has read: its lane alone looks after these ports, so nobody has changed it
/// since. All lanes, behind the landing's barrier. @memory  as above.
template <class Block>
void take_from_ports(Block& b, on_chip& c, const memory& m, u32 ports, u32 owed,
                     const port_books& books) {
  if constexpr (!Block::lane_a_port) return take_from_ports(b, c, m, ports, owed);
  const u32 port = port_of(b, b.lane());
  if (books.owes) c[m.ends][abi::max_ports + port].count = books.sent;
  if (!books.takes) return;
  c[m.ends][port].count = books.count + 1;
  store<order::relaxed, scope::device>(books.taken, books.count + 1);
}

/// Counts messages that were written into their links. All lanes, behind a barrier behind that.
template <class Block>
void count_sent(Block& b, on_chip& c, const memory& m, u32 sent) {
  each_port(b, abi::max_ports, [&](u32 p) {
    if ((sent >> p & 1U) != 0) ++c[m.ends][abi::max_ports + p].count;
  });
}

/// The hybrid time of a landed message. @param place  link_end::place of its in-port; no_place: 0. Any lane.
inline u64 stamp_landed(on_chip& c, const memory& m, u32 place) {
  const u32* in = reinterpret_cast<const u32*>(c[m.in]);
  const u32* at =
      in + (place == abi::no_place ? 0 : place / 4);  // no branch: a warp would wait at its end
  const u64 stamp = at[0] | static_cast<u64>(at[1]) << 32U;
  return place == abi::no_place ? 0 : stamp;
}

/// The latest hybrid time that came with the landed messages.
template <class Block>
u64 latest_landed(Block& b, on_chip& c, const memory& m) {
  return b.most_alone([&](u32 p) {
    if constexpr (Block::in_order) {
      if (p >= abi::max_ports || c[m.ends][p].slots == 0) return u64{0};
      return stamp_of_whole(c[m.ends][p]);
    } else if constexpr (Block::whole_links) {
      return p < abi::max_ports ? whole_in_hand(c, m).stamp[p] : u64{0};
    }
    return stamp_landed(c, m, c[m.ends][p % abi::max_ports].place);
  });
}

/// The same where it is rare, so that it is not inlined there.
template <class Block>
PERDURE_OUT_OF_LINE u64 latest_landed_now(Block b, on_chip& chip, const memory& mem) {
  return latest_landed(b, here(chip), here(mem));
}

/// The clock `own`, merged with what came with the landed messages: mostly they are less than 65 ms ahead of it, and then
/// half of a stamp tells. No barrier. @param books  as land_at_ports() has left them.
template <class Block>
u64 merge_landed(Block& b, on_chip& c, const memory& m, u64 own, const port_books& books) {
  if constexpr (Block::whole_links) {
    return merge_clock(own, latest_landed(b, c, m), 0);
  } else {
    const u32 ahead = b.most_alone([&](u32 p) {
      const u32 place = Block::alone_by_lane ? books.stamp : c[m.ends][p % abi::max_ports].place;
      const u64 stamp = stamp_landed(c, m, place);
      const u64 by = stamp > own ? stamp - own : 0;
      return by < ~0U ? static_cast<u32>(by) : ~0U;
    });
    if (ahead == ~0U) return merge_clock(own, latest_landed_now(b, c, m), 0);
    return merge_clock(own, own + ahead, 0);
  }
}

}  // namespace perdure::loop
