here=$(cd "$(dirname "$0")" && pwd)
out=$OUT/hot; mkdir -p "$out"
export PERDURE_CACHE=/tmp/perdure-cache-hot
cd "$here"; bin=${HOT_BIN:-/tmp/hot}; mkdir -p $bin
[ -z "$HOT_BIN" ] && for f in *.gz; do gzip -dc $f > $bin/${f%.gz}; chmod +x $bin/${f%.gz}; done
t0=$SECONDS
b() { timeout "$1" $bin/p_$2 bench "${@:4}" --backend cuda --json "$out/$3.json" > "$out/$3.log" 2>&1; echo "$3 rc $? at $((SECONDS-t0))"; }
pids=()
for v in base one a4 a2 a8; do
  b 30 $v warm_hot_$v route --hot --no-baselines --runs 1 --seconds 0.05 & pids+=($!)
done
for v in base a4; do
  b 30 $v warm_savina_$v savina --no-baselines --programs count banking --runs 1 --seconds 0.02 & pids+=($!)
done
timeout 20 $bin/contract --gtest_filter='*OnDevice/HotActor.IsToldInOrderWhatHasWaited/0' > "$out/warm_contract.log" 2>&1 & pids+=($!)
wait "${pids[@]}"
rm -f "$out"/warm_*.json
for i in 1 2 3; do for v in one a4 a2 a8; do b 6 $v hot_$v.$i route --hot --no-baselines --runs 3 --seconds 0.15; done; done
b 6 base hot_base.1 route --hot --no-baselines --runs 3 --seconds 0.15
for i in 1 2 3; do for v in base a4; do b 6 $v savina_$v.$i savina --runs 3 --seconds 0.1 --no-baselines --programs count banking; done; done
b 8 a4 hot_hand route --hot --runs 5 --seconds 0.3
timeout 26 $bin/contract --gtest_filter='*OnDevice/HotActor*' > "$out/contract_hot.log" 2>&1; echo "contract rc $? at $((SECONDS-t0))"; tail -3 "$out/contract_hot.log"; grep -c "OK" "$out/contract_hot.log"
python3 - "$out" <<'PY'
import json,sys,glob
for f in sorted(glob.glob(sys.argv[1]+'/*.json')):
    d=json.load(open(f))
    print(f.split('/')[-1], {k:(v.get('median') if isinstance(v,dict) else v) for k,v in d['results'].items()}, {k:v.get('median') for k,v in d.get('baselines',{}).items() if isinstance(v,dict)})
PY
