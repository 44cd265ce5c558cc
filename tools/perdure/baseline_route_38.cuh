// tools/perdure/baseline_route_38.cuh - the router's contract for 38 bytes: two types of actors,
// three kinds of message.
// Why: the same graph of actors, the same 64-byte state and 64-byte messages, the same checks
// (sender's number, stamp, cargo) as bench_actors.hpp. Included by baseline_route.cu.
// SPDX-License-Identifier: Apache-2.0
constexpr u32 words = 4, from_host = 4;

struct alignas(16) site {  // 64 bytes, read and written as a whole
  uint4 out, in;           // the four edges
  u64 last, checksum;
  u32 index, count, handled, errors;
};
struct token {
  u32 walk, left, number, edge;
};

__device__ __forceinline__ u32 neighbour(u32 edge, u32 index, u32 count) {
  const u64 factor = edge == 0 ? 7919U : edge == 1 ? 6101U : edge == 2 ? 4463U : 2801U;
  return (u32)((index * factor + edge) % count);
}
__device__ __forceinline__ u32 pick(uint4 v, u32 i) {
  return i == 0 ? v.x : i == 1 ? v.y : i == 2 ? v.z : v.w;
}
__device__ __forceinline__ void bump(uint4& v, u32 i) {
  v.x += i == 0;
  v.y += i == 1;
  v.z += i == 2;
  v.w += i == 3;
}

__device__ __forceinline__ u32 actor_of(const uint4 (&m)[words]) { return m[0].x; }
__device__ __forceinline__ u64 stamp_of(const uint4 (&m)[words], u64) {
  return (u64)m[1].z << 32 | m[1].y;
}
__device__ __forceinline__ bool whole(uint4 word, u32 lap) { return word.w == lap; }
__device__ __forceinline__ token seed(u32 walk, u32 hops) { return {walk, hops, 0, from_host}; }
__device__ __forceinline__ u32 first_stop(const token& t, u32 count) {
  return t.walk % (2 * count);
}

/// Checks the message and counts it. @return whether its token goes on, as `next` to `target`.
__device__ __forceinline__ bool handle(site& s, const uint4 (&m)[words], u64 now, u32 actor,
                                       u32 count, token& next, u32& target) {
  const u32 came = m[2].x & 255;
  const u64 stamp = (u64)m[1].z << 32 | m[1].y;
  bool wrong = now <= stamp || now <= s.last;
  s.last = now;
  wrong |= m[2].y != (m[0].y ^ 0x5bd1e995U) || m[2].z != m[0].y + 1 || m[3].x != m[0].y + 2 ||
           m[3].y != m[0].y + 3 || m[3].z != m[0].y + 4;
  if (came < from_host) {
    wrong |= m[1].x != pick(s.in, came);
    bump(s.in, came);
  }
  const u32 kind = m[2].x >> 8;  // three kinds of message, three handlers
  s.checksum += kind == 0 ? m[0].y : kind == 1 ? m[0].y ^ m[0].z : m[0].z;
  s.handled += 1;
  s.errors += wrong ? 1U : 0U;
  if (m[0].z == 0) return false;
  next.walk = mix(m[0].y + 0x9e3779b9U);
  next.left = m[0].z - 1;
  next.edge = next.walk & 3U;
  next.number = pick(s.out, next.edge);
  bump(s.out, next.edge);
  target = neighbour(next.edge, s.index, s.count) + (actor < count ? count : 0);  // the other type
  return true;
}

/// Writes the message's words, each with the lap.
__device__ __forceinline__ void pack(uint4* d, u32 target, const token& t, u64 now, u32 lap) {
  const u32 kind = t.walk >> 28 < 12 ? 0 : t.walk >> 28 < 15 ? 1 : 2;
  store(d, make_uint4(target, t.walk, t.left, lap));
  store(d + 1, make_uint4(t.number, (u32)now, (u32)(now >> 32), lap));
  store(d + 2, make_uint4(t.edge | kind << 8, t.walk ^ 0x5bd1e995U, t.walk + 1, lap));
  store(d + 3, make_uint4(t.walk + 2, t.walk + 3, t.walk + 4, lap));
}
