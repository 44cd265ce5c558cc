// tools/perdure/baseline_route.cu - the router by hand: the ceiling that `perdure bench route` is
// compared with.
// Why: the same walks, state and payload (baseline_route_38.cuh or baseline_route_8.cuh), the same
// checks, order, clock merge and bounded rings, but no envelope, no dispatch table, no control, no
// host lanes.
// How: one inbox ring a block; every 16-byte word carries the ring's lap, so readiness and data
// come together. A block takes the ready run of its ring as one batch, handles it a message a
// thread in rounds (an actor once a round, in ring order), counts by destination in shared memory,
// reserves with one atomic a destination, writes. Rings are bounded. A closed system piles up in
// its slowest inboxes, so a block that waits for room moves its own arrivals into a spill of its
// own, and takes from there first: nobody waits for one who waits. Compiled by NVRTC at run time.
// Extends the routing prototype of the project's hardware page.
// SPDX-License-Identifier: Apache-2.0
typedef unsigned u32;
typedef unsigned long long u64;

struct result {
  u64 retired;  // tokens at rest
  u64 handled;
  u32 stalled;  // a block saw neither a message nor room for seconds
  u32 spilled;  // messages that went through a spill
};

__device__ __forceinline__ u32 mix(u32 x) {
  x ^= x >> 16;
  x *= 0x7feb352dU;
  x ^= x >> 15;
  x *= 0x846ca68bU;
  return x ^ x >> 16;
}
__device__ __forceinline__ void store(uint4* p, uint4 v) {
  asm volatile("st.relaxed.gpu.global.v4.u32 [%0], {%1,%2,%3,%4};" ::"l"(p), "r"(v.x), "r"(v.y),
               "r"(v.z), "r"(v.w)
               : "memory");
}
__device__ __forceinline__ uint4 load(const uint4* p) {
  uint4 v;
  asm volatile("ld.relaxed.gpu.global.v4.u32 {%0,%1,%2,%3}, [%4];"
               : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
               : "l"(p)
               : "memory");
  return v;
}
// The contract: site, token, words, actor_of, stamp_of, whole, seed, first_stop, handle, pack.
#if WORDS == 4
#include "tools/perdure/baseline_route_38.cuh"
#else
#include "tools/perdure/baseline_route_8.cuh"
#endif

/// Read a few times a batch only: the timer is far away.
__device__ __forceinline__ u64 nanoseconds() {
  u64 ns;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(ns));
  return ns;
}
/// Tail in the low half, head in the high half: one look tells the room.
__device__ __forceinline__ u64 look(const u64* control) {
  u64 v;
  asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(v) : "l"(control) : "memory");
  return v;
}

/// Loads the slot of message `at`. @return whether all of it is there.
__device__ __forceinline__ bool arrived(const uint4* ring, u32 ring_bits, u32 at,
                                        uint4 (&m)[words]) {
  const u32 lap = (at >> ring_bits) + 1;
  const uint4* s = ring + (u64)(at & ((1U << ring_bits) - 1)) * words;
  bool ok = true;
#pragma unroll
  for (u32 k = 0; k < words; ++k) {
    m[k] = load(s + k);
    ok &= whole(m[k], lap);
  }
  return ok;
}
/// How many threads from the first on have `ok`: only the ready run may be taken, or order is lost.
/// The whole block calls it, and passes one more barrier before the next call.
__device__ __forceinline__ u32 ready_run(bool ok, u32* first_missing) {
  if (threadIdx.x == 0) *first_missing = THREADS;
  const u32 n = __syncthreads_count(ok);
  if (n == 0 || n == THREADS) return n;
  if (!ok) atomicMin(first_missing, threadIdx.x);
  __syncthreads();
  return *first_missing;
}

constexpr u32 claim_slots = 8192, most_boxes = 1024, nobody = 0xffffffffU;
constexpr u32 most_looks = 1U << 21;  // for room; each takes a microsecond or two

extern "C" __global__ void __launch_bounds__(THREADS)
    route(uint4* rings, u64* controls, u32 ring_bits, uint4* spills, u32 spill_bits, site* sites,
          u32 count, u32 tokens, u32 hops, u32 salt, result* out) {
  __shared__ u32 claim[claim_slots], sending[most_boxes], base[most_boxes];
  __shared__ u32 ready, halt;
  __shared__ u64 clock;
  const u32 b = blockIdx.x, t = threadIdx.x, boxes = gridDim.x, capacity = 1U << ring_bits;
  uint4* const ring = rings + (u64)b * capacity * words;
  uint4* const spill = spills + ((u64)b << spill_bits) * words;
  const u32 spill_mask = (1U << spill_bits) - 1;
  const u64 all = (u64)boxes * tokens;
  u32 head = 0, seeded = 0, spill_head = 0, spill_tail = 0;
  u64 handled = 0, since = 0;  // since: when the block found nothing to do, 0 while it has work
  for (u32 i = t; i < claim_slots; i += THREADS) claim[i] = nobody;
  if (t == 0) clock = nanoseconds() / 1000 << 16;
  __syncthreads();
  u64 recent = clock;  // a time not long ago, for contracts whose stamps are short

  for (;;) {
    uint4 m[words];
    u32 target = nobody;  // actor that the token in hand goes to
    token next{};         // and what it carries
    bool mine = false;
    const bool seeding = seeded < tokens;  // the first batches are made here, not taken
    if (seeding) {
      mine = seeded + t < tokens;
      next = seed(mix(salt + b * tokens + seeded + t), hops);
      seeded += THREADS;
      for (u32 i = t; i < boxes; i += THREADS) sending[i] = 0;
      __syncthreads();
    } else if (spill_head != spill_tail) {
      const u32 n = spill_tail - spill_head < THREADS ? spill_tail - spill_head : THREADS;
      mine = t < n;
      const uint4* from = spill + (u64)((spill_head + t) & spill_mask) * words;
      for (u32 k = 0; mine && k < words; ++k) m[k] = from[k];
      spill_head += n;
      for (u32 i = t; i < boxes; i += THREADS) sending[i] = 0;
      __syncthreads();
    } else {
      bool ok = arrived(ring, ring_bits, head + t, m);
      for (u32 i = t; i < boxes; i += THREADS) sending[i] = 0;
      const u32 n = ready_run(ok, &ready);
      if (n == 0) {
        if (t == 0) {
          if (since == 0) since = nanoseconds();
          halt = look(&out->retired) >= all || out->stalled != 0 ||
                 nanoseconds() - since > 2000000000ULL;
        }
        __syncthreads();
        if (halt != 0) break;
        recent = nanoseconds() / 1000 << 16;
        continue;
      }
      mine = t < n;
      head += n;
      since = 0;
      // All loads of the batch have returned before the barrier above, so its slots may be written
      // again.
      if (t == 0) atomicAdd(controls + b * 16, (u64)n << 32);
    }

    // The actor's state is on its way while the clock is merged.
    const u32 actor = mine && !seeding ? actor_of(m) : 0;
    site s;
    if (mine && !seeding) s = sites[actor];

    // Clock: later than all that came in, and not before real time.
    u64 newest = mine && !seeding ? stamp_of(m, recent) : 0;
    for (u32 d = 16; d > 0; d /= 2) {
      const u64 other = __shfl_down_sync(nobody, newest, d);
      newest = other > newest ? other : newest;
    }
    if (t % 32 == 0 && newest != 0) atomicMax(&clock, newest);
    if (t == 0) atomicMax(&clock, nanoseconds() / 1000 << 16);
    __syncthreads();
    const u64 now = recent = clock + 1 + t;
    __syncthreads();
    if (t == 0) clock += THREADS;

    // Rounds: an actor handles one message at a time, in the order of the ring.
    u32 box = 0, place = 0;
    const u32 slot = actor / boxes & (claim_slots - 1);
    bool waiting = mine;
    if (seeding) {
      if (mine) {
        target = first_stop(next, count);
        box = target % boxes;
        place = atomicAdd(&sending[box], 1U);
      }
    } else {
      bool first = true;
      do {
        if (waiting) atomicMin(&claim[slot], t);
        __syncthreads();
        const bool turn = waiting && claim[slot] == t;
        if (turn) {
          if (!first) s = sites[actor];  // an earlier round has changed it
          ++handled;
          if (handle(s, m, now, actor, count, next, target)) {
            box = target % boxes;
            place = atomicAdd(&sending[box], 1U);  // later rounds count later: a pair's order holds
          } else {
            atomicAdd(&out->retired, 1ULL);
          }
          sites[actor] = s;
        }
        __syncthreads();
        if (turn) claim[slot] = nobody;
        waiting = waiting && !turn;
        first = false;
      } while (__syncthreads_or(waiting));
    }
    __syncthreads();

    // Reserve: one atomic a destination. Thread i looks after destination i (there are at most two
    // a thread).
    u32 need[2] = {0,
                   0};  // head that destination t, t + THREADS must reach before we may write there
    bool short_of_room = false;
#pragma unroll
    for (u32 k = 0; k < 2; ++k) {
      const u32 i = t + k * THREADS, n = i < boxes ? sending[i] : 0;
      if (n == 0) continue;
      const u64 before = atomicAdd(controls + i * 16, (u64)n);
      base[i] = (u32)before;
      need[k] = (u32)before + n - capacity;
      short_of_room |= (int)(need[k] - (u32)(before >> 32)) > 0;
    }
    u32 looks = 0;
    while (__syncthreads_or(short_of_room)) {
      uint4 w[words];
      const u32 n = ready_run(arrived(ring, ring_bits, head + t, w), &ready);
      if (t < n) {
        uint4* to = spill + (u64)((spill_tail + t) & spill_mask) * words;
        for (u32 k = 0; k < words; ++k) to[k] = w[k];
      }
      head += n;
      spill_tail += n;
      if (t == 0 && n != 0) {
        atomicAdd(controls + b * 16, (u64)n << 32);
        atomicAdd(&out->spilled, n);
      }
      if (++looks == most_looks) {
        if (t == 0) out->stalled = 1;
        return;
      }
      if (short_of_room) {
        short_of_room = false;
#pragma unroll
        for (u32 k = 0; k < 2; ++k) {
          const u32 i = t + k * THREADS;
          if (i < boxes && sending[i] != 0)
            short_of_room |= (int)(need[k] - (u32)(look(controls + i * 16) >> 32)) > 0;
        }
      }
    }
    if (target != nobody) {
      const u32 at = base[box] + place, lap = (at >> ring_bits) + 1;
      uint4* d = rings + ((u64)box * capacity + (at & (capacity - 1))) * words;
      pack(d, target, next, now, lap);
    }
  }
  if (handled != 0) atomicAdd(&out->handled, handled);
}
