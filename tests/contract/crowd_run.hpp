// tests/contract/crowd_run.hpp - one run of actors/crowd.hpp, beside a plain loop of the same.
// Why: what each walker has taken in the end is known without any system.
// Invariant: everything sent goes through here, so that books can be compared with states.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "crowd.actors.hpp"  // made by the build from actors/crowd.hpp
#include "tests/contract/places.hpp"

namespace contract {

using namespace crowd;
using reason = perdure::abi::dead_reason;

inline std::uint64_t dead_of(const perdure::stats& s, reason why) {
  return s.dead[static_cast<std::size_t>(why)];
}

class crowd_run {
 public:
  using letter = perdure::letter<note>;

  explicit crowd_run(const perdure::options& o)
      : sys{perdure::system::start(crowd::actors(), o).value()},
        desk{sys.make_mailbox<note>(1).value()} {
    const perdure::ref<walker> first{sys.spawn<walker>(1).value()[0].bits + 1};
    all = sys.spawn<walker>(population,
                            [&](std::size_t i) {
                              walker w;
                              w.first = first;
                              w.desk = desk.ref();
                              w.own = static_cast<std::uint32_t>(i);
                              return w;
                            })
              .value();
  }

  /// Starts a chain of steps; the plain loop walks it at once. One thread at a time a `host`.
  void walk(std::uint32_t to, std::uint32_t value, std::uint32_t hops, bool tells,
            std::uint32_t host = 0) {
    expect_ok(sys.send(
        all[to], step{population + host, ++numbers[host][to], hops, value, tells, sys.now()}));
    ++host_sent;
    for (std::uint32_t left = hops + 1;; --left) {
      ++expected[to].handled;
      expected[to].sum += value;
      if (to == 0 && tells) ++letters;
      if (left == 1) return;
      to = next_of(to, value);
      value = next_value(value);
    }
  }
  /// An ask that is in the books.
  template <class R, class M>
  std::future<perdure::result<R>> ask(perdure::ref<walker> to, const M& m,
                                      std::chrono::nanoseconds timeout) {
    ++host_sent;
    return sys.ask_async<R>(to, m, timeout);
  }

  std::vector<walker> states() {
    std::vector<walker> out(population);
    expect_ok(sys.view(all, std::span<walker>{out}));
    return out;
  }
  /// Of an idle or paused system: its books against the states.
  /// @param others  handled elsewhere.
  void expect_books_like_states(std::uint64_t others) {
    std::uint64_t sent = host_sent, handled = others;
    for (const walker& w : states()) {
      handled += w.handled + w.answered;
      for (const std::uint32_t n : w.sent) sent += n;
    }
    const perdure::stats s = sys.statistics();
    EXPECT_EQ(s.handled, handled);
    EXPECT_EQ(s.sent, sent);
    EXPECT_EQ(s.sent, s.handled + s.dead_total() + s.queued);
  }
  /// When all is handled: nothing lost, nothing twice, in order of pairs and of causes.
  void expect_all_walked() {
    const std::vector<walker> now = states();
    for (std::uint32_t i = 0; i < population; ++i) {
      SCOPED_TRACE("walker " + std::to_string(i));
      EXPECT_EQ(now[i].handled, expected[i].handled);
      EXPECT_EQ(now[i].sum, expected[i].sum);
      EXPECT_EQ(now[i].out_of_order, 0U);
      EXPECT_EQ(now[i].out_of_time, 0U);
      for (std::uint32_t from = 0; from < population; ++from)
        EXPECT_EQ(now[i].got[from], now[from].sent[i]) << "from " << from;
      for (std::uint32_t host = 0; host < hosts; ++host)
        EXPECT_EQ(now[i].got[population + host], numbers[host][i]) << "from host thread " << host;
    }
  }

  /// A host that reads one letter, and is busy otherwise before it reads the next.
  void read_slowly(std::uint64_t until, std::uint64_t busy) {
    while (letters_read < until) {
      for (std::uint64_t i = 0; i < busy; ++i) (void)sys.statistics();
      letter got[1];
      const auto n = desk.receive(got, 20s);
      ASSERT_TRUE(n.has_value()) << n.error().message();
      ASSERT_EQ(*n, 1U) << "a letter is missing, after " << letters_read << " of " << letters;
      EXPECT_EQ(got[0].body.number, ++letters_read) << "order of one sender";
      EXPECT_EQ(got[0].sender, perdure::any_ref{all[0].bits});
      EXPECT_TRUE(got[0].body.before < got[0].at && got[0].at < sys.now());
      EXPECT_TRUE(last < got[0].at);
      last = got[0].at;
    }
  }

  perdure::system sys;
  perdure::mailbox<note> desk;
  perdure::range<walker> all;
  std::uint64_t host_sent = 0;
  std::uint64_t letters = 0;  ///< that the hot one writes, or has written
  std::uint64_t letters_read = 0;

 private:
  struct taken {
    std::uint32_t handled = 0;
    std::uint64_t sum = 0;
  };
  std::array<taken, population> expected{};
  std::array<std::array<std::uint32_t, population>, hosts> numbers{};
  perdure::hlc last;
};

class crowd_test : public everywhere {
 protected:
  void SetUp() override { needs_device(crowd::actors()); }
};

}  // namespace contract
