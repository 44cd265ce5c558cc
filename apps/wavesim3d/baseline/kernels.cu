// apps/wavesim3d/baseline/kernels.cu - the same physics by hand: a kernel a step or for two, and resident kernels.
// Why: what the actors are measured against is tuned by us and runs beside them, checked against each other's field.
// NVRTC; N, TX, TY, TZ (a tile), BX, BY, BZ (a block), VX, CZ (cells of a thread in x and z) are defined by whoever compiles
// it. Pressure is 0 one cell outside the grid of N^3. Sums are in the order of apps/wavesim3d/tile.hpp.
// SPDX-License-Identifier: Apache-2.0
#define RELAXED_PUT "st.relaxed.gpu.global.v2.u32 [%0], {%1, %2};"
#define RELAXED_GET "ld.relaxed.gpu.global.v2.u32 {%0, %1}, [%2];"

using u32 = unsigned;
using u64 = unsigned long long;

__device__ __forceinline__ float next_of(float p, float before, float sum, float c2) {
  return 2.0F * p - before + c2 * (sum - 6.0F * p);
}

/// Cells side by side in x.
struct few {
  float v[VX];
};
__device__ __forceinline__ few load(const float* at) {
  few out;
#if VX == 4
  const float4 four = *reinterpret_cast<const float4*>(at);
  out.v[0] = four.x, out.v[1] = four.y, out.v[2] = four.z, out.v[3] = four.w;
#else
  out.v[0] = *at;
#endif
  return out;
}
__device__ __forceinline__ void store(float* at, const few& all) {
#if VX == 4
  *reinterpret_cast<float4*>(at) = make_float4(all.v[0], all.v[1], all.v[2], all.v[3]);
#else
  *at = all.v[0];
#endif
}

/// One step: past becomes next, in place. A thread takes VX cells in x at CZ levels, whose z neighbours it keeps.
extern "C" __global__ void __launch_bounds__(BX* BY* BZ)
    wave_step(float* __restrict__ past, const float* __restrict__ now, float c2) {
  const int x = (blockIdx.x * BX + threadIdx.x) * VX, y = blockIdx.y * BY + threadIdx.y,
            first = (blockIdx.z * BZ + threadIdx.z) * CZ;
  if (x >= N || y >= N || first >= N) return;
  constexpr long plane = static_cast<long>(N) * N;
  long i = first * plane + static_cast<long>(y) * N + x;
  few under{}, p = load(now + i);
  if (first > 0) under = load(now + i - plane);
#pragma unroll
  for (int k = 0; k < CZ; ++k) {
    const int z = first + k;
    if (z >= N) return;
    few over{}, south{}, north{};
    if (z < N - 1) over = load(now + i + plane);
    if (y > 0) south = load(now + i - N);
    if (y < N - 1) north = load(now + i + N);
    const float west = x > 0 ? now[i - 1] : 0.0F, east = x + VX < N ? now[i + VX] : 0.0F;
    few q = load(past + i);
#pragma unroll
    for (int j = 0; j < VX; ++j) {
      const float xm = j > 0 ? p.v[j > 0 ? j - 1 : 0] : west;
      const float xp = j < VX - 1 ? p.v[j < VX - 1 ? j + 1 : 0] : east;
      const float sum = xm + xp + south.v[j] + north.v[j] + under.v[j] + over.v[j];
      q.v[j] = next_of(p.v[j], q.v[j], sum, c2);
    }
    store(past + i, q);
    under = p;
    p = over;
    i += plane;
  }
}

/// Two steps in one pass over memory: a block walks up in z with three planes of the first step behind it. Its columns
/// overlap its neighbours' by one on each side, whose first step it takes for itself; grids in z are CZ levels.
/// first = p(n+1), second = p(n+2).
extern "C" __global__ void __launch_bounds__(BX* BY)
    two_steps(const float* __restrict__ past, const float* __restrict__ now,
              float* __restrict__ first, float* __restrict__ second, float c2) {
  __shared__ float a[2][BY + 2][BX + 2];  // p(n), with one cell around
  __shared__ float b[2][BY + 2][BX + 2];  // p(n+1); what lies around is not used
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int x = static_cast<int>(blockIdx.x) * (BX - 2) + tx - 1;
  const int y = static_cast<int>(blockIdx.y) * (BY - 2) + ty - 1;
  const int z0 = static_cast<int>(blockIdx.z) * CZ, z1 = z0 + CZ < N ? z0 + CZ : N;
  constexpr long plane = static_cast<long>(N) * N;
  const bool inside = x >= 0 && x < N && y >= 0 && y < N;
  const bool mine = inside && tx > 0 && tx < BX - 1 && ty > 0 && ty < BY - 1;
  const long column = static_cast<long>(y) * N + x;
  auto read = [&](const float* from, int cx, int cy, int cz) {
    const bool there = cx >= 0 && cx < N && cy >= 0 && cy < N && cz >= 0 && cz < N;
    return there ? from[cz * plane + static_cast<long>(cy) * N + cx] : 0.0F;
  };
  float below = read(now, x, y, z0 - 2), at = read(now, x, y, z0 - 1);
  float low = 0.0F, mid = 0.0F;  // of p(n+1), at z - 2 and z - 1
  float before = 0.0F;           // of p(n), at z - 1
  for (int z = z0 - 1; z <= z1; ++z) {
    const int turn = z & 1;
    const float above = read(now, x, y, z + 1);
    const float old = read(past, x, y, z);
    a[turn][ty + 1][tx + 1] = at;
    if (tx == 0) a[turn][ty + 1][0] = read(now, x - 1, y, z);
    if (tx == BX - 1) a[turn][ty + 1][BX + 1] = read(now, x + 1, y, z);
    if (ty == 0) a[turn][0][tx + 1] = read(now, x, y - 1, z);
    if (ty == BY - 1) a[turn][BY + 1][tx + 1] = read(now, x, y + 1, z);
    b[turn ^ 1][ty + 1][tx + 1] = mid;  // at z - 1
    __syncthreads();
    float high = 0.0F;  // of p(n+1), at z
    if (inside && z >= 0 && z < N) {
      const float sum = a[turn][ty + 1][tx] + a[turn][ty + 1][tx + 2] + a[turn][ty][tx + 1] +
                        a[turn][ty + 2][tx + 1] + below + above;
      high = next_of(at, old, sum, c2);
    }
    if (mine && z > z0) {
      const auto& plane_of = b[turn ^ 1];
      const float sum = plane_of[ty + 1][tx] + plane_of[ty + 1][tx + 2] + plane_of[ty][tx + 1] +
                        plane_of[ty + 2][tx + 1] + low + high;
      second[(z - 1) * plane + column] = next_of(mid, before, sum, c2);
      first[(z - 1) * plane + column] = mid;
    }
    low = mid;
    mid = high;
    before = at;
    below = at;
    at = above;
  }
}

// A face's cell travels as (value, step): a reader polls the word itself, so there is no barrier beyond the block.
__device__ __forceinline__ void put(u64* to, float v, u32 step) {
  asm volatile(RELAXED_PUT ::"l"(to), "r"(__float_as_uint(v)), "r"(step));
}
__device__ __forceinline__ float get(const u64* from, u32 step) {
  u32 v, s;
  do {
    asm volatile(RELAXED_GET : "=r"(v), "=r"(s) : "l"(from));
  } while (s != step);
  return __uint_as_float(v);
}

constexpr int GX = N / TX, GY = N / TY, GZ = N / TZ, SX = TX + 2, SY = TY + 2;
constexpr int FX = TY * TZ, FY = TX * TZ, FZ = TX * TY, per = 2 * (FX + FY + FZ);

/// All steps in one launch: a thread keeps a column of TZ cells and their past in registers, the block its tile's
/// field, doubled, in shared memory; z faces go straight between registers.
extern "C" __global__ void __launch_bounds__(TX* TY, 1)
    resident(float* past, float* now, u64* halo, int steps, float c2) {
  extern __shared__ float field[];  // [2][TZ][SY][SX]
  const int b = blockIdx.x, bx = b % GX, by = b / GX % GY, bz = b / (GX * GY);
  const int tx = threadIdx.x % TX, ty = threadIdx.x / TX;
  const int west = bx > 0 ? b - 1 : -1, east = bx < GX - 1 ? b + 1 : -1;
  const int south = by > 0 ? b - GX : -1, north = by < GY - 1 ? b + GX : -1;
  const int below = bz > 0 ? b - GX * GY : -1, above = bz < GZ - 1 ? b + GX * GY : -1;
  // inbox of a block: its -x, +x, -y, +y, -z, +z faces, two sets used in turn
  auto box = [&](int block, int turn) {
    return halo + (static_cast<long>(block) * 2 + turn) * per;
  };
  auto at = [&](int turn, int z, int y, int x) -> float& {
    return field[((turn * TZ + z) * SY + y + 1) * SX + x + 1];
  };
  auto cell = [&](int z) {
    return (static_cast<long>(bz * TZ + z) * N + by * TY + ty) * N + bx * TX + tx;
  };
  float p[TZ], before[TZ];
  for (int i = threadIdx.x; i < 2 * TZ * SY * SX; i += TX * TY) field[i] = 0.0F;
  __syncthreads();
#pragma unroll
  for (int z = 0; z < TZ; ++z) {
    p[z] = now[cell(z)];
    before[z] = past[cell(z)];
    at(0, z, ty, tx) = p[z];
  }
  auto send_z = [&](int turn, u32 step) {
    const int i = ty * TX + tx;
    if (below >= 0) put(box(below, turn) + 2 * FX + 2 * FY + FZ + i, p[0], step);
    if (above >= 0) put(box(above, turn) + 2 * FX + 2 * FY + i, p[TZ - 1], step);
  };
  auto send_xy = [&](int turn, int q, u32 step) {
    for (int i = threadIdx.x; i < 2 * FX + 2 * FY; i += TX * TY) {
      if (i < FX) {
        if (east >= 0) put(box(east, turn) + i, at(q, i / TY, i % TY, TX - 1), step);
      } else if (i < 2 * FX) {
        const int j = i - FX;
        if (west >= 0) put(box(west, turn) + i, at(q, j / TY, j % TY, 0), step);
      } else if (i < 2 * FX + FY) {
        const int j = i - 2 * FX;
        if (north >= 0) put(box(north, turn) + i, at(q, j / TX, TY - 1, j % TX), step);
      } else {
        const int j = i - 2 * FX - FY;
        if (south >= 0) put(box(south, turn) + i, at(q, j / TX, 0, j % TX), step);
      }
    }
  };
  send_z(0, 1);
  __syncthreads();
  send_xy(0, 0, 1);
  for (int s = 1; s <= steps; ++s) {
    const int q = (s - 1) & 1;
    const u64* in = box(b, q);
    for (int i = threadIdx.x; i < 2 * FX + 2 * FY; i += TX * TY) {
      if (i < FX) {
        if (west >= 0) at(q, i / TY, i % TY, -1) = get(in + i, s);
      } else if (i < 2 * FX) {
        const int j = i - FX;
        if (east >= 0) at(q, j / TY, j % TY, TX) = get(in + i, s);
      } else if (i < 2 * FX + FY) {
        const int j = i - 2 * FX;
        if (south >= 0) at(q, j / TX, -1, j % TX) = get(in + i, s);
      } else {
        const int j = i - 2 * FX - FY;
        if (north >= 0) at(q, j / TX, TY, j % TX) = get(in + i, s);
      }
    }
    const int i = ty * TX + tx;
    float under = below >= 0 ? get(in + 2 * FX + 2 * FY + i, s) : 0.0F;
    const float top = above >= 0 ? get(in + 2 * FX + 2 * FY + FZ + i, s) : 0.0F;
    __syncthreads();
#pragma unroll
    for (int z = 0; z < TZ; ++z) {
      const float old = p[z];
      const float over = z < TZ - 1 ? p[z + 1] : top;
      const float sum = at(q, z, ty, tx - 1) + at(q, z, ty, tx + 1) + at(q, z, ty - 1, tx) +
                        at(q, z, ty + 1, tx) + under + over;
      const float next = next_of(old, before[z], sum, c2);
      before[z] = old;
      under = old;
      p[z] = next;
      at(q ^ 1, z, ty, tx) = next;
    }
    if (s < steps) {
      send_z(s & 1, s + 1);
      __syncthreads();
      send_xy(s & 1, q ^ 1, s + 1);
    }
  }
#pragma unroll
  for (int z = 0; z < TZ; ++z) {
    now[cell(z)] = p[z];
    past[cell(z)] = before[z];
  }
}

/// The same where two fields do not fit: shared memory holds one, and the past's place in the registers takes what is next
/// until the whole block has read what is now.
extern "C" __global__ void __launch_bounds__(TX* TY, 1)
    resident_one(float* past, float* now, u64* halo, int steps, float c2) {
  extern __shared__ float field[];  // [TZ][SY][SX]
  const int b = blockIdx.x, bx = b % GX, by = b / GX % GY, bz = b / (GX * GY);
  const int tx = threadIdx.x % TX, ty = threadIdx.x / TX;
  const int west = bx > 0 ? b - 1 : -1, east = bx < GX - 1 ? b + 1 : -1;
  const int south = by > 0 ? b - GX : -1, north = by < GY - 1 ? b + GX : -1;
  const int below = bz > 0 ? b - GX * GY : -1, above = bz < GZ - 1 ? b + GX * GY : -1;
  auto box = [&](int block, int turn) {
    return halo + (static_cast<long>(block) * 2 + turn) * per;
  };
  auto at = [&](int z, int y, int x) -> float& { return field[(z * SY + y + 1) * SX + x + 1]; };
  auto cell = [&](int z) {
    return (static_cast<long>(bz * TZ + z) * N + by * TY + ty) * N + bx * TX + tx;
  };
  float other[TZ];  // what was, and within a step what will be
  for (int i = threadIdx.x; i < TZ * SY * SX; i += TX * TY) field[i] = 0.0F;
  __syncthreads();
#pragma unroll
  for (int z = 0; z < TZ; ++z) {
    other[z] = past[cell(z)];
    at(z, ty, tx) = now[cell(z)];
  }
  const int own = ty * TX + tx;
  auto send_z = [&](int turn, float lowest, float highest, u32 step) {
    if (below >= 0) put(box(below, turn) + 2 * FX + 2 * FY + FZ + own, lowest, step);
    if (above >= 0) put(box(above, turn) + 2 * FX + 2 * FY + own, highest, step);
  };
  auto send_xy = [&](int turn, u32 step) {
    for (int i = threadIdx.x; i < FX; i += TX * TY) {
      if (east >= 0) put(box(east, turn) + i, at(i / TY, i % TY, TX - 1), step);
      if (west >= 0) put(box(west, turn) + FX + i, at(i / TY, i % TY, 0), step);
    }
    for (int i = threadIdx.x; i < FY; i += TX * TY) {
      if (north >= 0) put(box(north, turn) + 2 * FX + i, at(i / TX, TY - 1, i % TX), step);
      if (south >= 0) put(box(south, turn) + 2 * FX + FY + i, at(i / TX, 0, i % TX), step);
    }
  };
  __syncthreads();
  send_z(0, at(0, ty, tx), at(TZ - 1, ty, tx), 1);
  send_xy(0, 1);
  for (int s = 1; s <= steps; ++s) {
    const u64* in = box(b, (s - 1) & 1);
    for (int i = threadIdx.x; i < FX; i += TX * TY) {
      if (west >= 0) at(i / TY, i % TY, -1) = get(in + i, s);
      if (east >= 0) at(i / TY, i % TY, TX) = get(in + FX + i, s);
    }
    for (int i = threadIdx.x; i < FY; i += TX * TY) {
      if (south >= 0) at(i / TX, -1, i % TX) = get(in + 2 * FX + i, s);
      if (north >= 0) at(i / TX, TY, i % TX) = get(in + 2 * FX + FY + i, s);
    }
    float under = below >= 0 ? get(in + 2 * FX + 2 * FY + own, s) : 0.0F;
    const float top = above >= 0 ? get(in + 2 * FX + 2 * FY + FZ + own, s) : 0.0F;
    __syncthreads();
    float p = at(0, ty, tx);
#pragma unroll
    for (int z = 0; z < TZ; ++z) {
      const float over = z < TZ - 1 ? at(z + 1, ty, tx) : top;
      const float sum = at(z, ty, tx - 1) + at(z, ty, tx + 1) + at(z, ty - 1, tx) +
                        at(z, ty + 1, tx) + under + over;
      other[z] = next_of(p, other[z], sum, c2);
      under = p;
      p = over;
    }
    if (s < steps) send_z(s & 1, other[0], other[TZ - 1], s + 1);
    __syncthreads();
#pragma unroll
    for (int z = 0; z < TZ; ++z) {
      float& here = at(z, ty, tx);
      const float old = here;
      here = other[z];
      other[z] = old;
    }
    __syncthreads();
    if (s < steps) send_xy(s & 1, s + 1);
  }
#pragma unroll
  for (int z = 0; z < TZ; ++z) {
    now[cell(z)] = at(z, ty, tx);
    past[cell(z)] = other[z];
  }
}
