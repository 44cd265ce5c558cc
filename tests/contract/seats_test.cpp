// tests/contract/seats_test.cpp - actors that are made where their declared links are short sit where it was said.
// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "perdure/seats.hpp"
#include "talk.actors.hpp"  // made by the build from actors/talk.hpp
#include "tests/contract/places.hpp"

namespace {

using namespace contract;
using talk::talker;

class Seats : public everywhere {
 protected:
  void SetUp() override { needs_device(talk::actors()); }
};

TEST_P(Seats, WhoIsLinkedSitsAsNearAsWasSaid) {
  show(30, 3, [](const perdure::options& o) {
    auto sys = perdure::system::start(talk::actors(), o).value();
    const perdure::layout_report where = sys.layout();
    constexpr std::uint32_t count = 1'200;
    std::vector<perdure::declared_link> ring;  // whose numbers are dealt out crosswise
    for (std::uint32_t i = 0; i < count; ++i)
      ring.push_back({i * 7 % count, (i + 1) * 7 % count, 1 + i % 3});
    const auto at = perdure::seats(count, ring, where).value();
    const auto all = sys.spawn<talker>(count,
                                       [&](std::size_t i) {
                                         talker t{};
                                         t.own = static_cast<std::uint32_t>(at.who(i));
                                         return t;
                                       })
                         .value();
    perdure::tiers sent;
    for (const perdure::declared_link& l : ring) {
      const std::uint32_t a = sys.worker_of(all[at.of(l.a)]).value(),
                          b = sys.worker_of(all[at.of(l.b)]).value();
      (a == b                                   ? sent.same_worker
       : a / where.cluster == b / where.cluster ? sent.same_cluster
                                                : sent.elsewhere) += l.messages;
    }
    EXPECT_EQ(sent.same_worker, at.sent.same_worker);
    EXPECT_EQ(sent.same_cluster, at.sent.same_cluster);
    EXPECT_EQ(sent.elsewhere, at.sent.elsewhere);
    if (where.workers > 1) {
      EXPECT_LT(at.in_order.share_of_own_worker(), 0.1);
      EXPECT_GT(at.sent.share_of_own_worker(), 0.8);
    }
    for (const std::uint32_t n : {0U, 1U, 7U, count - 1})
      EXPECT_EQ(sys.view(all[at.of(n)]).value().own, n);
    expect_ok(sys.stop(20s));
  });
}

PERDURE_SHOW_EVERYWHERE(Seats);

}  // namespace
