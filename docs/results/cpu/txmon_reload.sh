# From the repository's root: bash docs/results/cpu/txmon_reload.sh; answers "equal to the oracle" or fails.
set -euo pipefail
out=$(mktemp -d)
echo '{"velocity_limit": 10}' >"$out/rules.json"
build/dev/bin/txmon --generate rows=5000000,accounts=100000,zipf=0,gap=5 --rules "$out/rules.json" --backend cpu --threads 2 \
  --lanes 2 --verify --out "$out" --alerts "$out/alerts.db" 2>&1 &
sleep 1.5
echo '{"velocity_limit": 10, "changes": [{"from_ms": 20000000, "amount_limit": 300, "velocity_limit": 7}]}' >"$out/rules.json"
kill -HUP %1
wait %1
