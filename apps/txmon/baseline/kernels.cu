// apps/txmon/baseline/kernels.cu - a batch by hand: postings sorted by account, then one thread an account.
// Why: this is what a user would write without actors; the rules are the text of account.hpp, so only the way differs.
// Invariant: the sort is stable, so an account's postings stay in the order of the rows, its debit before its credit.
// NVRTC. A tile is what a block sorts: 8 warps, each with a stretch of its own of 16 times 32 postings.
// SPDX-License-Identifier: Apache-2.0
#define PERDURE_DEVICE_LANE 1
#define TXMON_ONE_BY_ONE 1  // account.hpp without on_run()
#include <cstdint>

namespace perdure::detail {
/// Where handlers put their alerts: behind one counter.
struct lane {
  void* out = nullptr;
  unsigned* count = nullptr;
  unsigned room = 0;
  std::uint64_t self = 0, sender = 0;

  template <class M>
  void send_host(std::uint64_t, const M& m) {
    const unsigned at = atomicAdd(count, 1U);
    if (at < room) static_cast<M*>(out)[at] = m;
  }
  template <class A, class M>
  void send(std::uint64_t, const M&) {}
  template <class M>
  void reply(const M&) {}
  template <class A, class M>
  void after(std::uint64_t, std::uint64_t, const M&) {}
  std::uint64_t now() { return 0; }
  std::uint64_t random() { return 0; }
  void log(std::uint64_t, std::uint32_t, std::uint64_t, const std::uint64_t*) {}
  void stop() {}
  void fail(std::uint32_t) {}
};
template <class A>
bool names(std::uint64_t) {
  return false;
}
}  // namespace perdure::detail

#include "account.hpp"

using u32 = unsigned;
using txmon::account;
using txmon::transaction;

constexpr u32 warps = 8, rounds = 16, digits = 256, tile = warps * rounds * 32;

/// Posting 2 r is the debit of row r, 2 r + 1 its credit.
extern "C" __global__ void make_postings(const transaction* rows, u32 postings, u32* key,
                                         u32* posting) {
  const u32 p = blockIdx.x * blockDim.x + threadIdx.x;
  if (p >= postings) return;
  const transaction& t = rows[p / 2];
  key[p] = p % 2 == 0 ? t.account.get() : t.counterparty.get();
  posting[p] = p;
}

__device__ u32 place_of(u32 round) {
  return blockIdx.x * tile + (threadIdx.x / 32 * rounds + round) * 32 + threadIdx.x % 32;
}
/// Counts the digits of this warp's stretch.
__device__ void count_digits(const u32* key, u32 n, u32 shift, u32 (&count)[warps][digits]) {
  for (u32 i = threadIdx.x; i < warps * digits; i += blockDim.x) (&count[0][0])[i] = 0;
  __syncthreads();
  for (u32 r = 0; r < rounds; ++r) {
    const u32 at = place_of(r);
    if (at < n) atomicAdd(&count[threadIdx.x / 32][key[at] >> shift & 255U], 1U);
  }
  __syncthreads();
}

/// in_tile[digit][tile]
extern "C" __global__ void __launch_bounds__(256)
    count_tiles(const u32* key, u32 n, u32 shift, u32* in_tile) {
  __shared__ u32 count[warps][digits];
  count_digits(key, n, shift, count);
  u32 sum = 0;
  for (u32 w = 0; w < warps; ++w) sum += count[w][threadIdx.x];
  in_tile[threadIdx.x * gridDim.x + blockIdx.x] = sum;
}

/// Exclusive prefix over all threads of the block. @param all  their sum
__device__ u32 prefix(u32 mine, u32& all) {
  __shared__ u32 of_warp[32];
  const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  u32 sum = mine;
  for (u32 d = 1; d < 32; d *= 2) {
    const u32 before = __shfl_up_sync(~0U, sum, d);
    if (lane >= d) sum += before;
  }
  if (lane == 31) of_warp[warp] = sum;
  __syncthreads();
  u32 base = 0;
  all = 0;
  for (u32 w = 0; w < blockDim.x / 32; ++w) {
    if (w == warp) base = all;
    all += of_warp[w];
  }
  __syncthreads();
  return base + sum - mine;
}

/// A block a digit: in_tile becomes the place within the digit, total[digit] how many there are.
extern "C" __global__ void __launch_bounds__(256) scan_tiles(u32* in_tile, u32 tiles, u32* total) {
  u32* of_digit = in_tile + static_cast<unsigned long long>(blockIdx.x) * tiles;
  u32 base = 0;
  for (u32 first = 0; first < tiles; first += blockDim.x) {
    const u32 at = first + threadIdx.x;
    const u32 mine = at < tiles ? of_digit[at] : 0;
    u32 all = 0;
    const u32 before = prefix(mine, all);
    if (at < tiles) of_digit[at] = base + before;
    base += all;
  }
  if (threadIdx.x == 0) total[blockIdx.x] = base;
}

extern "C" __global__ void __launch_bounds__(256)
    scatter(const u32* key, const u32* posting, u32 n, u32 shift, const u32* in_tile,
            const u32* total, u32* key_out, u32* posting_out) {
  __shared__ u32 next[warps][digits];
  count_digits(key, n, shift, next);
  u32 all = 0;
  u32 at = prefix(total[threadIdx.x], all) + in_tile[threadIdx.x * gridDim.x + blockIdx.x];
  for (u32 w = 0; w < warps; ++w) {
    const u32 here = next[w][threadIdx.x];
    next[w][threadIdx.x] = at;
    at += here;
  }
  __syncthreads();
  const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (u32 r = 0; r < rounds; ++r) {
    const u32 from = place_of(r);
    const bool there = from < n;
    const u32 k = there ? key[from] : 0;
    const u32 digit = k >> shift & 255U;
    const u32 same = __match_any_sync(~0U, there ? digit : digits);
    const u32 before = __popc(same & ((1U << lane) - 1));
    const u32 base = there ? next[warp][digit] : 0;
    __syncwarp();
    if (there) {
      if (before == 0) next[warp][digit] = base + __popc(same);
      key_out[base + before] = k;
      posting_out[base + before] = posting[from];
    }
    __syncwarp();
  }
}

/// run[a]: where the postings of account a begin and end.
extern "C" __global__ void find_runs(const u32* key, u32 n, uint2* run) {
  const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const u32 k = key[i];
  if (i == 0 || key[i - 1] != k) run[k].x = i;
  if (i + 1 == n || key[i + 1] != k) run[k].y = i + 1;
}

extern "C" __global__ void make_accounts(account* states, u32 accounts, const txmon::terms* by) {
  const u32 id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= accounts) return;
  account a;
  a.begin(*by);
  states[id] = a;
}

extern "C" __global__ void __launch_bounds__(128)
    judge(account* states, u32 accounts, const transaction* rows, const u32* posting,
          const uint2* run, txmon::alert* alerts, u32 room, u32* count) {
  const u32 id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= accounts) return;
  perdure::detail::lane lane;
  lane.out = alerts;
  lane.count = count;
  lane.room = room;
  perdure::context ctx{lane};
  const uint2 mine = run[id];
  for (u32 i = mine.x; i < mine.y; ++i) {
    const u32 p = posting[i];
    transaction t = rows[p / 2];
    if (p % 2 != 0) t.type |= transaction::credit_bit;
    states[id].on(t, ctx);
  }
}
