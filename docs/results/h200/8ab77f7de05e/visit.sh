#!/bin/bash
export PERDURE_CACHE=/tmp/pc
nvidia-smi --query-gpu=name,uuid,driver_version --format=csv,noheader
P=build/portable/bin/perdure
mkdir -p $OUT/r
b(){ n=$1; shift; timeout 200 $P bench "$@" --json $OUT/r/$n.json 2>&1 | tail -12; }
b route route
b route_8 route --payload 8
b route_10m route --actors 10000000
b route_8_10m route --payload 8 --actors 10000000
b start start
for i in 1 2; do b start_again_$i start; done
