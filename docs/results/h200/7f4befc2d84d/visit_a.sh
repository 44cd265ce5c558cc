# tests on the device, then wavesim3d's and txmon's benches as wholes
D=/tmp/final; mkdir -p $D; pids=; for f in .visit/final/*.xz; do python3 -c "import lzma,sys,shutil; shutil.copyfileobj(lzma.open(sys.argv[1]), open(sys.argv[2],'wb'))" $f $D/$(basename $f .xz) & pids="$pids $!"; done; wait $pids; chmod +x $D/*
O=$OUT/final; mkdir -p $O/wave; export PERDURE_CACHE=/tmp/perdure-cache; mkdir -p $PERDURE_CACHE; tar xf $D/cache.tar -C $PERDURE_CACHE
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader; lscpu | grep "Model name"
t() { local n=$1 l=$2; shift 2; local s=$SECONDS
  timeout -k 1 $l "$@" > $O/$n.log 2>&1; echo "$n rc $? $((SECONDS-s)) s: $(tail -n 1 $O/$n.log | cut -c1-120)"
  grep -a "FAILED  \]" $O/$n.log | head -8; }
wpids=
for i in 0 1 2 3 4 5; do (GTEST_TOTAL_SHARDS=6 GTEST_SHARD_INDEX=$i timeout -k 1 85 $D/wavesim3d_device_test > $O/wave_test.$i.log 2>&1; echo "rc $?" >> $O/wave_test.$i.log) & wpids="$wpids $!"; done
wait $wpids; echo "wave tests $SECONDS s: $(grep -ha "PASSED  \]\|FAILED  \]\|^rc" $O/wave_test.*.log | tr '\n' ';' | cut -c1-400)"
t hot_actor 30 $D/contract_device_test --gtest_filter=*HotActor*
t contract 110 $D/contract_device_test --gtest_filter=-*HotActor*
t wide 45 $D/wide_device_test
t txmon_test 12 $D/txmon_device_test
t system_test 12 $D/system_device_test
t wave_bench 190 $D/wavesim3d-bench --out $O/wave
grep -a "actors\|graph\|resident\|cells" $O/wave_bench.log | head -60
l=$((570 - SECONDS)); [ $l -gt 190 ] && l=190
t txmon_bench $l $D/txmon bench --backend cuda --threads 12 --readers 3 --transactions 2000000 --json $O/txmon.json
cat $O/txmon_bench.log | tail -40
echo "end $SECONDS s"; cp $O/wave/*.json $O/ 2>/dev/null; rm -rf $O/wave
cd $OUT && tar cJf final_a.txz final && rm -rf final; ls -la
