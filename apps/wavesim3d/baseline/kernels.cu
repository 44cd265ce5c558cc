// apps/wavesim3d/baseline/kernels.cu - the same physics by hand: one kernel a step, and one resident kernel.
// Why: what the actors are measured against is tuned by us and runs beside them, checked against each other's field.
// NVRTC; N, TX, TY, TZ are defined by whoever compiles it. Pressure is 0 one cell outside the grid of N^3.
// SPDX-License-Identifier: Apache-2.0
#define RELAXED_PUT "st.relaxed.gpu.global.v2.u32 [%0], {%1, %2};"
#define RELAXED_GET "ld.relaxed.gpu.global.v2.u32 {%0, %1}, [%2];"

using u32 = unsigned;
using u64 = unsigned long long;

/// next = 2 now - past + c2 * laplacian(now); a launch a step.
extern "C" __global__ void __launch_bounds__(256)
    wave_step(const float* __restrict__ past, const float* __restrict__ now,
              float* __restrict__ next, float c2) {
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y,
            z = blockIdx.z * 2 + threadIdx.z;
  if (x >= N || y >= N || z >= N) return;
  const long i = (static_cast<long>(z) * N + y) * N + x;
  const float p = now[i];
  const float xm = x > 0 ? now[i - 1] : 0.0F, xp = x < N - 1 ? now[i + 1] : 0.0F;
  const float ym = y > 0 ? now[i - N] : 0.0F, yp = y < N - 1 ? now[i + N] : 0.0F;
  const float zm = z > 0 ? now[i - N * N] : 0.0F, zp = z < N - 1 ? now[i + N * N] : 0.0F;
  const float sum = xm + xp + ym + yp + zm + zp;
  next[i] = 2.0F * p - past[i] + c2 * (sum - 6.0F * p);
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
      const float next = 2.0F * old - before[z] + c2 * (sum - 6.0F * old);
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
