#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: test_store_results.sh BENCH PROJECT
#
# What the stores' benchmark writes, scripts/results.py puts into the
# documents and finds there again; what was changed it finds, too.
set -euo pipefail

bench=$1
project=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
docs=$work/docs/reference
results=$work/bench/results

fail() {
    echo "test_store_results.sh: $*" >&2
    exit 1
}

# run STATUS COMMAND ...: it must end with that one.
run() {
    local wanted=$1 status=0
    shift
    "$@" >"$work/words" 2>&1 || status=$?
    [ "$status" = "$wanted" ] && return
    cat "$work/words" >&2
    fail "$* ended with $status, not $wanted"
}

# So few samples may miss a target; everything must be measured.
measured() {
    local status=0
    "$@" >"$work/words" 2>&1 || status=$?
    [ "$status" -le 1 ] && return
    cat "$work/words" >&2
    fail "$* ended with $status"
}

results() {
    "$project/scripts/results.py" --root "$work" "$@" \
        stores stores_scale stores_copy
}

mkdir -p "$docs" "$results"
export TMPDIR=$work
cp "$project/docs/reference/numbers.md" "$docs"

# Wrong usage, and a file that cannot be written.
run 2 "$bench" --scale --entries 1000,1000
run 2 "$bench" --scale --stores nobody
run 2 "$bench" --entries 500
run 2 "$bench" --rows nothing
run 2 "$bench" --scale --rows get_pack
run 2 "$bench" --repeat 0
run 2 "$bench" get_pack
run 2 "$bench" --copy "$work" --scale
run 2 "$bench" --copy "$work" --rows get_pack
run 3 "$bench" --copy "$work/none"
run 3 "$bench" --scale --entries 400 --stores flat --repeat 1 --json "$work/no/x"

cp "$project/bench/results/stores.json" "$results"
measured "$bench" --scale --entries 400,500 --stores flat,pack --repeat 11 \
    --json "$results/stores_scale.json"
cp -r "$project/tests/data/stores/flat" "$work/store"
chmod -R go-w "$work/store"
measured "$bench" --copy "$work/store" --repeat 3 \
    --json "$results/stores_copy.json"
[ "$(find "$work" -maxdepth 1 -name 'dnnl_cache_bench.*')" = "" ] ||
    fail "the benchmark left files behind"

run 1 results --check
run 0 results --write
run 0 results --check
run 2 results

# The same rows make the same picture, which is XML.
draw() {
    python3 -B -c 'import json, sys; sys.path.insert(0, sys.argv[1])
import store_chart; print(store_chart.chart(json.load(open(sys.argv[2]))))' \
        "$project/scripts" "$results/stores_scale.json"
}
draw >"$work/first.svg" || fail "no picture"
draw | cmp - "$work/first.svg" || fail "another picture"
python3 -c 'import sys, xml.dom.minidom as m; m.parse(sys.argv[1])' \
    "$work/first.svg" || fail "the picture is no XML"

# A result that the documents do not have, a file that is none.
sed -i 's/"ratio": [0-9]/"ratio": 7/' "$results/stores_scale.json"
run 1 results --check
echo '[{"row": "get_bucket"}]' >"$results/stores.json"
run 1 results --write
