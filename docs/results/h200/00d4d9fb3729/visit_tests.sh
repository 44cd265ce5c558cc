#!/usr/bin/env bash
# the contract's tests and others on the device; park, rtt, inject, egress in turns with the loop before
mkdir -p /work; ln -sfn $PWD /work/main; export PERDURE_CACHE=/tmp/pc
python3 -c "import lzma,tarfile;tarfile.open('.visit/v.tar.xz').extractall('/tmp')"
mkdir -p /tmp/a $OUT; cd /tmp/v; nvidia-smi --query-gpu=name,driver_version,clocks.sm,clocks.mem --format=csv > /tmp/a/gpu.txt
for i in 0 1 2 3 4 5 6 7; do GTEST_TOTAL_SHARDS=8 GTEST_SHARD_INDEX=$i timeout 300 ./contract_device_test > /tmp/a/contract$i.log 2>&1 & done; wait
for t in system txmon; do timeout 100 ./${t}_device_test > /tmp/a/$t.log 2>&1; done
grep -hE "^\[  (PASSED|FAILED|SKIPPED)|tests ran|tests from" /tmp/a/contract?.log /tmp/a/system.log /tmp/a/txmon.log > /tmp/a/tests.log; grep -cE "^\[       OK" /tmp/a/contract?.log /tmp/a/system.log /tmp/a/txmon.log; grep -h "FAILED" /tmp/a/*.log | head; date +%s
for r in 1 2; do for p in perdure_before perdure; do for b in rtt park egress route; do
 timeout 60 ./$p bench $b --seconds 0.3 --runs 3 --json /tmp/a/${b}_${p}_$r.json > /tmp/a/log 2>&1 || tail -3 /tmp/a/log
 python3 - $p $r $b <<'P'
import json,sys
j=json.load(open(f'/tmp/a/{sys.argv[3]}_{sys.argv[1]}_{sys.argv[2]}.json'))
print(*sys.argv[1:4], {k:(round(v['median'],2) if isinstance(v,dict) and 'median' in v else v) for k,v in j['results'].items() if not isinstance(v,list)})
P
done; done; done 2>&1 | cut -c1-500
cd /tmp/a; tar cJf $OUT/a.tar.xz .
