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
  a.asked_ns = static_cast<std::int64_t>(wall_clock_ns());
  store<order::release, scope::system>(&page_->question, ++question_);
  // acquire: the clock beside it is read afterwards; both came as one word
  while (load<order::acquire, scope::system>(&page_->answered) != question_) {
    if (steady_clock_ns() > until) return false;
  }
  a.theirs_ns = static_cast<std::int64_t>(load<order::relaxed, scope::system>(&page_->clock_ns));
  a.answered_ns = static_cast<std::int64_t>(wall_clock_ns());
  if (believe) exchange_.add(a);
  return true;
}

void clock_alignment::renew(std::int64_t enough_ns, int most) {
  constexpr std::uint64_t a_look_ns = 200'000;
  for (int i = 0; i < most; ++i) {
    if (!ask(a_look_ns)) return;
    if (i > 0 && bound_ns() <= enough_ns) return;
  }
}

std::int64_t clock_alignment::offset_ns() const {
  return exchange_.offset_ns(static_cast<std::int64_t>(wall_clock_ns()));
}
std::int64_t clock_alignment::bound_ns() const {
  // below 0 if the wall clock was set back since the last answer
  return std::max<std::int64_t>(exchange_.bound_ns(static_cast<std::int64_t>(wall_clock_ns())), 0);
}

}  // namespace perdure::runtime
