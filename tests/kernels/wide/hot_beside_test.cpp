// tests/kernels/wide/hot_beside_test.cpp - a hot actor's stream in a program that has wide actors, too.
// Why: the stream leaves out most of a turn; wide actors, their links and what they send must not be left out with it.
// Invariant: all is checked by what each receiver saw: order by pair, stamps, states, and exact books.
// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <memory>
#include <numeric>

#include "tests/kernels/kinds.hpp"
#include "tests/kernels/wide/wide_world.hpp"

namespace {

using namespace kernel_test;
namespace abi = perdure::abi;

constexpr u32 hot_type = 1, tile_type = 2, cold_type = 3;
constexpr u32 on_hot = 0, on_tell = 1, on_joined = 2, on_cold = 3;
constexpr u32 cold_actors = 2;
constexpr u64 pulses = 40;             ///< that the tile sends itself, by its link
constexpr u64 from_tile = 1U << 20U;   ///< numbers of what the tile answers
constexpr u64 from_hot = 1ULL << 40U;  ///< numbers of what the hot actor sends

struct pulse {
  u64 number;
  u64 fill[3] = {};  ///< its stamp stands behind
};
struct tile_state {
  u64 told, sum, fired, last_stamp;
};
struct event {
  u64 to, from, seq, stamp;
};

/// Everybody writes down what is handled. The hot actor sends `value` notes, to the tile and the cold ones in turn; the tile
/// answers what the host told it with a note to the hot one.
template <class Block>
struct program {
  static constexpr u32 private_bytes = 0;
  static constexpr bool wide_alike = false;
  std::vector<event>* events;
  u64* sent_by_hot;

  static bool is_hot(u32 handler) { return handler == on_hot; }
  static u64 ref(u32 type, u32 index) { return abi::make_ref(index, 1, type, system_number); }

  void operator()(u32 handler, void* state, const message_view& view, lane_state& call) const {
    const note n = message_of<note>(view);
    events->push_back({call.self, call.sender(), n.seq, call.last_stamp()});
    auto& me = *static_cast<cell*>(state);
    ++me.count;
    me.sum += n.seq;
    if (handler != on_hot) return;
    for (u64 i = 0; i < n.value; ++i) {
      const u64 k = (*sent_by_hot)++;
      const note on{from_hot + k, 0};
      const u32 turn = static_cast<u32>(k % (cold_actors + 1));
      if (turn == cold_actors) {
        send_bytes(call, ref(tile_type, 0), on_tell, &on, sizeof(on));
      } else {
        send_bytes(call, ref(cold_type, turn), on_cold, &on, sizeof(on));
      }
    }
  }
  void wide(wide_call<Block>& made, u32 /*handler*/, const void* message) const {
    note n;
    std::memcpy(&n, message, sizeof(n));
    auto& me = *reinterpret_cast<tile_state*>(made.state);
    events->push_back({made.call.self, made.call.sender(), n.seq, made.call.stamp});
    me.last_stamp = made.call.stamp;
    me.sum += n.seq;
    if (me.told++ == 0) kernel_test::commit(made, 0, pulse{1});
    if (n.seq >= from_hot) return;
    const note answer{from_tile + n.seq, 0};
    send_bytes(made.call, ref(hot_type, 0), on_hot, &answer, sizeof(answer));
  }
  void joined(wide_call<Block>& made, u32 /*handler*/) const {
    auto& me = *reinterpret_cast<tile_state*>(made.state);
    EXPECT_EQ(landed<pulse>(made, 0).number, ++me.fired);
    EXPECT_GT(made.call.stamp, me.last_stamp) << "two events of one actor share a stamp";
    me.last_stamp = made.call.stamp;
    if (me.fired < pulses) kernel_test::commit(made, 0, pulse{me.fired + 1});
  }
};

template <class Kind>
class HotBesideWide : public ::testing::Test {
 protected:
  using block = typename Kind::block;
  static constexpr u32 lanes = Kind::lanes;

  HotBesideWide() {
    shape s;
    s.lanes = lanes;
    s.ring_shift = 14;
    s.spill_shift = 14;
    s.claim_slots = 64;
    s.out_units = 2048;
    s.chip_units = 64;
    w = std::make_unique<wide_world>(
        s,
        std::vector<wide_spec>{
            {sizeof(cell)},
            {sizeof(tile_state), std::min(lanes, 32U), 1, 0, true, 1 + on_joined},
            {sizeof(cell)}},
        std::vector<abi::handler_entry>{{hot_type, 0, sizeof(note)},
                                        {tile_type, 0, sizeof(note)},
                                        {tile_type, 1, sizeof(pulse)},
                                        {cold_type, 0, sizeof(note)}});
    hot = w->spawn(hot_type, 0);
    tile = w->spawn(tile_type, 0);
    for (u32 i = 0; i < cold_actors; ++i) cold.push_back(w->spawn(cold_type, i));
    w->link(tile_type, 0, 0, 0, 0, sizeof(pulse));
    w->template begin_all<block>();
    w->tell_links();
  }
  void push(u64 to, u32 handler, u64 value = 0) {
    ASSERT_TRUE(w->push(to, handler, note{++seq, value}, abi::make_ref(77, 1, cold_type, 0)));
  }
  /// Turns until nothing is left. @return of these, the ones that were left for the stream.
  u32 play() {
    u32 streams = 0, turns = 0;
    for (u32 calm = 0; calm < w->m.host_lane_count + 2; ++turns) {
      EXPECT_LT(turns, 10'000U) << "it never comes to rest";
      if (turns == 10'000U) break;
      block b{w->m.lanes};
      auto steady = [] { return u64{1'000'000}; };
      w->chips[0]->control_at = 0;
      const bool worked = turn(b, *w->chips[0], w->m, handle, steady) == progress::worked;
      streams += w->chips[0]->stream.on;
      calm = worked ? 0 : calm + 1;
    }
    return streams;
  }
  std::vector<u64> seen(u64 to, u64 least, u64 below) const {
    std::vector<u64> out;
    for (const event& e : events)
      if (e.to == to && e.seq >= least && e.seq < below) out.push_back(e.seq);
    return out;
  }
  /// Stamps rise at each receiver; books and states hold all that was sent.
  void expect_all_is_there() const {
    std::map<u64, u64> last, count, sum;
    for (const event& e : events) {
      EXPECT_GT(e.stamp, last[e.to]) << "two events of one actor share a stamp";
      last[e.to] = e.stamp;
      ++count[e.to];
      sum[e.to] += e.seq;
    }
    const auto state_of = [&](u32 type, u32 i) { return w->template state<cell>(type, i); };
    EXPECT_EQ(state_of(hot_type, 0).count, count[hot]);
    EXPECT_EQ(state_of(hot_type, 0).sum, sum[hot]);
    for (u32 i = 0; i < cold_actors; ++i) {
      EXPECT_EQ(state_of(cold_type, i).count, count[cold[i]]);
      EXPECT_EQ(state_of(cold_type, i).sum, sum[cold[i]]);
    }
    // the tile may be on chip
    save_tile();
    const auto& t = w->template state<tile_state>(tile_type, 0);
    EXPECT_EQ(t.told, count[tile]);
    EXPECT_EQ(t.sum, sum[tile]);
    EXPECT_EQ(t.fired, t.told != 0 ? pulses : 0);
    EXPECT_EQ(w->total(abi::counter::link_sent), w->total(abi::counter::link_taken));
    EXPECT_EQ(w->dead(), 0U);
    EXPECT_EQ(seq + w->total(abi::counter::sent), w->total(abi::counter::handled));
    EXPECT_EQ(events.size(), w->total(abi::counter::handled));
  }
  void save_tile() const {
    block b{w->m.lanes};
    put_back(b, *w->chips[0], w->m);
  }

  std::unique_ptr<wide_world> w;
  u64 hot = 0, tile = 0, seq = 0, sent_by_hot = 0;
  std::vector<u64> cold;
  std::vector<event> events;
  program<block> handle{&events, &sent_by_hot};
};
using stream_kinds = ::testing::Types<loops<false, 8>, loops<false, 32>, loops<false, 96>>;
TYPED_TEST_SUITE(HotBesideWide, stream_kinds, kind_names);

TYPED_TEST(HotBesideWide, KeepsEachPairsOrderAndLosesNothing) {
  constexpr u32 lanes = TypeParam::lanes;
  std::map<u64, std::vector<u64>> wanted;
  std::vector<u64> answers;
  for (u32 i = 1; i <= 16 * lanes; ++i) {
    if (i > 3 * lanes && i % (lanes + 5) == 0) {
      this->push(this->tile, on_tell);
      wanted[this->tile].push_back(i);
      answers.push_back(from_tile + i);
    } else if (i > 3 * lanes && i % (lanes + 3) == 0) {
      this->push(this->cold[i % cold_actors], on_cold);
      wanted[this->cold[i % cold_actors]].push_back(i);
    } else {
      this->push(this->hot, on_hot);
      wanted[this->hot].push_back(i);
    }
  }
  EXPECT_GT(this->play(), 1U) << "no stream: nothing is shown";
  for (const auto& [to, numbers] : wanted) EXPECT_EQ(this->seen(to, 1, from_tile), numbers);
  EXPECT_EQ(this->seen(this->hot, from_tile, from_hot), answers);
  this->expect_all_is_there();
}
TYPED_TEST(HotBesideWide, WhatItSendsToWideActorsKeepsItsOrder) {
  constexpr u32 lanes = TypeParam::lanes;
  for (u32 i = 0; i < 8 * lanes; ++i) this->push(this->hot, on_hot, i % 4);
  EXPECT_GT(this->play(), 0U) << "no stream: nothing is shown";
  const auto all = this->seen(this->tile, from_hot, ~u64{0});
  ASSERT_EQ(all.size(), this->sent_by_hot / (cold_actors + 1));
  for (u64 k = 0; k < all.size(); ++k)
    ASSERT_EQ(all[k], from_hot + k * (cold_actors + 1) + cold_actors);
  for (u32 i = 0; i < cold_actors; ++i) {
    const auto hers = this->seen(this->cold[i], from_hot, ~u64{0});
    for (u64 k = 0; k < hers.size(); ++k) ASSERT_EQ(hers[k], from_hot + k * (cold_actors + 1) + i);
  }
  this->expect_all_is_there();
}
/// Its link's messages are taken between parts of the stream, not behind the last of them.
TYPED_TEST(HotBesideWide, AWideActorGoesOnWhileAStreamLasts) {
  constexpr u32 lanes = TypeParam::lanes;
  this->push(this->tile, on_tell);
  for (u32 i = 0; i < 40 * lanes; ++i) this->push(this->hot, on_hot);
  u32 streams = 0;
  const auto fired = [&] { return this->w->total(abi::counter::fired); };
  u64 while_it_lasts = 0;
  for (u32 turns = 0; turns < 1'000 && this->events.size() < 40 * lanes; ++turns) {
    typename TestFixture::block b{this->w->m.lanes};
    auto steady = [] { return u64{1'000'000}; };
    this->w->chips[0]->control_at = 0;
    const u64 before = fired();
    turn(b, *this->w->chips[0], this->w->m, this->handle, steady);
    if (streams != 0) while_it_lasts += fired() - before;
    streams += this->w->chips[0]->stream.on;
  }
  EXPECT_GT(streams, 0U) << "no stream: nothing is shown";
  EXPECT_GT(while_it_lasts, 0U);
  (void)this->play();
  this->expect_all_is_there();
}

}  // namespace
