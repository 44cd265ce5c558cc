// tests/codegen/model_test.cpp - ids, fields, sends and formats of model/fields.hpp, number by number.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "perdure/detail/keys.hpp"
#include "run_tool.hpp"

namespace perdure::test {
namespace {

using json = nlohmann::json;

const json& model() {
  static const json it = [] {
    const scratch here;
    const auto done = run_tool(here, {PERDURE_MODEL_DIR "/fields.hpp", "--dump-model"});
    EXPECT_EQ(done.code, 0) << done.err;
    return done.code == 0 ? json::parse(done.out) : json{};
  }();
  return it;
}

json field(const json& of, const std::string& name) {
  for (const auto& f : of.at("fields")) {
    if (f.at("name") == name) return f;
  }
  ADD_FAILURE() << "no field " << name << " in " << of.at("fields");
  return {};
}

void expect_field(const json& of, const char* name, unsigned offset, unsigned size, unsigned count,
                  unsigned stride, const char* kind) {
  const auto f = field(of, name);
  if (f.is_null()) return;
  EXPECT_EQ(f.at("offset"), offset) << name;
  EXPECT_EQ(f.at("size"), size) << name;
  EXPECT_EQ(f.at("count"), count) << name;
  EXPECT_EQ(f.at("stride"), stride) << name;
  EXPECT_EQ(f.at("kind"), kind) << name;
}

TEST(Model, MessageIdsFollowHandlersThenRepliesThenHosts) {
  std::vector<std::string> names;
  for (const auto& m : model().at("messages")) names.push_back(m.at("name"));
  EXPECT_EQ(names, (std::vector<std::string>{"plant::reading", "plant::poke", "plant::ack",
                                             "plant::alarm"}));
}

TEST(Model, FieldsOfAMessageAreFlat) {
  const auto& m = model().at("messages").at(0);
  EXPECT_EQ(m.at("size"), 56);
  expect_field(m, "path[].x", 0, 4, 3, 8, "floating");
  expect_field(m, "path[].y", 4, 4, 3, 8, "floating");
  expect_field(m, "from", 24, 8, 1, 8, "reference");
  EXPECT_EQ(field(m, "from").at("target"), 1);
  expect_field(m, "how", 32, 1, 1, 1, "enumeration");
  expect_field(m, "last", 33, 1, 1, 1, "boolean");
  expect_field(m, "grid[]", 34, 2, 8, 2, "signed_integer");
}

TEST(Model, FieldsOfAStateKnowBitFieldsUnionsAndMailboxes) {
  const auto& a = model().at("actors").at(0);
  EXPECT_EQ(a.at("name"), "plant::sensor");
  EXPECT_EQ(field(a, "bell").at("target"), 254);
  EXPECT_EQ(field(a, "whoever").at("target"), 0);
  const auto high = field(a, "high");
  EXPECT_EQ(high.at("offset"), 16);
  EXPECT_EQ(high.at("bit_offset"), 3);
  EXPECT_EQ(high.at("bit_width"), 7);
  expect_field(a, "window[]", 24, 8, 5, 8, "floating");
  expect_field(a, "age", 64, 8, 1, 8, "signed_integer");
  expect_field(a, "whole", 72, 4, 1, 4, "signed_integer");
  expect_field(a, "real", 72, 4, 1, 4, "floating");
}

TEST(Model, SendGraphHasEveryKindOnceWithItsLine) {
  const auto& handlers = model().at("actors").at(0).at("handlers");
  const auto& first = handlers.at(0);
  ASSERT_EQ(first.at("sends").size(), 2U) << first;
  EXPECT_EQ(first.at("sends").at(0).at("to"), "plant::sensor") << "through the helper template";
  EXPECT_EQ(first.at("sends").at(0).at("line"), 34);
  EXPECT_EQ(first.at("sends").at(1).at("to"), "host");
  EXPECT_EQ(first.at("replies").at(0).at("message"), "plant::ack");
  const auto& second = handlers.at(1);
  EXPECT_EQ(second.at("after").at(0).at("message"), "plant::poke");
  EXPECT_EQ(second.at("logs").at(0).at("text"), "low={} high={}");
  std::vector<std::string> kinds;
  for (const auto& edge : model().at("send_graph")) kinds.push_back(edge.at("via"));
  EXPECT_EQ(kinds, (std::vector<std::string>{"send", "reply", "host", "after"}));
}

TEST(Model, FormatKeyIsTheOneThatTravels) {
  const auto& f = model().at("formats").at(0);
  EXPECT_EQ(f.at("text"), "low={} high={}");
  EXPECT_EQ(f.at("key").get<std::uint64_t>(), detail::fnv1a("low={} high={}"));
}

TEST(Model, EnumeratorsKeepTheirNumbers) {
  const auto& e = model().at("enums").at(0);
  EXPECT_EQ(e.at("name"), "plant::mode");
  EXPECT_EQ(e.at("values").at(1).at("value"), "4");
  EXPECT_EQ(e.at("values").at(2).at("value"), "5");
}

TEST(Model, AWideActorHasLanesPortsPlacesAndWhatGoesThroughItsPorts) {
  const scratch here;
  const auto done = run_tool(here, {PERDURE_GOLDEN_DIR "/wide.hpp", "--dump-model"});
  ASSERT_EQ(done.code, 0) << done.err;
  const auto it = json::parse(done.out);
  EXPECT_FALSE(it.at("actors").at(0).contains("wide"));  // the reader is small
  const auto& strip = it.at("actors").at(1);
  const auto& wide = strip.at("wide");
  EXPECT_EQ(wide.at("lanes"), 64);
  EXPECT_EQ(wide.at("ports"), (json{"west", "east", "ready"}));
  EXPECT_EQ(wide.at("opens"), (json{"face", "permit"}));
  const auto use = [](const char* port, const char* message) {
    return json{{"port", port}, {"message", message}};
  };
  EXPECT_EQ(wide.at("sends"), json::array({use("east", "face"), use("ready", "permit")}));
  EXPECT_EQ(wide.at("takes"), json::array({use("west", "face")}));
  EXPECT_EQ(wide.at("per_lane_bytes"), 16);
  const json before{{"name", "before"}, {"offset", 400}, {"place", 0}, {"size", 6}};
  const json weight{{"name", "weight"}, {"offset", 401}, {"place", 8}, {"size", 8}};
  EXPECT_EQ(wide.at("per_lane"), json::array({before, weight}));
  EXPECT_EQ(strip.at("fields").size(), 2U);  // markers are no fields
  EXPECT_FALSE(strip.at("handlers").at(0).contains("joins"));
  EXPECT_EQ(strip.at("handlers").at(1).at("joins"), (json{"face", "permit"}));
}

TEST(Model, PortsThatTemplatesAndLoopsNameAreAllTold) {
  const scratch here;
  write(here / "ports.hpp", R"(#pragma once
#include <perdure/actor.hpp>
struct face { int n; };
struct go {};
struct tile : perdure::block_actor<tile> {
  static constexpr int lanes = 32;
  enum class port { a, b, c, d };
  void on(const go&, perdure::block_context& ctx) const {
    send<port::a>(ctx);
    send<port::c>(ctx);
    for (int i = 0; i < 4; ++i) ctx.commit(ctx.open<go>(static_cast<port>(i)));
  }
  template <port P>
  void send(perdure::block_context& ctx) const {
    ctx.commit(ctx.open<face>(P));
  }
};
)");
  const auto done = run_tool(here, {(here / "ports.hpp").string(), "--dump-model"});
  ASSERT_EQ(done.code, 0) << done.err;
  const auto sends = json::parse(done.out).at("actors").at(0).at("wide").at("sends");
  const json wanted = json::array({{{"port", nullptr}, {"message", "go"}},
                                   {{"port", "a"}, {"message", "face"}},
                                   {{"port", "c"}, {"message", "face"}}});
  EXPECT_EQ(std::set<json>(sends.begin(), sends.end()),
            std::set<json>(wanted.begin(), wanted.end()));
  EXPECT_EQ(sends.size(), 3U);
}

TEST(Model, WidthPortsAndRuleMayComeByAUsingDeclaration) {
  const scratch here;
  write(here / "used.hpp", R"(#pragma once
#include <perdure/actor.hpp>
struct tick { int n; };
template <class Self>
struct grid_part : perdure::block_actor<Self> {
  static constexpr int lanes = 96;
  enum class port { left, right };
};
struct careless {
  static constexpr auto overflow = perdure::overflow::drop_newest;
  static constexpr bool hot = true;
};
template <class Self>
struct middle : grid_part<Self> {
  using base = grid_part<Self>;
  using base::lanes;
  using typename base::port;
  void on(const tick&, perdure::block_context&) const {}
};
struct tile : middle<tile> {};
struct meter : careless, perdure::actor<meter> {
  using careless::hot;
  using careless::overflow;
  void on(const tick&, perdure::context&) {}
};
)");
  const auto done = run_tool(here, {(here / "used.hpp").string(), "--dump-model"});
  ASSERT_EQ(done.code, 0) << done.err;
  const auto m = json::parse(done.out);
  const auto& wide = m.at("actors").at(0).at("wide");
  EXPECT_EQ(wide.at("lanes"), 96);
  EXPECT_EQ(wide.at("ports"), (json{"left", "right"}));
  EXPECT_EQ(m.at("actors").at(1).at("overflow"), "drop_newest");
  EXPECT_EQ(m.at("actors").at(1).at("hot"), true);
  EXPECT_FALSE(m.at("actors").at(0).contains("hot"));
}

}  // namespace
}  // namespace perdure::test
