// apps/txmon/generator.cpp - see generator.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "generator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>
#include <string_view>
#include <utility>

#include "codes.hpp"
#include "failure.hpp"
#include "rules.hpp"

namespace txmon {
namespace {

constexpr std::int64_t second = 1000, minute = 60 * second;
constexpr std::uint32_t pep_script = 5;

transaction made(std::uint32_t from, std::uint32_t to, std::uint64_t cents, std::uint32_t country,
                 channel via) {
  transaction t{};
  t.account = wide32::of(from);
  t.counterparty = wide32::of(to);
  t.cents = wide64::of(cents);
  t.currency = *currency_of("EUR");
  t.country = static_cast<std::uint16_t>(country);
  t.type = static_cast<std::uint8_t>(kind::transfer);
  t.via = via;
  return t;
}

std::uint32_t home_of(std::uint32_t account) { return 1 + account * 7919U % country_count; }

}  // namespace

generator_settings generator_settings::parse(const std::string& text) {
  generator_settings s;
  std::set<std::string_view> keys;
  for (std::string_view rest = text; !rest.empty();) {
    const auto item = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), item.size() + 1));
    const auto equals = std::min(item.find('='), item.size());
    const auto key = item.substr(0, equals);
    if (!keys.insert(key).second)
      throw failure{fmt::format("--generate: key '{}' stands twice", key), exit_code::usage};
    const std::string value{item.substr(std::min(item.size(), equals + 1))};
    auto take = [&](auto& member, double least, double most) {
      double v = -1;
      const auto [stop, code] = std::from_chars(value.data(), value.data() + value.size(), v);
      using number = std::decay_t<decltype(member)>;
      const bool taken = code == std::errc{} && stop == value.data() + value.size() && v >= least &&
                         v <= most;  // not a number is neither
      if (!taken || (!std::is_floating_point_v<number> && v != std::floor(v)))
        throw failure{fmt::format("--generate: {}: expected a number from {} to {}, found '{}'",
                                  key, least, most, value),
                      exit_code::usage};
      member = static_cast<number>(v);
    };
    if (key == "rows") {
      take(s.rows, 1, 1e12);
    } else if (key == "accounts") {
      take(s.accounts, 2, 5e8);
    } else if (key == "seed") {
      take(s.seed, 0, 1e15);
    } else if (key == "zipf") {
      take(s.exponent, 0, 4);
    } else if (key == "fraud") {
      take(s.rows_a_fraud, 0, 1e9);
    } else if (key == "gap") {
      take(s.gap_ms, 0, 1e6);
    } else if (key == "disorder") {
      take(s.disorder_ms, 0, 1e9);
    } else {
      throw failure{
          fmt::format("--generate: unknown key '{}'; known are rows, accounts, seed, zipf, "
                      "fraud, gap, disorder",
                      key),
          exit_code::usage};
    }
  }
  return s;
}

generator::generator(const generator_settings& s)
    : s_{s}, random_{s.seed}, draw_{s.accounts, s.exponent} {
  names().number(s.accounts + frauds());
}

std::uint32_t generator::frauds() const {
  if (s_.rows_a_fraud == 0) return 0;
  return static_cast<std::uint32_t>(
      std::min<std::uint64_t>(s_.rows / s_.rows_a_fraud + 1, 1U << 30U));
}

transaction generator::everyday() {
  const std::uint32_t from = draw_(random_);
  std::uint32_t to = draw_(random_);
  if (to == from) to = (from + 1) % s_.accounts;
  const std::uint64_t chance = random_();
  std::uint64_t cents = (100U + (chance & 0xffffU) % 9900U) << (chance >> 16U & 7U) % 6U;
  if ((chance >> 19U & 0xfffU) == 0) cents = 1'200'000;  // one in 4,096 is large and honest
  const bool abroad = (chance >> 31U & 0x7fU) == 0;
  const auto country = abroad
                           ? 1 + static_cast<std::uint32_t>(chance >> 38U & 0xffffU) % country_count
                           : home_of(from);
  return made(from, to, cents, country, static_cast<channel>((chance >> 56U) % channel_count));
}

void generator::script(std::int64_t after_ms, transaction row, unsigned kind) {
  const std::int64_t at = now_ms_ + after_ms;
  row.time_ms = wide64::of(static_cast<std::uint64_t>(at));
  coming_.push({at, scripted_++, row, static_cast<std::uint8_t>(kind)});
}

void generator::plant() {
  const std::uint32_t own = s_.accounts + planted_, home = home_of(own), other = draw_(random_);
  const auto label_of = [](rule r) { return static_cast<unsigned>(r) + 1; };
  const auto pay = [&](std::uint64_t units) {
    return made(own, other, units * 100, home, channel::online);
  };
  switch (planted_++ % scripts) {
    case 0:
      for (int i = 0; i <= 10; ++i)
        script(i * 20 * second, pay(20), i == 10 ? label_of(rule::velocity) : 0);
      return;
    case 1:
      return script(0, pay(25'000), label_of(rule::amount));
    case 2:
      for (int i = 0; i < 3; ++i)
        script(i * 20 * minute, pay(9'500), i == 2 ? label_of(rule::structuring) : 0);
      return;
    case 3: {
      transaction abroad = pay(80);
      abroad.country = static_cast<std::uint16_t>(home % country_count + 1);
      script(0, pay(40), 0);
      return script(90 * minute, abroad, label_of(rule::geography));
    }
    case 4: {
      transaction here = pay(40), there = pay(80);
      here.via = there.via = channel::card;
      there.country = static_cast<std::uint16_t>(home % country_count + 1);
      script(0, here, 0);
      return script(20 * minute, there, label_of(rule::geography));
    }
    case pep_script:
      return script(0, pay(6'000), label_of(rule::pep));
    case 6:
      for (unsigned i = 0; i < 21; ++i) script(i * 70 * second, pay(40 + i % 5 * 5), 0);
      return script(21 * 70 * second, pay(900), label_of(rule::deviation));
    default:
      script(0, made(other, own, 400'000, home_of(other), channel::online), 0);
      for (int i = 1; i <= 3; ++i)  // small money that is to hide it
        script(i * 5 * minute, made(other, own, 100, home_of(other), channel::online), 0);
      return script(30 * minute, pay(3'900), label_of(rule::rapid_movement));
  }
}

transaction generator::next(std::uint8_t& kind) {
  kind = 0;
  if (s_.rows_a_fraud > 0 && made_ % s_.rows_a_fraud == 0) plant();
  ++made_;
  now_ms_ += random_.below(2 * s_.gap_ms + 1);
  if (!coming_.empty() && coming_.top().time_ms <= now_ms_) {
    const scripted s = coming_.top();
    coming_.pop();
    kind = s.kind;
    return s.row;
  }
  transaction t = everyday();
  const std::int64_t back = s_.disorder_ms > 0 ? random_.below(s_.disorder_ms + 1) : 0;
  t.time_ms = wide64::of(static_cast<std::uint64_t>(std::max<std::int64_t>(0, now_ms_ - back)));
  return t;
}

bool generator::claim(piece& out) {
  out.index = claimed_++;
  out.begin.rows = made_;
  while (out.rows.size() < block_rows && made_ < s_.rows) {
    std::uint8_t kind = 0;
    out.rows.push_back(next(kind));
    if (kind > 0) out.labels.push_back({out.rows.size() - 1, kind});
  }
  out.end.rows = made_;
  return !out.rows.empty();
}

void generator::parse(piece& from, block& out) {
  out.rows = std::move(from.rows);
  out.labels = std::move(from.labels);
  for (std::uint64_t row = from.begin.rows; out.wants_places && row < from.end.rows; ++row)
    out.places.push_back({{row + 1}});
}

void generator::seek(const position& at) {
  if (at.rows > s_.rows)
    throw failure{fmt::format("--generate: makes {} rows; the checkpoint was made after row {}",
                              s_.rows, at.rows)};
  std::uint8_t kind = 0;
  while (made_ < at.rows) next(kind);
}

std::string generator::rule_file() const {
  std::string out = "{\"customers\": {";
  bool first = true;
  for (std::uint32_t i = pep_script; i < frauds(); i += scripts) {
    out += fmt::format("{}\n  \"A{}\": {{\"pep\": true}}", first ? "" : ",", s_.accounts + i);
    first = false;
  }
  return out + "}}\n";
}

}  // namespace txmon
