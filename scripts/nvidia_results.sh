#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Measures on a machine with an NVIDIA GPU; needs no compiler and no network there.
#
#     scripts/nvidia_results.sh BUILD NETWORKS OUT [ROUNDS]
#
# runs dnnl_cache_bench and dnnl_cache_layer_bench, and model_loader on the
# networks of a folder, each round in four ways: no program in any cache (cold); from
# the driver's own cache (driver); from our store (warm); from our store without
# finalised forms (ptx). driver and warm are compared, and what creating a context
# takes varies by more than their difference, so each round takes PAIRS (default 3)
# of them in turns, the way that goes first changing. The driver's cache folder
# (CUDA_CACHE_PATH) is primed by creating a context only, so that creating one costs
# what it costs users, and no program is in it; for `driver` the cold process has
# added the programs. Each process gets a copy. Writes bench.json, layer.json and
# models/NETWORK.WAY.NUMBER.json and .us (what the whole process took, and when it was
# started, in microseconds); scripts/nvidia_results.py makes bench/results of them.
# MODELS_ONLY=1 ends before the benchmarks, LAYER_ROWS, BENCH_ROWS and BENCH_REPEAT
# are options of theirs.
set -u
build=$1 networks=$2 out=$3 rounds=${4:-5} pairs=${PAIRS:-3}
work=$(mktemp -d "${TMPDIR:-/tmp}/nvidia_results.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
mkdir -p "$out/models"
: > "$work/none"

CUDA_CACHE_PATH="$work/prime" "$build/bin/model_floor" --context NVIDIA || exit 1

# start CACHE STORE RECORD [OPTION ...]: one process.
start() {
    local cache=$1 store=$2 record=$3 begin
    shift 3
    begin=$(date +%s%N)
    CUDA_CACHE_PATH="$cache" timeout 100 "$build/bin/model_loader" "$model" \
        --store "$store" --weights random:1 --platform NVIDIA --repeat 9 \
        --json "$record.json" "$@" > "$record.txt" 2>&1 || echo "$record: failed"
    echo $((($(date +%s%N) - begin) / 1000)) $((begin / 1000)) > "$record.us"
}

# with_copy CACHE STORE RECORD [OPTION ...]: one process, with a copy of the folder.
with_copy() {
    rm -rf "$in.copy"
    cp -r "$1" "$in.copy"
    shift
    start "$in.copy" "$@"
}

# Its programs are in the driver's cache, and there is no store: a file is in the
# folder's place.
by_driver() {
    DNNL_CACHE_FINALISE=0 with_copy "$in.own" "$work/none" "$at.driver.$1"
}

by_store() {
    with_copy "$work/prime" "$in.store" "$at.warm.$1" --cached-only
}

for model in "$networks"/light_*.onnx; do
    name=$(basename "$model" .onnx)
    name=${name#light_}
    for ((i = 1; i <= rounds; i++)); do
        at="$out/models/$name" in="$work/$name.$i"
        cp -r "$work/prime" "$in.own"
        start "$in.own" "$in.store" "$at.cold.$i"
        DNNL_CACHE_FINALISE=0 start "$in.own" "$in.ptx" "$at.first.$i"
        rm "$at.first.$i".*
        for ((pair = 1; pair <= pairs; pair++)); do
            if ((pair % 2 == 1)); then
                by_driver "$i.$pair"
                by_store "$i.$pair"
            else
                by_store "$i.$pair"
                by_driver "$i.$pair"
            fi
        done
        DNNL_CACHE_FINALISE=0 with_copy "$work/prime" "$in.ptx" "$at.ptx.$i" \
            --cached-only
        rm -rf "$in".*
    done
done

[ -z "${MODELS_ONLY:-}" ] || exit 0
"$build/bin/dnnl_cache_layer_bench" --platform NVIDIA --repeat 7 \
    --json "$out/layer.json" ${LAYER_ROWS:+--rows "$LAYER_ROWS"}
"$build/bin/dnnl_cache_bench" --platform NVIDIA --json "$out/bench.json" \
    ${BENCH_REPEAT:+--repeat "$BENCH_REPEAT"} ${BENCH_ROWS:+--rows "$BENCH_ROWS"}
exit 0
