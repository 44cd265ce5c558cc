python3 -c "import lzma,tarfile;tarfile.open('.visit/v.tar.xz').extractall('/tmp/v')"
mkdir -p /work; ln -sfn $PWD /work/main; export PERDURE_CACHE=/tmp/pc; cd /tmp/v/v; nvidia-smi --query-gpu=name --format=csv,noheader
for i in 0 1 2 3 4 5; do GTEST_TOTAL_SHARDS=6 GTEST_SHARD_INDEX=$i ./wavesim3d_device_test > /tmp/w$i.log 2>&1 & done; wait
cat /tmp/w?.log > $OUT/tests.log; grep -h "PASSED\|FAILED\|SKIPPED" $OUT/tests.log
./wavesim3d-bench --size 256 --runs 5 --json $OUT/wave_256.json 2>&1 | grep -E "actors|graph|rror"
./wavesim3d-bench --size 512 --runs 5 --json $OUT/wave_512.json 2>&1 | grep -E "actors|graph|rror"
timeout 60 ./perdure bench rtt --seconds 0.5 --json $OUT/rtt.json 2>&1 | tail -12
timeout 60 ./perdure bench hop --cluster 4 --words 1000000000 --seconds 0.5 --json $OUT/hop_cluster.json 2>&1 | tail -25
