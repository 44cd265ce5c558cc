p='/work/main/kernels/dispatch/together.cuh'
s=open(p).read()
s=s.replace('''template <class Block, class Handle>
PERDURE_OUT_OF_LINE void run_together(''','''#if defined(__CUDACC_RTC__)
__device__ long long dbg[1024][8];
#endif
template <class Block, class Handle>
PERDURE_OUT_OF_LINE void run_together(''',1)
s=s.replace('''  const u64 clock = c.hot.clock;
  const u32 places''','''#if defined(__CUDACC_RTC__)
  const long long t0 = clock64();
  if (threadIdx.x == 0) {
    if (dbg[blockIdx.x][0] == 0) dbg[blockIdx.x][0] = t0;
    if (dbg[blockIdx.x][7] != 0) { const long long gap = t0 - dbg[blockIdx.x][7]; if (gap < 20000000) { dbg[blockIdx.x][5] += gap; if (gap > 30000) { dbg[blockIdx.x][6] += gap; } } else dbg[blockIdx.x][0] = t0 - (dbg[blockIdx.x][1] - dbg[blockIdx.x][0]); }
    dbg[blockIdx.x][3] += 1;
    dbg[blockIdx.x][4] += c.hot.late;
  }
#endif
  const u64 clock = c.hot.clock;
  const u32 places''',1)
s=s.replace('''  b.once([&] { c.hot.clock = clock + events; });
}
''','''  b.once([&] { c.hot.clock = clock + events; });
#if defined(__CUDACC_RTC__)
  if (threadIdx.x == 0) { const long long t1 = clock64(); dbg[blockIdx.x][1] = t1; dbg[blockIdx.x][7] = t1; dbg[blockIdx.x][2] += t1 - t0; }
#endif
}
''',1)
open(p,'w').write(s)
p='/work/main/kernels/entry.cuh'
s=open(p).read()
s=s.replace('''  leave(b, c, m);
}
''','''#if PERDURE_RUNS
  if (threadIdx.x == 0 && dbg[blockIdx.x][4] > 1000)
    printf("dbg block %u: in together %lld of span %lld, calls %lld, late %lld, gaps %lld, of long ones %lld\\n", blockIdx.x, dbg[blockIdx.x][2], dbg[blockIdx.x][1] - dbg[blockIdx.x][0], dbg[blockIdx.x][3], dbg[blockIdx.x][4], dbg[blockIdx.x][5], dbg[blockIdx.x][6]);
#endif
  leave(b, c, m);
}
''',1)
open(p,'w').write(s)
