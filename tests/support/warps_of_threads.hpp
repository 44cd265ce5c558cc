// tests/support/warps_of_threads.hpp - warps whose lanes are threads of a CPU, by the names that NVRTC has for them.
// Why: what a thread block does between its barriers is written with votes and shuffles; here that very code runs under
//      TSan, and lanes that have parted where all of a warp must meet are found.
// How: included before files of kernels/, with PERDURE_WARPS_OF_THREADS; each thread says once who it is (be_lane()). What
//      lanes know alike is put to a vote (agreed()), as in a program with hot actors.
// Invariant: a vote is one meeting of all 32 lanes, each of which says which one it has come to; other meetings give no
//            order but that of this one, so what is wrong with fewer barriers on a device may be right here.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <barrier>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <vector>

namespace warps_of_threads {

inline constexpr unsigned warp_lanes = 32;

/// What the lanes of a warp share.
class warp {
 public:
  /// Gives a value to all lanes of the warp. @param what  the operation: all lanes must have come to the same.
  /// @return the lanes' values, until the next meeting but one.
  const unsigned long long* meet(unsigned lane, unsigned& turn, const char* what,
                                 unsigned long long mine) {
    meeting& now = meetings_[++turn & 1U];
    now.value[lane] = mine;
    now.what[lane] = what;
    barrier_.arrive_and_wait();
    for (const char* theirs : now.what) {
      if (theirs == what) continue;
      std::fprintf(stderr, "lanes have parted: one is at %s, another one at %s\n", what, theirs);
      std::abort();
    }
    return now.value;
  }

 private:
  struct meeting {
    unsigned long long value[warp_lanes];
    const char* what[warp_lanes];
  };
  std::barrier<> barrier_{warp_lanes};
  meeting meetings_[2];
};

/// A thread block: so many threads, a multiple of 32.
class block {
 public:
  explicit block(unsigned lanes) : lanes_{lanes}, barrier_{lanes} {
    for (unsigned first = 0; first < lanes; first += warp_lanes) warps_.emplace_back();
  }
  unsigned lanes() const { return lanes_; }
  warp& warp_of(unsigned lane) { return warps_[lane / warp_lanes]; }
  void meet() { barrier_.arrive_and_wait(); }
  /// Whether it holds for any lane of the block.
  bool any(unsigned lane, unsigned& turn, bool holds) {
    std::vector<char>& said = said_[++turn & 1U];
    said[lane] = holds ? 1 : 0;
    meet();
    return std::any_of(said.begin(), said.end(), [](char one) { return one != 0; });
  }

 private:
  unsigned lanes_;
  std::barrier<> barrier_;
  std::deque<warp> warps_;
  std::vector<char> said_[2] = {std::vector<char>(lanes_), std::vector<char>(lanes_)};
};

struct lane {
  block* of = nullptr;
  warp* beside = nullptr;
  unsigned in_warp = 0, turn = 0, block_turn = 0;
};
inline thread_local lane self;

struct index {
  unsigned x = 0;
};

inline const unsigned long long* all(const char* what, unsigned long long mine) {
  return self.beside->meet(self.in_warp, self.turn, what, mine);
}
template <class T, class Join>
T joined(const char* what, T mine, Join join) {
  const unsigned long long* of = all(what, mine);
  T out = static_cast<T>(of[0]);
  for (unsigned l = 1; l < warp_lanes; ++l) out = join(out, static_cast<T>(of[l]));
  return out;
}

}  // namespace warps_of_threads

inline thread_local warps_of_threads::index threadIdx, blockDim;

namespace warps_of_threads {
/// The calling thread is this lane from now on.
inline void be_lane(block& b, unsigned i) {
  self = {&b, &b.warp_of(i), i % warp_lanes, 0, 0};
  threadIdx.x = i;
  blockDim.x = b.lanes();
}
}  // namespace warps_of_threads

// NOLINTBEGIN: the names are the compiler's
inline void __syncwarp() { (void)warps_of_threads::all("__syncwarp", 0); }
inline unsigned __ballot_sync(unsigned, bool holds) {
  const unsigned long long* of = warps_of_threads::all("a ballot", holds);
  unsigned out = 0;
  for (unsigned l = 0; l < warps_of_threads::warp_lanes; ++l) out |= of[l] != 0 ? 1U << l : 0;
  return out;
}
inline int __any_sync(unsigned, bool holds) {
  const unsigned long long* of = warps_of_threads::all("a vote for any", holds);
  bool any = false;
  for (unsigned l = 0; l < warps_of_threads::warp_lanes; ++l) any |= of[l] != 0;
  return any;
}
inline int __all_sync(unsigned, bool holds) {
  const unsigned long long* of = warps_of_threads::all("a vote for all", holds);
  bool every = true;
  for (unsigned l = 0; l < warps_of_threads::warp_lanes; ++l) every &= of[l] != 0;
  return every;
}
template <class T>
T __shfl_sync(unsigned, T mine, unsigned from) {
  return static_cast<T>(warps_of_threads::all("a shuffle", mine)[from % 32]);
}
template <class T>
T __shfl_up_sync(unsigned, T mine, unsigned by) {
  const unsigned own = warps_of_threads::self.in_warp;
  const unsigned long long* of = warps_of_threads::all("a shuffle up", mine);
  return own < by ? mine : static_cast<T>(of[own - by]);
}
template <class T>
T __shfl_down_sync(unsigned, T mine, unsigned by) {
  const unsigned own = warps_of_threads::self.in_warp;
  const unsigned long long* of = warps_of_threads::all("a shuffle down", mine);
  return own + by >= 32 ? mine : static_cast<T>(of[own + by]);
}
template <class T>
T __shfl_xor_sync(unsigned, T mine, unsigned bits) {
  const unsigned own = warps_of_threads::self.in_warp;
  return static_cast<T>(warps_of_threads::all("a shuffle across", mine)[(own ^ bits) % 32]);
}
inline unsigned __match_any_sync(unsigned, unsigned key) {
  const unsigned long long* of = warps_of_threads::all("a match", key);
  unsigned out = 0;
  for (unsigned l = 0; l < warps_of_threads::warp_lanes; ++l) out |= of[l] == key ? 1U << l : 0;
  return out;
}
inline unsigned __reduce_add_sync(unsigned, unsigned mine) {
  return warps_of_threads::joined("a sum", mine, [](unsigned a, unsigned b) { return a + b; });
}
inline unsigned __reduce_min_sync(unsigned, unsigned mine) {
  return warps_of_threads::joined("the least", mine,
                                  [](unsigned a, unsigned b) { return a < b ? a : b; });
}
inline unsigned __reduce_max_sync(unsigned, unsigned mine) {
  return warps_of_threads::joined("the most", mine,
                                  [](unsigned a, unsigned b) { return a > b ? a : b; });
}
inline void __syncthreads() { warps_of_threads::self.of->meet(); }
inline int __syncthreads_or(bool holds) {
  warps_of_threads::lane& self = warps_of_threads::self;
  return self.of->any(threadIdx.x, self.block_turn, holds);
}
inline unsigned __popc(unsigned bits) { return static_cast<unsigned>(__builtin_popcount(bits)); }
inline int __clz(int bits) { return bits == 0 ? 32 : __builtin_clz(static_cast<unsigned>(bits)); }
inline int __ffs(int bits) { return __builtin_ffs(bits); }
/// Nanoseconds: near enough to cycles.
inline long long clock64() { return std::chrono::steady_clock::now().time_since_epoch().count(); }
// NOLINTEND
