// kernels/dispatch/sight.cuh - what a warp has before it when it polls: one word a lane, of a ring or a host lane.
// Why: whatever was read, the messages in it are found and landed alike; and a poll decides before it lands anything.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/dispatch/worker.cuh"
#include "kernels/platform/block_device.cuh"

namespace perdure::loop {

#if defined(__CUDACC_RTC__) || defined(PERDURE_WARPS_OF_THREADS)

/// All but `mine` is the same for all lanes, and comes from votes, so that the compiler knows that.
struct sight {
  word mine{0, 0};  ///< of this lane
  u32 ready = 0;    ///< bit l: the word of lane l is there
  u32 starts = 0;   ///< bit l: a message begins there that is wholly there
  batch taken{0, 0};

  /// Of lane 0: whether a message begins there, and what is there is just all of it.
  bool is_alone() const {
    // asked in one: a branch takes longer than all of it
    const u32 all = (1U << abi::words_of(mine)) - 1;
    return ((abi::is_first(mine) ? 0U : 1U) | (ready ^ all)) == 0 && all != 0;
  }
  /// How many words stand there one behind the other.
  u32 there() const { return ready == ~0U ? 32 : __ffs(static_cast<int>(~ready)) - 1; }
  /// Finds the messages. All lanes.
  void find(u32 lane) {
    const u32 run = there();
    const u32 words = abi::words_of(mine);
    const bool first = abi::is_first(mine) && lane < run;
    const u32 firsts = __ballot_sync(~0U, first);
    starts = __ballot_sync(~0U, first && words != 0 && lane + words <= run);
    const u32 cut = firsts & ~starts;  // the last one, if its end is not there
    taken = batch{static_cast<u32>(__popc(starts)),
                  cut == 0 ? run : static_cast<u32>(__ffs(static_cast<int>(cut)) - 1)};
  }
  /// Puts them where a batch lands. All lanes; whoever goes on with them meets the others first.
  void land(on_chip& c, const memory& m, u32 lane) const {
    c[m.in][lane] = mine;
    if ((starts >> lane & 1U) != 0) c[m.start][__popc(starts & ((1U << lane) - 1))] = lane;
  }
};

/// Whether one of the messages that were found is for a turn of all lanes. All lanes.
template <class Handle>
bool has_for_all(const sight& seen, const on_chip& c, const memory& m, u32 lane,
                 const Handle& handle) {
  return __any_sync(~0U, (seen.starts >> lane & 1U) != 0 && is_for_all(c, m, handle, seen.mine)) !=
         0;
}

#endif

}  // namespace perdure::loop
