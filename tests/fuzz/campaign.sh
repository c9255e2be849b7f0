#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs fuzz targets that were built with -DDNNL_CACHE_FUZZ=ON, and keeps what they
# find.
#
# usage: tests/fuzz/campaign.sh run BIN FOUND SECONDS [TARGET ...]
#        tests/fuzz/campaign.sh keep BIN FOUND [TARGET ...]
#
# run: each target (those of BIN without any) for so many seconds, one after the
# other, from its seeds and from what FOUND/TARGET has of earlier runs; the log is
# FOUND/TARGET.log, which campaign_table.py reads, and an input that fails is in
# FOUND/TARGET-failures/. keep: adds to corpus/ the inputs of FOUND of at most
# DNNL_CACHE_FUZZ_KEEP_BYTES bytes (1024) that reach what no seed reaches
# (-merge=1), the fewest that do.
# Exit status: 1 if a target failed.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)

usage() {
    sed -n '6,7s/^# \{0,1\}//p' "$0" >&2
    exit 2
}

# The folders of a target's seeds: of targets.cmake.
seeds_of() {
    local folders=("$here/corpus/$1")
    case $1 in
    fuzz_archive) folders+=("$root/tests/data/archives") ;;
    fuzz_binary_form) folders+=("$root/tests/data/binaries") ;;
    fuzz_blob_reader) folders+=("$root/tests/data/blobs") ;;
    fuzz_image_reader) folders+=("$root/tests/data/pictures") ;;
    fuzz_onnx_reader) folders+=("$root"/tests/data/onnx/{models,nodes}) ;;
    fuzz_recording | fuzz_refresh_jobs) folders+=("$here/corpus/fuzz_journal") ;;
    esac
    printf '%s\n' "${folders[@]}"
}

run_one() {
    local target=$1 found=$2/$1 failures=$2/$1-failures/ seeds
    mapfile -t seeds < <(seeds_of "$target")
    mkdir -p "$found" "$failures"
    (cd "$found" && "$bin/$target" -max_total_time="$3" -rss_limit_mb=2048 \
        -timeout=60 -print_final_stats=1 -artifact_prefix="$failures" \
        "$found" "${seeds[@]}") >"$found.log" 2>&1 || {
        echo "$target failed:"
        tail -n 40 "$found.log"
        return 1
    }
    echo "$target: $(sed -n 's/^stat::number_of_executed_units: *//p' \
        "$found.log") runs"
}

# How the selection depends on counters: README.md.
keep_one() {
    local target=$1 found=$2/$1 options=(-merge=1 -rss_limit_mb=2048) short
    [ -d "$found" ] || return 0
    case $target in
    fuzz_include_scan) options+=(-use_counters=0) ;;
    fuzz_onnx_reader) options+=(-use_counters=0 -set_cover_merge=1) ;;
    esac
    short=$(mktemp -d)
    find "$found" -type f -size -"$((${DNNL_CACHE_FUZZ_KEEP_BYTES:-1024} + 1))"c \
        -exec cp -t "$short" {} +
    "$bin/$target" "${options[@]}" "$here/corpus/$target" "$short" \
        >"$found-merge.log" 2>&1 || {
        echo "$target: merging failed:"
        tail -n 20 "$found-merge.log"
        rm -rf "$short"
        return 1
    }
    rm -rf "$short"
    echo "$target: $(find "$here/corpus/$target" -type f | wc -l) seeds"
}

[ $# -ge 3 ] || usage
what=$1
bin=$(cd "$2" && pwd)
mkdir -p "$3"
found=$(cd "$3" && pwd)
shift 3
case $what in
run)
    [ $# -ge 1 ] || usage
    seconds=$1
    shift
    ;;
keep) ;;
*) usage ;;
esac
targets=("$@")
if [ $# -eq 0 ]; then
    for file in "$bin"/fuzz_*; do targets+=("${file##*/}"); done
fi
rc=0
for target in "${targets[@]}"; do
    if [ "$what" = run ]; then
        run_one "$target" "$found" "$seconds" || rc=1
    else
        keep_one "$target" "$found" || rc=1
    fi
done
exit "$rc"
