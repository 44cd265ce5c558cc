// tests/kernels/wide/ahead_test.cpp - what an actor's next call reads first, as it has said and as it stands in its links, is
//                                      kept, and looked up for the one that most likely comes next.
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <memory>

#include "tests/kernels/kinds.hpp"
#include "tests/kernels/wide/wide_world.hpp"

namespace {

using namespace kernel_test;
namespace abi = perdure::abi;

struct step {
  u64 fill[4];
};
struct large {
  u64 fired;
  alignas(16) std::array<u64, 64> cells;
};
constexpr u32 tile = 1, on_joined = 0, on_start = 1, own_port = 0, other_port = 1, ports = 2,
              actors = 3;

template <class Kind>
class Ahead : public ::testing::Test {
 protected:
  using block = typename Kind::block;
  /// @param chip  whether states are brought on chip.  @param ring  each sends to the next one, else to itself
  static std::unique_ptr<wide_world> make(bool chip, bool ring) {
    shape s;
    s.workers = 1;
    s.lanes = Kind::lanes;
    auto w = std::make_unique<wide_world>(
        s, std::vector<wide_spec>{{sizeof(large), 32, ports, 0, chip, 1 + on_joined}},
        std::vector<abi::handler_entry>{{tile, 0, sizeof(step)}, {tile, 1, sizeof(u64)}});
    w->template begin_all<block>();
    for (u32 i = 0; i < actors; ++i) {
      w->spawn(tile, i);
      if (!ring) w->link(tile, i, own_port, i, own_port, sizeof(step));
    }
    for (u32 i = 0; ring && i < actors; ++i)
      w->link(tile, i, other_port, (i + 1) % actors, other_port, sizeof(step));
    w->tell_links();
    return w;
  }
};
TYPED_TEST_SUITE(Ahead, link_kinds, kind_names);

TYPED_TEST(Ahead, WholePiecesOfFourPartsAreKeptAndFoundByAge) {
  using block = typename TestFixture::block;
  if constexpr (block::in_order) GTEST_SKIP() << "such blocks ask in turn";
  auto w = this->make(false, false);
  on_chip& c = *w->chips[0];
  block b{w->m.lanes};
  alignas(16) std::array<char, 160> part{};
  const auto leave = [&](u32 place, u32 parts, u32 bytes) {
    bring(b, c, w->m, tile, w->listed(0, place).index);
    c.begins = 0;
    for (u32 k = 0; k < parts; ++k) note_first_read(c, &part[16 * k], bytes);
    note_awaited(b, c, w->m, &w->listed(0, place), place);
    w->listed(0, place).left = ++c.visits;
  };
  const auto look = [&](u32 in_hand) {
    look_ahead(b, c, w->m, tile, w->listed(0, in_hand).index);
    std::vector<std::pair<u64, u32>> found;
    for (const abi::first_read& one : c.ahead) {
      if (one.bytes != 0)
        found.emplace_back(one.at - reinterpret_cast<u64>(part.data()), one.bytes);
    }
    return found;
  };
  using parts = std::vector<std::pair<u64, u32>>;
  leave(0, 5, 40);
  leave(1, 2, 16);
  leave(2, 0, 0);
  EXPECT_EQ(look(2), (parts{{0, 32}, {16, 32}, {32, 32}, {48, 32}}));
  EXPECT_EQ(look(0), (parts{{0, 16}, {16, 16}})) << "the one in hand is not the next one";
  leave(0, 1, 48);
  EXPECT_EQ(look(0), (parts{{0, 16}, {16, 16}})) << "left longest ago";
  leave(1, 1, 16);
  EXPECT_EQ(look(1), parts{}) << "the third has said nothing";
  w->listed(0, 2).kind = gone;
  EXPECT_EQ(look(1), (parts{{0, 48}})) << "who is gone does not come";
}

TYPED_TEST(Ahead, TheNextMessageOfEachPortThatOthersSendToIsOneOfThem) {
  using block = typename TestFixture::block;
  if constexpr (block::in_order) GTEST_SKIP() << "such blocks ask in turn";
  auto w = this->make(false, false);
  on_chip& c = *w->chips[0];
  block b{w->m.lanes};
  w->link(tile, 2, other_port, 0, other_port, sizeof(step));
  for (const u32 taken : {0U, 1U, 2U}) {
    put_back(b, c, w->m);
    abi::link_end& in = w->end(tile, 0, other_port, true);
    in.count = taken;
    bring(b, c, w->m, tile, 0);
    c.begins = 0;
    note_awaited(b, c, w->m, &w->listed(0, 0), 0);
    look_ahead(b, c, w->m, tile, w->listed(0, 1).index);
    const abi::first_read& one = c.ahead[abi::first_parts + other_port];
    EXPECT_EQ(one.at, reinterpret_cast<u64>(in.words + taken % 2 * in.words_a_message));
    EXPECT_EQ(one.bytes, in.words_a_message * sizeof(word));
    EXPECT_EQ(c.ahead[abi::first_parts + own_port].bytes, 0U) << "its own is there already";
  }
}

TYPED_TEST(Ahead, AFiringLooksForTheNextOneIfStatesStayInMemory) {
  using block = typename TestFixture::block;
  if constexpr (block::in_order) GTEST_SKIP() << "such blocks ask in turn";
  for (const bool chip : {false, true}) {
    SCOPED_TRACE(chip);
    auto w = this->make(chip, true);
    on_chip& c = *w->chips[0];
    std::array<const void*, actors> said{};
    u32 guessed = 0;
    loop_handle<block> handle;
    handle.on = [&](u32 handler, wide_call<block>& made, const void*) {
      auto& me = *reinterpret_cast<large*>(made.state);
      if (handler == on_joined) {
        const u32 index = abi::ref_index(made.call.self);
        ++me.fired;
        // asked for before: by the last call of the one that is next
        const u32 next = (index + 1) % actors;
        if (me.fired > 2 && c.ahead[0].bytes == 64)
          guessed += c.ahead[0].at == reinterpret_cast<u64>(said[next]) ? 1 : 0;
        said[index] = &me.cells[8 * me.fired];
        note_first_read(c, said[index], 64);
        if (me.fired == 6 && index == actors - 1) return;
      }
      commit(made, other_port, step{});
    };
    ASSERT_TRUE(w->push(abi::make_ref(actors - 1, 1, tile, system_number), on_start, u64{0}));
    block b{w->m.lanes};
    auto steady = [] { return u64{1'000'000}; };
    for (u32 turns = 0; turns < 100; ++turns) {
      c.control_at = 0;
      turn(b, c, w->m, handle, steady);
    }
    EXPECT_EQ(guessed, chip ? 0U : 4 * actors);
  }
}

}  // namespace
