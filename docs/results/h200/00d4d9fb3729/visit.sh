#!/usr/bin/env bash
# figures at this commit, five runs each, baselines beside
mkdir -p /work; ln -sfn $PWD /work/main; export PERDURE_CACHE=/tmp/pc
python3 -c "import lzma,tarfile;tarfile.open('.visit/v.tar.xz').extractall('/tmp')"
mkdir -p /tmp/c $OUT; cd /tmp/v
one() { local name=$1; shift; local from=$(date +%s); timeout 150 ./perdure bench "$@" --seconds 0.5 --json /tmp/c/$name.json > /tmp/c/$name.log 2>&1; echo "$name rc $? $(( $(date +%s) - from )) s"; }
one rtt rtt; one park park; one rtt_again rtt; one inject inject; one egress egress; one route route; one hop hop; one hop_cluster hop --cluster 4; one savina savina --scale 0.1; one start start
timeout 100 ./perdure bench clock --seconds 60 --json /tmp/c/clock.json > /tmp/c/clock.log 2>&1; echo clock rc $?
timeout 90 ./wavesim3d-bench --size 128 --runs 5 --json /tmp/c/wave_128.json > /tmp/c/wave_bench.log 2>&1; echo rc $?; tail -6 /tmp/c/wave_bench.log
cd /tmp/c; tail -2 *.log | cut -c1-300; tar cJf $OUT/c.tar.xz .
