// tests/contract/rebalance_letters_test.cpp - who is moved while a mailbox is full: clause 2.
// Why: an actor's letters go through its worker's ring. Those that a full mailbox holds up there would be overtaken by what
//      the actor writes from another worker.
// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <numeric>
#include <thread>
#include <vector>

#include "tests/contract/program_of.hpp"

namespace {

using namespace contract;
using perdure::actor;
using perdure::context;
using perdure::errc;
using perdure::host;
using perdure::ref;

constexpr std::uint32_t scribes = 6;
constexpr std::uint32_t lines = 120;  // a ring of 64 slots and a mailbox of four hold few of them

struct line {
  std::uint32_t who, number;
};
struct write_lines {
  std::uint32_t count;
};
struct knock {
  std::uint32_t more;
};
struct scribe : actor<scribe> {
  ref<host<line>> desk;
  ref<scribe> neighbour;
  std::uint32_t own = 0, written = 0;
  void on(const write_lines& m, context& ctx) {
    for (std::uint32_t i = 0; i < m.count; ++i) ctx.send(desk, line{own, written++});
  }
  void on(const knock& m, context& ctx) {
    if (m.more != 0) ctx.send(neighbour, knock{m.more - 1});
  }
};
using mailbox = perdure::mailbox<line>;

class RebalanceLetters
    : public program_of<handles<scribe, write_lines, knock>, contract::letters<line>> {
 protected:
  /// Pairs of neighbours who sit at different workers and talk to each other.
  struct world {
    perdure::system sys;
    mailbox desk;
    perdure::range<scribe> all;
    std::uint32_t next[scribes] = {};

    world(const perdure::program& actors, perdure::options o)
        : sys{start(actors, o)}, desk{sys.make_mailbox<line>(4).value()} {
      all = spawn_peers<scribe>(sys, scribes, [&](ref<scribe> first, std::size_t i) {
        scribe s;
        s.desk = desk.ref();
        s.own = static_cast<std::uint32_t>(i);
        s.neighbour.bits = first.bits + (i ^ 1U);
        return s;
      });
    }
    static perdure::system start(const perdure::program& actors, perdure::options o) {
      o.placement = perdure::placement::counted;
      o.outbox_slots = 1024;
      return perdure::system::start(actors, o).value();
    }
    void tell_all(std::uint32_t count) {
      for (auto one : all) expect_ok(sys.send(one, write_lines{count}));
    }
    void talk() {
      for (auto one : all) expect_ok(sys.send(one, knock{40}));
      expect_ok(sys.quiesce(20s));
    }
    std::uint32_t moved() {
      std::uint32_t n = 0;
      for (std::uint32_t i = 0; i < scribes; ++i)
        n += sys.worker_of(all[i]).value() != perdure::abi::ref_index(all[i].bits) % 3 ? 1 : 0;
      return n;
    }
    std::uint32_t read_so_far() const { return std::accumulate(next, next + scribes, 0U); }
    /// What is there, each scribe's lines in order.
    void read() {
      std::vector<mailbox::letter_type> got(16);
      for (std::size_t n = 1; n != 0;) {
        n = desk.receive(got, 0ns).value();
        for (std::size_t i = 0; i < n; ++i) {
          const line& l = got[i].body;
          ASSERT_EQ(l.number, next[l.who]++) << "of scribe " << l.who;
        }
      }
    }
  };
};

TEST_F(RebalanceLetters, LettersThatAFullMailboxHoldsUpAreNotOvertaken) {
  under_every_schedule(20, 10, [&](perdure::options o) {
    world w{actors, o};
    w.talk();
    w.tell_all(lines);
    std::atomic<bool> done{false};
    std::thread reader{[&] {
      while (!done) {
        w.read();
        std::this_thread::yield();
      }
    }};
    // virtual time does not wait for a thread
    const auto moved = w.sys.rebalance(o.schedule == perdure::schedule::seeded ? 1'000h : 60s);
    expect_ok(moved);
    EXPECT_GT(w.moved(), 0U);
    w.tell_all(lines);
    expect_ok(w.sys.quiesce(60s));
    done = true;
    reader.join();
    for (int i = 0; i < 1'000 && w.read_so_far() < 2 * lines * scribes; ++i) {
      w.read();
      expect_ok(w.sys.quiesce(20s));
    }
    w.read();
    for (std::uint32_t i = 0; i < scribes; ++i) EXPECT_EQ(w.next[i], 2 * lines);
  });
}
TEST_F(RebalanceLetters, WhereNobodyReadsThemNobodyIsMoved) {
  under_every_schedule(10, 3, [&](perdure::options o) {
    world w{actors, o};
    w.talk();
    w.tell_all(lines);
    expect_error(w.sys.rebalance(20ms), errc::timeout);
    EXPECT_EQ(w.moved(), 0U);
    for (int i = 0; i < 1'000 && w.read_so_far() < lines * scribes; ++i) {
      w.read();
      expect_ok(w.sys.quiesce(20s));
    }
    expect_ok(w.sys.rebalance(20s));
    EXPECT_GT(w.moved(), 0U);
  });
}

}  // namespace
