// tests/contract/tolls_test.cpp - many messages at once, from hot actors to a hot actor that takes them in runs.
// Why: clauses 1 to 4 and 10, where lanes side by side make, handle and answer what one lane would one by one.
// Shown by: each driver's numbers in order (2), fees (1, 3), passes in the gate's order behind what they answer (2, 4), and the
//           books (10).
// SPDX-License-Identifier: Apache-2.0
#include "tests/contract/places.hpp"
#include "tolls.actors.hpp"  // made by the build from actors/tolls.hpp

namespace {

using namespace contract;

class Tolls : public everywhere {
 protected:
  void SetUp() override { needs_device(tolls::actors()); }

  struct world {
    explicit world(const perdure::options& o)
        : sys{perdure::system::start(tolls::actors(), o).value()},
          gate{sys.spawn<tolls::gate>(1).value()[0]},
          all{sys.spawn<tolls::driver>(tolls::drivers,
                                       [&](std::size_t i) {
                                         tolls::driver d;
                                         d.to = gate;
                                         d.own = static_cast<std::uint32_t>(i);
                                         return d;
                                       })
                  .value()} {
      expect_ok(sys.send(gate, tolls::meet{all[0].bits}));
      expect_ok(sys.quiesce(20s));
    }
    void drive(std::uint32_t cars) {
      for (const auto& one : all) expect_ok(sys.send(one, tolls::go{cars}));
      expect_ok(sys.quiesce(30s));
      each += cars;
    }
    /// So many orders at once to each driver.
    void drive_often(std::uint32_t times, std::uint32_t cars) {
      for (const auto& one : all) {
        for (std::uint32_t i = 0; i < times; ++i) expect_ok(sys.send(one, tolls::go{cars}));
      }
      expect_ok(sys.quiesce(30s));
      each += times * cars;
    }
    void expect_all() {
      const auto g = sys.view(gate).value();
      std::uint64_t fees = 0;
      for (std::uint32_t from = 0; from < tolls::drivers; ++from) {
        EXPECT_EQ(g.next[from], each);
        for (std::uint32_t n = 0; n < each; ++n) fees += tolls::fee_of(from, n);
        const auto d = sys.view(all[from]).value();
        EXPECT_EQ(d.errors, 0U);
        EXPECT_EQ(d.passes, (each + tolls::pass_every - 1) / tolls::pass_every);
      }
      EXPECT_EQ(g.sum, fees);
      EXPECT_EQ(g.handled, each * tolls::drivers);
      EXPECT_EQ(g.errors, 0U);
      const auto& books = sys.statistics();
      EXPECT_EQ(books.dead_total(), 0U);
      EXPECT_EQ(books.sent, books.handled);
    }

    perdure::system sys;
    perdure::ref<tolls::gate> gate;
    perdure::range<tolls::driver> all;
    std::uint32_t each = 0;
  };
  static perdure::options sized(perdure::options o, std::uint32_t inbox) {
    o.outbox_slots = 4096;
    o.inbox_slots = inbox;
    o.spill_slots = 16384;
    if (o.backend == perdure::backend::cuda) o.lanes = 256;
    return o;
  }
};

TEST_P(Tolls, AreToldAllAndInOrder) {
  show(200, 20, [](const perdure::options& o) {
    for (const std::uint32_t inbox : {4096U, 64U}) {
      world w{sized(o, inbox)};
      for (const std::uint32_t cars : {1U, 40U, 250U}) w.drive(cars);
      w.expect_all();
      expect_ok(w.sys.stop(20s));
    }
  });
}

/// What one order makes, and what many orders do, is more than there is room for on chip.
TEST_P(Tolls, AreMadeBeyondTheChipToo) {
  show(20, 10, [](const perdure::options& o) {
    perdure::options roomy = sized(o, 65536);
    roomy.outbox_slots = 32768;
    world w{roomy};
    w.drive(3000);
    w.drive_often(60, 40);
    w.drive_often(3, 1000);
    w.expect_all();
    expect_ok(w.sys.stop(20s));
  });
}

/// A device takes most of them together.
TEST_P(Tolls, AreTakenTogetherWhereTheyComeAsAStream) {
  show(10, 5, [](const perdure::options& o) {
    world w{sized(o, 8192)};
    const std::uint32_t rounds = o.backend == perdure::backend::cuda ? 40 : 4;
    for (std::uint32_t i = 0; i < rounds; ++i) w.drive(700);
    w.expect_all();
    if (o.backend == perdure::backend::cuda) {
      EXPECT_GT(w.sys.view(w.gate).value().together, w.each * tolls::drivers / 2);
    }
    expect_ok(w.sys.stop(20s));
  });
}

PERDURE_SHOW_EVERYWHERE(Tolls);

}  // namespace
