p='kernels/dispatch/hot_stream.cuh'
s=open(p).read()
s=s.replace("    b.lead([&] { c.stream.end = ~0U; });\n","    const long long t0 = b.cycles();\n    b.lead([&] { c.stream.end = ~0U; });\n")
s=s.replace("    const u32 before = c.deferred;\n    const u32 all = before + taken.messages;\n    const u64 lo","    const long long t1 = b.cycles();\n    const u32 before = c.deferred;\n    const u32 all = before + taken.messages;\n    const u64 lo")
s=s.replace("    b.alike([&](bool leads) {","    const long long t2 = b.cycles();\n    b.alike([&](bool leads) {")
s=s.replace("    if (c.stream.others > before) defer","    const long long t3 = b.cycles();\n    if (c.stream.others > before) defer")
s=s.replace("    if (agreed(!more)) break;","""    b.lead([&] {
      const long long t4 = b.cycles();
      using k = abi::counter;
      c.count[(u32)k::unasked] += 1;
      c.count[(u32)k::failed] += t1 - t0;
      c.count[(u32)k::stopped] += t2 - t1;
      c.count[(u32)k::outbox_overflow] += t3 - t2;
      c.count[(u32)k::spilled] += t4 - t3;
    });
    if (agreed(!more)) break;""")
s=s.replace("  c.stream.others = row.passed;","  c.count[(u32)abi::counter::rounds] += 1000000*(u64)row.handled;\n  c.count[(u32)abi::counter::wraps] += row.passed - before;\n  c.stream.others = row.passed;")
open(p,'w').write(s)
for p,call in (('tools/perdure/bench_route_hot.cpp','{"spilled", after.spilled - before.spilled}'),('tools/perdure/bench_savina.cpp','{"spilled", after.spilled - before.spilled}')):
    s=open(p).read()
    s=s.replace(call,call+''',{"parts", after.unasked - before.unasked},{"land", after.failed - before.failed},{"apart", after.stopped - before.stopped},{"serial", after.outbox_overflow - before.outbox_overflow},{"rest", after.spilled - before.spilled},{"rounds_streamed_millions", after.rounds - before.rounds},{"others", after.wraps - before.wraps},{"nbatches", after.batches - before.batches}''')
    open(p,'w').write(s)
