mkdir -p /work $OUT; ln -sfn $PWD /work/main; ln -sfn $PWD /tmp/w59; export PERDURE_CACHE=/tmp/pc
python3 -c "import lzma,tarfile;tarfile.open('.visit/v.tar.xz').extractall('/tmp')"
mkdir -p /tmp/o
timeout 60 /tmp/v/perdure bench letters --seconds 0.3 --runs 1 > /tmp/o/l1.log 2>&1; echo bench $?; tail -22 /tmp/o/l1.log
timeout 60 /tmp/v/perdure bench letters --seconds 0.1 --runs 1 --workers 1 --lanes-each 32 --actors 100 --threads 1 > /tmp/o/l2.log 2>&1; echo bench $?; tail -12 /tmp/o/l2.log
timeout 60 /tmp/v/perdure bench letters --seconds 0.1 --runs 1 --workers 1 --lanes-each 512 --actors 1000 --threads 1 > /tmp/o/l3.log 2>&1; echo bench $?; tail -12 /tmp/o/l3.log
timeout 100 /tmp/v/contract_device_test --gtest_filter='*LongLetters.AnswerAsksOneByOne*' --gtest_repeat=3 > /tmp/o/asks.log 2>&1; grep -c "OK" /tmp/o/asks.log; grep -A3 "STUCK" /tmp/o/asks.log | cut -c1-1500 | head -20
tar czf $OUT/x.tgz -C /tmp/o .
