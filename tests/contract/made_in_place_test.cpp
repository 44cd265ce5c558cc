// tests/contract/made_in_place_test.cpp - messages that handlers make where these will lie, by small actors and by wide ones.
// Why: clauses 1 to 3 and 10 for buffers that are filled by who sends: one lane's, or a whole block's together.
// Shown by: each press's numbers in order and every word as it was filled (1, 2, 3), the books where buffers are short (10).
// SPDX-License-Identifier: Apache-2.0
#include <perdure/replay.hpp>

#include <unistd.h>

#include <filesystem>
#include <vector>

#include "mills.actors.hpp"   // made by the build from actors/mills.hpp
#include "sheets.actors.hpp"  // and from actors/sheets.hpp
#include "tests/contract/places.hpp"

namespace {

using namespace contract;
using mills::mill;
using sheets::close;
using sheets::hot_press;
using sheets::press;
using sheets::print;
using sheets::reader;

class MadeInPlace : public everywhere {
 public:
  static constexpr std::uint32_t each = 32;  ///< messages a print

  void SetUp() override { needs_device(sheets::actors()); }
  static perdure::options buffers(perdure::options o, std::uint32_t slots) {
    o.buffer_slots = slots;
    o.spill_slots = 16'384;
    o.outbox_slots = 4'096;  // of what a batch of prints sends
    return o;
  }
  static perdure::options wide_blocks(perdure::options o) {
    if (o.backend == perdure::backend::cuda) o.lanes = 64;
    return o;
  }
  /// Those of presses `first`, `first` + 1, .. send to readers by turns.
  template <class P>
  static perdure::range<P> spawn_presses(perdure::system& sys, const perdure::range<reader>& to,
                                         std::uint32_t first) {
    return sys
        .spawn<P>(sheets::most_presses / 2,
                  [&](std::size_t i) {
                    P p;
                    p.index = first + static_cast<std::uint32_t>(i);
                    p.to = to[p.index % to.size()];
                    return p;
                  })
        .value();
  }
  static perdure::range<mill> spawn_mills(perdure::system& sys, const perdure::range<reader>& to,
                                          std::size_t n) {
    const auto next = sys.spawn<mill>(n).value();  // these take only
    return sys
        .spawn<mill>(n,
                     [&](std::size_t i) {
                       mill m;
                       m.index = static_cast<std::uint32_t>(i);
                       m.to = to[i % to.size()];
                       m.next = next[i];
                       return m;
                     })
        .value();
  }
  template <class A>
  static void print_all(perdure::system& sys, const perdure::range<A>& all, std::uint32_t times) {
    for (std::uint32_t t = 0; t < times; ++t)
      for (std::size_t i = 0; i < all.size(); ++i) expect_ok(sys.send(all[i], print{each}));
  }
  struct seen {
    std::uint64_t handled = 0, errors = 0, gaps = 0;
  };
  template <class A>
  static seen seen_by(perdure::system& sys, const A& all) {
    seen s;
    for (const auto& to : all) {
      const auto one = sys.view(to).value();
      s.handled += one.handled;
      s.errors += one.errors;
      s.gaps += one.gaps;
    }
    return s;
  }
  static std::uint64_t dead_by(perdure::system& sys, perdure::abi::dead_reason why) {
    return sys.statistics().dead[static_cast<std::size_t>(why)];
  }
  /// By those that such mills send to.
  static seen seen_by_next(perdure::system& sys, const perdure::range<mill>& mills) {
    std::vector<perdure::ref<mill>> next;
    for (const auto& m : mills) next.push_back(sys.view(m).value().next);
    return seen_by(sys, next);
  }
};

TEST_P(MadeInPlace, BySmallActorsArriveWholeAndInOrder) {
  show(60, 20, [](const perdure::options& o) {
    auto sys = perdure::system::start(sheets::actors(), buffers(o, 2'048)).value();
    const auto readers = sys.spawn<reader>(3).value();
    const auto presses = spawn_presses<press>(sys, readers, 0);
    const auto hot = spawn_presses<hot_press>(sys, readers, sheets::most_presses / 2);
    print_all(sys, presses, 5);
    print_all(sys, hot, 5);
    expect_ok(sys.quiesce(60s));
    const seen s = seen_by(sys, readers);
    EXPECT_EQ(s.handled, sheets::most_presses * 5U * each);
    EXPECT_EQ(s.errors, 0U) << "torn, twice or out of order";
    EXPECT_EQ(s.gaps, 0U);
    EXPECT_EQ(sys.statistics().dead_total(), 0U);
    expect_exact_books(sys);
  });
}
TEST_P(MadeInPlace, ByAllLanesOfWideActorsArriveWholeAndInOrder) {
  show(60, 20, [](const perdure::options& o) {
    auto sys = perdure::system::start(mills::actors(), buffers(wide_blocks(o), 2'048)).value();
    const auto readers = sys.spawn<reader>(2).value();
    const auto mills = spawn_mills(sys, readers, 3);
    const auto presses = spawn_presses<press>(sys, readers, sheets::most_presses / 2);
    print_all(sys, mills, 4);
    print_all(sys, presses, 4);
    expect_ok(sys.quiesce(60s));
    const seen small = seen_by(sys, readers);
    EXPECT_EQ(small.handled, 3 * 4 * each / 2 + sheets::most_presses / 2 * 4 * each);
    EXPECT_EQ(small.errors, 0U) << "torn, twice or out of order";
    EXPECT_EQ(small.gaps, 0U);
    const seen wide = seen_by_next(sys, mills);
    EXPECT_EQ(wide.handled, 3U * 4U * each / 2);
    EXPECT_EQ(wide.errors, 0U);
    EXPECT_EQ(wide.gaps, 0U);
    EXPECT_EQ(sys.statistics().dead_total(), 0U);
    expect_exact_books(sys);
  });
}
TEST_P(MadeInPlace, WithoutABufferAreDeadLettersExactlyCounted) {
  show(60, 20, [](const perdure::options& o) {
    auto sys = perdure::system::start(mills::actors(), buffers(wide_blocks(o), 8)).value();
    const auto readers = sys.spawn<reader>(2).value();
    const auto mills = spawn_mills(sys, readers, 3);
    const auto presses = spawn_presses<press>(sys, readers, sheets::most_presses / 2);
    std::uint64_t handled = 0, dead = 0;
    for (std::uint64_t round = 1; round <= 3; ++round) {  // what was lost has left its buffer
      print_all(sys, mills, 2);
      print_all(sys, presses, 2);
      expect_ok(sys.quiesce(60s));
      const seen small = seen_by(sys, readers), wide = seen_by_next(sys, mills);
      EXPECT_EQ(small.errors + wide.errors, 0U) << "torn, twice or out of order";
      const std::uint64_t now = small.handled + wide.handled, lost = sys.statistics().dead_total();
      EXPECT_EQ(now + lost, round * (3 * 2 * each + sheets::most_presses / 2 * 2 * each));
      EXPECT_GT(now, handled) << "none came through";
      EXPECT_EQ(dead_by(sys, perdure::abi::dead_reason::exhausted), lost);
      EXPECT_GE(lost, dead);
      handled = now;
      dead = lost;
      expect_exact_books(sys);
    }
    EXPECT_GT(dead, 0U) << "eight buffers were enough, so this shows nothing";
  });
}
TEST_P(MadeInPlace, ForNobodyGiveTheirBuffersBack) {
  show(60, 20, [](const perdure::options& o) {
    auto sys = perdure::system::start(sheets::actors(), buffers(o, 64)).value();
    const auto readers = sys.spawn<reader>(1).value();
    const auto presses = spawn_presses<press>(sys, readers, 0);
    const auto to_null = sys.spawn<press>(2).value();
    print_all(sys, to_null, 4);
    expect_ok(sys.quiesce(60s));
    EXPECT_EQ(dead_by(sys, perdure::abi::dead_reason::null_ref), 2U * 4U * each);
    expect_ok(sys.send(readers[0], close{}));
    expect_ok(sys.quiesce(60s));
    print_all(sys, presses, 1);
    expect_ok(sys.quiesce(60s));
    const std::uint64_t dead = sys.statistics().dead_total();
    EXPECT_EQ(dead, 2U * 4U * each + sheets::most_presses / 2 * each);
    const auto again = sys.spawn<reader>(1).value();
    const auto press_again = sys.spawn<press>(1,
                                              [&](std::size_t) {
                                                press p;
                                                p.to = again[0];
                                                return p;
                                              })
                                 .value();
    expect_ok(sys.send(press_again[0], print{each}));
    expect_ok(sys.quiesce(60s));
    EXPECT_EQ(sys.view(again[0]).value().handled, each) << "the buffers have not come back";
    EXPECT_EQ(sys.view(again[0]).value().errors, 0U);
    EXPECT_EQ(sys.statistics().dead_total(), dead);
    expect_exact_books(sys);
  });
}
/// Runs them with a recording. @return how many found no buffer.
std::uint64_t expect_made_again(perdure::options o) {
  o.record = std::filesystem::temp_directory_path() /
             ("perdure_made_in_place_" + std::to_string(::getpid()));
  auto sys = perdure::system::start(mills::actors(), o).value();
  const auto readers = sys.spawn<reader>(2).value();
  const auto mills = MadeInPlace::spawn_mills(sys, readers, 2);
  const auto presses = MadeInPlace::spawn_presses<press>(sys, readers, sheets::most_presses / 2);
  MadeInPlace::print_all(sys, mills, 2);
  MadeInPlace::print_all(sys, presses, 2);
  expect_ok(sys.quiesce(60s));
  expect_ok(sys.stop(60s));
  const auto again = perdure::replay(mills::actors(), o.record);
  std::filesystem::remove(o.record);
  if (again) {
    EXPECT_TRUE(again->whole);
    EXPECT_EQ(again->messages, sys.statistics().handled);
    EXPECT_EQ(again->compared, 2U + 4U + sheets::most_presses / 2);
    EXPECT_EQ(again->differ, 0U);
  } else {
    ADD_FAILURE() << again.error().message();
  }
  return sys.statistics().dead_total();
}
TEST_P(MadeInPlace, AreMadeAgainByAReplayAlsoThoseThatFoundNoBuffer) {
  show(20, 10, [](const perdure::options& o) {
    EXPECT_EQ(expect_made_again(buffers(wide_blocks(o), 512)), 0U);
    EXPECT_GT(expect_made_again(buffers(wide_blocks(o), 8)), 0U);
  });
}

PERDURE_SHOW_EVERYWHERE(MadeInPlace);

}  // namespace
