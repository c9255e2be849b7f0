#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: scripts/test.sh [--full] [--help]
#
# Everything that must hold before a change is merged, on Debian 12: installs
# what is missing, builds with gcc and clang, runs all tests on PoCL, the ones
# that can under AddressSanitizer, UndefinedBehaviorSanitizer and
# ThreadSanitizer, and checks headers, exports, layers, format, clang-tidy,
# scripts, recorded results and docs/CONFORMANCE.md; runs two applications of
# others under the OpenCL layer. Exits with 1 if anything failed.
#
# --full also runs all applications, the long proofs of the stores and of the
# caches, the tests that use a driver on Oclgrind and rusticl, every fuzz target
# for ten minutes, and measures the coverage of src/blob and src/common.
#
# DNNL_CACHE_TEST_DIR   where to build and run (build-test in the project);
#                       builds in it are reused, results are replaced
# DNNL_CACHE_TEST_JOBS  processes at a time (number of processors)
# DNNL_CACHE_TEST_FUZZ_SECONDS  of each fuzz target with --full (600)
set -uo pipefail

full=
for argument in "$@"; do
    case $argument in
    --full) full=1 ;;
    -h | --help)
        sed -n '3,/^set /{/^set /d;s/^# \{0,1\}//p;}' "$0"
        exit 0
        ;;
    *)
        echo "test.sh: no option $argument" >&2
        exit 2
        ;;
    esac
done
exec </dev/null

root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root" || exit 1
base=${DNNL_CACHE_TEST_DIR:-$root/build-test}
jobs=${DNNL_CACHE_TEST_JOBS:-$(nproc)}
runs=$base/runs
logs=$base/logs
rm -rf "$runs" "$logs"
mkdir -p "$base" "$runs" "$logs" || exit 1
base=$(cd "$base" && pwd)

# The tests choose what they need; a developer's settings stay outside.
export LC_ALL=C.UTF-8 PYTHONDONTWRITEBYTECODE=1
unset CC CXX CFLAGS CXXFLAGS LDFLAGS MAKEFLAGS OPENCL_LAYERS OCL_ICD_VENDORS \
    POCL_CACHE_DIR POCL_KERNEL_CACHE ONEDNN_VERBOSE DNNL_VERBOSE \
    DNNL_CACHE_DIR DNNL_CACHE_STORE DNNL_CACHE_STATS DNNL_CACHE_TRACE \
    ONEDNN_PRIMITIVE_CACHE_CAPACITY DNNL_PRIMITIVE_CACHE_CAPACITY

# ---- Steps -----------------------------------------------------------------

steps_passed=0
steps_failed=0
summary=()

# step NAME COMMAND ...: runs it, its words go to a file and are shown if it
# fails; later steps go on.
step() {
    local name=$1 start=$SECONDS rc=0 log
    shift
    log=$logs/${name//[^a-z0-9]/-}.log
    printf '%-44s ' "$name"
    ("$@") >"$log" 2>&1 || rc=$?
    if [ "$rc" = 0 ]; then
        steps_passed=$((steps_passed + 1))
        printf 'ok     %4d s\n' $((SECONDS - start))
        summary+=("$(printf 'ok     %4d s  %s' $((SECONDS - start)) "$name")")
    else
        steps_failed=$((steps_failed + 1))
        printf 'FAILED %4d s\n' $((SECONDS - start))
        summary+=("$(printf 'FAILED %4d s  %s' $((SECONDS - start)) "$name")")
        echo "---- the last lines of ${log#"$root"/}"
        tail -n 80 "$log"
        echo "----"
    fi
    return "$rc"
}

# build NAME CMAKE_OPTIONS ...
build() {
    local dir=$base/$1
    shift
    cmake -S "$root" -B "$dir" -G "Unix Makefiles" -DDNNL_CACHE_WERROR=ON \
        "$@" && cmake --build "$dir" -j "$jobs"
}

# PoCL alone, whatever else the machine has: every driver is asked for its
# devices when a test asks for platforms, and some (Mesa's) leak then, which
# AddressSanitizer takes for a fault of the test's.
pocl_alone=$base/vendors
name_pocl() {
    rm -rf "$pocl_alone"
    mkdir -p "$pocl_alone" && cp /etc/OpenCL/vendors/pocl.icd "$pocl_alone/"
}

# run_tests NAME BUILD CTEST_OPTIONS ...: every run has a folder of its own
# for reports, temporary files and PoCL's cache.
run_tests() {
    local run=$runs/$1 dir=$base/$2 rc=0
    shift 2
    mkdir -p "$run/gtest" "$run/tmp" "$run/pocl"
    GTEST_OUTPUT="xml:$run/gtest/" TMPDIR="$run/tmp" POCL_CACHE_DIR="$run/pocl" \
        OCL_ICD_VENDORS="$pocl_alone" "${launcher[@]}" ctest --test-dir "$dir" --output-on-failure \
        --no-tests=error -j "$jobs" --output-junit "$run/ctest.xml" "$@" || rc=$?
    rm -rf "$run/tmp" "$run/pocl"
    return "$rc"
}
launcher=()

# Named *.sh, or with a shell in the first line.
shell_scripts() {
    local file files=()
    while IFS= read -r file; do
        if [[ $file == *.sh ]] ||
            head -c 32 "$file" | grep -aqE '^#!.*(bash|/sh)'; then
            files+=("$file")
        fi
    done < <(find scripts tests bench examples tools docs .ci -type f \
        -not -path '*/corpus/*')
    shellcheck "${files[@]}" && echo "shellcheck: ${#files[@]} files"
}

# The documents say what was measured.
recorded_results() {
    local rc=0
    scripts/readme_table.py --check || rc=1
    scripts/store_results.py --check || rc=1
    scripts/model_results.py --check || rc=1
    scripts/layer_results.py --check || rc=1
    tests/apps/results.py --document docs/LAYER.md --check \
        tests/apps/results.json tests/apps/counts.json || rc=1
    return "$rc"
}

conformance() {
    [ -f docs/CONFORMANCE.md ] || { echo "no docs/CONFORMANCE.md"; return 1; }
    scripts/check_conformance.py docs/CONFORMANCE.md "$runs"/*/
}

# ---- Only with --full ------------------------------------------------------

# on_platform NAME ENVIRONMENT ...: the tests that use a driver, on another.
on_platform() {
    local name=$1
    shift
    launcher=(env DNNL_CACHE_TEST_PLATFORM="$name" "$@")
    run_tests "${name,,}" gcc -L device
}

# The driver named by its ICD file: "oclgrind COMMAND" would bypass the loader
# and with it every layer. It reports races and bad accesses and goes on, so
# its words decide, not only the tests' results.
on_oclgrind() {
    local vendors=$base/oclgrind-vendors icd log rc=0
    icd=$(find /usr/lib -name 'liboclgrind-rt-icd.so*' -print -quit)
    [ -n "$icd" ] || { echo "no ICD library of Oclgrind's"; return 1; }
    mkdir -p "$vendors"
    echo "$icd" >"$vendors/oclgrind.icd"
    on_platform Oclgrind OCL_ICD_VENDORS="$vendors" OCLGRIND_CHECK_API=1 \
        OCLGRIND_DATA_RACES=1 || rc=1
    log=$base/gcc/Testing/Temporary/LastTest.log
    if grep -E "data race|Invalid (read|write)|Oclgrind: .*error" "$log"; then
        rc=1
    fi
    return "$rc"
}

fuzz() {
    local seconds=${DNNL_CACHE_TEST_FUZZ_SECONDS:-600} target name found rc=0
    for target in "$base"/fuzz/bin/fuzz_*; do
        name=${target##*/}
        found=$runs/fuzz/$name
        mkdir -p "$found"
        seeds=("$root/tests/fuzz/corpus/$name")
        [ "$name" = fuzz_blob_reader ] && seeds+=("$root/tests/data/blobs")
        [ "$name" = fuzz_onnx_reader ] &&
            seeds+=("$root"/tests/data/onnx/{models,nodes})
        (cd "$found" && "$target" -max_total_time="$seconds" -rss_limit_mb=2048 \
            -print_final_stats=1 "$found" "${seeds[@]}") || rc=1
    done
    return "$rc"
}

# Lines and branches of src/FOLDER that the tests without a driver reach, at
# least 95 % of each. The branches of asserts and of uthash's macros are not
# ours to reach; docs/COVERAGE.md lists them and whatever else is missing.
covered() {
    local folder rc=0
    for folder in blob common; do
        (cd "$base/coverage" && gcovr --root "$root" \
            --filter "$root/src/$folder/" --exclude-throw-branches \
            --exclude-branches-by-pattern '\s*(assert|(HASH|DL|LL)_\w+)\(.*' \
            --print-summary --fail-under-line 95 --fail-under-branch 95 . &&
            gcovr --root "$root" --filter "$root/src/$folder/" \
                --exclude-throw-branches --branches .) || rc=1
    done
    return "$rc"
}

# ---- The run ---------------------------------------------------------------

started=$SECONDS
purpose="test"
[ -n "$full" ] && purpose="full"
step "packages" scripts/install_packages.sh "$purpose" || {
    echo "0 passed, 1 failed"
    exit 1
}

step "PoCL" name_pocl

# What is quick to know comes first.
step "layers" scripts/check_layers.sh
step "format" scripts/check_format.sh
step "shell scripts" shell_scripts
step "recorded results" recorded_results

# What needs no OpenCL driver but the fake one.
without_driver='^(unit|fuzz|stores|tools|threads|api)$'
# Tests of the tree, not of the code; once is enough.
tree='^(headers|checks|package)$'

if step "gcc: build" build gcc -DCMAKE_C_COMPILER=gcc -DCMAKE_CXX_COMPILER=g++
then
    step "gcc: all tests on PoCL" run_tests gcc gcc
    step "applications under the layer" tests/apps/run.sh --quick \
        --build "$base/gcc" --out "$base/apps"
fi

if step "clang: build" build clang -DCMAKE_C_COMPILER=clang \
    -DCMAKE_CXX_COMPILER=clang++; then
    step "clang: tests without a driver" run_tests clang clang \
        -L "$without_driver" -LE device
    step "clang-tidy" scripts/check_tidy.sh "$base/clang"
fi

suppressions=$root/scripts/sanitizers
with_asserts="-DCMAKE_C_FLAGS_RELWITHDEBINFO=-O2 -g"
# GCC 12's guess at the size of thread-local storage in a module that is loaded
# later, as drivers are, is wrong where that lies 16 bytes into a page:
# LeakSanitizer dies of reading it.
export ASAN_OPTIONS="intercept_tls_get_addr=0"
export LSAN_OPTIONS="suppressions=$suppressions/lsan.txt:print_suppressions=0"
export UBSAN_OPTIONS="print_stacktrace=1"
export TSAN_OPTIONS="suppressions=$suppressions/tsan.txt:ignore_noninstrumented_modules=1:history_size=4"
if step "asan-ubsan: build" build asan -DCMAKE_C_COMPILER=gcc \
    -DCMAKE_CXX_COMPILER=g++ -DCMAKE_BUILD_TYPE=RelWithDebInfo \
    "$with_asserts" -DDNNL_CACHE_SANITIZE=address,undefined -DDNNL_CACHE_BENCH=OFF; then
    step "asan-ubsan: tests" run_tests asan asan \
        -LE "$tree|^no_asan\$"
fi
if step "tsan: build" build tsan -DCMAKE_C_COMPILER=gcc \
    -DCMAKE_CXX_COMPILER=g++ -DCMAKE_BUILD_TYPE=RelWithDebInfo \
    "$with_asserts" -DDNNL_CACHE_SANITIZE=thread -DDNNL_CACHE_BENCH=OFF; then
    # ThreadSanitizer's memory map does not stand much randomization.
    if setarch -R true 2>/dev/null; then launcher=(setarch -R); fi
    # Drivers are not instrumented; what they do looks like races.
    step "tsan: tests of threads" run_tests tsan tsan -L "$without_driver" \
        -LE device
    launcher=()
fi

if [ -n "$full" ]; then
    step "all applications under the layer" tests/apps/run.sh \
        --build "$base/gcc" --out "$base/apps"
    # One at a time: they keep every processor busy by themselves.
    step "stores: proofs in full" run_tests long gcc -C Long -L '^long$' -j 1
    million_operations() {
        DNNL_CACHE_TEST_LONG=1 run_tests tsan-long tsan -R '^test_cache$'
    }
    if setarch -R true 2>/dev/null; then launcher=(setarch -R); fi
    step "tsan: a million operations" million_operations
    launcher=()
    step "oclgrind: tests that use a driver" on_oclgrind
    step "rusticl: tests that use a driver" on_platform rusticl \
        OCL_ICD_VENDORS=/etc/OpenCL/vendors RUSTICL_ENABLE=llvmpipe
    if step "fuzz: build" build fuzz -DCMAKE_C_COMPILER=clang \
        -DCMAKE_CXX_COMPILER=clang++ -DDNNL_CACHE_FUZZ=ON \
        -DDNNL_CACHE_TESTS=OFF -DDNNL_CACHE_TOOLS=OFF \
        -DDNNL_CACHE_BENCH=OFF; then
        step "fuzz: campaigns" fuzz
    fi
    if step "coverage: build" build coverage -DCMAKE_C_COMPILER=gcc \
        -DCMAKE_CXX_COMPILER=g++ -DCMAKE_BUILD_TYPE=Debug \
        -DDNNL_CACHE_COVERAGE=ON -DDNNL_CACHE_BENCH=OFF; then
        find "$base/coverage" -name '*.gcda' -delete
        step "coverage: tests" run_tests coverage coverage \
            -L '^(unit|fuzz|threads|api)$' -LE device
        step "coverage: 95 % of src/blob and src/common" covered
    fi
fi

step "conformance" conformance

# ---- Summary ---------------------------------------------------------------

echo
printf '%s\n' "${summary[@]}"
echo "total  $((SECONDS - started)) s"
scripts/test_summary.py "$steps_passed" "$steps_failed" "$runs"/*/
