# tools/lib.sh - what tools/* share: where the tree is, how they speak, what they build. Sourced by bash.
# Why: set-up must be the same whichever command a person starts with.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
jobs=${PERDURE_JOBS:-$(nproc)}
# Another clone of the tree, in another folder, finds what this one compiled.
export CCACHE_MAXSIZE=${CCACHE_MAXSIZE:-5G} CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=1
export CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime

say() { printf '== %s\n' "$*"; }
die() {
  printf '%s: %s\n' "${0##*/}" "$*" >&2
  exit 1
}

# build PRESET [TARGET...] - configures only what is not configured yet (ninja does so again when it must).
build() {
  local preset=$1
  shift
  [ -f "build/$preset/build.ninja" ] || cmake --preset "$preset" >"$(log_of "$preset-configure")" 2>&1 ||
    { cat "$(log_of "$preset-configure")" >&2; die "cmake --preset $preset failed"; }
  local targets=()
  [ $# -eq 0 ] || targets=(--target "$@")
  say "building $preset ${*:+($*)}"
  cmake --build --preset "$preset" -j "$jobs" "${targets[@]}"
}

# A file under build/ for the output of one step.
log_of() {
  mkdir -p build/logs
  printf 'build/logs/%s.log' "$1"
}
