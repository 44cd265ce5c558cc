python3 -c "import lzma,tarfile;tarfile.open('.visit/v.tar.xz').extractall('/tmp/v')"
export PERDURE_CACHE=/tmp/pc; cd /tmp/v/v; nvidia-smi --query-gpu=name --format=csv,noheader
timeout 150 ./wavesim3d-bench --size 64,128,160 --runs 5 --out $OUT/w 2>&1 | grep -E "cells|actors|resident|graph|rror" | tee $OUT/wave_bench.log
