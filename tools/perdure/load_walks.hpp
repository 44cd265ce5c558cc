// tools/perdure/load_walks.hpp - actors among which loads walk at random, and the check that all came whole.
// Why: loads that are copied and loads that are made in place go the same ways, in programs of their own.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <vector>

#include "bench.hpp"
#include "loads.hpp"
#include "samples.hpp"
#include "send_all.hpp"

namespace bench {

/// `A` has index, count, handled and errors, and takes a depart.
template <class A>
class load_walks {
 public:
  load_walks(perdure::system& system, std::uint32_t actors) : system_{system} {
    actors_ = system
                  .spawn<A>(actors,
                            [&](std::size_t i) {
                              A a;
                              a.index = static_cast<std::uint32_t>(i);
                              a.count = actors;
                              return a;
                            })
                  .value();
  }
  std::uint32_t size() const { return static_cast<std::uint32_t>(actors_.size()); }
  perdure::ref<A> operator[](std::size_t i) const { return actors_[i]; }
  std::uint32_t next_walk() { return ++walks_; }
  /// So many loads more must have been handled.
  void expect(std::uint64_t loads) { expected_ += loads; }

  /// Messages a second, from the first send to the last at rest. @param seconds  about how long a run takes.
  template <class Load>
  nlohmann::json rates(std::uint32_t tokens, std::uint32_t runs, double seconds) {
    std::uint32_t hops = 4;
    double took = walk<Load>(tokens, hops);
    while (took < std::min(0.02, seconds) && hops < (1U << 20U))
      took = walk<Load>(tokens, hops *= 4);
    hops = static_cast<std::uint32_t>(std::clamp(hops * seconds / took, 1.0, 1e6));
    std::vector<double> rates;
    for (std::uint32_t run = 0; run < runs; ++run)
      rates.push_back(tokens * (hops + 1.0) / walk<Load>(tokens, hops));
    return summary(rates);
  }

  /// @throws wrong_answer
  nlohmann::json check() {
    std::vector<A> states(size());
    system_.view(actors_, std::span{states}).value();
    std::uint64_t handled = 0, errors = 0;
    for (const A& a : states) {
      handled += a.handled;
      errors += a.errors;
    }
    const std::uint64_t dead = system_.statistics().dead_total();
    if (handled != expected_ || errors != 0 || dead != 0) {
      throw wrong_answer{fmt::format("micro: {} of {} loads handled, {} damaged, {} dead letters",
                                     handled, expected_, errors, dead)};
    }
    return {{"loads", handled}, {"damaged", errors}, {"dead_letters", dead}};
  }

 private:
  template <class Load>
  double walk(std::uint32_t tokens, std::uint32_t hops) {
    std::vector<perdure::ref<A>> to;
    std::vector<depart> departures;
    for (std::uint32_t t = 0; t < tokens; ++t) {
      to.push_back(actors_[t % size()]);
      departures.push_back({sizeof(Load), mix(next_walk()), hops});
    }
    const auto from = steady::now();
    send_all<A, depart>(system_, to, departures, "micro");
    system_.quiesce(std::chrono::seconds{60}).value();
    expect(std::uint64_t{tokens} * (hops + 1U));
    return seconds_since(from);
  }

  perdure::system& system_;
  perdure::range<A> actors_;
  std::uint32_t walks_ = 0;
  std::uint64_t expected_ = 0;
};

}  // namespace bench
