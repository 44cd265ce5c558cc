// apps/txmon/bench/workload.cpp - see workload.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "workload.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "codes.hpp"
#include "zipf.hpp"

namespace txmon::bench {
namespace {

constexpr double exponent = 0.99;

/// Of all draws, those that give the busiest account.
double busiest_share(draw by, std::uint32_t accounts) {
  if (by == draw::one) return 1;
  if (by == draw::even) return 1.0 / accounts;
  double sum = 0;
  for (std::uint32_t i = 0; i < accounts; ++i) sum += std::pow(i + 1.0, -exponent);
  return 1 / sum;
}

}  // namespace

const char* name_of(draw by) {
  return by == draw::even ? "even" : by == draw::zipf ? "zipf" : "one";
}

workload make_workload(draw by, std::uint32_t accounts, std::uint64_t rows, std::uint64_t seed) {
  workload w;
  w.by = by;
  w.accounts = accounts;
  w.shape.seed = seed;
  constexpr double window_ns = 600e9, postings = 4;
  w.shape.gap_ns = static_cast<std::uint64_t>(
      std::max(1.0, window_ns * 2 * busiest_share(by, accounts) / postings));
  w.shape.currency = *currency_of("EUR");
  w.shape.countries = country_count;
  std::optional<zipf> ranks;
  if (by == draw::zipf) ranks.emplace(accounts, exponent);
  random_bits random{seed};
  const auto one = [&]() -> std::uint32_t {
    return by == draw::one ? 0 : ranks ? (*ranks)(random) : random.below(accounts);
  };
  w.rows.reserve(rows);
  for (std::uint64_t n = 1; n <= rows; ++n) {
    const std::uint32_t from = one();
    std::uint32_t to = one();
    if (to == from && by != draw::one) to = (from + 1) % accounts;
    w.rows.push_back(made_row(w.shape, n, from, to));
  }
  return w;
}

bool memory_source::claim(piece& out) {
  out.index = claimed_++;
  out.begin.rows = at_;
  at_ = std::min<std::uint64_t>(at_ + block_rows, end_);
  out.end.rows = at_;
  return out.begin.rows != out.end.rows;
}

void memory_source::parse(piece& from, block& out) {
  out.in_place = std::span{from_.rows}.subspan(from.begin.rows, from.end.rows - from.begin.rows);
}

}  // namespace txmon::bench
