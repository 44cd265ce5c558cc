#!/usr/bin/env bash
# every figure of `perdure bench all`, five runs each
mkdir -p /work; ln -sfn $PWD /work/main; export PERDURE_CACHE=/tmp/pc
python3 -c "import lzma,tarfile;tarfile.open('.visit/v.tar.xz').extractall('/tmp')"
mkdir -p /tmp/all $OUT; cd /tmp/v
timeout 560 ./perdure bench all --seconds 0.5 --out /tmp/all > /tmp/all/bench_all.log 2>&1; echo rc $?
cd /tmp/all; tail -5 bench_all.log; ls -la; tar cJf $OUT/all.tar.xz .
