#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# What a persistent cache is good for. First clpeak, an application that is not
# changed, in five seconds: plain, and twice under dnnl-cache-run. Then one that
# uses the library, in four acts, each a process (or two) of its own: cold with an
# empty store; warm; one byte of the store flipped; one build option changed.
# Installs what is missing (Debian, as root or by sudo), builds, runs, and checks
# that
#   - clpeak's second start finds all that it builds;
#   - all outputs are right and those of cold and warm the same, bit for bit;
#   - the warm run made the driver compile nothing, first launches included,
#     counted by a layer below the library and, on PoCL, by its own messages;
#   - the damage is noticed and healed, the miss explained by its reason.
#
# usage: scripts/demo.sh [--platform TEXT] [--build FOLDER] [--as-is]
#   --platform TEXT   TEXT is in the platform's name
#   --build FOLDER    where to build (build)
#   --as-is           take what was built there, install and build nothing
set -euo pipefail

fail() {
    printf 'demo: %s\n' "$*" >&2
    exit 1
}

platform=""
build=""
as_is=""
while (($# > 0)); do
    case $1 in
    --platform)
        (($# > 1)) || fail "--platform needs a text"
        platform=$2
        shift 2
        ;;
    --build)
        (($# > 1)) || fail "--build needs a folder"
        build=$(realpath -ms -- "$2")
        shift 2
        ;;
    --as-is)
        as_is=1
        shift
        ;;
    --help | -h)
        sed -n '3,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0"
        exit 0
        ;;
    *) fail "no such option: $1 (--help tells more)" ;;
    esac
done

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
build=${build:-$root/build}

# ---- Packages and build ------------------------------------------------------

build_it() {
    echo "demo: building"
    local log=$work/build.log
    if ! { cmake --preset release -B "$build" -DDNNL_CACHE_TESTS=ON \
        -DDNNL_CACHE_EXAMPLES=ON \
        && cmake --build "$build" --parallel "$(nproc)" \
            --target persistent_cache build_counter_layer dnnl_cache_layer \
            dnnl_cache_run dnnl_cache_tool; } >"$log" 2>&1; then
        cat "$log" >&2
        fail "the build failed"
    fi
}

# ---- An application as it is ---------------------------------------------------

# Starts clpeak with no other cache to draw on; how many milliseconds it took.
run_clpeak() {
    local start=$1 began ended
    shift
    mkdir "$work/$start.pocl"
    began=${EPOCHREALTIME/./}
    POCL_KERNEL_CACHE=0 POCL_CACHE_DIR="$work/$start.pocl" \
        CUDA_CACHE_DISABLE=1 MESA_SHADER_CACHE_DISABLE=true \
        "$@" clpeak --kernel-latency >"$work/$start.out" 2>&1 || {
        tail -n 5 "$work/$start.out" >&2
        return 1
    }
    ended=${EPOCHREALTIME/./}
    printf '%-42s %6d ms\n' "$start" $(((ended - began) / 1000))
}

# A number of the statistics of a start: hits, misses.
found() {
    sed -n "s/^ *$2  *\([0-9]*\)\$/\1/p" "$work/$1.out" |
        awk '{ sum += $1 } END { print sum + 0 }'
}

show_clpeak() {
    local run=("$build/bin/dnnl-cache-run" --dir "$work/clpeak" --stats)
    echo
    echo "clpeak --kernel-latency, an application that is not changed"
    if ! command -v clpeak >/dev/null; then
        echo "clpeak is not installed: not shown"
        return
    fi
    # It ends at the first platform that it cannot use.
    run_clpeak "plain" || {
        echo "clpeak fails here without dnnl_cache, too: not shown"
        return
    }
    run_clpeak "under dnnl-cache-run, the first start" "${run[@]}" --wait -- ||
        fail "clpeak failed"
    run_clpeak "under dnnl-cache-run, the second start" "${run[@]}" -- ||
        fail "clpeak failed"
    if (($(found "under dnnl-cache-run, the second start" misses) > 0)) ||
        (($(found "under dnnl-cache-run, the second start" hits) == 0)); then
        cat "$work/under dnnl-cache-run, the second start.out" >&2
        fail "clpeak: the second start compiled"
    fi
}

# ---- Running -----------------------------------------------------------------

# What a program said last, without PoCL's messages (POCL_DEBUG).
last_words() {
    grep -Ev '^\[.*POCL: |^ *\|' "$1" | tail -n 15 || true
}

# Runs the application on the store in a process with no other cache to draw
# on: persistent_cache's table goes to standard output, everything else to
# files in $work named after the act.
run_app() {
    local act=$1
    shift
    mkdir "$work/$act.pocl"
    if ! POCL_KERNEL_CACHE=0 POCL_CACHE_DIR="$work/$act.pocl" POCL_DEBUG=all \
        CUDA_CACHE_DISABLE=1 MESA_SHADER_CACHE_DISABLE=true \
        OPENCL_LAYERS="$build/lib/libbuild_counter_layer.so" \
        BUILD_COUNTER_FILE="$work/$act.counts" \
        "$build/bin/persistent_cache" --store "$work/store" --check \
        --platform "$platform" --json "$work/$act.json" \
        --output "$work/$act.out" "$@" \
        >"$work/$act.table" 2>"$work/$act.err"; then
        cat "$work/$act.table" >&2
        last_words "$work/$act.err" >&2
        fail "$act: the application failed"
    fi
    [[ -s $work/$act.counts ]] \
        || fail "the OpenCL loader did not load the counting layer"
    cat "$work/$act.table"
    grep '^persistent_cache' "$work/$act.err" || true
}

# A number of the run as a whole: creation_ms, first_run_ms.
total() {
    sed -n "s/^  \"$2\": \([0-9.]*\).*/\1/p" "$work/$1.json"
}

# Builds, compilations and links of source or IL that reached the driver.
counted() {
    local name sum=0 value
    for name in source_builds source_compiles source_links; do
        value=$(sed -n "s/.*\"$name\":\([0-9]*\).*/\1/p" "$work/$1.counts" \
            | awk '{ sum += $1 } END { print sum + 0 }')
        sum=$((sum + value))
    done
    echo "$sum"
}

# What PoCL says it compiled, at first launches too.
announced() {
    grep -c 'Built a' "$work/$1.err" || true
}

# Objects of one origin: compiled, blob.
objects() {
    grep -c "\"origin\": \"$2\"" "$work/$1.json" || true
}

require_no_compilation() {
    local act=$1
    (($(counted "$act") == 0)) \
        || fail "$act: the driver compiled $(counted "$act") programs"
    (($(announced "$act") == 0)) \
        || fail "$act: PoCL compiled $(announced "$act") things"
    (($(objects "$act" compiled) == 0)) \
        || fail "$act: $(objects "$act" compiled) objects were compiled"
}

require_same_output() {
    cmp -s "$work/cold.out" "$work/$1.out" \
        || fail "$1: outputs differ from those of the cold run"
}

# The stored file of a program, found by the name of its kernel.
entry_of() {
    grep -rlF --include=kernel.bin --include='*.cl_cache' -- "$1" \
        "$work/store" | head -n 1
}

flip_byte() {
    local file=$1 offset byte
    offset=$(($(stat -c %s "$file") / 2))
    byte=$(od -An -tu1 -j "$offset" -N 1 "$file")
    # shellcheck disable=SC2059 # the format is the byte
    printf "\\x$(printf '%02x' $((byte ^ 1)))" \
        | dd of="$file" bs=1 seek="$offset" conv=notrunc status=none
}

# ---- The acts ----------------------------------------------------------------

act_cold() {
    echo
    echo "Act 1: cold, with an empty store"
    run_app cold
    (($(counted cold) > 0)) || fail "cold: nothing was compiled"
}

act_warm() {
    echo
    echo "Act 2: warm, another process with the same store"
    run_app warm
    require_no_compilation warm
    require_same_output warm
}

act_damage() {
    echo
    echo "Act 3: one flipped byte in the store"
    local victim
    victim=$(entry_of softmax)
    [[ -n $victim ]] || fail "no entry of softmax in the store"
    flip_byte "$victim"
    run_app damaged
    (($(objects damaged compiled) == 1)) \
        || fail "damaged: $(objects damaged compiled) objects compiled, not 1"
    grep -q 'stored blob refused (cache_blob_corrupt)' "$work/damaged.json" \
        || fail "damaged: not noticed"
    require_same_output damaged
    run_app healed >"$work/healed.quiet"
    require_no_compilation healed
    require_same_output healed
    echo "the next process found it healed"
}

act_option() {
    echo
    echo "Act 4: one more build option for the two programs"
    run_app option --build-option -DACT=4
    (($(objects option compiled) == 2)) \
        || fail "option: $(objects option compiled) objects compiled, not 2"
    (($(grep -c 'differs in build_options"' "$work/option.json") == 2)) \
        || fail "option: the misses were not explained"
    require_same_output option
}

summary() {
    local act
    echo
    printf '%-8s %12s %14s %10s %12s %12s\n' act "creation ms" \
        "first runs ms" compiled "driver calls" "PoCL \"Built\""
    for act in cold warm damaged healed option; do
        printf '%-8s %12.2f %14.2f %10d %12d %12d\n' "$act" \
            "$(total "$act" creation_ms)" "$(total "$act" first_run_ms)" \
            "$(objects "$act" compiled)" "$(counted "$act")" \
            "$(announced "$act")"
    done
    awk -v cold="$(total cold creation_ms)" \
        -v warm="$(total warm creation_ms)" 'BEGIN {
        printf "demo: cold %.0f ms, warm %.1f ms, %.0f times faster, " \
            "outputs identical\n", cold, warm, cold / warm }'
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export LC_ALL=C
if [[ -z $as_is ]]; then
    scripts/install_packages.sh demo
    build_it
fi
show_clpeak
act_cold
act_warm
act_damage
act_option
summary
