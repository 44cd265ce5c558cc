// kernels/dispatch/together.cuh - a batch's long chains of one actor's messages, handled by lanes side by side: on_run().
// Why: one lane handles a chain's messages one after another while its warp waits, and one account of a stream may get most
//      of it. A type that has on_run() says how up to 32 of them are handled at once (docs/adr/065).
// Invariant: each message is handled as if it came alone, and in order: those that on_run() took, then the next by on().
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/dispatch/message_run.cuh"

namespace perdure::loop {

/// With fewer messages one lane is as fast: of a chain.
inline constexpr u32 least_together = 8;

/// Whether a batch may have chains that are worth it. @param late  messages behind another one of their slot.
template <class Block, class Handle>
constexpr bool may_go_together(u32 messages, u32 late, bool deferring) {
  return has_runs<Handle> && !deferring && messages > Block::side_by_side &&
         late + 1 >= least_together;
}

/// One chain, and the lanes that handle it: what they have in hand alike, and what the first of them has.
template <class Handle>
class joint_chain {
 public:
  /// @param lane  the first of them. @param late  of memory::late.
  joint_chain(on_chip& c, const memory& m, u32 lane, u32 late, u64 clock, Handle& handle)
      : c_{c}, m_{m}, lane_{lane}, late_{late}, clock_{clock}, stamp_{clock}, handle_{handle} {}

  /// All lanes: the chain that begins at this place of memory::order.
  void go_through(u32 place) {
    begin_ = c_[m_.order][place];
    const word first = c_[m_.in][c_[m_.start][begin_]];
    const u32 slot = claim_slot(c_, m_, type_of(first), abi::receiver_index(first));
    PERDURE_ROLLED
    for (u32 from = 0; agreed(from <= late_);) {
      in_sight all{from, {}, {}, {}};
      const u32 mine = lanes_beside::which([&](u32 k) {
        const u32 i = from + k;
        const u32 late = i != 0 && i <= late_ ? c_[m_.late][i - 1] : slot << 16U | begin_;
        const u32 n = late & 0xffffU;
        all.message.own(k) = n;
        all.start.own(k) = c_[m_.start][n];
        all.lo.own(k) = c_[m_.in][all.start.own(k)].lo;
        // a hot type's runs may have taken messages of the slot before this chain's first one: message_run.cuh
        return i == 0 || (i <= late_ && late >> 16U == slot && n > begin_);
      });
      const u32 count = count_bits(mine);
      u32 took = 0;
      if (agreed(rest_ == 0 && count >= least_at_once)) {
        took = together(all, mine);
      } else if (rest_ != 0) {
        --rest_;
      }
      if (agreed(took == 0 && count != 0)) {
        took = 1;
        alone(all.message.of(first_bit(mine)));
      }
      from += took < count ? place_of_bit(mine, took) : 32;
    }
    if (lanes_beside::leads()) {
      store<order::relaxed, scope::system>(flight_of(c_, m_, lane_), u64{0});
      who_.put_down();
      if (length_ > 1) fetch_max<scope::block>(&c_.longest, length_);
      // such messages are likely to follow: see hot_stream.cuh
      if (hot_is_built && alike_ >= least_of_stream(m_) && streams(c_, m_, handle_, word{lo_, 0}))
        store<order::relaxed, scope::block>(&c_.stream.lo, lo_);
    }
  }
  /// Events of the chain, as its first lane knows them.
  u32 events() const { return static_cast<u32>(stamp_ - clock_); }

 private:
  /// Messages that may be the chain's, one a lane: its first one, then the late ones.
  struct in_sight {
    u32 from;                          ///< the first of them
    value_beside<u32> message, start;  ///< its number in the batch, its first word
    value_beside<u64> lo;              ///< of that: receiver and handler
  };
  u32 message(u32 i) const { return i == 0 ? begin_ : c_[m_.late][i - 1] & 0xffffU; }
  u32 type_of(word first) const { return c_[m_.handlers_here][abi::handler_of(first)].actor; }

  /// The first lane has the receiver of a message in hand.
  void hold(u32 n, word first) {
    const u32 type = type_of(first);
    const u64 key = u64{type} << 32U | abi::receiver_index(first);
    if (key == who_.key) return;
    who_.put_down();
    who_.take(key, c_[m_.types_here][type], slot_in_use(c_, m_, n, first));
    keep_empty(c_, m_, n, who_.header.status);
  }
  /// One message, by the first lane.
  void alone(u32 n) {
    if (lanes_beside::leads()) {
      const word first = c_[m_.in][c_[m_.start][n]];
      hold(n, first);
      stamp_ = run_handler<false>(c_, m_, lane_, c_[m_.start][n], first,
                                  c_[m_.handlers_here][abi::handler_of(first)], who_, stamp_,
                                  c_.now_ns, handle_);
      ++length_;
    }
    lanes_beside::meet();
  }
  /// Those at the front that are for one actor and handler, as far as on_run() goes.
  /// @param left  which of those in sight are the chain's. @return messages; 0: the next one is alone.
  u32 together(const in_sight& all, u32 left) {
    const u32 next = first_bit(left);
    const u32 number = all.message.of(next);
    const word first{all.lo.of(next), 0};  // but for its sender, which nobody asks for
    const u32 handler = abi::handler_of(first);
    if (!agreed(handle_.takes_runs(handler))) return 0;
    const u32 others =
        left & ~lanes_beside::which([&](u32 k) { return all.lo.own(k) == first.lo; });
    const u32 same = others != 0 ? left & ((1U << first_bit(others)) - 1) : left;
    const u32 count = count_bits(same);
    if (agreed(count < least_at_once)) return 0;
    value_beside<u64> state, stamp;
    value_beside<u32> handled;
    if (lanes_beside::leads()) {
      hold(number, first);
      const bool lives = who_.reaches(first);
      state.own(0) = lives ? reinterpret_cast<u64>(who_.slot + who_.offset) : 0;
      stamp.own(0) = stamp_;
      handled.own(0) = who_.header.handled;
      if (lives) {
        who_.has_run = true;
        store<order::relaxed, scope::system>(
            flight_of(c_, m_, lane_), (u64{handler} + 1) << 32U | abi::receiver_index(first));
      }
    }
    const u64 at = state.of(0);
    if (agreed(at == 0)) return 0;
    joint_call joint{&c_, &m_,
                     abi::make_ref(abi::receiver_index(first), abi::receiver_generation(first),
                                   type_of(first), m_.system),
                     stamp.of(0), handled.of(0)};
    const u32 most = handle_.together(
        handler, reinterpret_cast<void*>(at), count,
        [&](u32 i) {
          const u32 k = place_of_bit(same, i);
          return c_[m_.in] +
                 (lanes_beside::has(k) ? all.start.own(k) : c_[m_.start][message(all.from + k)]);
        },
        joint);
    lanes_beside::meet();
    const u32 took = most < count ? most : count;
    if (lanes_beside::leads()) {
      stamp_ += took + joint.sent;
      length_ += took;
      who_.header.handled += took;
      alike_ = first.lo == lo_ ? alike_ + took : took;
      lo_ = first.lo;
    }
    // on_run() says that on() is for the next one; where that is so again and again, tries are further apart
    vain_ = took >= least_at_once ? 0 : vain_ < 16 ? 2 * vain_ + 1 : vain_;
    rest_ = vain_ == 0 && took < count ? 1 : vain_;
    return took;
  }

  on_chip& c_;
  const memory& m_;
  u32 lane_, late_;
  u32 begin_ = 0;
  u32 rest_ = 0, vain_ = 0;  ///< messages that are handled alone before the next try
  u32 length_ = 0;
  u64 lo_ = 0;     ///< of the messages that on_run() took last
  u32 alike_ = 0;  ///< so many of them
  u64 clock_, stamp_;
  actor_in_hand who_{};
  Handle& handle_;
};

/// Whether a chain that begins at this place is long, and its first message's type has on_run().
template <class Handle>
bool is_long(const on_chip& c, const memory& m, u32 place, const Handle& handle) {
  u32 n = c[m.order][place];
  if (n == nobody || !handle.takes_runs(abi::handler_of(c[m.in][c[m.start][n]]))) return false;
  u32 length = 1;
  PERDURE_ROLLED
  for (n = c[m.next][n]; n != nobody && length < least_together; n = c[m.next][n]) ++length;
  return length >= least_together;
}

/// Lanes side by side: those of 32 places' chains that are long; the others are left to a lane each: who has
/// those leaves the long ones out by the same question, as nobody changes `order` or `next` meanwhile. Not inlined, and called where
/// little is in registers: while some lanes are here the others handle the batch's other chains.
/// @param from  the first place. @return events of the longest, as the first lane knows them.
template <class Handle>
PERDURE_OUT_OF_LINE u32 run_together(on_chip& chip, const memory& mem, u32 from, u32 places,
                                     u32 late, u64 clock, Handle& handle) {
  on_chip& c = here(chip);
  const memory& m = here(mem);
  u32 most = 0;
  u32 chains = lanes_beside::which(
      [&](u32 k) { return from + k < places && is_long(c, m, from + k, handle); });
  PERDURE_ROLLED
  for (; agreed(chains != 0); chains &= chains - 1) {
    joint_chain<Handle> chain{c, m, lanes_beside::first(), late, clock, handle};
    chain.go_through(from + first_bit(chains));
    most = chain.events() > most ? chain.events() : most;
  }
  return most;
}

}  // namespace perdure::loop
