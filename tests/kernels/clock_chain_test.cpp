// tests/kernels/clock_chain_test.cpp - messages round five workers whose wall clocks disagree.
// Why: each worker reads a timer of its own and is told how far the host's clock is ahead; both may
//      be wrong, and cause must come before effect all the same.
// SPDX-License-Identifier: Apache-2.0
#include <random>

#include "tests/kernels/kinds.hpp"

namespace {

using namespace kernel_test;
namespace abi = perdure::abi;

constexpr u32 clocks = 5;
constexpr u64 second_ns = 1'000'000'000;
constexpr u64 noon_ns = 40'000 * second_ns;

/// What a worker takes for the time. Steady clocks never fall; how far the wall is ahead may.
struct skewed {
  u64 steady_ns;
  u64 step_ns;
  long long offset_ns;
};

template <class Kind>
class ClockChain : public one_type<Kind> {
 protected:
  static constexpr long long base_offset = static_cast<long long>(noon_ns);
  std::array<skewed, clocks> time{{
      {1'000, 1'000, base_offset},                                          // right
      {1'000, 1'000, base_offset + 3 * static_cast<long long>(second_ns)},  // ahead
      {1'000, 1'000, base_offset - 2 * static_cast<long long>(second_ns)},  // behind
      {77'000, 0, base_offset},                                             // stands still
      {9'000, 1'500, base_offset},  // too fast, and set back again and again
  }};
  std::mt19937_64 random{1};

  void turn_of(world& w, u32 worker, handle_function& handle) {
    skewed& t = time[worker];
    if (worker == 4 && random() % 3 == 0)
      t.offset_ns -= static_cast<long long>(random() % second_ns);
    w.chips[worker]->clock_offset_ns = t.offset_ns;
    (void)this->one_type<Kind>::turn_of(w, worker, handle, t.steady_ns += t.step_ns);
  }
};
TYPED_TEST_SUITE(ClockChain, all_kinds, kind_names);

TYPED_TEST(ClockChain, StampsRiseAlongAChainOverFiveClocksThatDisagree) {
  shape s = this->base();
  s.workers = clocks;
  auto w = this->make(s);
  std::array<u64, 2 * clocks> actors{};
  for (u32 i = 0; i < actors.size(); ++i)
    actors[i] = w->spawn(cell_type, i);  // i % 5 is its worker
  constexpr u64 hops = 500;
  u64 handled = 0;
  // a note: hops that are left, and the last stamp of whoever sent it
  handle_function handle = [&](u32, void* state, const message_view& view, lane_state& call) {
    auto& c = *static_cast<cell*>(state);
    const note n = message_of<note>(view);
    EXPECT_GT(call.last_stamp(), n.value)
        << "an effect before its cause, on clock " << abi::ref_index(call.self) % 5;
    EXPECT_GT(call.last_stamp(), c.last_stamp) << "two events of one actor share a stamp";
    for (u64 i = call.random() % 3; i != 0; --i) (void)call.now();
    ++handled;
    if (n.seq != 0) {
      const note next{n.seq - 1, call.last_stamp()};
      const u64 to = actors[(abi::ref_index(call.self) + 1 + call.random() % 4) % actors.size()];
      EXPECT_TRUE(call.send(to, on_note, payload_bytes{&next, sizeof(next)}));
    }
    c.last_stamp = call.last_stamp();
  };
  constexpr u64 chains = 3;
  for (u64 i = 0; i < chains; ++i) ASSERT_TRUE(w->push(actors[i], on_note, note{hops, 0}));
  for (u64 turns = 0; handled < chains * (hops + 1); ++turns) {
    ASSERT_LT(turns, 200'000U) << "a message was lost";
    this->turn_of(*w, static_cast<u32>(this->random() % clocks), handle);
  }
  // whoever the chains have come by is not behind the fastest clock
  u64 fastest = 0;
  for (const skewed& t : this->time)
    fastest = std::max(fastest, stamp_at(t.steady_ns + static_cast<u64>(t.offset_ns)));
  u64 latest = 0;
  for (const on_chip* c : w->chips) latest = std::max(latest, c->clock);
  EXPECT_GE(latest, stamp_at(noon_ns + 3 * second_ns));
  EXPECT_LE(latest, fastest + (u64{1} << 16U)) << "and nobody ran ahead of it by a microsecond";
}

}  // namespace
