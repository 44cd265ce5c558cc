// tests/kernels/kinds.hpp - the blocks that every kernel test runs with (half of them under ASan), and a program of one actor type.
// Why: 1, 3 and 32 lanes find different off-by-ones; in-order lanes are what the parallel CPU backend uses.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <functional>

#include "tests/kernels/world.hpp"

namespace kernel_test {

/// 16 bytes: three words, so that a batch is cut inside a message sooner or later.
struct note {
  u64 seq;
  u64 value;
};
/// What an actor of these tests keeps.
struct cell {
  u64 count;
  u64 last_seq;
  u64 sum;
  u64 last_stamp;
};
inline constexpr u32 cell_type = 1;
inline constexpr u32 on_note = 0;

using handle_function =
    std::function<void(u32 handler, void* state, const message_view&, lane_state&)>;

template <class Kind>
class one_type : public ::testing::Test {
 protected:
  using block = typename Kind::block;
  static shape base() {
    shape s;
    s.lanes = Kind::lanes;
    return s;
  }
  static std::unique_ptr<world> make(const shape& s) {
    auto w = std::make_unique<world>(s, std::vector<type_spec>{{sizeof(cell)}},
                                     std::vector<abi::handler_entry>{{cell_type, 0, sizeof(note)}});
    w->template begin_all<block>();
    return w;
  }
  /// One turn of one worker at this time.
  template <class Handle>
  static progress turn_of(world& w, u32 worker, Handle& handle, u64 now = 1'000'000) {
    block b{w.m.lanes};
    auto steady = [now] { return now; };
    w.chips[worker]->control_at = 0;
    return turn(b, *w.chips[worker], w.m, handle, steady);
  }
  /// Turns of all workers, one after another, until none has anything to do: a turn looks at one host lane.
  template <class Handle>
  static void settle(world& w, Handle& handle, u64 now = 1'000'000) {
    for (u32 calm = 0, turns = 0; calm < w.m.host_lane_count + 2; ++turns) {
      ASSERT_LT(turns, 100'000U) << "it never comes to rest";
      bool worked = false;
      for (u32 i = 0; i < w.m.workers; ++i)
        worked |= turn_of(w, i, handle, now) == progress::worked;
      calm = worked ? 0 : calm + 1;
    }
  }
  /// Counts, sums, and checks that numbers rise.
  static handle_function counting() {
    return [](u32, void* state, const message_view& view, lane_state& call) {
      auto& c = *static_cast<cell*>(state);
      const note n = message_of<note>(view);
      EXPECT_GT(n.seq, c.last_seq) << "handled out of order";
      EXPECT_GT(call.last_stamp(), c.last_stamp) << "two events of one actor share a stamp";
      c.last_seq = n.seq;
      c.last_stamp = call.last_stamp();
      c.sum += n.value;
      ++c.count;
    };
  }
};

// link_kinds: of actors with links also, several groups of lanes
#if defined(__SANITIZE_ADDRESS__)
// accesses, not results: some of each, since all of them took a third of the time of this build
using all_kinds = ::testing::Types<loops<false, 1>, loops<false, 32>, loops<true, 3>>;
using link_kinds = ::testing::Types<loops<false, 3>, loops<false, 96>, loops<false, 128, true>,
                                    whole_loops<96>, loops<true, 3>>;
#else
using all_kinds = ::testing::Types<loops<false, 1>, loops<false, 3>, loops<false, 32>,
                                   loops<true, 1>, loops<true, 3>, loops<true, 32>>;
using link_kinds =
    ::testing::Types<loops<false, 1>, loops<false, 3>, loops<false, 32>, loops<false, 96>,
                     loops<false, 128, true>, whole_loops<3>, whole_loops<96>, loops<true, 1>,
                     loops<true, 3>, loops<true, 32>>;
#endif
using round_kinds = ::testing::Types<loops<false, 1>, loops<false, 3>, loops<false, 32>>;

struct kind_names {
  template <class Kind>
  static std::string GetName(int) {
    const bool whole = Kind::block::whole_links && !Kind::block::in_order;
    return std::string{Kind::block::in_order ? "in_order_" : "rounds_"} + (whole ? "whole_" : "") +
           std::to_string(Kind::lanes) + (Kind::block::few_lanes ? "_few" : "");
  }
};

}  // namespace kernel_test
