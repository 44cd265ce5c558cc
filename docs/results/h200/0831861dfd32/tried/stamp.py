def sub(path, a, b, n=1):
    s=open(path).read(); assert s.count(a)>=1, (path,a); s=s.replace(a,b,n); open(path,'w').write(s)
sub('kernels/abi/link.cuh','namespace perdure::abi {','''#if defined(__CUDACC_RTC__)
namespace perdure {
__device__ inline unsigned* ph_at() { __shared__ unsigned a[100]; return a; }
__device__ __forceinline__ unsigned phc() { unsigned t; asm volatile("mov.u32 %0, %%clock;" : "=r"(t) :: "memory"); return t; }
__device__ __forceinline__ void st(unsigned k) { if (threadIdx.x == 0) ph_at()[k] = phc(); }
__device__ __forceinline__ void stv(unsigned k, unsigned v) { if (threadIdx.x == 0) ph_at()[k] = v; }
__device__ __forceinline__ void ph_turn_end() {
  if (threadIdx.x != 0) return;
  unsigned* a = ph_at(); const unsigned t = phc();
  const unsigned from = a[10], msgs = a[9];
  const unsigned k = (from == 3 ? 0 : from == 1 ? 1 : 2) * 2 + (msgs != 0 ? 1 : 0);
  a[16 + k * 3] += 1; a[17 + k * 3] += msgs; a[18 + k * 3] += t - a[0];
  if (k == 1) { for (int i = 0; i < 7; ++i) a[40 + i] += a[i + 1] - a[i]; a[47] += t - a[7]; }
}
}
#define ST(k) ::perdure::st(k)
#define STV(k, v) ::perdure::stv(k, v)
#else
#define ST(k)
#define STV(k, v)
#endif
namespace perdure::abi {''')
w='kernels/dispatch/worker.cuh'
sub(w,'''  command_look look;
  u64 now = 0;
  b.lead([&] {  // read since''','''  command_look look;
  u64 now = 0;
  ST(0); STV(9, 0); STV(10, 0);
#if defined(__CUDACC_RTC__)
  if (threadIdx.x == 0) { unsigned* a = ph_at(); if (a[60] != 0) { a[61] += phc() - a[60]; a[62] += 1; a[60] = 0; } }
#endif
  b.lead([&] {  // read since''')
sub(w,'''    if (answered - now > long_turn_ns) answer_row(c, m, steady_ns);
  });
''','''    if (answered - now > long_turn_ns) answer_row(c, m, steady_ns);
  });
#if defined(__CUDACC_RTC__)
  ph_turn_end();
#endif
''')
sub(w,'''  if (agreed(plan == whole)) return''','''  ST(1);
  if (agreed(plan == whole)) return''')
sub(w,'''  const u32 messages = taken.messages + c.deferred;
''','''  const u32 messages = taken.messages + c.deferred;
  ST(2); STV(9, messages); STV(10, source.from);
''')
sub(w,'''  const auto pass = [&] {''','''  ST(3);
  const auto pass = [&] {''')
sub('kernels/dispatch/handle.cuh','''    clock += b.most_of_places(''','''    ST(4);
    clock += b.most_of_places(''')
sub('kernels/dispatch/handle.cuh','''    put_back_states<pieces>(b, c, m, taken.messages);
''','''    ST(5);
    put_back_states<pieces>(b, c, m, taken.messages);
''')
sub(w,'''    done += messages;
  } else if (streaming)''','''    done += messages;
    ST(6); ST(7);
  } else if (streaming)''')
sub(w,'''  const u32 left = write(b, c, m);
  b.lead([&] {  // the next turn''','''  const u32 left = write(b, c, m);
  ST(7);
  b.lead([&] {  // the next turn''')
s='kernels/dispatch/beside.cuh'
sub(s,'''    const bool filled = !first &&''','''#if defined(__CUDACC_RTC__)
    const unsigned t_seen = phc();
#endif
    const bool filled = !first &&''')
sub(s,'''    __syncwarp();
    if (!first) {
      looks.done(to_host);''','''#if defined(__CUDACC_RTC__)
    if (!first && lane == 0 && warp == 1) {
      unsigned* a = ph_at(); const unsigned t = phc();
      if (few) { a[64] += 1; a[65] += run.done; a[66] += t - t_seen; } else { a[67] += 1; a[68] += t - t_seen; a[60] = t; a[69] += seen.taken.messages; }
    }
#endif
    __syncwarp();
    if (!first) {
      looks.done(to_host);''')
e='kernels/entry.cuh'
sub(e,'''  leave(b, c, m);
}

}  // namespace''','''  if (threadIdx.x == 0 && blockIdx.x % 50 == 3) {
    const unsigned* a = ph_at();
    const char* names[6] = {"lane0", "lane", "ring0", "ring", "other0", "other"};
    for (int k = 0; k < 6; ++k) printf("PH %d %s turns %u msgs %u cycles each %.0f\\n", blockIdx.x, names[k], a[16 + 3 * k], a[17 + 3 * k], (double)a[18 + 3 * k] / (a[16 + 3 * k] + 1e-9));
    const double n = a[19] + 1e-9;
    printf("PH %d lane parts: plan %.0f take %.0f merge %.0f assign %.0f chains %.0f rest %.0f write %.0f end %.0f\\n", blockIdx.x, a[40]/n, a[41]/n, a[42]/n, a[43]/n, a[44]/n, a[45]/n, a[46]/n, a[47]/n);
    printf("PH %d scout few: %u msgs %u cycles each %.0f; to turn: %u (messages seen %u) cycles %.0f; from there to the turn %.0f\\n", blockIdx.x, a[64], a[65], a[66] / (a[64] + 1e-9), a[67], a[69], a[68] / (a[67] + 1e-9), a[61] / (a[62] + 1e-9));
  }
  leave(b, c, m);
}

}  // namespace''')
sub(e,'''  device_handle handle;
  device_clock clock;
  [[maybe_unused]]''','''  device_handle handle;
  device_clock clock;
  if (threadIdx.x < 100) ph_at()[threadIdx.x] = 0;
  __syncthreads();
  [[maybe_unused]]''')
