mkdir -p /work; ln -sfn $PWD /work/main; export PERDURE_CACHE=/tmp/pc
[ -d /tmp/v ] || python3 -c "import lzma,tarfile;tarfile.open('.visit/v.tar.xz').extractall('/tmp')"
mkdir -p /tmp/b $OUT; cd /tmp/v
for i in 0 1 2 3 4 5; do GTEST_TOTAL_SHARDS=6 GTEST_SHARD_INDEX=$i timeout 280 ./wavesim3d_device_test > /tmp/b/wave$i.log 2>&1 & done; wait
grep -hE "^\[  (PASSED|FAILED|SKIPPED)|tests ran" /tmp/b/wave*.log | tee /tmp/b/tests.log
timeout 250 ./txmon bench --backend cuda --threads 12 --readers 3 --transactions 2000000 --json /tmp/b/txmon.json > /tmp/b/txmon_bench.log 2>&1; echo rc $?; tail -12 /tmp/b/txmon_bench.log
timeout 120 ./wavesim3d-bench --size 160 --runs 5 --json /tmp/b/wave_160.json > /tmp/b/wave_bench.log 2>&1; echo rc $?; tail -12 /tmp/b/wave_bench.log
cd /tmp/b; tar cJf $OUT/b.tar.xz .
