// tools/perdure/baseline_route_8.cuh - the router's contract for 8 bytes: one type of actor, one
// kind of message.
// Why: the same walks, 32 bytes of state and checks as small_actors.hpp. Included by
// baseline_route.cu. With WORDS 1 a message is one 16-byte word: actor, walk, hops to go (24 bits)
// and lap (8), and the low half of the stamp, which the receiver completes from a time of its own:
// good while nothing is 32 ms old. With WORDS 2 the stamp is whole and the sender is there, as in
// an envelope.
// SPDX-License-Identifier: Apache-2.0
constexpr u32 words = WORDS;

struct alignas(16) site {  // 32 bytes
  u32 index, count, handled, errors;
  u32 received, sent;
  u64 newest;
};
struct token {
  u32 walk, left, sender;
};

__device__ __forceinline__ u32 stop_of(u32 walk, u32 count) { return __umulhi(walk, count); }
__device__ __forceinline__ u32 worth_of(u32 walk, u32 left) { return walk ^ left * 0x9e3779b1U; }

__device__ __forceinline__ u32 actor_of(const uint4 (&m)[words]) { return m[0].x; }
__device__ __forceinline__ u64 stamp_of(const uint4 (&m)[words], u64 recent) {
  if constexpr (words == 1) {
    return recent + (u64)(long long)(int)(m[0].z - (u32)recent);
  } else {
    return (u64)m[words - 1].y << 32 | m[words - 1].x;
  }
}
__device__ __forceinline__ bool whole(uint4 word, u32 lap) { return ((word.w ^ lap) & 255) == 0; }
__device__ __forceinline__ token seed(u32 walk, u32 hops) { return {walk, hops, 0}; }
__device__ __forceinline__ u32 first_stop(const token& t, u32 count) {
  return stop_of(t.walk, count);
}

/// Checks the message and counts it. @return whether its token goes on, as `next` to `target`.
__device__ __forceinline__ bool handle(site& s, const uint4 (&m)[words], u64 now, u32 actor, u32,
                                       token& next, u32& target) {
  const u32 walk = m[0].y, left = m[0].w >> 8;
  const u64 stamp = stamp_of(m, now);
  const bool wrong = now <= stamp || now <= s.newest || stop_of(walk, s.count) != s.index;
  s.newest = now;
  s.handled += 1;
  s.errors += wrong ? 1U : 0U;
  s.received += worth_of(walk, left);
  if (left == 0) return false;
  next = {mix(walk + 0x9e3779b9U), left - 1, actor};
  s.sent += worth_of(next.walk, next.left);
  target = stop_of(next.walk, s.count);
  return true;
}

/// Writes the message's words, each with the lap.
__device__ __forceinline__ void pack(uint4* d, u32 target, const token& t, u64 now, u32 lap) {
  store(d, make_uint4(target, t.walk, (u32)now, t.left << 8 | (lap & 255)));
  if constexpr (words == 2)
    store(d + words - 1, make_uint4((u32)now, (u32)(now >> 32), t.sender, lap & 255));
}
