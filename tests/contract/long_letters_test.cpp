// tests/contract/long_letters_test.cpp - messages over 240 bytes to hosts: letters and answers, of small and of wide actors.
// Why: clauses 1 to 3, 5, 6 and 10 for what stands in the ring to the host whole and lay in a pooled buffer before.
// Shown by: each actor's numbers in order and every word as it was filled (1, 2, 3), asks that end (5), letters that a stop
//           leaves behind (6), the books where buffers are short (10).
// SPDX-License-Identifier: Apache-2.0
#include <perdure/replay.hpp>

#include <unistd.h>

#include <filesystem>
#include <future>
#include <map>
#include <vector>

#include "albums.actors.hpp"     // made by the build from actors/albums.hpp
#include "galleries.actors.hpp"  // and from actors/galleries.hpp
#include "tests/contract/places.hpp"

namespace {

using namespace contract;
using albums::album;
using albums::book;
using albums::card;
using albums::hot_album;
using albums::page;
using galleries::gallery;
using mailbox = perdure::mailbox<card, page, book>;
using reason = perdure::abi::dead_reason;

/// What has come to a mailbox, by sender.
struct reading {
  std::map<std::uint32_t, std::uint32_t> last;
  std::uint64_t letters = 0, errors = 0, gaps = 0;

  template <class M>
  void note(const M& m) {
    for (std::uint32_t i = 0; i < m.fill.size(); ++i)
      if (m.fill[i] != albums::fill_of(m.from, m.number, i)) ++errors;
    std::uint32_t& before = last[m.from];
    if (m.number <= before) ++errors;
    if (m.number != before + 1) ++gaps;
    before = m.number;
    ++letters;
  }
  /// @return how many there were.
  std::size_t read(mailbox& from, std::chrono::nanoseconds wait = 0ns) {
    std::vector<mailbox::letter_type> got(8);
    const std::size_t n = from.receive(got, wait).value();
    for (std::size_t i = 0; i < n; ++i) std::visit([&](const auto& m) { note(m); }, got[i].body);
    return n;
  }
  void read_all(mailbox& from) {
    while (read(from) != 0) {
    }
  }
  /// Until so many have come, or none comes for long.
  void read_until(mailbox& from, std::uint64_t wanted) {
    while (letters < wanted && read(from, 20s) != 0) {
    }
  }
};

class LongLetters : public everywhere {
 public:
  void SetUp() override {
    needs_device(albums::actors(), [](perdure::options o) { return buffers(o, 64); });
  }
  static perdure::options buffers(perdure::options o, std::uint32_t slots) {
    o.buffer_slots = slots;
    o.spill_slots = 16'384;
    o.outbox_slots = 4'096;
    o.host_slots = 2'048;  // it holds one book, and not two
    return o;
  }
  static perdure::options wide_blocks(perdure::options o) {
    if (o.backend == perdure::backend::cuda) o.lanes = 64;
    return o;
  }
  template <class A>
  static perdure::range<A> spawn_writers(perdure::system& sys, const mailbox& to, std::size_t n,
                                         std::uint32_t first = 0) {
    return sys
        .spawn<A>(n,
                  [&](std::size_t i) {
                    A a;
                    a.index = first + static_cast<std::uint32_t>(i);
                    a.to = to.ref();
                    return a;
                  })
        .value();
  }
  template <class A>
  static void write_all(perdure::system& sys, const perdure::range<A>& all, std::uint32_t times,
                        std::uint32_t each) {
    for (std::uint32_t t = 0; t < times; ++t)
      for (std::size_t i = 0; i < all.size(); ++i) expect_ok(sys.send(all[i], albums::write{each}));
  }
  static std::uint64_t dead(const perdure::system& sys, reason why) {
    return sys.statistics().dead[static_cast<std::size_t>(why)];
  }
};

TEST_P(LongLetters, OfSmallActorsComeWholeAndInOrder) {
  show(60, 20, [](const perdure::options& o) {
    auto sys = perdure::system::start(albums::actors(), buffers(o, 1'024)).value();
    auto box = sys.make_mailbox<card, page, book>(512).value();
    const auto some = spawn_writers<album>(sys, box, 4);
    const auto hot = spawn_writers<hot_album>(sys, box, 3, 4);
    reading r;
    std::uint64_t written = 0;
    for (const std::uint32_t each : {1U, 24U, 3U}) {  // alone, in crowds, a few
      write_all(sys, some, 2, each);
      write_all(sys, hot, 3, each);
      written += std::uint64_t{each} * (4 * 2 + 3 * 3);
      r.read_until(box, written);
      EXPECT_EQ(r.letters, written);
    }
    expect_ok(sys.quiesce(60s));
    EXPECT_EQ(r.errors, 0U) << "torn, twice or out of order";
    EXPECT_EQ(r.gaps, 0U);
    EXPECT_EQ(sys.statistics().to_mailboxes, written);
    EXPECT_EQ(sys.statistics().dead_total(), 0U);
    expect_exact_books(sys);
  });
}
TEST_P(LongLetters, OfWideActorsComeWholeAndARegionsByRisingIndex) {
  show(60, 20, [](const perdure::options& o) {
    auto sys = perdure::system::start(galleries::actors(), buffers(wide_blocks(o), 1'024)).value();
    auto box = sys.make_mailbox<card, page, book>(512).value();
    const auto all = spawn_writers<gallery>(sys, box, 4);
    reading r;
    write_all(sys, all, 3, 5);
    r.read_until(box, 4 * 3 * 5 * gallery::a_round);
    EXPECT_EQ(r.letters, 4U * 3U * 5U * gallery::a_round);
    EXPECT_EQ(r.errors, 0U) << "torn, twice or out of order";
    EXPECT_EQ(r.gaps, 0U);
    expect_ok(sys.quiesce(60s));
    EXPECT_EQ(sys.statistics().dead_total(), 0U);
    expect_exact_books(sys);
  });
}
/// A mailbox that holds few, of whose reader the workers wait for.
TEST_P(LongLetters, WaitForAReaderWhoIsSlowAndNoneIsLost) {
  show(40, 10, [](perdure::options o) {
    o = buffers(wide_blocks(o), 1'024);
    auto sys = perdure::system::start(galleries::actors(), o).value();
    auto box = sys.make_mailbox<card, page, book>(3).value();
    const auto all = spawn_writers<gallery>(sys, box, 3);
    write_all(sys, all, 2, 9);
    reading r;
    const std::uint64_t written = 3 * 2 * 9 * gallery::a_round;
    r.read_until(box, written);
    EXPECT_EQ(r.letters, written);
    EXPECT_EQ(r.errors + r.gaps, 0U) << "torn, lost, twice or out of order";
    expect_ok(sys.quiesce(60s));
    EXPECT_EQ(sys.statistics().dead_total(), 0U);
    expect_exact_books(sys);
  });
}
TEST_P(LongLetters, AnswerAsksOneByOneAndMany) {
  show(60, 20, [](const perdure::options& o) {
    auto sys = perdure::system::start(albums::actors(), buffers(o, 1'024)).value();
    const auto box = sys.make_mailbox<card, page, book>(4).value();
    const auto some = spawn_writers<album>(sys, box, 3);
    const auto hot = spawn_writers<hot_album>(sys, box, 1, 3);
    reading of[4];
    std::uint32_t number = 0;
    for (int round = 0; round < 4; ++round) {
      ++number;
      of[0].note(sys.ask<page>(some[0], albums::show_page{number}, 20s).value());
      ++number;
      of[0].note(sys.ask<card>(some[0], albums::show_card{number}, 20s).value());
      ++number;
      of[0].note(
          *std::make_unique<book>(sys.ask<book>(some[0], albums::show_book{number}, 20s).value()));
      of[3].note(sys.ask<page>(hot[0], albums::show_page{number / 3}, 20s).value());
    }
    std::vector<std::future<perdure::result<page>>> pages;
    for (std::uint32_t i = 1; i <= 30; ++i)
      pages.push_back(sys.ask_async<page>(some[1], albums::show_page{i}, 20s));
    std::vector<std::future<perdure::result<book>>> books;
    for (std::uint32_t i = 1; i <= 3; ++i)
      books.push_back(sys.ask_async<book>(some[2], albums::show_book{i}, 20s));
    expect_ok(sys.quiesce(60s));
    for (auto& p : pages) of[1].note(p.get().value());
    for (auto& b : books) of[2].note(*std::make_unique<book>(b.get().value()));
    for (const reading& r : of) EXPECT_EQ(r.errors + r.gaps, 0U);
    expect_error(sys.ask<card>(some[0], albums::show_page{1}, 20s), perdure::errc::wrong_reply);
    expect_error(sys.ask<page>(some[0], albums::show_book{1}, 20s), perdure::errc::wrong_reply);
    expect_ok(sys.send(some[0], albums::show_page{1}));  // nobody asked
    expect_ok(sys.quiesce(60s));
    EXPECT_EQ(sys.statistics().unasked, 1U);
    EXPECT_EQ(sys.statistics().dead_total(), 0U);
    expect_exact_books(sys);
  });
}
TEST_P(LongLetters, AnswerAsksOfWideActors) {
  show(40, 20, [](const perdure::options& o) {
    auto sys = perdure::system::start(galleries::actors(), buffers(wide_blocks(o), 64)).value();
    const auto box = sys.make_mailbox<card, page, book>(4).value();
    const auto all = spawn_writers<gallery>(sys, box, 2);
    reading of[2];
    for (std::uint32_t n = 1; n <= 12; n += 2) {
      for (std::size_t i = 0; i < all.size(); ++i) {
        of[i].note(sys.ask<page>(all[i], albums::show_page{n}, 20s).value());
        of[i].note(
            *std::make_unique<book>(sys.ask<book>(all[i], albums::show_book{n + 1}, 20s).value()));
      }
    }
    for (const reading& r : of) {
      EXPECT_EQ(r.letters, 12U);
      EXPECT_EQ(r.errors + r.gaps, 0U);
    }
    expect_ok(sys.quiesce(60s));
    expect_exact_books(sys);
  });
}
TEST_P(LongLetters, WithoutABufferAreDeadLettersExactlyCounted) {
  show(60, 20, [](const perdure::options& o) {
    auto sys = perdure::system::start(galleries::actors(), buffers(wide_blocks(o), 8)).value();
    auto box = sys.make_mailbox<card, page, book>(512).value();
    const auto wide = spawn_writers<gallery>(sys, box, 3);
    std::uint64_t written = 0, before = 0;
    reading r;
    for (int round = 0; round < 3; ++round) {  // what was lost has left its buffer
      write_all(sys, wide, 2, 4);
      written += 3 * 2 * 4 * gallery::a_round;
      expect_ok(sys.quiesce(60s));
      r.read_all(box);
      EXPECT_EQ(r.errors, 0U) << "torn, twice or out of order";
      EXPECT_EQ(r.letters + dead(sys, reason::exhausted), written);
      EXPECT_GT(r.letters, before) << "none came through";
      before = r.letters;
      EXPECT_EQ(sys.statistics().to_mailboxes, written);
      expect_exact_books(sys);
    }
  });
}
TEST_P(LongLetters, ForNobodyGiveTheirBuffersBack) {
  show(40, 20, [](const perdure::options& o) {
    auto sys = perdure::system::start(albums::actors(), buffers(o, 64)).value();
    auto closed = sys.make_mailbox<card, page, book>(4).value();
    const auto to_closed = spawn_writers<album>(sys, closed, 2);
    const auto to_null = sys.spawn<hot_album>(2).value();
    {
      const auto gone = std::move(closed);
    }
    write_all(sys, to_null, 3, 16);
    expect_ok(sys.quiesce(60s));
    EXPECT_EQ(dead(sys, reason::null_ref), 2U * 3U * 16U);
    write_all(sys, to_closed, 3, 16);
    expect_ok(sys.quiesce(60s));
    EXPECT_EQ(sys.statistics().dead_total(), 2U * 2U * 3U * 16U);
    auto box = sys.make_mailbox<card, page, book>(64).value();
    const auto one = spawn_writers<album>(sys, box, 1);
    write_all(sys, one, 1, 40);
    reading r;
    r.read_until(box, 40);
    EXPECT_EQ(r.letters, 40U) << "the buffers have not come back";
    EXPECT_EQ(r.errors + r.gaps, 0U);
    expect_exact_books(sys);
  });
}
TEST_P(LongLetters, ThatAStopLeavesBehindAreCountedAndTheOthersCanStillBeRead) {
  show(60, 10, [](const perdure::options& o) {
    auto sys = perdure::system::start(albums::actors(), buffers(o, 1'024)).value();
    auto box = sys.make_mailbox<card, page, book>(4).value();
    const auto some = spawn_writers<album>(sys, box, 3);
    write_all(sys, some, 4, 30);
    const auto outcome = sys.stop(60ms);
    not_kept_waiting(outcome);
    expect_error(outcome, perdure::errc::timeout);
    reading r;
    r.read_all(box);
    EXPECT_GE(r.letters, 4U);
    EXPECT_EQ(r.errors + r.gaps, 0U) << "torn, or one is missing before others";
    const std::uint64_t left = 3 * 4 - sys.statistics().handled;  // requests
    EXPECT_EQ(r.letters + dead(sys, reason::shutdown), sys.statistics().to_mailboxes + left);
    EXPECT_EQ(sys.statistics().dead_total(), dead(sys, reason::shutdown));
    expect_exact_books(sys);
  });
}
/// Runs some writers with a recording, and that again.
/// @return how many found no buffer. In a region that ends a GPU's recording, so wide actors need enough of them.
template <class A>
std::uint64_t expect_written_again(const perdure::program& actors, perdure::options o) {
  o.record = std::filesystem::temp_directory_path() /
             ("perdure_long_letters_" + std::to_string(::getpid()));
  auto sys = perdure::system::start(actors, o).value();
  auto box = sys.make_mailbox<card, page, book>(512).value();
  const auto all = LongLetters::spawn_writers<A>(sys, box, 3);
  LongLetters::write_all(sys, all, 2, 9);
  expect_ok(sys.quiesce(60s));
  const page p = sys.ask<page>(all[0], albums::show_page{1}, 20s).value();
  EXPECT_EQ(p.fill[124], albums::fill_of(0, 1, 124));
  expect_ok(sys.stop(60s));
  const auto again = perdure::replay(actors, o.record);
  std::filesystem::remove(o.record);
  if (again) {
    EXPECT_TRUE(again->whole);
    EXPECT_EQ(again->messages, sys.statistics().handled);
    EXPECT_EQ(again->compared, 3U);
    EXPECT_EQ(again->differ, 0U);
  } else {
    ADD_FAILURE() << again.error().message();
  }
  return sys.statistics().dead_total();
}
TEST_P(LongLetters, AreWrittenAgainByAReplayAlsoThoseThatFoundNoBuffer) {
  show(20, 10, [](const perdure::options& o) {
    EXPECT_EQ(expect_written_again<gallery>(galleries::actors(), buffers(wide_blocks(o), 512)), 0U);
    EXPECT_EQ(expect_written_again<album>(albums::actors(), buffers(o, 512)), 0U);
    EXPECT_GT(expect_written_again<album>(albums::actors(), buffers(o, 2)), 0U);
  });
}

PERDURE_SHOW_EVERYWHERE(LongLetters);

}  // namespace
