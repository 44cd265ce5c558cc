mkdir -p /work $OUT; ln -sfn $PWD /work/main; ln -sfn $PWD /tmp/w59; export PERDURE_CACHE=/tmp/pc
python3 -c "import lzma,tarfile;tarfile.open('.visit/v.tar.xz').extractall('/tmp')"
mkdir -p /tmp/o
timeout 90 /tmp/v/perdure bench letters --seconds 1 --json /tmp/o/letters.json > /tmp/o/letters_bench.log 2>&1; echo bench $?; tail -14 /tmp/o/letters_bench.log
timeout 60 /tmp/v/perdure bench letters --seconds 0.3 --lanes-each 32 > /tmp/o/letters_32.log 2>&1; echo bench32 $?; grep answer_ /tmp/o/letters_32.log
for i in 0 1 2 3 4 5 6 7; do (GTEST_TOTAL_SHARDS=8 GTEST_SHARD_INDEX=$i timeout 330 /tmp/v/contract_device_test > /tmp/o/contract_$i.log 2>&1; echo contract $i $?; tail -2 /tmp/o/contract_$i.log | head -3; grep "FAILED  \]" /tmp/o/contract_$i.log | head -3) & done
(timeout 330 /tmp/v/wide_device_test > /tmp/o/wide.log 2>&1; echo wide $?; tail -2 /tmp/o/wide.log) &
wait
tar czf $OUT/x.tgz -C /tmp/o .
