mkdir -p /work; ln -sfn $PWD /work/main; export PERDURE_CACHE=/tmp/pc
python3 -c "import lzma,tarfile;tarfile.open('.visit/v.tar.xz').extractall('/tmp')"
mkdir -p /tmp/c $OUT; cd /tmp/v; lscpu | grep -E "Model name|Thread|Core|L2|L3" ; nproc
for i in 1 2 3; do timeout 60 taskset -c 4,6 env OMP_NUM_THREADS=2 ./wavesim3d-bench --backend cpu --size 128 --workers 2 --steps 400 --runs 5 --json /tmp/c/wave_128_cpu_$i.json 2>&1 | tail -6; done
for i in 1 2; do timeout 60 ./perdure bench rtt --seconds 0.5 --json /tmp/c/rtt_$i.json 2>&1 | grep -E "p50|p99|max_asks"; done
timeout 60 ./perdure bench egress --seconds 0.5 --json /tmp/c/egress.json 2>&1 | grep -E "threads"
cd /tmp/c; tar cJf $OUT/c.tar.xz .
