#!/usr/bin/env bash
# wave_64 with its baselines (128^3 ran out of its time), then the contract's, wavesim3d's, wide and system tests on the device
mkdir -p /work; ln -sfn $PWD /work/main; export PERDURE_CACHE=/tmp/pc
python3 -c "import lzma,tarfile;tarfile.open('.visit/v.tar.xz').extractall('/tmp')"
mkdir -p /tmp/a $OUT; cd /tmp/v; nvidia-smi --query-gpu=name,driver_version,clocks.sm,clocks.mem --format=csv > /tmp/a/gpu.txt; cat /tmp/a/gpu.txt
(timeout 45 ./wavesim3d-bench --size 64 --runs 5 --json /tmp/a/wave_64.json; timeout 45 ./wavesim3d-bench --size 128 --runs 5 --json /tmp/a/wave_128.json) > /tmp/a/wave.log 2>&1; cat /tmp/a/wave.log | cut -c1-110
for i in 0 1 2 3 4 5 6 7; do GTEST_TOTAL_SHARDS=8 GTEST_SHARD_INDEX=$i timeout 130 ./contract_device_test > /tmp/a/contract$i.log 2>&1 & done
for i in 0 1 2 3 4 5 6; do GTEST_TOTAL_SHARDS=7 GTEST_SHARD_INDEX=$i timeout 130 ./wavesim3d_device_test > /tmp/a/wavesim3d$i.log 2>&1 & done
wait; for t in wide system; do timeout 60 ./${t}_device_test > /tmp/a/$t.log 2>&1; done
grep -cE "^\[       OK" /tmp/a/*.log; grep -h FAILED /tmp/a/*.log | head
cd /tmp/a; tar cJf $OUT/a.tar.xz .
