// apps/wavesim3d/accuracy/experiments.hpp - how far the computed field is from the right one, each figure by itself.
// Why: tests hold them on small grids, wavesim3d-accuracy draws them on larger ones; it is the same code.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <perdure/options.hpp>
#include <vector>

#include "scene.hpp"

namespace wavesim3d::accuracy {

/// A figure at a place on an axis: a step, a number of cells, an angle.
struct point {
  double at = 0, value = 0;
};

/// Root of the sum of squares of a - b over that of b.
double relative(const std::vector<float>& a, const std::vector<double>& b);

/// A standing wave and a Ricker pulse in a cube of n^3 cells.
scene busy_cube(int n);

/// Distance from the same scheme in double precision, relative, every `every` steps.
struct rounding {
  std::vector<point> error;
  std::vector<float> difference;  ///< at the end: fp32 - double, [nz][ny][nx], Pa
  double border_ratio = 0;  ///< its rms at cells beside a tile's border over that at all others
};
rounding against_double(int n, int steps, int every, const perdure::options& opts);

/// Error against the box's own mode (1, 1, 1), after 1.3 periods, relative.
/// @param in_time  against the mode of the grid, so that the time step alone is judged; else of the box.
double mode_error(int n, double courant, bool in_time, const perdure::options& opts);
/// Minus the slope between two points of a line on logarithmic axes.
double slope(point coarse, point fine);

/// Drift of the scheme's energy from its first value, relative, every `every` steps; no damping.
std::vector<point> energy_drift(int n, int steps, int every, const perdure::options& opts);

/// How late a Ricker pulse of `cells` cells a wavelength comes, in cells, along an axis, a face's and the body's diagonal.
/// @param distance  in cells, from the source to the receiver; the lag grows with it.
std::vector<double> arrival_lag(int cells, const perdure::options& opts, int distance = 40);

/// Largest pressure that comes back from a face over the largest that went to it.
/// @param degrees  of incidence; 0: a plane wave, else a point source before the face.
double reflection(boundary face, double degrees, const perdure::options& opts,
                  int sponge_cells = 20);

}  // namespace wavesim3d::accuracy
