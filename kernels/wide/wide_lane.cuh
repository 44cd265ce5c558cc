// kernels/wide/wide_lane.cuh - what stands behind perdure::block_context where lanes are threads.
// Why: every lane runs the handler's body; outside regions they must stay of one mind without talking to each other.
// Invariant: outside regions each lane changes its copy of the call alike and lane 0 alone acts; inside, a lane changes
//            nothing that another lane's copy has.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/abi/regions.cuh"
#include "kernels/wide/call.cuh"
#include "kernels/wide/wide_sends.cuh"

namespace perdure::loop {

/// @tparam Ids  of the program: handler<A, M>(), message<M>(), private_place(actor, offset of the marker).
template <class Block, class Ids>
struct wide_lane {
  Block* block;
  on_chip* chip;
  const memory* mem;
  lane_state call;
  char* state;
  char* store;        ///< this lane's per_lane values
  u32 open_ports;     ///< bit: whether a message may be committed there now
  u32 actor = 0;      ///< type of the handler's class, for private_place()
  u32 opened = 0;     ///< bit: out-port whose message is being filled and can be committed
  u32 committed = 0;  ///< bit: out-port whose message is filled
  u32 written = 0;    ///< of those, what is in its link
  commit_stamps stamps{};
  bool far_stamps = false;  ///< lane 0 has put some behind their messages
  bool reads = true;        ///< what the handler was called with
  bool quiet = false;  ///< it does not, and behind the last region's end there were commits only
  bool by_groups =
      false;  ///< the block does not meet at the end of the region in hand, or of the next one
  bool apart = false;  ///< nor has it at that of the last one
  u32 region = 0;
  u32 index = 0;
  u32 draw = 0;
  bool inside = false;
  bool sent = false;              ///< this lane, in this region
  u32 outcome = abi::slot_alive;  ///< of this lane, in this region
  u32 reason = 0;
  u32 outcome_index = 0;

  u64 self_bits() const { return call.self; }
  u64 sender_bits() const { return call.sender(); }

  template <int NX, int NY, int NZ, class A, class F>
  void for_each(A& me, F& f) {
    begin();
    each_index<NX, NY, NZ>(me, f);
    end();
  }
  template <int NX, int NY, int NZ, class A, class F>
  void then_each(A& me, F& f) {
    if (far_stamps) block->region([](u32) {});  // all messages are ready
    begin_next();
    each_index<NX, NY, NZ>(me, f);
    end();
  }
  template <class A, class F>
  void once(A& me, F& f) {
    begin();
    if (block->lane() == 0) {
      index = draw = 0;
      f(me);
    }
    end();
  }
  template <class A, class F>
  void then_once(A& me, F& f) {
    meet_if_apart();
    by_groups = false;  // it is a region, too, at whose end nobody meets
    ++region;
    if (block->lane() != 0) return;
    inside = true;
    index = draw = 0;
    f(me);
    inside = false;
  }
  template <int N, class A, class T, class Value, class Join>
  T reduce(const A& me, const T& none, Value& value, Join& join) {
    begin();
    T mine = none;
    const int own = static_cast<int>(block->lane());
    for (int i = own; own < A::lanes && i < N; i += A::lanes) {
      index = static_cast<u32>(i);
      draw = 0;
      mine = join(mine, abi::value_at(value, me, i));
    }
    const T all = block->reduce(mine, none, (*chip)[mem->scratch], join);
    end();
    return all;
  }

  template <class M>
  M* open(u32 port, bool& linked) {
    port %= abi::max_ports;
    const abi::link_end& out = (*chip)[mem->ends][abi::max_ports + port];
    if constexpr (Block::whole_links) {
      quiet =
          false;  // others count what they send behind a call's end, and a slow lane may look here still
      linked = (open_ports >> port & 1U) != 0 && out.slots != 0 &&
               out.message == Ids::template message<M>();
      opened |= linked ? 1U << port : 0;
      // a second message of the call is none; the first one may be its receiver's by now
      const bool first = linked && (committed >> port & 1U) == 0;
      return reinterpret_cast<M*>(first ? whole_message(out, out.count + 1) : (*chip)[mem->stage]);
    }
    const u32 at = out.place;
    const bool same = out.message == Ids::template message<M>();  // one look with `at`
    linked = (open_ports >> port & 1U) != 0 && same && at != abi::no_place;
    opened |= linked ? 1U << port : 0;
    return reinterpret_cast<M*>((*chip)[mem->stage] + (linked ? at : 0));
  }
  template <class M>
  void commit(u32 port, M* at) {
    port %= abi::max_ports;
    const u32 bit = 1U << port;
    if ((committed & bit) != 0) return;
    ++call.stamp;
    if (!stamps.note(port, call.stamp)) {
      far_stamps = true;
      quiet = false;
      if (block->lane() == 0)
        put_stamp(stamp_behind(reinterpret_cast<char*>(at), sizeof(M)), call.stamp);
    }
    committed |= bit;  // whether it can go is looked at once for all ports
  }

  /// The call is over: what it leaves behind.
  void leave(wide_call<Block>& made) const {
    made.call = call;
    made.committed = committed & opened;
    made.written = written;
    made.lost = committed & ~opened;
    made.stamps = stamps;
    made.quiet = quiet;
  }

  template <class A, class M>
  void send(u64 to, const M& m) {
    send_as(wide_send::actor, to, Ids::template handler<A, M>(), 0, m);
  }
  template <class A, class M, class Fill>
  void send_in_place(u64 to, Fill&& fill) {
    fill_in_place<M>(wide_send::actor, to, Ids::template handler<A, M>(), fill);
  }
  template <class M, class Fill>
  void send_host_in_place(u64 to, Fill&& fill) {
    fill_in_place<M>(wide_send::host, to, letter_id<M>(), fill);
  }
  template <class M, class Fill>
  void reply_in_place(Fill&& fill) {
    fill_in_place<M>(wide_send::reply, 0, letter_id<M>(), fill);
  }
  /// Outside a region: all lanes fill the buffer that lane 0 has taken.
  template <class M, class Fill>
  void fill_in_place(wide_send how, u64 to, u32 id, Fill& fill) {
    apart = false;
    const u32 buffer = block->broadcast([&] { return take_buffer(*mem); });
    if (buffer != ~0U) {
      const u32 regions =
          region;  // random() behind it must not depend on whether there was a buffer
      fill(*reinterpret_cast<M*>(buffer_at(*mem, buffer)));
      region = regions;
      block->region([](u32) {});  // it is filled
      apart = false;
    }
    act([&] {
      if (buffer == ~0U) return no_buffer(how, to, id);
      carry_buffer<M>(*mem, buffer, [&](const auto& payload) {
        return send_wide(*chip, *mem, how, call.self, call.asker, call.stamp, to, id, no_region, 0,
                         near_words_of(payload));
      });
    });
  }
  template <class M>
  void send_host(u64 to, const M& m) {
    send_as(wide_send::host, to, letter_id<M>(), 0, m);
  }
  template <class M>
  void reply(const M& m) {
    send_as(wide_send::reply, 0, letter_id<M>(), 0, m);
  }
  template <class A, class M>
  void after(u64 delay_ns, u64 to, const M& m) {
    static_assert(timers_are_built && sizeof(M) != 0,
                  "perdure-gen has seen no after() in this program");
    send_as(wide_send::after, to, Ids::template handler<A, M>(), delay_ns, m);
  }
  u64 now() { return call.now(); }
  u64 random() { return inside ? call.random_at(region, index, draw++) : call.random(); }
  void log(u64 format_key, u32 values, u64 kinds, const u64* bits) {
    act([&] { call.log(format_key, values, kinds, bits); });
  }
  void has_read() { reads = quiet = false; }
  void keeps_to_groups() { by_groups = true; }
  void gather(u32 firings) {
    quiet = false;
    if (block->lane() == 0) gather_for(*chip, *mem, firings);
  }
  void stop() {
    if (!inside) return call.stop();
    if (outcome == abi::slot_alive) outcome = abi::slot_stopped;
  }
  void fail(u32 why) {
    if (!inside) return call.fail(why);
    outcome = abi::slot_failed;
    outcome_index = index;
    reason = why;
  }

  template <class T>
  T& private_value(const void* marker) {
    return *reinterpret_cast<T*>(store + place(marker));
  }
  template <class E>
  E* private_array(const void* marker) {
    return reinterpret_cast<E*>(store + place(marker));
  }

 private:
  template <int NX, int NY, int NZ, class A, class F>
  void each_index(A& me, F& f) {
    constexpr int n = abi::extent<NX, NY, NZ>;
    constexpr int rounds = (n + A::lanes - 1) / A::lanes;
    const u32 own = block->lane();
    if (own < A::lanes) {
      if constexpr (rounds <= 64) {
#if defined(__CUDACC_RTC__)
#pragma unroll
#endif
        for (int k = 0; k < rounds; ++k) step<NX, NY, NZ>(me, f, own, k, n);
      } else {
        for (int k = 0; k < rounds; ++k) step<NX, NY, NZ>(me, f, own, k, n);
      }
    }
  }
  template <int NX, int NY, int NZ, class A, class F>
  void step(A& me, F& f, u32 own, int k, int n) {
    const int i = static_cast<int>(own) + k * A::lanes;
    if (n % A::lanes != 0 && i >= n) return;
    index = static_cast<u32>(i);
    draw = 0;
    abi::call_nth<NX, NY, NZ, A::lanes>(f, me, own, k);
  }
  u32 place(const void* marker) const {
    return Ids::private_place(actor, static_cast<u32>(static_cast<const char*>(marker) - state));
  }
  void begin() {
    block->region([](u32) {});  // what the body read before is read
    apart = false;
    begin_next();
  }
  void begin_next() {
    // committed messages are under way while the region runs; no barrier: nobody writes to them any more, and
    // what is read of others is not used (words_to_send)
    write_ready();
    inside = true;
    quiet = false;
    ++region;
    sent = false;
    outcome = abi::slot_alive;
  }
  void write_ready() {
    const u32 ready = committed & opened & ~written;
    written |= ready;
    if (ready == 0) return;
    meet_if_apart();
    write_links_now(*block, *chip, *mem, ready, stamps);
  }
  void meet_if_apart() {
    if (apart) block->region([](u32) {});
    apart = false;
  }
  void end() {
    inside = false;
    apart = by_groups;
    by_groups = false;
    if (apart) return block->meet_side_by_side();
    const bool something = sent || outcome != abi::slot_alive;
    if (!block->any([&](u32) { return something; })) {
      quiet = !reads;
      return;
    }
    const region_end did =
        end_region(*block, *chip, *mem, call.stamp, outcome, outcome_index, reason);
    call.stamp += did.sent;
    if (did.failed != 0) {
      call.fail(static_cast<u32>(did.failed));
    } else if (did.stopped) {
      call.stop();
    }
  }
  /// Outside a region: lane 0 acts, and for all it is one event.
  template <class F>
  void act(F f) {
    const u64 before = call.stamp;
    quiet = false;
    if (block->lane() == 0) f();
    call.stamp = before + 1;
  }
  template <class M>
  static constexpr u32 letter_id() {
    static_assert(long_letters_are_built || sizeof(M) <= abi::inline_payload,
                  "perdure-gen has seen no message over 240 bytes to a host in this program");
    return abi::letter_of(Ids::template message<M>(), sizeof(M));
  }
  void no_buffer(wide_send how, u64 to, u32 id) {
    if (how == wide_send::actor || how == wide_send::after)
      return loop::exhausted(*chip, *mem, call.self, to, id);
    no_buffer_to_host(*chip, how == wide_send::reply, call.asker);
  }
  /// Outside a region lane 0 sends for all; inside, each lane for itself, and it gets its stamp when the region ends.
  template <class M>
  void send_as(wide_send how, u64 to, u32 id, u64 delay_ns, const M& message) {
    auto send = [&] {
      const u32 at = inside ? index : no_region;
      carry_wide(
          *mem, message,
          [&](const auto& data) {
            return send_wide(*chip, *mem, how, call.self, call.asker, call.stamp, to, id, at,
                             delay_ns, data);
          },
          [&] {
            if (inside) end_record(*chip, *mem, call.stamp + 1);
            no_buffer(how, to, id);
          });
    };
    if (!inside) return act(send);
    sent = true;
    send();
  }
};

}  // namespace perdure::loop
