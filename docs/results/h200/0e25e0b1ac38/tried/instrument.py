import os,sys
os.chdir(sys.argv[1])
def sub(path, old, new, n=1):
    s=open(path).read()
    assert s.count(old)>=1, (path, old[:80])
    s=s.replace(old,new,n); open(path,'w').write(s)
sub('kernels/dispatch/on_chip.cuh','''  hot_stream stream;
''','''  hot_stream stream;
  u64 pf[16];
  u64 pn[16];
  u64 pf_at;
''')
sub('kernels/dispatch/on_chip.cuh','''/// A hot actor whose messages are taken without''','''#if defined(__CUDACC_RTC__)
#define PF(k) if (threadIdx.x == 0) { const u64 t_ = static_cast<u64>(clock64()); c.pf[k] += t_ - c.pf_at; c.pf_at = t_; ++c.pn[k]; }
#define PN(k,n) if (threadIdx.x == 0) { c.pn[k] += (n); }
#else
#define PF(k)
#define PN(k,n)
#endif
/// A hot actor whose messages are taken without''')
sub('kernels/dispatch/control.cuh','''  b.once([&] {
    if (abi::command_of(seen) == abi::command::halt && c.pending != 0) cut_short(c, m);''','''#if defined(__CUDACC_RTC__)
  if (threadIdx.x == 0 && c.worker < 2 && abi::command_of(seen) == abi::command::halt) {
    printf("PF %u handled %llu:\\n", c.worker, c.count[static_cast<u32>(abi::counter::handled)]);
    for (u32 i = 0; i < 16; ++i) printf("  %u: %llu cycles, %llu times\\n", i, c.pf[i], c.pn[i]);
  }
#endif
  b.once([&] {
    if (abi::command_of(seen) == abi::command::halt && c.pending != 0) cut_short(c, m);''')
p='kernels/dispatch/hot_stream.cuh'
sub(p,'''    b.lead([&] { c.stream.end = ~0U; });
    const u32 before''','''    b.lead([&] { c.stream.end = ~0U; });
    PF(0)
    const u32 before''')
sub(p,'''    bool more = false;
    if (agreed(landed''','''    PF(1)
    PN(8, landed.taken.messages)
    bool more = false;
    if (agreed(landed''')
sub(p,'''      if (c.stream.others > before) defer''','''      PF(2)
      if (c.stream.others > before) defer''')
sub(p,'''      more = more && left == 0;
    }
''','''      more = more && left == 0;
    PF(3)
    }
''')
sub(p,'''    run_hot(b, c, m, handle);
  }
}''','''    PF(4)
    PN(9, c.deferred + c.hot.messages)
    PN(10, c.hot.is_one_chain)
    run_hot(b, c, m, handle);
    PF(5)
  }
}''')
p='kernels/dispatch/message_row.cuh'
sub(p,'''        took = took < most ? took : most;''','''        took = took < most ? took : most;
        PN(11, took)
        PN(12, 1)''')
sub(p,'''      alone(some);
''','''      alone(some);
      
''')
p='kernels/dispatch/worker.cuh'
sub(p,'''  if (agreed(plan == whole)) return progress::blocked;  // who is called takes it''','''  if (agreed((plan & undelivered) != 0)) {}
  if (agreed(plan == whole)) return progress::blocked;  // who is called takes it''')
sub('kernels/dispatch/hot_stream.cuh','''  PERDURE_ROLLED
  for (u32 part = 0, most''','''  PF(6)
  PERDURE_ROLLED
  for (u32 part = 0, most''')
sub('kernels/dispatch/worker.cuh',"    c.stream = {};","    c.stream = {};\n    for (u32 i = 0; i < 16; ++i) c.pf[i] = c.pn[i] = 0;\n    c.pf_at = 0;",1)
