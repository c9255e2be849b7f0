#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: test_layer_bench.sh BENCH FILE
#
# A layer that the OpenCL loader does not load is told, and nothing is measured as
# if it were there: one that does not exist, and FILE, a library that is no layer.
set -euo pipefail
bench=$1
no_layer=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for layer in "$work/libdnnl_cache_layer.so" "$no_layer"; do
    rc=0
    "$bench" --layer "$layer" --rows miss_part,hit --repeat 1 --json "$work/json" \
        >"$work/out" 2>"$work/err" || rc=$?
    if [ "$rc" != 3 ] || ! grep -qF "$layer: " "$work/err" ||
        [ -s "$work/json" ]; then
        echo "with $layer: exit status $rc, not 3; or the message does not name" \
            "it; or there are results"
        cat "$work/out" "$work/err"
        exit 1
    fi
done
echo "ok"
