mkdir -p /work $OUT; ln -sfn $PWD /work/main; ln -sfn $PWD /tmp/w59; export PERDURE_CACHE=/tmp/pc
python3 -c "import lzma,tarfile;tarfile.open('.visit/v.tar.xz').extractall('/tmp')"
mkdir -p /tmp/o
for b in rtt egress inject; do timeout 60 /tmp/v/perdure bench $b --seconds 0.5 --json /tmp/o/$b.json > /tmp/o/$b.log 2>&1; echo $b $?; grep -v "^  report" /tmp/o/$b.log | tail -12; done
timeout 30 /tmp/v/perdure bench route --seconds 0.5 --json /tmp/o/route.json > /tmp/o/route.log 2>&1; tail -5 /tmp/o/route.log
timeout 30 /tmp/v/perdure bench letters --seconds 0.3 > /tmp/o/letters2.log 2>&1; tail -10 /tmp/o/letters2.log
timeout 170 env PERDURE_TIME_SCALE=100 compute-sanitizer --tool memcheck --error-exitcode 9 /tmp/v/contract_device_test --gtest_filter='*LongLetters.OfSmallActors*/0:*LongLetters.OfWide*/0:*LongLetters.AnswerAsksOne*/1:*LongLetters.WithoutABuffer*/0' > /tmp/o/memcheck.log 2>&1; echo memcheck $?; tail -4 /tmp/o/memcheck.log
tar czf $OUT/x.tgz -C /tmp/o .
