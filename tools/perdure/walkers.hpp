// tools/perdure/walkers.hpp - two types of actors that know each other, and the tokens that walk
// between them.
// Why: route and sustain need the same traffic with the same checks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include "bench.hpp"
#include "bench_actors.actors.hpp"
#include "samples.hpp"
#include "send_all.hpp"

namespace bench {

/// `count` reds and as many blues that know each other.
class walkers {
 public:
  walkers(perdure::system& system, std::uint32_t count) : system_{system}, count_{count} {
    for (unsigned e = 0; e < edges; ++e) {
      if (count % factor_of(e) == 0) {
        throw wrong_answer{
            fmt::format("route: {} actors of a type is a multiple of {}; give another --actors",
                        count, factor_of(e))};
      }
    }
    blues_ = system.spawn<blue>(count, [&](std::size_t i) { return placed<blue>(i, 0); }).value();
    reds_ = system.spawn<red>(count, [&](std::size_t i) { return placed<red>(i, blues_[0].bits); })
                .value();
    const std::vector<perdure::ref<blue>> to(blues_.begin(), blues_.end());
    const std::vector<greeting> greetings(count, greeting{reds_[0].bits});
    send_all<blue, greeting>(system_, to, greetings, "route");
    system.quiesce(std::chrono::seconds{60}).value();
  }

  /// Sends `tokens` tokens out to walk `hops` hops each. @return when the first one was sent.
  steady::time_point send_out(std::uint32_t tokens, std::uint32_t hops) {
    std::vector<perdure::ref<red>> to;
    std::vector<parcel> first;
    const std::uint64_t stamp = system_.now().bits;
    for (std::uint32_t t = 0; t < tokens; ++t) {
      const std::uint32_t walk = mix(++tokens_made_);
      to.push_back(reds_[walk % count_]);
      first.push_back(loaded<parcel>(token{walk, hops, 0, stamp, from_host}));
    }
    const auto from = steady::now();
    send_all<red, parcel>(system_, to, first, "route");
    expected_ += static_cast<std::uint64_t>(tokens) * (static_cast<std::uint64_t>(hops) + 1);
    return from;
  }
  /// The same, and waits. @return the seconds until all have come to rest.
  double walk(std::uint32_t tokens, std::uint32_t hops) {
    const auto from = send_out(tokens, hops);
    system_.quiesce(std::chrono::seconds{120}).value();
    return seconds_since(from);
  }

  /// Reads all states and throws unless every message was handled, in order, with the clock going
  /// forward.
  nlohmann::json check() {
    std::vector<red> reds(count_);
    std::vector<blue> blues(count_);
    system_.view(reds_, std::span{reds}).value();
    system_.view(blues_, std::span{blues}).value();
    struct {
      std::uint64_t handled = 0, errors = 0, unbalanced = 0;
    } t;
    for (std::uint32_t i = 0; i < count_; ++i) {
      t.handled += reds[i].at.handled + blues[i].at.handled;
      t.errors += reds[i].at.errors + blues[i].at.errors;
      for (unsigned e = 0; e < edges; ++e) {
        t.unbalanced += reds[i].at.out[e] != blues[neighbour(e, i, count_)].at.in[e] ? 1 : 0;
        t.unbalanced += blues[i].at.out[e] != reds[neighbour(e, i, count_)].at.in[e] ? 1 : 0;
      }
    }
    if (t.handled != expected_ || t.errors != 0 || t.unbalanced != 0) {
      throw wrong_answer{fmt::format(
          "route: {} of {} messages handled, {} out of order, late or damaged, {} pairs unbalanced",
          t.handled, expected_, t.errors, t.unbalanced)};
    }
    return {{"handled", t.handled}, {"errors", t.errors}, {"unbalanced_pairs", t.unbalanced}};
  }

 private:
  template <class A>
  A placed(std::size_t i, std::uint64_t others) const {
    A a;
    a.at.others = others;
    a.at.index = static_cast<std::uint32_t>(i);
    a.at.count = count_;
    return a;
  }
  perdure::system& system_;
  std::uint32_t count_;
  perdure::range<blue> blues_;
  perdure::range<red> reds_;
  std::uint32_t tokens_made_ = 0;
  std::uint64_t expected_ = 0;
};

}  // namespace bench
