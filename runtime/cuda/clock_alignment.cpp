// runtime/cuda/clock_alignment.cpp - see clock_alignment.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "runtime/cuda/clock_alignment.hpp"

#include <algorithm>

#include "kernels/platform/atomics.cuh"
#include "runtime/system/host_time.hpp"

namespace perdure::runtime {

bool clock_alignment::ask(std::uint64_t most_ns, bool believe) {
  using namespace loop;
  const std::uint64_t until = steady_clock_ns() + most_ns;
  clock_exchange::answer a;
  a.asked_ns = static_cast<std::int64_t>(raw_clock_ns());
  store<order::release, scope::system>(&page_->question, ++question_);
  // acquire: the clock beside it is read afterwards; both came as one word
  while (load<order::acquire, scope::system>(&page_->answered) != question_) {
    if (steady_clock_ns() > until) return false;
  }
  a.theirs_ns = static_cast<std::int64_t>(load<order::relaxed, scope::system>(&page_->clock_ns));
  a.answered_ns = static_cast<std::int64_t>(raw_clock_ns());
  if (believe) exchange_.add(a);
  return true;
}

bool clock_alignment::knock() {
  using namespace loop;
  if (!knocked_) {
    knocked_ = true;
    store<order::release, scope::system>(&page_->question, ++question_);
  }
  knocked_ = load<order::acquire, scope::system>(&page_->answered) != question_;
  return !knocked_;
}

void clock_alignment::renew(std::int64_t enough_ns, int most) {
  constexpr std::uint64_t a_look_ns = 200'000;
  constexpr std::uint64_t most_ns = 100'000;
  // an answer brings the next question, which would always find the worker's looks at the same place; so each comes
  // later than the one before, until a look has passed
  constexpr std::uint64_t later_ns = 200;
  constexpr std::uint64_t steps_a_look = 8;
  std::uint64_t begun = 0;
  for (int i = 0; i < most; ++i) {
    const std::uint64_t from = steady_clock_ns();
    while (steady_clock_ns() - from < static_cast<std::uint64_t>(i) % steps_a_look * later_ns) {
    }
    if (!ask(a_look_ns)) return;
    if (i == 0) begun = steady_clock_ns();
    // a worker that is busy answers behind its batches
    if (steady_clock_ns() - begun > most_ns) return;
    const auto now = static_cast<std::int64_t>(raw_clock_ns());
    if (i > 0 && exchange_.bound_ns(now) <= enough_ns) return;
  }
}

/// Both clocks of the host at one time.
clock_alignment::wall_reading clock_alignment::read_wall() {
  constexpr std::int64_t good_ns = 100;
  wall_reading best{0, 0, INT64_MAX};
  for (int tries = 0; tries < 8 && best.wrong_by_ns > good_ns; ++tries) {
    const auto before = static_cast<std::int64_t>(raw_clock_ns());
    const auto wall = static_cast<std::int64_t>(wall_clock_ns());
    const auto after = static_cast<std::int64_t>(raw_clock_ns());
    if (after - before < best.wrong_by_ns) best = {after, wall - after, after - before};
  }
  return best;
}
std::int64_t clock_alignment::publish() {
  const wall_reading now = read_wall();
  const std::int64_t offset =
      exchange_.knows() ? now.ahead_ns + exchange_.offset_ns(now.raw_ns) : 0;
  before_ns_ = published_at_ns_ != 0 ? used_ns_ : offset;
  used_ns_ = offset;
  published_at_ns_ = steady_clock_ns();
  return used_ns_;
}
std::int64_t clock_alignment::bound_ns() const {
  if (!exchange_.knows()) return clock_exchange::never;
  const wall_reading now = read_wall();
  // the wall clock may have been set, or slowed, since: what is used is wrong by that, too
  std::int64_t error = exchange_.error_ns(used_ns_ - now.ahead_ns, now.raw_ns);
  if (steady_clock_ns() - published_at_ns_ < on_its_way_ns)
    error = std::max(error, exchange_.error_ns(before_ns_ - now.ahead_ns, now.raw_ns));
  return error + now.wrong_by_ns + reading_ns;  // and a stamp is such a reading, too
}

}  // namespace perdure::runtime
