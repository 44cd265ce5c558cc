# the joined commit: tests, then figures in the order of their worth
D=/tmp/final; mkdir -p $D; for f in .visit/final/*.xz; do python3 -c "import lzma,sys,shutil; shutil.copyfileobj(lzma.open(sys.argv[1]), open(sys.argv[2],'wb'))" $f $D/$(basename $f .xz) & done; wait; chmod +x $D/*
O=$OUT/final; mkdir -p $O;
export PERDURE_CACHE=/tmp/perdure-cache
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader
end=${END:-255}
left() { echo $(( end - SECONDS )); }
lim() { local l=$(left); [ $l -gt $1 ] && l=$1; [ $l -lt 1 ] && l=1; echo $l; }
t() { # name limit command: a test
  local n=$1 l=$(lim $2); shift 2; local s=$SECONDS
  timeout -k 1 $l "$@" > $O/$n.log 2>&1; echo "$n rc $? $((SECONDS-s)) s: $(tail -n 1 $O/$n.log | cut -c1-120)"
  grep -a "FAILED  \]" $O/$n.log | head -5
}
one() { # name limit bench...
  local n=$1 l=$(lim $2); shift 2; [ $l -lt 2 ] && { echo "no time: $n"; return; }
  local s=$SECONDS
  timeout -k 1 $l "$@" --json $O/$n.json > $O/$n.log 2>&1 || { echo "FAILED $n rc $?"; tail -2 $O/$n.log; }
  echo "$n $((SECONDS-s)) s"
}
P="$D/perdure bench"
pids=
w() { (timeout 70 "$@" >/dev/null 2>&1) & pids="$pids $!"; }
w $P rtt --backend cuda --runs 1 --seconds 0.02 --no-baselines
w $P route --backend cuda --runs 1 --seconds 0.02 --no-baselines
w $P route --hot --backend cuda --runs 1 --seconds 0.02 --no-baselines
w $P savina --backend cuda --runs 1 --seconds 0.02 --no-baselines --programs count banking
w $P park --backend cuda --runs 1 --seconds 0.02 --no-baselines
w $P egress --backend cuda --runs 1 --seconds 0.02 --no-baselines
w $P hop --words 1000 --backend cuda --runs 1 --seconds 0.02 --no-baselines
w $P inject --backend cuda --runs 1 --seconds 0.02 --no-baselines
for s in 64 128 256; do w $D/wavesim3d-bench --size $s --runs 1; done
wait $pids; echo "warm $SECONDS s"
t contract 80 $D/contract_device_test --gtest_filter="${CONTRACT:-*Crowd*:*Amplify*:*Stamps*:*BusyRing*:*HotActor*:*BesideHosts*:*Rebalance.ThoseWho*:*Overflow.*/0}"
one rtt 14 $P rtt --backend cuda --runs 5 --seconds 0.4
one park 14 $P park --backend cuda --runs 5 --seconds 0.3
one route_hot 14 $P route --hot --backend cuda --runs 5 --seconds 0.3
one egress 20 $P egress --backend cuda --runs 5 --seconds 0.3
one wave_128 20 $D/wavesim3d-bench --size 128 --runs 5
t wave_test 62 $D/wavesim3d_device_test
t txmon_test 40 $D/txmon_device_test
one route 12 $P route --backend cuda --runs 5 --seconds 0.3
one hop 12 $P hop --words 1000000 --backend cuda --runs 5 --seconds 0.1
one inject 14 $P inject --backend cuda --runs 5 --seconds 0.2
one wave_64 12 $D/wavesim3d-bench --size 64 --runs 5
one wave_256 20 $D/wavesim3d-bench --size 256 --runs 5
one savina 12 $P savina --backend cuda --runs 5 --seconds 0.2 --programs count banking
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
