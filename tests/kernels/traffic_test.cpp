// tests/kernels/traffic_test.cpp - actors that sit elsewhere than arithmetic says, and what is counted and sampled of traffic.
// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "tests/kernels/kinds.hpp"

namespace {

using namespace kernel_test;
namespace abi = perdure::abi;

template <class Kind>
class Traffic : public one_type<Kind> {
 protected:
  static constexpr u32 workers = 4;
  static shape counted() {
    shape s = one_type<Kind>::base();
    s.workers = workers;
    s.host_lanes = 1;
    s.counts_traffic = true;
    s.ring_shift = 8;
    s.out_units = 256;
    return s;
  }
  std::unique_ptr<world> w = this->make(counted());
  u64 epoch = 0;

  u64 actor(u32 index) const { return abi::make_ref(index, 1, cell_type, system_number); }
  handle_function nothing = [](u32, void*, const message_view&, lane_state&) {};
  /// All follow a command.
  void command(abi::command what = abi::command::run) {
    ++epoch;
    for (u32 i = 0; i < workers; ++i) {
      w->m.control[i].command = abi::make_command(epoch, what);
      for (int turns = 0; turns < 3 && w->m.control[i].acknowledged != epoch; ++turns)
        this->turn_of(*w, i, nothing);
      ASSERT_EQ(w->m.control[i].acknowledged, epoch);
    }
  }
  u64 sent(abi::distance far) const {
    u64 n = 0;
    for (u32 i = 0; i < workers; ++i) n += w->m.traffic[i].sent[static_cast<u32>(far)];
    return n;
  }
  u64 sent() const {
    return sent(abi::distance::own_worker) + sent(abi::distance::own_cluster) +
           sent(abi::distance::elsewhere);
  }
};
TYPED_TEST_SUITE(Traffic, all_kinds, kind_names);

/// What a cell is told: pass it on, that many times, to the next index.
handle_function passing(u32 population) {
  return [population](u32, void* state, const message_view& view, lane_state& call) {
    auto& c = *static_cast<cell*>(state);
    const note n = message_of<note>(view);
    ++c.count;
    c.sum += abi::ref_index(call.self);
    EXPECT_GT(call.last_stamp(), c.last_stamp);
    c.last_stamp = call.last_stamp();
    if (n.value == 0) return;
    const note next{n.seq, n.value - 1};
    const u32 to = (abi::ref_index(call.self) + 1) % population;
    EXPECT_TRUE(send_bytes(call, abi::make_ref(to, 1, cell_type, system_number), on_note, &next,
                           sizeof(next)));
  };
}

TYPED_TEST(Traffic, WhoWasMovedIsFoundByItsIndexAtItsPlace) {
  constexpr u32 population = 8;
  world& w = *this->w;
  // all that stand in a row come to one worker: index -> place
  const u32 table[population] = {0, 4, 1, 5, 2, 6, 3, 7};
  for (u32 i = 0; i < population; ++i) w.spawn(cell_type, i);  // headers at places
  w.places[cell_type] = {table, population};
  handle_function handle = passing(population);
  this->command(abi::command::pause);
  this->command();
  // push() knows of no tables: what it calls index 0 is at worker 0, and so is place 0
  ASSERT_TRUE(w.push(this->actor(0), on_note, note{1, 4 * population - 1}));
  this->settle(w, handle);
  this->command();
  for (u32 i = 0; i < population; ++i) {
    const cell& at_place = w.template state<cell>(cell_type, table[i]);
    EXPECT_EQ(at_place.count, 4U);
    EXPECT_EQ(at_place.sum, 4 * i) << "another actor's message";
  }
  EXPECT_EQ(this->sent(), 4 * population - 1);
  EXPECT_EQ(this->sent(abi::distance::own_worker), 4 * population / 2);
  EXPECT_EQ(this->sent(abi::distance::own_cluster), 0U);
  w.m.cluster = 2;
  ASSERT_TRUE(w.push(this->actor(0), on_note, note{1, 4 * population - 1}));
  this->settle(w, handle);
  this->command();
  EXPECT_EQ(this->sent(abi::distance::own_cluster), 8U) << "0 -> 1 and 2 -> 3, four times";
}

TYPED_TEST(Traffic, EveryMessageIsCountedAndTheFirstAreAllKept) {
  constexpr u32 population = 12;
  world& w = *this->w;
  for (u32 i = 0; i < population; ++i) w.spawn(cell_type, i);
  handle_function handle = passing(population);
  for (u32 i = 0; i < population; ++i)
    ASSERT_TRUE(w.push(this->actor(i), on_note, note{1, 20 + i}));
  this->settle(w, handle);
  this->command();
  const u64 all = w.total(abi::counter::sent);
  EXPECT_EQ(this->sent(), all);
  std::map<std::pair<u64, u64>, u64> seen;
  u64 samples = 0;
  for (u32 i = 0; i < this->workers; ++i) {
    samples += w.m.traffic[i].taken;
    for (u64 k = 0; k < w.m.traffic[i].taken; ++k) {
      const abi::traffic_sample s = w.m.samples[i * abi::samples_kept + k];
      EXPECT_EQ(s.sender >> 56U, 0U) << "one of one";
      EXPECT_EQ(abi::ref_index(s.sender) % this->workers, i);
      ++seen[{s.sender & abi::data_mask, s.receiver}];
    }
  }
  EXPECT_EQ(samples, all);
  EXPECT_EQ(seen.size(), population);
  for (const auto& [pair, n] : seen) {
    EXPECT_EQ(abi::ref_index(pair.second), (abi::ref_index(pair.first) + 1) % population);
    EXPECT_EQ(abi::ref_type(pair.second), cell_type);
    EXPECT_EQ(abi::ref_type(pair.first), cell_type);
  }
}

TYPED_TEST(Traffic, SamplesGetRarerAndStandForWhatWasSent) {
  constexpr u32 population = 4;
  world& w = *this->w;
  for (u32 i = 0; i < population; ++i) w.spawn(cell_type, i);
  handle_function handle = passing(population);
  constexpr u64 rounds = 12;
  for (u64 i = 0; i < rounds; ++i) {
    for (u32 k = 0; k < population; ++k)
      ASSERT_TRUE(w.push(this->actor(k), on_note, note{i, 3'000}));
    this->settle(w, handle);
  }
  this->command();
  EXPECT_EQ(this->sent(), rounds * population * 3'000);
  for (u32 i = 0; i < this->workers; ++i) {
    EXPECT_EQ(w.m.traffic[i].sent[static_cast<u32>(abi::distance::elsewhere)], rounds * 3'000);
    // 4,096 of all, as many of every other one, and of one of four
    const u64 taken = w.m.traffic[i].taken;
    EXPECT_GT(taken, 3 * abi::samples_kept);
    EXPECT_LT(taken, 4 * abi::samples_kept);
    u64 eighths = 0;
    for (u32 k = 0; k < abi::samples_kept; ++k) {
      const u64 shift = w.m.samples[i * abi::samples_kept + k].sender >> 56U;
      EXPECT_GE(shift, 2U);
      EXPECT_LE(shift, 3U);
      eighths += shift == 3 ? 1 : 0;
    }
    EXPECT_EQ(eighths, taken - 3 * abi::samples_kept) << "each stands for what it was one of";
    const auto all = static_cast<double>(rounds * 3'000);
    EXPECT_NEAR((1.0 + 2 + 4) * abi::samples_kept + 8.0 * static_cast<double>(eighths), all,
                0.1 * all);
  }
}

TYPED_TEST(Traffic, CountingBeginsAnewAndEveryClockIsPastTheOthers) {
  world& w = *this->w;
  for (u32 i = 0; i < 4; ++i) w.spawn(cell_type, i);
  handle_function handle = passing(4);
  ASSERT_TRUE(w.push(this->actor(0), on_note, note{1, 50}));
  this->settle(w, handle);
  this->command();
  EXPECT_EQ(this->sent(), 50U);
  u64 highest = 0;
  for (u32 i = 0; i < 4; ++i) {
    EXPECT_EQ(w.m.traffic[i].clock, w.chips[i]->clock);
    highest = std::max(highest, w.m.traffic[i].clock);
  }
  w.restart = {1, highest + 1'000'000};
  this->command(abi::command::pause);
  EXPECT_EQ(this->sent(), 0U);
  for (u32 i = 0; i < 4; ++i) {
    EXPECT_EQ(w.m.traffic[i].taken, 0U);
    EXPECT_GE(w.chips[i]->clock, highest + 1'000'000);
  }
  this->command();
  ASSERT_TRUE(w.push(this->actor(1), on_note, note{1, 7}));
  this->settle(w, handle);
  this->command();
  EXPECT_EQ(this->sent(), 7U) << "once, not with every command";
  for (u32 i = 0; i < 4; ++i) EXPECT_GE(w.chips[i]->clock, highest + 1'000'000);
}

}  // namespace
