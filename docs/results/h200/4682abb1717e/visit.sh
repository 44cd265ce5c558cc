cd .gpu3/main; chmod +x *; mkdir -p /tmp/r; export PERDURE_CACHE=/tmp/pc
t() { local s=$SECONDS; echo "--- $*"; }
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
b start_base 30 ./perdure_base start --runs 3
b start_new 30 ./perdure start --runs 3
run contract_device_test 140 ./contract_device_test --gtest_brief=1
b route 40 ./perdure route --runs 5
b route_8 40 ./perdure route --runs 5 --payload 8
b route_10m 50 ./perdure route --runs 5 --actors 10000000 --no-baselines
run wavesim3d_device_test 60 ./wavesim3d_device_test --gtest_brief=1
run txmon_device_test 60 ./txmon_device_test --gtest_brief=1
mkdir -p /tmp/r/wave; timeout 70 ./wavesim3d-bench --size 64,128 --runs 5 --out /tmp/r/wave 2>&1 | tail -14
for k in 1 2; do for v in base new; do T=./txmon; [ $v = base ] && T=./txmon_base; timeout 40 $T bench --only resident --transactions 3000000 --runs 3 --no-baselines --json /tmp/r/resident_$v.$k.json 2>&1 | grep -iE 'resident|M/s' | head -2; done; done
b rtt 40 ./perdure rtt --runs 5
b inject 40 ./perdure inject --runs 5
timeout 30 ./wavesim3d-bench --size 160 --runs 3 --out /tmp/r/wave 2>&1 | tail -6
for v in base new; do T=./txmon; [ $v = base ] && T=./txmon_base; timeout 40 $T bench --only even --threads 11 --readers 4 --transactions 2500000 --runs 3 --no-baselines --json /tmp/r/even_$v.json 2>&1 | grep -iE 'even|M/s' | head -2; done
tar czf $OUT/r.tgz -C /tmp r
