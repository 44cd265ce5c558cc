// apps/wavesim3d/waveform.cpp - see waveform.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "waveform.hpp"

#include <cmath>
#include <numbers>

namespace wavesim3d {

source waveform_of(const source_spec& s, double time_step_s) {
  source out{};
  out.scale = s.amplitude_pa;
  const double turn = 2 * std::numbers::pi * s.frequency_hz * time_step_s;
  switch (s.kind) {
    case wave::impulse:  // 1, 0, 0, ...
      out.a = 1;
      break;
    case wave::sine: {  // (a, c) turns
      const double phase = s.phase_deg * std::numbers::pi / 180;
      out.a = std::sin(phase);
      out.c = std::cos(phase);
      out.b = std::cos(turn);
      out.d = std::sin(turn);
      out.q = 1;
      break;
    }
    case wave::
        ricker: {  // (1 - 2 u) exp(-u), u = (pi f (t - delay))^2 = rise n^2; a is the exponential
      const double first = -s.delay_s / time_step_s;
      out.rise = turn * turn / 4;
      out.n = first;
      out.a = std::exp(-out.rise * first * first);
      out.b = std::exp(-out.rise * (2 * first + 1));
      out.q = std::exp(-2 * out.rise);
      break;
    }
  }
  return out;
}

}  // namespace wavesim3d
