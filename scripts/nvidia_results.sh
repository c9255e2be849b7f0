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
# added the programs. Each process gets a copy. Writes
# models/NETWORK.WAY.NUMBER.json and .us (what the whole process took, and when it was
# started, in microseconds), and layer.GROUP.json and bench.GROUP.json with a .txt
# each: rows are measured in groups, and a group that has not ended after SECONDS_EACH
# (default 120) costs its own rows alone. "scripts/results.py --measure
# nvidia" makes bench/results of them. PARTS (default "models layer bench") names what is measured. Rows have 7
# samples (REPEAT), hits of the layer 21 and misses 41, where 7 do not tell.
set -u
build=$1 networks=$2 out=$3 rounds=${4:-5} pairs=${PAIRS:-3}
parts=" ${PARTS:-models layer bench} "
failed=0
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

measure_models() {
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
}

# group PROGRAM KIND NAME ROWS [REPEAT]: some rows of a benchmark.
group() {
    timeout "${SECONDS_EACH:-120}" "$build/bin/$1" --platform NVIDIA \
        --repeat "${REPEAT:-${5:-7}}" --rows "$4" --json "$out/$2.$3.json" \
        > "$out/$2.$3.txt" 2>&1
    # 1: a target is missed.
    if (($? > 1)); then
        echo "$2.$3: not measured" >&2
        failed=1
    fi
}

measure_layer() {
    group dnnl_cache_layer_bench layer hit hit,hit_next,hit_run 21
    group dnnl_cache_layer_bench layer miss miss 41
    group dnnl_cache_layer_bench layer next miss_next
    group dnnl_cache_layer_bench layer part miss_part,capture
    group dnnl_cache_layer_bench layer calls "call_set_argument,call_device_info,\
call_retain_memory,watched_kernel_info,watched_program_info,watched_retain"
}

measure_bench() {
    local row kind runs=()
    for row in {program,primitive}_{from_blob,blob_size,blob_size_zstd,warm,miss} \
        {program,primitive}_first_run convolution convolution_batch \
        compressed_weights compressed_weights_transposed matmul \
        engine_from_blob engine_blob_size engine_blob_load; do
        group dnnl_cache_bench bench "$row" "$row"
    done
    group dnnl_cache_bench bench hit "program_id_first,program_id_repeated,\
primitive_id_first,primitive_id_repeated,primitive_hit,primitive_hit_described,\
primitive_hit_threads,kernel_hit"
    for kind in batch_normalization binary concat convolution deconvolution eltwise \
        group_normalization inner_product layer_normalization lrn matmul pooling \
        prelu reduction reorder resampling shuffle softmax sum; do
        runs+=("run_$kind")
    done
    group dnnl_cache_bench bench run_1 "$(IFS=,; echo "${runs[*]:0:10}")"
    group dnnl_cache_bench bench run_2 "$(IFS=,; echo "${runs[*]:10}")"
}

[[ $parts != *" models "* ]] || measure_models
[[ $parts != *" layer "* ]] || measure_layer
[[ $parts != *" bench "* ]] || measure_bench
exit "$failed"
