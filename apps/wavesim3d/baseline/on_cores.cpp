// apps/wavesim3d/baseline/on_cores.cpp - see by_hand.hpp; the loop on the CPU's cores.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "by_hand.hpp"

namespace wavesim3d::baseline {

timed openmp(fields& f, int steps, int threads) {
  const int n = f.n;
  const int row = n + 2;
  const int plane = row * row;
  // one layer of zeros around, so that the loop has no cases
  std::vector<float> now(static_cast<std::size_t>(plane) * static_cast<std::size_t>(row));
  std::vector<float> past(now.size());
  const auto size = [](int v) { return static_cast<std::size_t>(v); };
  const auto at = [&](int x, int y, int z) {
    return size(z + 1) * size(plane) + size((y + 1) * row + x + 1);
  };
  const auto flat = [&](int x, int y, int z) { return size(z) * size(n * n) + size(y * n + x); };
  for (int z = 0; z < n; ++z) {
    for (int y = 0; y < n; ++y) {
      for (int x = 0; x < n; ++x) {
        now[at(x, y, z)] = f.now[flat(x, y, z)];
        past[at(x, y, z)] = f.past[flat(x, y, z)];
      }
    }
  }
  const float c2 = f.courant2;
  const int cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  threads = threads == 0 ? cores : std::min(threads, cores);
  const auto begin = std::chrono::steady_clock::now();
  for (int s = 0; s < steps; ++s) {
    const float* p = now.data();
    float* q = past.data();
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int z = 0; z < n; ++z) {
      for (int y = 0; y < n; ++y) {
        const std::size_t first = at(0, y, z);
#pragma omp simd
        for (int x = 0; x < n; ++x) {
          const std::size_t i = first + static_cast<std::size_t>(x);
          const float sum = p[i - 1] + p[i + 1] + p[i - static_cast<std::size_t>(row)] +
                            p[i + static_cast<std::size_t>(row)] +
                            p[i - static_cast<std::size_t>(plane)] +
                            p[i + static_cast<std::size_t>(plane)];
          q[i] = 2.0F * p[i] - q[i] + c2 * (sum - 6.0F * p[i]);
        }
      }
    }
    std::swap(now, past);
  }
  timed t;
  t.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  for (int z = 0; z < n; ++z) {
    for (int y = 0; y < n; ++y) {
      for (int x = 0; x < n; ++x) {
        f.now[flat(x, y, z)] = now[at(x, y, z)];
        f.past[flat(x, y, z)] = past[at(x, y, z)];
      }
    }
  }
  return t;
}

}  // namespace wavesim3d::baseline
