// kernels/dispatch/small_loop.cuh - the loop of a thread block that has small actors only: the body of a function.
// Why: while there is little to do the first warp is the worker, and its turns need no block barrier; the others wait at one.
//      A batch that fills the warp calls them in, and they stay until a turn finds nothing. The kernel has it, and a test
//      whose lanes are threads; a function of its own is compiled to other code, with other registers.
// Invariant: a warp decides as one; the others decide by what the first warp wrote before it called them.
// In scope: block_device b; on_chip& c; const memory& m; handle; clock; bool was_parked. Included once by each.
// SPDX-License-Identifier: Apache-2.0

// Who was parked polls, and takes what he was brought back for before he follows the command that let him go on. There are
// no instructions of this kernel in the caches then, and turns would take longer to be fetched than that.
bool polls = was_parked;
if (was_parked && threadIdx.x == 0) c.control_at = clock() + undisturbed_ns;
const u32 warp = threadIdx.x / 32;
const bool first_warp = agreed(warp == 0);
if (first_warp) b.use(32);
const auto call_block = [&] {
  if (threadIdx.x == 0) call_scouts(c);
  __syncthreads();
};
// A hot batch is handled out here, where nothing is in registers that the loop inside has use for.
for (bool halted = false, has_run = false; !halted;) {
  arrival here;
  for (bool whole = has_run;;) {
    // one place for all that poll: the handlers' code is there once
    if (polls || (!whole && !first_warp)) {
#if PERDURE_SCOUTS
      if (agreed(warp <= scouts))
        here = poll_side_by_side(c, m, anew(warp), anew(threadIdx.x & 31U), handle, clock);
#else
      here = poll_for_work(c, m, threadIdx.x, handle, clock);
#endif
      polls = false;
      if (!first_warp) {
        __syncthreads();  // until the first warp calls
        halted = agreed(c.state >= state_halted);
        if (halted) break;
        whole = true;
        b.use(blockDim.x);
        continue;
      }
    }
    const progress did = turn_until_hot(b, c, m, handle, clock, here, has_run);
    here = arrival{};
    halted = agreed(did == progress::halted);
    has_run = hot_is_built && agreed(did == progress::hot);
    if (has_run) break;  // it is whole: a warp has no batch that large
    if (halted) {
      if (!whole) call_block();
      break;
    }
    if (agreed(did == progress::idle)) {
      if (whole) {
        if (threadIdx.x == 0) rest_scouts(c);
        __syncthreads();  // all have decided before the first warp changes what they looked at
        whole = false;
        if (!first_warp) continue;
        b.use(32);
      }
      polls = true;
      continue;
    }
    if (whole) continue;
    // one decision for the warp, and lane 0 does not begin the next turn before all have looked
    const u32 more = threadIdx.x == 0 && (did == progress::blocked || c.crowded != 0) ? 1 : 0;
    if (__shfl_sync(~0U, more, 0) != 0) {
      call_block();
      whole = true;
      b.use(blockDim.x);
    }
  }
  if constexpr (hot_is_built) {
    if (has_run) run_aside(b, c, m, handle);
  }
}
