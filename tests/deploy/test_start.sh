#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: test_start.sh SOURCE BUILD [REDIS_SERVER]
# The programs and scripts of examples/start, which documents show, as users run
# them: with the installed library, cold and then warm, on PoCL. The caches of the
# driver are empty and off, so that what is loaded comes from our store; for
# application.sh they are on, too, as users have them. clpeak, which the scripts
# start, is a small program of the tests. (Python's runs in python/tests, the
# Containerfile's commands in tests/deploy.)
set -euo pipefail
export LC_ALL=C

source=$1
build=$2
redis=${3:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset CMAKE_PREFIX_PATH PKG_CONFIG_PATH LD_LIBRARY_PATH DNNL_CACHE_DIR
fail() {
    echo "FAILED: $*"
    exit 1
}

prefix=$work/prefix
cmake --install "$build" --prefix "$prefix" >"$work/log" ||
    { cat "$work/log"; fail "the installation"; }
start=$(find "$prefix" -path '*/examples/start')
[ -n "$start" ] || fail "examples/start is not installed"
pc=$(dirname "$(find "$prefix" -name dnnl_cache.pc)")
mkdir "$work/home" "$work/apps"
cat >"$work/apps/clpeak" <<END
#!/bin/sh
exec "$build/bin/launch_client" "Portable Computing Language" f/64/0 g/64/0
END
chmod 755 "$work/apps/clpeak"
export PATH="$work/apps:$prefix/bin:$PATH" HOME="$work/home"
unset XDG_CACHE_HOME XDG_CONFIG_HOME XDG_RUNTIME_DIR DNNL_CACHE_REMOTE
export POCL_KERNEL_CACHE=0
clpeak >"$work/log" 2>&1 || {
    cat "$work/log"
    echo "PoCL is not there"
    exit 77
}

# driver_of RUN: each run has an empty cache of PoCL's.
driver_of() {
    mkdir "$work/$1.pocl"
    export POCL_CACHE_DIR="$work/$1.pocl"
}

# ---- Programs --------------------------------------------------------------------

# run NAME COMMAND ...: counts what reaches the driver, and what PoCL says it built.
run() {
    local name=$1
    shift
    driver_of "$name"
    POCL_DEBUG=all OPENCL_LAYERS="$build/lib/libbuild_counter_layer.so" \
        BUILD_COUNTER_FILE="$work/$name.counts" "$@" >"$work/$name.out" \
        2>"$work/$name.err" || {
        cat "$work/$name.out"
        grep -v 'POCL:' "$work/$name.err" | tail -n 20
        fail "$name: $*"
    }
    echo "+ $name: $(tr '\n' ' ' <"$work/$name.out" | cut -c 1-200)"
}
compiled() {
    [ -s "$work/$1.counts" ] || fail "$1: nothing was counted"
    grep -oE '"source_(builds|compiles|links)":[0-9]+' "$work/$1.counts" |
        awk -F : -v built="$(grep -c 'Built a' "$work/$1.err")" \
            '{ sum += $2 } END { print sum + built }'
}
cold_and_warm() {
    local name=$1
    shift
    run "$name-cold" "$@"
    run "$name-warm" "$@"
    [ "$(compiled "$name-cold")" -gt 0 ] || fail "$name compiled nothing"
    [ "$(compiled "$name-warm")" = 0 ] ||
        fail "$name compiled $(compiled "$name-warm") times in the second start"
}

# built NAME COMPILER SOURCE MODULE ...: as the comment at its beginning says.
built() {
    local name=$1 compiler=$2 file=$start/$3 module flags
    shift 3
    for module in "$@"; do
        sed '/^#include/q' "$file" | grep -qF " $module" ||
            fail "$file does not say that it needs $module"
    done
    flags=$(PKG_CONFIG_PATH=$pc pkg-config --cflags --libs "$@")
    # Word splitting is what pkg-config's answer is made for.
    # shellcheck disable=SC2086
    "$compiler" -Wall -Wextra -Werror "$file" -o "$work/$name" $flags \
        -Wl,-rpath,"$(dirname "$pc")"
}

echo "== OpenCL code of one's own"
built program "${CC:-cc}" program.c dnnl_cache_persistent_cache
cold_and_warm program "$work/program" "$work/kept_program"
grep -qE '^compiled in [0-9]+ ms, right$' "$work/program-cold.out" ||
    fail "what it prints of a cold start"
grep -qE '^loaded in [0-9]+ ms, right$' "$work/program-warm.out" ||
    fail "what it prints of a warm start"

echo "== a framework"
built framework "${CXX:-c++}" framework.cpp \
    dnnl_cache_onednn_compat dnnl_cache_persistent_cache
cold_and_warm framework "$work/framework" "$work/kept_framework"
grep -qE '^created in [0-9]+ ms, right$' "$work/framework-warm.out" ||
    fail "what it prints"

if [ -x "$prefix/bin/model_loader" ]; then
    echo "== a model"
    cold_and_warm model "$start/model.sh" \
        "$source/tests/data/onnx/models/Conv1d.onnx" --input ramp --top 2
fi

# ---- Scripts with dnnl-cache-run ---------------------------------------------------

# counts FILE: hits and misses of each process that has statistics in it.
counts() {
    sed -n 's/^ *\(hits\|misses\)  *\([0-9]*\)$/\1 \2/p' "$1" | tr '\n' ' '
}
script() {
    echo "+ $1, in $2"
    mkdir "$work/$2"
    (cd "$work/$2" && "$work/scripts/$1") >"$work/$2.out" 2>&1 || {
        cat "$work/$2.out"
        fail "$1"
    }
}
mkdir "$work/scripts"
cp "$start"/*.sh "$work/scripts"

for cache in 0 1; do
    echo "== an application, POCL_KERNEL_CACHE=$cache"
    rm -rf "$HOME"/.cache
    export POCL_KERNEL_CACHE=$cache
    driver_of "application$cache"
    script application.sh "application_of_$cache"
    [ "$(counts "$work/application_of_$cache.out")" = \
        "hits 0 misses 1 hits 1 misses 0 " ] || {
        cat "$work/application_of_$cache.out"
        fail "the first start is not cold, or the second one not warm"
    }
    grep -qE '\bf, g\b' "$work/application_of_$cache.out" ||
        fail "the list does not name the kernels"
done
export POCL_KERNEL_CACHE=0

if [ -x "$redis" ] && command -v redis-cli >/dev/null; then
    echo "== a fleet"
    PATH=$PATH:$(dirname "$redis")
    number=$((20000 + $$ % 20000))
    sed -i "s/6390/$number/" "$work/scripts/fleet.sh"
    driver_of fleet
    script fleet.sh a_fleet
    [ "$(counts "$work/a_fleet.out")" = "hits 1 misses 0 " ] || {
        cat "$work/a_fleet.out"
        fail "the second machine compiled"
    }
    (cd "$work/a_fleet" && "$work/scripts/fleet.sh") >"$work/again.out" 2>&1 || {
        cat "$work/again.out"
        fail "fleet.sh, run again"
    }
    ! redis-cli -p "$number" ping >/dev/null 2>&1 ||
        fail "fleet.sh left its server"
else
    echo "no Redis: fleet.sh is not run"
fi
echo "start: examples/start, cold and warm with the installed library"
