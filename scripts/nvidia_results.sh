#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Measures on a machine with an NVIDIA GPU; needs no compiler and no network there.
#
#     scripts/nvidia_results.sh BUILD NETWORKS OUT [ROUNDS]
#
# runs dnnl_cache_bench and dnnl_cache_layer_bench, and model_loader on the
# networks of a folder, each round in four ways: no program in any cache (cold); from
# the driver's own cache (driver); from our store (warm); from our store without
# finalised forms (ptx). The driver's cache folder (CUDA_CACHE_PATH) is primed by
# creating a context only and copied for each process, so that creating one costs
# what it costs users, and no program is in it. Writes bench.json, layer.json and
# models/NETWORK.WAY.ROUND.json and .us (of the whole process); scripts/nvidia_results.py
# makes bench/results of them. MODELS_ONLY=1 ends before the benchmarks, LAYER_ROWS,
# BENCH_ROWS and BENCH_REPEAT are options of theirs.
set -u
build=$1 networks=$2 out=$3 rounds=${4:-5}
work=$(mktemp -d "${TMPDIR:-/tmp}/nvidia_results.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
mkdir -p "$out/models"

CUDA_CACHE_PATH="$work/prime" "$build/bin/model_floor" --context NVIDIA || exit 1

# start CACHE STORE RECORD [OPTION ...]: one process, with a copy of the primed
# folder unless CACHE is there.
start() {
    local cache=$1 store=$2 record=$3 begin
    shift 3
    [ -d "$cache" ] || cp -r "$work/prime" "$cache"
    begin=$(date +%s%N)
    CUDA_CACHE_PATH="$cache" timeout 100 "$build/bin/model_loader" "$model" \
        --store "$store" --weights random:1 --platform NVIDIA --repeat 9 \
        --json "$record.json" "$@" > "$record.txt" 2>&1 || echo "$record: failed"
    echo $((($(date +%s%N) - begin) / 1000)) > "$record.us"
}

for model in "$networks"/light_*.onnx; do
    name=$(basename "$model" .onnx)
    name=${name#light_}
    for ((i = 1; i <= rounds; i++)); do
        at="$out/models/$name" in="$work/$name.$i"
        start "$in.own" "$in.store" "$at.cold.$i"
        # Its second process finds its programs in the driver's cache, and a store
        # that is new.
        DNNL_CACHE_FINALISE=0 start "$in.own" "$in.ptx" "$at.driver.$i"
        start "$in.c" "$in.store" "$at.warm.$i" --cached-only
        DNNL_CACHE_FINALISE=0 start "$in.d" "$in.ptx" "$at.ptx.$i" --cached-only
        rm -rf "$in".*
    done
done

[ -z "${MODELS_ONLY:-}" ] || exit 0
"$build/bin/dnnl_cache_layer_bench" --platform NVIDIA --repeat 7 \
    --json "$out/layer.json" ${LAYER_ROWS:+--rows "$LAYER_ROWS"}
"$build/bin/dnnl_cache_bench" --platform NVIDIA --json "$out/bench.json" \
    ${BENCH_REPEAT:+--repeat "$BENCH_REPEAT"} ${BENCH_ROWS:+--rows "$BENCH_ROWS"}
exit 0
