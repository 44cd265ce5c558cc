// tests/kernels/host_buffers_test.cpp - messages over 240 bytes from the host: whole, in order, and every buffer comes back.
// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <thread>

#include "tests/kernels/kinds.hpp"

namespace {

using namespace kernel_test;
namespace abi = perdure::abi;

constexpr u32 on_large = 1;
constexpr u32 actors = 5, lanes = 2, buffers_a_lane = 3;

struct large {
  u64 number;  ///< of its lane and receiver, from 1
  u64 lane;
  unsigned char bytes[584];
};
large make_large(u64 number, u64 lane) {
  large out{number, lane, {}};
  for (u32 i = 0; i < sizeof(out.bytes); ++i)
    out.bytes[i] = static_cast<unsigned char>(number * 31 + lane * 7 + i);
  return out;
}

template <class Kind>
class HostBuffers : public one_type<Kind> {
 protected:
  using block = typename Kind::block;
  static shape two_workers() {
    shape s = one_type<Kind>::base();
    s.workers = 2;
    s.host_lanes = lanes;
    s.buffers = 4;
    s.buffer_bytes = 640;
    s.host_buffers = buffers_a_lane;
    return s;
  }
  HostBuffers()
      : w{two_workers(),
          {{sizeof(cell)}},
          {{cell_type, 0, sizeof(note)}, {cell_type, 1, sizeof(large)}}} {
    w.begin_all<block>();
    for (u32 i = 0; i < actors; ++i) refs[i] = w.spawn(cell_type, i);
  }
  bool push(u32 lane, u32 actor) {
    const large l = make_large(sent[lane][actor] + 1, lane);
    if (!w.lane(lane).try_push(refs[actor], on_large, 0, 0, &l, sizeof(l))) return false;
    ++sent[lane][actor];
    return true;
  }
  bool push_small(u32 lane, u32 actor) {
    const note n{++sent[lane][actor], lane};
    return w.lane(lane).try_push(refs[actor], on_note, 0, 0, &n, sizeof(n));
  }
  world w;
  u64 refs[actors];
  u64 sent[lanes][actors] = {};
  handle_function handle = [](u32 handler, void* state, const message_view& view, lane_state&) {
    auto& c = *static_cast<cell*>(state);
    u64 number = 0, lane = 0;
    if (handler == on_large) {
      if (!block::in_order) {
        EXPECT_TRUE(is_brought(*view.mem, view.handle())) << "all lanes bring it before";
      }
      const large l = message_of<large>(view);
      const large expected = make_large(l.number, l.lane);
      EXPECT_EQ(std::memcmp(&l, &expected, sizeof(l)), 0) << "torn, or another one's";
      number = l.number;
      lane = l.lane;
    } else {
      const note n = message_of<note>(view);
      number = n.seq;
      lane = n.value;
    }
    // each lane's numbers rise on their own: 32 bits a lane
    EXPECT_EQ(number, (c.last_seq >> 32U * lane & 0xffff'ffffU) + 1) << "lane " << lane;
    c.last_seq += u64{1} << 32U * lane;
    ++c.count;
  };
};
TYPED_TEST_SUITE(HostBuffers, all_kinds, kind_names);

TYPED_TEST(HostBuffers, ArriveWholeAndInOrderAmongOthers) {
  u64 pushed = 0;
  for (u32 step = 0; step < 800; ++step) {
    const u32 lane = step % lanes, actor = step * 7 % actors;
    for (u32 burst = 0; burst <= step % 4; ++burst)
      pushed += (step + burst) % 3 == 0 ? this->push_small(lane, actor) : this->push(lane, actor);
    if (step % 2 == 0) this->turn_of(this->w, step / 2 % 2, this->handle);
    if (step % 16 == 0) this->settle(this->w, this->handle);
  }
  this->settle(this->w, this->handle);
  EXPECT_GT(pushed, 700U);
  EXPECT_EQ(this->w.total(abi::counter::handled), pushed);
  EXPECT_EQ(this->w.free_host_buffers(), lanes * buffers_a_lane);
  EXPECT_EQ(this->w.free_buffers(), 4U) << "the workers' own are for what they send";
}
TYPED_TEST(HostBuffers, ALaneThatHasNoneLeftWaitsForItsOwn) {
  for (u32 i = 0; i < buffers_a_lane; ++i) ASSERT_TRUE(this->push(0, i));
  EXPECT_FALSE(this->push(0, 4));
  EXPECT_FALSE(this->push(0, 0)) << "asking again changes nothing";
  EXPECT_TRUE(this->push_small(0, 4)) << "the ring has room";
  EXPECT_TRUE(this->push(1, 4)) << "another lane has its own";
  this->settle(this->w, this->handle);
  for (u32 i = 0; i < buffers_a_lane; ++i) EXPECT_TRUE(this->push(0, i));
  this->settle(this->w, this->handle);
  EXPECT_EQ(this->w.total(abi::counter::handled), 2U * buffers_a_lane + 2);
}
TYPED_TEST(HostBuffers, ComeBackFromALostMessage) {
  for (u32 i = 0; i < buffers_a_lane; ++i) ASSERT_TRUE(this->push(0, i));
  for (u32 i = 0; i < actors; ++i) this->w.header(cell_type, i).status = abi::slot_stopped;
  handle_function none = [](u32, void*, const message_view&, lane_state&) {
    FAIL() << "a stopped actor";
  };
  this->settle(this->w, none);
  EXPECT_EQ(this->w.dead(abi::dead_reason::stopped), u64{buffers_a_lane});
  EXPECT_EQ(this->w.free_host_buffers(), lanes * buffers_a_lane);
}
TYPED_TEST(HostBuffers, AreFilledAgainAndAgain) {
  for (u32 i = 0; i < 200; ++i) {
    ASSERT_TRUE(this->push(0, 1)) << "message " << i;
    this->settle(this->w, this->handle);
  }
  EXPECT_EQ(this->w.total(abi::counter::handled), 200U);
}

/// Under TSan: what the host has filled is there for the worker, and what the worker has read is read before the host fills it
/// again, though the handle itself travels relaxed.
template <class Block>
void host_beside_worker(u32 block_lanes) {
  shape s;
  s.lanes = block_lanes;
  s.host_lanes = 1;
  s.buffers = 1;
  s.buffer_bytes = 640;
  s.host_buffers = 2;
  world w{s, {{sizeof(cell)}}, {{cell_type, 0, sizeof(note)}, {cell_type, 1, sizeof(large)}}};
  w.begin_all<Block>();
  const u64 one = w.spawn(cell_type, 0);
  constexpr u64 messages = 400;
  u64 next = 1;
  handle_function handle = [&](u32, void*, const message_view& view, lane_state&) {
    const large l = message_of<large>(view), expected = make_large(next++, 0);
    EXPECT_EQ(std::memcmp(&l, &expected, sizeof(l)), 0);
  };
  std::thread host{[&] {
    for (u64 i = 1; i <= messages;) {
      const large l = make_large(i, 0);
      if (w.lane(0).try_push(one, on_large, 0, 0, &l, sizeof(l))) {
        ++i;
      } else {
        std::this_thread::yield();
      }
    }
  }};
  for (u32 vain = 0; next <= messages && vain < 10'000'000; ++vain) {
    Block b{w.m.lanes};
    auto steady = [] { return u64{1'000}; };
    w.chips[0]->control_at = 0;
    if (turn(b, *w.chips[0], w.m, handle, steady) != progress::worked) std::this_thread::yield();
  }
  host.join();
  EXPECT_EQ(next, messages + 1);
  EXPECT_EQ(w.free_host_buffers(), 2U);
}
TEST(HostBuffersBesideAThread, InOrder) { host_beside_worker<block_loops<true>>(3); }
TEST(HostBuffersBesideAThread, InRounds) { host_beside_worker<block_loops<false>>(8); }

}  // namespace
