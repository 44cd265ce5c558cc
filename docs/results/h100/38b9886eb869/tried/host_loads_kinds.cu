// Which loads of one sector of host memory do not wait for one another.
#include <cstdio>
#include <cuda_runtime.h>
#include <sys/mman.h>
#include <unistd.h>
using u64 = unsigned long long; using u32 = unsigned;
template <int M> __device__ __forceinline__ void ld(const void* p, u64& a, u64& b) {
  if constexpr (M == 0) asm volatile("ld.relaxed.sys.global.v2.u64 {%0,%1},[%2];" : "=l"(a), "=l"(b) : "l"(p) : "memory");
  if constexpr (M == 1) { asm volatile("ld.mmio.relaxed.sys.global.u64 %0,[%1];" : "=l"(a) : "l"(p) : "memory"); b = 0; }
  if constexpr (M == 2) asm volatile("ld.volatile.global.v2.u64 {%0,%1},[%2];" : "=l"(a), "=l"(b) : "l"(p) : "memory");
  if constexpr (M == 3) asm volatile("ld.weak.global.cv.v2.u64 {%0,%1},[%2];" : "=l"(a), "=l"(b) : "l"(p) : "memory");
  if constexpr (M == 4) asm volatile("ld.relaxed.gpu.global.v2.u64 {%0,%1},[%2];" : "=l"(a), "=l"(b) : "l"(p) : "memory");
  if constexpr (M == 5) { asm volatile("atom.relaxed.sys.global.or.b64 %0,[%1],0;" : "=l"(a) : "l"(p) : "memory"); b = 0; }
  if constexpr (M == 6) asm volatile("ld.global.cg.v2.u64 {%0,%1},[%2];" : "=l"(a), "=l"(b) : "l"(p) : "memory");
  if constexpr (M == 7) { asm volatile("ld.relaxed.sys.global.u64 %0,[%1];" : "=l"(a) : "l"(p) : "memory"); b = 0; }
  if constexpr (M == 8) { // a bulk copy
    __shared__ alignas(16) u64 at[8][4]; __shared__ alignas(8) u64 bar[8]; const int w = threadIdx.x / 32;
    u32 s = (u32)__cvta_generic_to_shared(at[w]), m = (u32)__cvta_generic_to_shared(&bar[w]);
    asm volatile("mbarrier.init.shared.b64 [%0],1;" :: "r"(m) : "memory");
    asm volatile("{.reg .b64 t; mbarrier.arrive.expect_tx.shared.b64 t,[%0],32;}" :: "r"(m) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0],[%1],32,[%2];" :: "r"(s), "l"(p), "r"(m) : "memory");
    u32 ok = 0; while (!ok) asm volatile("{.reg .pred q; mbarrier.try_wait.parity.shared.b64 q,[%1],0; selp.u32 %0,1,0,q;}" : "=r"(ok) : "r"(m) : "memory");
    a = ((volatile u64*)at[w])[0]; b = 0;
    asm volatile("mbarrier.inval.shared.b64 [%0];" :: "r"(m) : "memory");
  }
}
__device__ __forceinline__ u32 clk() { return (u32)clock64(); }
__device__ __forceinline__ void until(u32 from, u32 c) { while (clk() - from < c) {} }
template <int A, int B> __global__ void looks(const char* p, const char* q, u32 gap, u32* out, int n) {
  const int w = threadIdx.x / 32 + blockIdx.x * (blockDim.x / 32); if (threadIdx.x % 32 != 0) return;
  u32 s = clk(); until(s, 2000 + w * gap); u64 sum = 0;
  for (int r = 0; r < n; ++r) { u32 t0 = clk(); u64 a, b; if (w & 1) ld<B>(q, a, b); else ld<A>(p, a, b); if (a == 77) t0 ^= 1; sum += clk() - t0; }
  out[w] = (u32)(sum / n);
}
int main() {
  u32* o; cudaMallocManaged(&o, 4096); const int n = 2000;
  int fd = memfd_create("x", 0); ftruncate(fd, 1 << 20);
  char* h = (char*)mmap(0, 1 << 20, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0); char* g = (char*)mmap(0, 1 << 20, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  for (int i = 0; i < (1 << 20); i += 4) *(int*)(h + i) = i;
  printf("%s ", cudaGetErrorString(cudaHostRegister(h, 1 << 20, cudaHostRegisterMapped))); printf("%s\n", cudaGetErrorString(cudaHostRegister(g, 1 << 20, cudaHostRegisterMapped)));
  char *d, *e; cudaHostGetDevicePointer((void**)&d, h, 0); cudaHostGetDevicePointer((void**)&e, g, 0); printf("%p %p\n", d, e);
  auto show = [&](const char* what, int k) { cudaError_t x = cudaDeviceSynchronize(); printf("%-40s", what); for (int i = 0; i < k; ++i) printf(" %u", o[i]); printf(" %s\n", x ? cudaGetErrorString(x) : ""); fflush(stdout); for (int i = 0; i < 16; ++i) o[i] = 0; };
#define T(A, B, what) looks<A, B><<<1, 32>>>(d, d, 1300, o, n); show(what " one", 1); looks<A, B><<<1, 64>>>(d, d, 1300, o, n); show(what " two warps", 2); looks<A, B><<<2, 32>>>(d, d, 1300, o, n); show(what " two SMs", 2); looks<A, B><<<1, 64>>>(d, e, 1300, o, n); show(what " two warps, aliases", 2); looks<A, B><<<1, 64>>>(d, d + 32, 1300, o, n); show(what " two warps, two sectors", 2);
  T(0, 0, "relaxed sys v2") T(1, 1, "mmio") T(2, 2, "volatile") T(3, 3, "cv") T(4, 4, "relaxed gpu") T(6, 6, "cg") T(7, 7, "relaxed sys u64") T(8, 8, "bulk") T(0, 8, "relaxed sys, bulk") T(0, 1, "relaxed sys, mmio") T(5, 5, "atom")
}
