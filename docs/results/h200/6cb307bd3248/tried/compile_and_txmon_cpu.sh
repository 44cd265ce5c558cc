cd .gpu3/hB; chmod +x *; export PERDURE_CACHE=/tmp/pc
date; lscpu | grep -E "Model name|^CPU\(s\)"; cat /sys/kernel/mm/transparent_hugepage/enabled
./nvt echo_actors.actors.cu 2 base noline noline,-split-compile=2 noline,-split-compile=4 noline,-split-compile=8 noline,-split-compile=0
date
tx() { # cores bin tag
 taskset -c $1 ./$2 bench --backend cpu --only even --workers $4 --runs 5 --transactions 1000000 --json $OUT/../tx_$2.$3.json > /dev/null 2>&1; }
rounds() {
 tx 8,9 txmon_base 1 1 & tx 10,11 txr_8_256 1 1 & tx 12,13 txl_8_320 1 1 & tx 14,15 txu_8_320 1 1 & wait
 tx 8,9 txr_8_512 2 1 & tx 10,11 txu_12_320 2 1 & tx 12,13 txl_8_256 2 1 & tx 14,15 txmon_base 2 1 & wait
 tx 8,9 txu_8_320 3 1 & tx 10,11 txmon_base 3 1 & tx 12,13 txr_8_256 3 1 & tx 14,15 txu_12_320 3 1 & wait; }
rounds & R=$!
for i in 1 2; do
 TRY= TRY_NOT= taskset -c 0-7 ./perdure_try bench route --runs 3 --seconds 0.5 2>&1 | tail -4
 TRY=-split-compile=8 TRY_NOT=--generate-line-info taskset -c 0-7 ./perdure_try bench route --runs 3 --seconds 0.5 2>&1 | tail -4
done
date
wait $R
date
python3 - <<'P'
import json,glob,os
for f in sorted(glob.glob(os.environ['OUT']+'/../tx_*.json')):
    d=json.load(open(f))['results']['even']
    a=d['actors']; s=d['single_thread']['seconds']
    c=a['core_seconds']['samples']; r=a['transactions_per_s']['samples']
    print(os.path.basename(f),'core/M min %.3f med %.3f'%(min(c),sorted(c)[len(c)//2]),'rate med %.2f max %.2f'%(sorted(r)[len(r)//2]/1e6,max(r)/1e6),'loop s min %.3f med %.3f'%(min(s),sorted(s)[len(s)//2]))
P
cp $OUT/../tx_*.json $OUT/ 2>/dev/null; cd $OUT && tar cf tx.tar tx_*.json && rm tx_*.json
