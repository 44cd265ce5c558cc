// tests/kernels/parcels.hpp - actors that send parcels to each other at random and check everything that arrives.
// Why: order of every pair, whole contents, rising stamps and exact books must hold under any schedule.
// Invariant: a parcel's number counts what its sender has sent to that receiver; its bytes follow from its number.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <random>

#include "tests/kernels/world.hpp"

namespace kernel_test {

inline constexpr u32 most_nodes = 48;
inline constexpr u32 from_host = most_nodes;
inline constexpr u32 from_timer = most_nodes + 1;
inline constexpr u32 node_type = 1;

template <u32 Fill>
struct parcel {
  u32 from;    ///< sender's index
  u32 number;  ///< of this pair
  u64 stamp;   ///< of an event of the sender before this send
  u16 hops;
  u16 fan_out;
  unsigned char fill[Fill];
};
using small = parcel<8>;    ///< 32 bytes: four words
using medium = parcel<96>;  ///< 120 bytes: ten words
using large = parcel<280>;  ///< in a pooled buffer

struct node {
  u32 sent_to[most_nodes];
  u32 got_from[most_nodes + 1];
  u32 gaps;    ///< numbers that never came
  u32 errors;  ///< out of order, torn, or stamped wrongly
};

inline std::vector<abi::handler_entry> parcel_handlers(abi::overflow rule = abi::overflow::wait) {
  return {{node_type, 0, sizeof(small), rule},
          {node_type, 1, sizeof(medium), rule},
          {node_type, 2, sizeof(large), rule}};
}

template <class P>
P make_parcel(u32 from, u32 number, u64 stamp, u16 hops, u16 fan_out) {
  P p{from, number, stamp, hops, fan_out, {}};
  for (u32 i = 0; i < sizeof(p.fill); ++i)
    p.fill[i] = static_cast<unsigned char>(number * 7 + from + i);
  return p;
}

/// What the nodes do. Read by all lanes at once; changed by none.
struct parcel_rules {
  u32 nodes = 8;
  u32 sizes = 3;         ///< handlers used: small, medium, large
  u32 stop_one_in = 0;   ///< 0: nobody stops
  u32 timer_one_in = 0;  ///< 0: no timers
  u32 to_first = 0;      ///< of 16 so many go to the first node, whoever is drawn

  void operator()(u32 handler, void* state, const message_view& view, lane_state& call) const {
    auto& me = *static_cast<node*>(state);
    switch (handler) {
      case 0:
        return take(me, message_of<small>(view), call);
      case 1:
        return take(me, message_of<medium>(view), call);
      default:
        return take(me, message_of<large>(view), call);
    }
  }

 private:
  template <class P>
  void take(node& me, const P& p, lane_state& call) const {
    const P expected = make_parcel<P>(p.from, p.number, p.stamp, p.hops, p.fan_out);
    if (std::memcmp(p.fill, expected.fill, sizeof(p.fill)) != 0 || p.from > from_timer) {
      ++me.errors;
      return;
    }
    if (p.from == from_timer) return;
    u32& last = me.got_from[p.from];
    if (p.number <= last || p.stamp >= call.last_stamp()) ++me.errors;
    me.gaps += p.number - last - 1;
    last = p.number;
    for (u32 i = 0; p.hops != 0 && i < p.fan_out; ++i) pass_on(me, p.hops, p.fan_out, call);
    if (stop_one_in != 0 && call.random() % stop_one_in == 0) call.stop();
  }
  void pass_on(node& me, u16 hops, u16 fan_out, lane_state& call) const {
    const u64 dice = call.random();
    const u32 to = (dice >> 24U) % 16 < to_first ? 0 : static_cast<u32>(dice % nodes);
    const u64 ref = abi::make_ref(to, 1, node_type, system_number);
    const u32 own = abi::ref_index(call.self);
    const u16 left = static_cast<u16>(hops - 1);
    if (timer_one_in != 0 && (dice >> 32U) % timer_one_in == 0) {
      // timers are a channel of their own: they are sent when due, so they carry no number of the pair
      after_bytes(call, dice >> 40U & 0xfffU, ref, 0, make_parcel<small>(from_timer, 0, 0, 0, 0));
      return;
    }
    const u32 number = ++me.sent_to[to];
    switch ((dice >> 16U) % sizes) {
      case 0:
        return post(call, ref, 0,
                    make_parcel<small>(own, number, call.last_stamp(), left, fan_out));
      case 1:
        return post(call, ref, 1,
                    make_parcel<medium>(own, number, call.last_stamp(), left, fan_out));
      default:
        return post(call, ref, 2,
                    make_parcel<large>(own, number, call.last_stamp(), left, fan_out));
    }
  }
  template <class P>
  static void post(lane_state& call, u64 to, u32 handler, const P& p) {
    send_bytes(call, to, handler, &p, sizeof(p));
  }
};

/// Sums over all nodes.
struct node_totals {
  u64 gaps = 0, errors = 0;
};
inline node_totals totals_of(world& w, u32 nodes) {
  node_totals t;
  for (u32 i = 0; i < nodes; ++i) {
    t.gaps += w.state<node>(node_type, i).gaps;
    t.errors += w.state<node>(node_type, i).errors;
  }
  return t;
}

}  // namespace kernel_test
