D=/tmp/f; mkdir -p $D; for f in .visit/f/*.xz; do python3 -c "import lzma,sys,shutil; shutil.copyfileobj(lzma.open(sys.argv[1]), open(sys.argv[2],'wb'))" $f $D/$(basename $f .xz) & done; wait; chmod +x $D/*
O=$OUT/f; mkdir -p $O; export PERDURE_CACHE=/tmp/pc; mkdir -p $PERDURE_CACHE
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader; lscpu | grep "Model name"
for i in 0 1 2 3 4 5; do (GTEST_TOTAL_SHARDS=6 GTEST_SHARD_INDEX=$i timeout -k 1 115 $D/wavesim3d_device_test > $O/wave_test.$i.log 2>&1; echo "rc $?" >> $O/wave_test.$i.log) & done
for i in 0 1 2 3 4; do (GTEST_TOTAL_SHARDS=5 GTEST_SHARD_INDEX=$i timeout -k 1 115 $D/contract_device_test --gtest_brief=1 > $O/contract.$i.log 2>&1; echo "rc $?" >> $O/contract.$i.log) & done
(timeout 60 $D/txmon_device_test > $O/txmon.log 2>&1; echo "rc $?" >> $O/txmon.log) &
for n in rtt "savina --programs ping_pong" "hop --words 1000000" route; do (timeout 60 $D/perdure bench $n --no-baselines --runs 1 --seconds 0.01 > /dev/null 2>&1) & done; wait
echo "tests $SECONDS s: $(grep -ha "tests ran\|PASSED  \]\|FAILED  \]\|^rc" $O/{wave_test,contract}.*.log $O/txmon.log | tr '\n' ';' | cut -c1-1800)"
b() { local n=$1; shift; timeout -k 1 40 $D/perdure bench "$@" --json $O/$n.json > $O/$n.log 2>&1 || echo "$n rc $?"; grep -h "inbox.*p50\|half_rate_p99\|  p50\|  p99\|per_s" $O/$n.log | cut -c1-80; }
b rtt rtt --runs 5 --seconds 0.4; b hop hop --runs 5 --seconds 0.3 --words 1000000; b savina savina --runs 5 --scale 0.05 --no-baselines; b route route --runs 5 --seconds 0.4
for s in 64 128 256; do timeout -k 1 25 $D/wavesim3d-bench --size $s --json $O/wave_$s.json > $O/wave_$s.log 2>&1; echo "wave $s rc $?"; grep -h "Gcells\|actors\|resident\|graph" $O/wave_$s.log | head -6 | cut -c1-110; done
echo "end $SECONDS s"; cd $OUT; tar cJf f.txz f && rm -rf f
