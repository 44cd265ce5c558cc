import re
def sub(path, a, b, n=1):
    s=open(path).read(); assert s.count(a)>=1, (path,a); s=s.replace(a,b,n); open(path,'w').write(s)
sub('kernels/abi/link.cuh','namespace perdure::abi {','''#if defined(__CUDACC_RTC__)
namespace perdure {
__device__ inline unsigned* ph_at() { __shared__ unsigned a[4 * 28]; return a; }
__device__ __forceinline__ void ph(unsigned k) {
  const unsigned w_ = blockDim.x == 128 ? threadIdx.x >> 5U : threadIdx.x >> 6U; if ((threadIdx.x & (blockDim.x == 128 ? 31U : 63U)) != 0) return;
  unsigned t; asm volatile("mov.u32 %0, %%clock;" : "=r"(t) :: "memory");
  atomicAdd(ph_at() + w_ * 28 + k, t);
}
__device__ __forceinline__ void phc(unsigned k, unsigned n) {
  const unsigned w_ = blockDim.x == 128 ? threadIdx.x >> 5U : threadIdx.x >> 6U; if ((threadIdx.x & (blockDim.x == 128 ? 31U : 63U)) != 0) return;
  atomicAdd(ph_at() + w_ * 28 + k, n);
}
}
#define PH(k) ::perdure::ph(k)
#define PHC(k, n) ::perdure::phc(k, n)
#else
#define PH(k)
#define PHC(k, n)
#endif
namespace perdure::abi {''')
f='kernels/wide/fire.cuh'
sub(f,'  state_wait(c);      // where','''#if defined(__CUDACC_RTC__)
  if (threadIdx.x < 112) ph_at()[threadIdx.x] = 0;
  __syncthreads();
#endif
  state_wait(c);      // where''')
sub(f,'    b.lead([&] {\n      if (f.looks == 0) return;','    PH(0);\n    b.lead([&] {\n      if (f.looks == 0) return;')
sub(f,'    done = false;\n    if (!lands) break;','    done = false;\n    if (!lands) { PHC(27, 0u - 1u); break; }\n    PH(4);')
sub(f,'    wide_call<Block> made{&b,','    PH(5);\n    wide_call<Block> made{&b,')
sub(f,'    const bool sends = end_call(b, c, m, made);','    PH(22);\n    const bool sends = end_call(b, c, m, made);\n    PH(25);')
sub(f,'  const u32 fired = f.fired;\n  mine.save','''#if defined(__CUDACC_RTC__)
  __syncthreads();
  if (f.fired > 3000 && (threadIdx.x & (blockDim.x == 128 ? 31U : 63U)) == 0 && (blockIdx.x == 20 || blockIdx.x == 37 || blockIdx.x == 0 || blockIdx.x == 62)) {
    const unsigned* a = ph_at() + (blockDim.x == 128 ? threadIdx.x >> 5U : threadIdx.x >> 6U) * 28;
    const float n = f.fired;
    printf("PH %d %d fired %u looks %.2f missed %u : look0 %.0f there %.0f landed %.0f barrier %.0f merged %.0f | r1 %.0f %.0f r2 %.0f %.0f r3 %.0f %.0f | ret %.0f bar %.0f begun %.0f sent %.0f all %.0f\\n", blockIdx.x, threadIdx.x >> 5, f.fired, a[26] / n, 0u - a[27],
      (int)(a[1]-a[0])/n, (int)(a[2]-a[1])/n, (int)(a[3]-a[2])/n, (int)(a[4]-a[3])/n, (int)(a[5]-a[4])/n, (int)(a[6]-a[5])/n, (int)(a[7]-a[6])/n, (int)(a[8]-a[7])/n, (int)(a[9]-a[8])/n, (int)(a[10]-a[9])/n, (int)(a[11]-a[10])/n,
      (int)(a[22]-a[11])/n, (int)(a[23]-a[22])/n, (int)(a[24]-a[23])/n, (int)(a[25]-a[24])/n, (int)(a[25]-a[0])/n);
  }
#endif
  const u32 fired = f.fired;
  mine.save''')
f='kernels/wide/ports.cuh'
sub(f,'    for (u32 t = 0;; ++t) {  // a short loop','    if (begins) PH(1);\n    for (u32 t = 0;; ++t) {  // a short loop')
sub(f,'      if (some.are_there(seen) && few.are_there(also)) break;','      if (some.are_there(seen) && few.are_there(also)) { PHC(26, t + 1); break; }')
sub(f,'''    some.land(landing, of.width, seen);
    few.land(landing, of.width, also);''','''    if (begins) PH(2);
    some.land(landing, of.width, seen);
    few.land(landing, of.width, also);
    if (begins) PH(3);''')
f='kernels/wide/call.cuh'
sub(f,'  if (!made.quiet) b.region([](u32) {});  // what was filled is filled','  if (!made.quiet) b.region([](u32) {});  // what was filled is filled\n  PH(23);')
f='kernels/wide/post.cuh'
sub(f,'      some.read(stage, of.width, w);','      if (k < 2) PH(24);\n      some.read(stage, of.width, w);')
f='kernels/wide/wide_lane.cuh'
sub(f,'    begin_next();\n    each_index<NX, NY, NZ>(me, f);\n    end();\n  }\n  template <class A, class F>\n  void once','    begin_next();\n    if (region <= 4) PH(4 + 2 * region);\n    each_index<NX, NY, NZ>(me, f);\n    end();\n    if (region <= 4) PH(5 + 2 * region);\n  }\n  template <class A, class F>\n  void once')
