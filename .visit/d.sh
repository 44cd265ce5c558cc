mkdir -p /work $OUT; ln -sfn $PWD /work/main; ln -sfn $PWD /tmp/w59; export PERDURE_CACHE=/tmp/pc
python3 -c "import lzma,tarfile;tarfile.open('.visit/v.tar.xz').extractall('/tmp')"
mkdir -p /tmp/o
timeout 90 /tmp/v/perdure bench letters --seconds 1 --json /tmp/o/letters.json > /tmp/o/letters_bench.log 2>&1; echo bench $?; tail -14 /tmp/o/letters_bench.log
timeout 240 /tmp/v/contract_device_test --gtest_filter='*LongLetters*' > /tmp/o/letters.log 2>&1; echo letters $?; tail -4 /tmp/o/letters.log; grep -A12 -m3 "Failure" /tmp/o/letters.log | head -50
tar czf $OUT/x.tgz -C /tmp/o .
