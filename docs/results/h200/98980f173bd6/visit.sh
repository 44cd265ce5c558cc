cd .gpu3/main; chmod +x *; mkdir -p /tmp/r; export PERDURE_CACHE=/tmp/pc
run() { local n=$1 l=$2; shift 2; local s=$SECONDS; timeout $l "$@" > /tmp/r/$n.log 2>&1; local rc=$?; echo "$n rc $rc $((SECONDS-s)) s: $(grep -E 'PASSED|FAILED|tests ran' /tmp/r/$n.log | tr '\n' ' ' | cut -c1-300)"; [ $rc = 0 ] || tail -15 /tmp/r/$n.log; }
b() { local n=$1 l=$2 B=$3; shift 3; local s=$SECONDS; timeout $l $B bench "$@" --backend cuda --json /tmp/r/$n.json > /tmp/r/$n.log 2>&1; local rc=$?; python3 - /tmp/r/$n.json $n $rc $((SECONDS-s)) <<'P'
import json,sys
try:
    j=json.load(open(sys.argv[1])); R=j['results']
    print(sys.argv[2:], {k:float('%.4g'%v['median']) for k,v in R.items() if isinstance(v,dict) and 'median' in v})
    B=j.get('baselines') or {}
    print('    beside', {k:float('%.4g'%v['median']) for k,v in B.items() if isinstance(v,dict) and 'median' in v})
except Exception as e: print(sys.argv[2:], 'FAILED', e); print(open(sys.argv[1].replace('.json','.log')).read()[-500:])
P
}
nvidia-smi --query-gpu=name,uuid,driver_version --format=csv,noheader
wb() { local n=$1 l=$2; shift 2; local s=$SECONDS; timeout $l ./wavesim3d-bench "$@" --json /tmp/r/$n.json > /tmp/r/$n.log 2>&1; local rc=$?; echo "$n rc $rc $((SECONDS-s)) s"; grep -E "actors |actors_|graph  |naive|differ|rror" /tmp/r/$n.log; }
p() { local n=$1; echo "plain $n: $(PERDURE_CACHE=/tmp/pc_0 timeout 60 ./wavesim3d s$n.json --backend cuda --no-animation --out /tmp/o$n 2>&1 | grep -E "ms for|rror" | tr '\n' ' ')"; }
t() { local v=$1 n=$2; echo "$v $n: $(PERDURE_NVRTC=$PWD/libshim.so SHIM_REAL=/usr/local/cuda/lib64/libnvrtc.so.13 SHIM_DIR=$PWD/$v PERDURE_CACHE=/tmp/pc_$v timeout 60 ./wavesim3d s$n.json --backend cuda --no-animation --out /tmp/o$n 2>&1 | grep -E "PH|ms for|rror" | tr '\n' ' ')"; }
p 256; t vec 256; p 256; t vec 256
wb wave_256 90 --size 256 --runs 5
wb wave_512 110 --size 512 --runs 5
run wavesim3d_device_test 150 ./wavesim3d_device_test
wb wave_128 60 --size 128 --runs 5
cp /tmp/r/* $OUT/
wb wave_64 60 --size 64 --runs 5
wb wave_160 60 --size 160 --runs 5
cp /tmp/r/* $OUT/
