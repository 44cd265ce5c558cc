mkdir -p /work $OUT; ln -sfn $PWD /work/main; ln -sfn $PWD /tmp/w59; export PERDURE_CACHE=/tmp/pc
python3 -c "import lzma,tarfile;tarfile.open('.visit/v.tar.xz').extractall('/tmp')"
nvidia-smi -q | grep -E "Product Name|Driver Version|Graphics  *:|SM  *:|Memory  *:" | head -8 > /tmp/dev.txt
mkdir -p /tmp/o; cd $PWD
timeout 200 /tmp/v/contract_device_test --gtest_filter='*LongLetters*' > /tmp/o/letters.log 2>&1; echo letters $?; tail -5 /tmp/o/letters.log; grep -A14 "^\[ RUN" /tmp/o/letters.log | grep -A14 -m3 Failure | head -40
/tmp/v/perdure bench letters --seconds 0.5 --json /tmp/o/letters.json > /tmp/o/letters_bench.log 2>&1; echo bench $?; tail -30 /tmp/o/letters_bench.log
/tmp/v/perdure bench egress --seconds 0.5 --json /tmp/o/egress.json > /tmp/o/egress.log 2>&1; echo egress $?; tail -12 /tmp/o/egress.log
[ -n "$1" ] || { tar czf $OUT/x.tgz -C /tmp/o .; exit; }
tar czf $OUT/x.tgz -C /tmp/o .
