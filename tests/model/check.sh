#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: check.sh [--more | --sample]
# Has spin go through all orders of steps of the model in cache_entry.pml, and
# through those of the model with one mistake made in it, which it must find.
# --more: with one thread more, which takes minutes and some gigabytes.
# --sample: with one of the capacities and one of the mistakes, others each time.
set -euo pipefail
shopt -s inherit_errexit

model=$(cd "$(dirname "$0")" && pwd)/cache_entry.pml
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# run OPTIMIZATION DEFINITIONS ...: the errors that were found, by number. To
# optimize takes seconds, which only a long search is worth.
run() {
    local optimization=$1
    shift
    rm -f pan* ./*.trail
    spin -a "$@" "$model" >spin.log
    "${CC:-cc}" "$optimization" -w -DSAFETY -DCOLLAPSE -DVECTORSZ=2048 \
        -o pan pan.c
    ./pan -m1000000 -w24 >pan.log
    # Neither cut off nor out of memory.
    if grep -qE "max search depth too small|out of memory" pan.log; then
        cat pan.log >&2
        return 1
    fi
    sed -n 's/.*errors: \([0-9]*\).*/\1/p' pan.log
}

broken=0
must() {
    local wanted=$1 found optimization=-O0
    shift
    [ "$wanted" = none ] && optimization=-O1
    found=$(run "$optimization" "$@")
    states=$(sed -n 's/ *\([0-9.e+]*\) states, stored.*/\1/p' pan.log)
    if { [ "$wanted" = none ] && [ "$found" = 0 ]; } ||
        { [ "$wanted" = some ] && [ "$found" -gt 0 ]; }; then
        echo "ok      $*: errors: $found, states: $states"
    else
        echo "FAILED  $*: errors: $found, states: $states"
        grep -E "pan:[0-9]*:" pan.log || true
        broken=1
    fi
}

mistakes=(
    "-DBUG=1"             # no room is made
    "-DBUG=2"             # entries in progress are evicted
    "-DBUG=3 -DREPLACE=1" # what was replaced enters
    "-DBUG=4"             # a wake-up without the entry's lock
    "-DBUG=5"             # waiters are not counted as users
    "-DBUG=6 -DREPLACE=1" # a build begun meanwhile is lost
)
capacities=(1 2)
threads=2
case ${1:-} in
--more) threads=3 ;;
--sample)
    capacities=("$((RANDOM % 2 + 1))")
    mistakes=("${mistakes[RANDOM % ${#mistakes[@]}]}")
    ;;
esac
for capacity in "${capacities[@]}"; do
    must none -DTHREADS="$threads" -DCAPACITY="$capacity"
    must none -DTHREADS=2 -DCAPACITY="$capacity" -DREPLACE=1
done
for mistake in "${mistakes[@]}"; do
    read -ra definitions <<<"$mistake"
    must some -DTHREADS=2 "${definitions[@]}"
done
exit "$broken"
