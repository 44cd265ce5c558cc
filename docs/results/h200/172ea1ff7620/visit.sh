# the joined commit: tests first, then figures in the order of their worth, as time allows
D=/tmp/final; mkdir -p $D; pids=; for f in .visit/final/*.xz; do python3 -c "import lzma,sys,shutil; shutil.copyfileobj(lzma.open(sys.argv[1]), open(sys.argv[2],'wb'))" $f $D/$(basename $f .xz) & pids="$pids $!"; done; wait $pids; chmod +x $D/*
O=$OUT/final; mkdir -p $O;
export PERDURE_CACHE=/tmp/perdure-cache
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader; lscpu | grep "Model name"
end=${END:-248}
left() { echo $(( end - SECONDS )); }
lim() { local l=$(left); [ $l -gt $1 ] && l=$1; [ $l -lt 1 ] && l=1; echo $l; }
t() { local n=$1 l=$(lim $2); shift 2; local s=$SECONDS
  timeout -k 1 $l "$@" > $O/$n.log 2>&1; echo "$n rc $? $((SECONDS-s)) s: $(tail -n 1 $O/$n.log | cut -c1-120)"
  grep -a "FAILED  \]" $O/$n.log | head -5; }
one() { local n=$1 l=$(lim $2); shift 2; [ $l -lt 3 ] && { echo "no time: $n"; return; }
  local s=$SECONDS
  timeout -k 1 $l "$@" --json $O/$n.json > $O/$n.log 2>&1 || { echo "FAILED $n rc $?"; tail -2 $O/$n.log; }
  echo "$n $((SECONDS-s)) s"; }
P="$D/perdure bench"
pids=
w() { (timeout -k 1 ${W:-45} "$@" >/dev/null 2>&1) & pids="$pids $!"; }
Q="--backend cuda --runs 1 --seconds 0.02 --no-baselines"
w $P rtt $Q
w $P route $Q
w $P route --hot $Q
w $P savina $Q --programs ping_pong
w $P park $Q
w $P egress $Q
w $P hop --words 1000 $Q
w $P inject $Q
for s in 128 256 512; do W=60 w $D/wavesim3d-bench --size $s --runs 1 --steps 4 --check-steps 2; done
w $D/txmon bench --only even --accounts 64000 --transactions 64000 --runs 1 --threads 4 --no-baselines
for k in 0 1; do for g in "Crowd.WhatA*" "Overflow.AFullLaneDrops*" "HotActor.IsTold*" "Rebalance.WhereItCannot*"; do w $D/contract_device_test --gtest_filter="OnDevice/$g/$k"; done; done
wpids=
for i in 0 1 2 3 4 5; do (GTEST_TOTAL_SHARDS=6 GTEST_SHARD_INDEX=$i timeout -k 1 75 $D/wavesim3d_device_test > $O/wave_test.$i.log 2>&1; echo "rc $?" >> $O/wave_test.$i.log) & wpids="$wpids $!"; done
wait $pids; echo "warm $SECONDS s"; wait $wpids; echo "wave tests $SECONDS s: $(grep -ha "PASSED  \]\|FAILED  \]\|^rc" $O/wave_test.*.log | tr '\n' ';' | cut -c1-400)"
t contract 75 $D/contract_device_test --gtest_filter=-*HotActor*
t hot_actor 25 $D/contract_device_test --gtest_filter=*HotActor*
S="--backend cuda --runs 5 --seconds 0.2 --no-baselines"
one rtt 14 $P rtt --backend cuda --runs 5 --seconds 0.4
one wave_256 22 $D/wavesim3d-bench --size 256 --runs 5
one savina_hot 14 $P savina $S --programs count banking
one route_hot 12 $P route --hot --backend cuda --runs 5 --seconds 0.3
one egress 18 $P egress --backend cuda --runs 5 --seconds 0.3
one hop 12 $P hop --words 1000000 --backend cuda --runs 5 --seconds 0.1
one route 12 $P route --backend cuda --runs 5 --seconds 0.3
one savina_lone 12 $P savina $S --programs ping_pong thread_ring
one wave_512 28 $D/wavesim3d-bench --size 512 --runs 5
one park 12 $P park --backend cuda --runs 5 --seconds 0.3
t txmon_test 12 $D/txmon_device_test
one wave_128 16 $D/wavesim3d-bench --size 128 --runs 5
one inject 14 $P inject --backend cuda --runs 5 --seconds 0.2
one txmon_even 30 $D/txmon bench --only even --transactions 2500000 --runs 5 --threads 12 --readers 3 --no-baselines
echo "end $SECONDS s"
python3 - <<'PY'
import json,glob,os
O=os.environ['OUT']+'/final/'
for f in sorted(glob.glob(O+'*.json')):
    try: r=json.load(open(f))
    except Exception as e: print(f,e); continue
    g=lambda d:{k:float('%.4g'%v['median']) for k,v in d.items() if isinstance(v,dict) and 'median' in v}
    print(os.path.basename(f), g(r['results']), g(r.get('baselines',{})))
PY
