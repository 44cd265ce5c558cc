#!/usr/bin/env bash
# tests/models/check.sh - runs Spin over one model: every interleaving, then its liveness claims, if it has some.
# Why: a model proves nothing unless the same run also finds what was broken on purpose.
# Usage: check.sh MODEL holds|fails [-DNAME...]
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
model=$(realpath "$1") wanted=$2
shift 2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cp "$model" model.pml
spin -a "$@" model.pml >spin.log 2>&1 || { cat spin.log; exit 2; }

# search NAME COMPILER-FLAGS -- PAN-FLAGS: 0 if nothing was found, 1 if something was, 2 if it did not end
search() {
  local name=$1 flags=()
  shift
  while [ "$1" != -- ]; do flags+=("$1"); shift; done
  shift
  "${CC:-cc}" -O2 -w -DMEMLIM=2000 "${flags[@]}" -o pan pan.c || exit 2
  ./pan -m1000000 "$@" >pan.log 2>&1 || { cat pan.log; exit 2; }
  grep -E '^pan:|errors:|states, stored' pan.log | sed "s/^/$name: /"
  ! grep -qE 'max search depth too small|out of memory|aborted' pan.log || { cat pan.log; exit 2; }
  grep -q 'errors: 0' pan.log
}

found=holds
search safety -DSAFETY -DNOCLAIM -- || found=fails
if grep -q '^ltl' model.pml && [ "$found" = holds ]; then
  search liveness -DNFAIR=4 -- -a -f || found=fails
fi
[ "$found" = "$wanted" ] || { echo "$(basename "$model") $* $found, and it should not"; exit 1; }
