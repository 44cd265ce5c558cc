// tests/wide/bad_links_test.cpp - what cannot be linked or spawned is refused and named, and nothing is made.
// SPDX-License-Identifier: Apache-2.0
#include "tests/wide/mesh_test.hpp"

namespace {

using namespace mesh_test;
using perdure::errc;
using perdure::detail::link_request;

class BadLinks : public ::testing::Test {
 protected:
  perdure::system sys = start(contract::tight(perdure::schedule::seeded, 1));
  perdure::range<feeder> feeders = sys.spawn<feeder>(3).value();
  perdure::range<sink> sinks = sys.spawn<sink>(3).value();
  perdure::range<tile> tiles = sys.spawn<tile>(2).value();
  perdure::ref<clerk> small = sys.spawn<clerk>(1).value()[0];

  /// Refused with this code, its context has all of `words`, and what is linked afterwards is as if it had never been.
  void expect_refused(const perdure::result<void>& got, errc code,
                      std::initializer_list<const char*> words = {}) {
    expect_error(got, code);
    if (got) return;
    for (const char* word : words) {
      EXPECT_NE(got.error().context().find(word), std::string::npos)
          << word << " is not in: " << got.error().context();
    }
    EXPECT_EQ(sys.layout().links, links);
  }
  perdure::result<void> raw(link_request r) { return sys.core().link({&r, 1}); }
  std::uint32_t links = 0;
};

TEST_F(BadLinks, UnlikeTypes) {
  expect_refused(sys.link(feeders[0], feeder::port::out, tiles[0], tile::port::up), errc::bad_link,
                 {"tile", "feeder"});
  expect_refused(
      sys.link(perdure::link::of<border>(feeders[0], feeder::port::out, tiles[0], tile::port::up)),
      errc::bad_link, {"tile", "feeder", "border"});
  expect_refused(
      sys.link(perdure::link::of<parcel>(feeders[0], feeder::port::out, tiles[0], tile::port::up)),
      errc::bad_link, {"tile", "feeder", "parcel"});
  expect_refused(sys.link(sinks[0], sink::port::left, sinks[1], sink::port::right), errc::bad_link,
                 {"sink", "parcel"});
}
TEST_F(BadLinks, AMessageThatItsEndsDoNotUseAtThesePorts) {
  const auto drive = sys.spawn<source>(1).value()[0];
  expect_refused(
      sys.link(perdure::link::of<go>(tiles[0], tile::port::up, tiles[1], tile::port::self)),
      errc::bad_link, {"unlike", "tile", "go", "open border", "port up"});
  expect_refused(
      sys.link(perdure::link::of<go>(drive, source::port::self, tiles[0], tile::port::up)),
      errc::bad_link, {"unlike", "tile", "go", "reads border", "port up"});
  // what other ports carry is known at run time only, but not what this one does
  const auto relays = sys.spawn<relay>(2).value();
  expect_refused(sys.link(perdure::link::of<pulse>(relays[0], relay::port::self, relays[1],
                                                   relay::port::left)),
                 errc::bad_link, {"unlike", "relay", "pulse", "open go", "port self"});
  expect_ok(
      sys.link(perdure::link::of<go>(tiles[0], tile::port::self, tiles[1], tile::port::self)));
}
TEST_F(BadLinks, OneMessageFromAnActorToItself) {
  const auto self = tile::port::self;
  const auto with = [&](std::uint32_t slots) {
    return sys.link(perdure::link::of<go>(tiles[0], self, tiles[0], self, slots));
  };
  expect_refused(with(1), errc::bad_link, {"tile", "itself", "two"});
  expect_ok(with(2));
}
TEST_F(BadLinks, AnActorWithoutAJoinedHandler) {
  expect_refused(sys.link(feeders[0], feeder::port::out, feeders[1], feeder::port::out),
                 errc::bad_link, {"feeder", "joined"});
}
TEST_F(BadLinks, APortThatIsTaken) {
  expect_ok(sys.link(feeders[0], feeder::port::out, sinks[0], sink::port::left));
  links = 1;
  expect_refused(sys.link(feeders[0], feeder::port::out, sinks[1], sink::port::left),
                 errc::bad_link, {"out", "feeder", "sink"});
  expect_refused(sys.link(feeders[1], feeder::port::out, sinks[0], sink::port::left),
                 errc::bad_link, {"left", "sink", "feeder"});
  expect_ok(sys.link(feeders[1], feeder::port::out, sinks[0], sink::port::right));
}
TEST_F(BadLinks, APortThatDoesNotExist) {
  const std::uint64_t from = feeders[0].bits, to = sinks[0].bits;
  expect_refused(raw({from, to, 1, 0, 0, 2}), errc::bad_link, {"feeder", "sink", "1"});
  expect_refused(raw({from, to, 0, 2, 0, 2}), errc::bad_link, {"sink", "feeder", "2"});
  expect_refused(raw({from, to, 0, ~0U, 0, 2}), errc::bad_link, {"sink"});
}
TEST_F(BadLinks, ASmallActor) {
  expect_refused(raw({feeders[0].bits, small.bits, 0, 0, 0, 2}), errc::bad_link,
                 {"clerk", "feeder"});
  expect_refused(raw({small.bits, sinks[0].bits, 0, 0, 0, 2}), errc::bad_link, {"clerk", "sink"});
}
TEST_F(BadLinks, NullForeignUnknownAndStaleReferences) {
  auto other = start(contract::tight(perdure::schedule::seeded, 1));
  const auto theirs = other.spawn<sink>(1).value()[0];
  const auto out = feeder::port::out;
  const auto left = sink::port::left;
  expect_refused(sys.link(perdure::ref<feeder>{}, out, sinks[0], left), errc::null_ref);
  expect_refused(sys.link(feeders[0], out, perdure::ref<sink>{}, left), errc::null_ref);
  expect_refused(sys.link(feeders[0], out, theirs, left), errc::foreign_ref);
  expect_refused(sys.link(feeders[0], out, perdure::ref<sink>{sinks[2].bits + 1}, left),
                 errc::receiver_down);
  expect_ok(sys.send(sinks[1], halt{}));
  expect_ok(sys.quiesce(10s));
  expect_refused(sys.link(feeders[0], out, sinks[1], left), errc::receiver_down, {"sink"});
  const auto fresh = sys.spawn<sink>(1).value()[0];
  ASSERT_EQ(perdure::abi::ref_index(fresh.bits), perdure::abi::ref_index(sinks[1].bits));
  expect_refused(sys.link(feeders[0], out, sinks[1], left), errc::receiver_down, {"sink"});
  expect_ok(sys.send(feeders[0], feed{1}));
  expect_ok(sys.quiesce(10s));
  EXPECT_EQ(sys.view(fresh).value().parcels, 0U) << "the actor that has the slot now";
  expect_ok(sys.link(feeders[0], out, fresh, left));
}
TEST_F(BadLinks, NoSlotsOrTooManyOrNoPowerOfTwo) {
  for (std::uint32_t slots : {0U, 3U, 1025U, ~0U}) {
    expect_refused(sys.link(feeders[0], feeder::port::out, sinks[0], sink::port::left, slots),
                   errc::bad_link, {"feeder", "sink", "1024"});
  }
  expect_ok(sys.link(feeders[0], feeder::port::out, sinks[0], sink::port::left, 1024));
}
TEST_F(BadLinks, TwoOfOneCallThatShareAPort) {
  const perdure::link one{feeders[0], feeder::port::out, sinks[0], sink::port::left};
  const perdure::link same_in{feeders[2], feeder::port::out, sinks[0], sink::port::left};
  const perdure::link same_out{feeders[0], feeder::port::out, sinks[2], sink::port::left};
  const perdure::link free{feeders[1], feeder::port::out, sinks[1], sink::port::left};
  for (const perdure::link& other : {one, same_in, same_out}) {
    const perdure::link both[] = {free, one, other};
    expect_refused(sys.link(both), errc::bad_link, {"feeder", "sink"});
  }
  const perdure::link good[] = {one, free};
  expect_ok(sys.link(good));
}
TEST_F(BadLinks, MoreThanTheArenaHoldsSaysWhatFits) {
  const std::uint64_t small_arena = 1U << 20U;
  auto how = contract::tight(perdure::schedule::seeded, 1);
  how.memory_bytes = small_arena;
  sys = start(how);
  const auto from = sys.spawn<feeder>(12).value();
  const auto to = sys.spawn<sink>(12).value();
  std::vector<perdure::link> many;
  for (std::size_t i = 0; i < 12; ++i)
    many.emplace_back(from[i], feeder::port::out, to[i], sink::port::left, 1024);
  expect_refused(sys.link(many), errc::too_many_actors, {"are left", "MiB"});
  many.erase(many.begin() + 2, many.end());
  expect_ok(sys.link(many));
}

TEST_F(BadLinks, MoreWideActorsThanTheArenaHoldsSaysHowManyFit) {
  const auto got = sys.spawn<sink>(100'000);
  expect_error(got, errc::too_many_actors);
  const std::string& why = got.error().context();
  EXPECT_NE(why.find("100000 sink asked for, "), std::string::npos) << why;
  const auto fit = std::stoul(why.substr(why.find("for, ") + 5));
  EXPECT_GT(fit, 100U);
  expect_ok(sys.spawn<sink>(fit));
  expect_error(sys.spawn<sink>(1), errc::too_many_actors);
}

}  // namespace
