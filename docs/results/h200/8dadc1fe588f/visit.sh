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
mkdir -p /tmp/r/wave
timeout 170 ./wavesim3d-bench --size 64,128,160,256 --runs 5 --out /tmp/r/wave 2>&1
tar czf $OUT/r.tgz -C /tmp r
run wavesim3d_device_test 120 ./wavesim3d_device_test
run contract_device_test 120 ./contract_device_test --gtest_brief=1
tar czf $OUT/r.tgz -C /tmp r
b route 40 ./perdure route --runs 5
b hop 60 ./perdure hop --runs 5
b rtt 40 ./perdure rtt --runs 5
tar czf $OUT/r.tgz -C /tmp r
run txmon_device_test 60 ./txmon_device_test --gtest_brief=1
tar czf $OUT/r.tgz -C /tmp r
