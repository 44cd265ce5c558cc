// How loads of host memory overlap: same word, other sector of a line, other line; one warp or two.
#include <cstdio>
#include <cuda_runtime.h>
using u64 = unsigned long long; using u32 = unsigned;
__device__ __forceinline__ void ld(const void* p, u64& a, u64& b) { asm volatile("ld.relaxed.sys.global.v2.u64 {%0,%1},[%2];" : "=l"(a), "=l"(b) : "l"(p) : "memory"); }
__device__ __forceinline__ u32 clk() { return (u32)clock64(); }
__device__ __forceinline__ void until(u32 from, u32 c) { while (clk() - from < c) {} }
// K loads, spacing, stride of bytes between them: time of each one's arrival
template <int K> __global__ void volley(const char* p, int stride, u32 gap, u32* out, int n) {
  if (threadIdx.x != 0) return;
  u32 sum[K]{}; 
  for (int r = 0; r < n; ++r) {
    u64 a[K], b[K]; u32 t0 = clk();
#pragma unroll
    for (int k = 0; k < K; ++k) { if (k) until(t0, k * gap); ld(p + k * stride, a[k], b[k]); }
    u32 t[K];
#pragma unroll
    for (int k = 0; k < K; ++k) { asm volatile("{.reg .u64 x; add.u64 x,%0,%1;}" :: "l"(a[k]), "l"(b[k])); if (a[k] == 77) t0 ^= 1; t[k] = clk() - t0; }
#pragma unroll
    for (int k = 0; k < K; ++k) sum[k] += t[k];
    until(clk(), 500 + r * 7 % 1000);
  }
#pragma unroll
  for (int k = 0; k < K; ++k) out[k] = sum[k] / n;
}
// W warps, each of which looks again as soon as its look is back, begun `gap` apart: mean of a look
__global__ void warps(const char* p, int stride, u32 gap, u32* out, int n) {
  const int w = threadIdx.x / 32; if (threadIdx.x % 32 != 0) return;
  u32 s = clk(); until(s, 2000 + w * gap); u64 sum = 0; u32 all = clk();
  for (int r = 0; r < n; ++r) { u32 t0 = clk(); u64 a, b; ld(p + w * stride, a, b); if (a == 77) t0 ^= 1; sum += clk() - t0; }
  out[w] = (u32)(sum / n); out[8 + w] = (clk() - all) / n;
}
// the same, by lanes of a whole warp: 30 lanes of 5 rings of 6 words
__global__ void wide(const char* p, int stride, u32 gap, u32* out, int n) {
  const int w = threadIdx.x / 32, l = threadIdx.x % 32;
  u32 s = clk(); until(s, 2000 + w * gap); u64 sum = 0; u32 all = clk();
  for (int r = 0; r < n; ++r) { u32 t0 = clk(); u64 a, b; ld(p + w * stride + (l < 30 ? l / 6 * 4096 + l % 6 * 16 : 0), a, b); if (__any_sync(~0u, a == 77)) t0 ^= 1; sum += clk() - t0; }
  if (l == 0) { out[w] = (u32)(sum / n); out[8 + w] = (clk() - all) / n; }
}
int main() {
  char* h; cudaHostAlloc(&h, 1 << 20, cudaHostAllocMapped); char* d; cudaHostGetDevicePointer((void**)&d, h, 0);
  for (int i = 0; i < (1 << 20); i += 4) *(int*)(h + i) = i; 
  u32* o; cudaMallocManaged(&o, 4096); const int n = 2000;
  auto show = [&](const char* what, int a, int b, int k) { cudaError_t e = cudaDeviceSynchronize(); printf("%s stride %d gap %d:", what, a, b); for (int i = 0; i < k; ++i) printf(" %u", o[i]); if (o[8]) { printf(" |"); for (int i = 0; i < k; ++i) printf(" %u", o[8 + i]); } printf(" %s\n", e ? cudaGetErrorString(e) : ""); for (int i = 0; i < 16; ++i) o[i] = 0; };
  for (int i = 0; i < 16; ++i) o[i] = 0;
  for (int stride : {0, 16, 32, 64, 128, 256, 4096}) for (int gap : {0, 700}) {
    volley<1><<<1, 32>>>(d, stride, gap, o, n); if (stride == 0 && gap == 0) show("one", stride, gap, 1); else cudaDeviceSynchronize();
    volley<2><<<1, 32>>>(d, stride, gap, o, n); show("two", stride, gap, 2);
    volley<4><<<1, 32>>>(d, stride, gap, o, n); show("four", stride, gap, 4);
  }
  for (int w : {1, 2, 3, 4}) for (int stride : {0, 16, 32, 64, 128, 4096}) { warps<<<1, 32 * w>>>(d, stride, 2600 / w, o, n); show(w == 1 ? "warps 1" : w == 2 ? "warps 2" : w == 3 ? "warps 3" : "warps 4", stride, 2600 / w, w); }
  for (int w : {1, 2, 3}) for (int stride : {0, 128, 32768}) { wide<<<1, 32 * w>>>(d, stride, 2600 / w, o, n); show(w == 1 ? "wide 1" : w == 2 ? "wide 2" : "wide 3", stride, 2600 / w, w); }
}
