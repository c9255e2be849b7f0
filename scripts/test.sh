#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: scripts/test.sh [--merge | --full] [--help]
#
# Tests the project on Debian 12, in three tiers. Each tier installs the packages
# it lacks, builds, and runs its tests on PoCL:
#
#   (default)  one build with gcc, and every test that is quick: each behaviour
#              of docs/CONFORMANCE.md by at least one test
#   --merge    all tests but the campaigns; clang, clang-tidy, format, shell
#              scripts, layers; AddressSanitizer, UndefinedBehaviorSanitizer,
#              ThreadSanitizer; recorded results; two applications under the
#              OpenCL layer. Continuous integration runs this.
#   --full     --merge, all applications, the long proofs of the stores and of
#              the caches, the tests that use a driver on Oclgrind, rusticl and
#              Intel's CPU runtime, ten minutes of each fuzz target, random
#              includes against clang's preprocessor, coverage, mutants.
#              Takes hours; run again on the same tree, it goes on where it was
#              stopped.
#
# Exit status: 0 everything passed, 1 something failed, 2 wrong usage.
#
# DNNL_CACHE_TEST_DIR   where to build and run (build-test in the project);
#                       builds in it are reused, results are replaced
# DNNL_CACHE_TEST_JOBS  processes at a time (number of processors)
# DNNL_CACHE_TEST_FUZZ_SECONDS  of each fuzz target with --full (600)
set -uo pipefail

tier=quick
for argument in "$@"; do
    case $argument in
    --merge | --full) tier=${argument#--} ;;
    -h | --help)
        sed -n '3,/^set /{/^set /d;s/^# \{0,1\}//p;}' "$0"
        exit 0
        ;;
    *)
        echo "test.sh: no option $argument (--help lists them)" >&2
        exit 2
        ;;
    esac
done
exec </dev/null

root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root" || exit 1
base=${DNNL_CACHE_TEST_DIR:-$root/build-test}
jobs=${DNNL_CACHE_TEST_JOBS:-$(nproc)}
mkdir -p "$base" || exit 1
base=$(cd "$base" && pwd)
runs=$base/runs
logs=$base/logs
done_steps=$base/done-steps

# Of the sources as they are now, committed or not.
tree_digest() {
    {
        git rev-parse HEAD && git diff HEAD --binary &&
            git ls-files -z --others --exclude-standard | xargs -0r sha256sum
    } 2>/dev/null | sha256sum | cut -c1-16
}

# A full run remembers the steps that passed, for the same sources.
if [ "$tier" != full ] || ! git rev-parse HEAD >/dev/null 2>&1 ||
    [ "$(cat "$done_steps/tree" 2>/dev/null)" != "$(tree_digest)" ]; then
    rm -rf "$runs" "$logs" "$done_steps"
fi
mkdir -p "$runs" "$logs" "$done_steps" || exit 1
[ "$tier" = full ] && tree_digest >"$done_steps/tree"

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

# What a running step has come to: the last "N/M" or "N%" in its log.
progress_of() {
    tail -c 4000 "$1" 2>/dev/null | tr '\r' '\n' |
        grep -oE '^ *[0-9]+/[0-9]+ Test|^\[ *[0-9]+%\]' | tail -n 1 |
        sed 's/ Test$/ tests/;s/[][ ]*\(.*[^]]\)]*/\1/'
}

# Waits for a process; shows what it has come to if somebody watches.
watch_step() {
    local process=$1 log=$2
    if [ -t 1 ]; then
        while kill -0 "$process" 2>/dev/null; do
            printf '%-20s\033[20D' "$(progress_of "$log")"
            sleep 1
        done
        printf '%-20s\033[20D' ''
    fi
    wait "$process"
}

# step NAME COMMAND ...: runs it. Its output goes to a file, and is shown if the
# step fails; later steps go on.
step_number=0
running=
trap '[ -n "$running" ] && kill -TERM -- "-$running" 2>/dev/null; exit 130' INT TERM
step() {
    local name=$1 start=$SECONDS rc=0 log word=ok mark line
    shift
    step_number=$((step_number + 1))
    log=$logs/${name//[^a-z0-9]/-}.log
    mark=$done_steps/${name//[^a-z0-9]/-}
    printf '%2d  %-42s ' "$step_number" "$name"
    if [ "$tier" = full ] && [ -f "$mark" ]; then
        steps_passed=$((steps_passed + 1))
        line=$(cat "$mark")
        echo "passed before (${line%% *} s)"
        summary+=("$(printf 'before %4d s  %s' "${line%% *}" "$name")")
        return 0
    fi
    set -m # a process group of its own, which an interrupt can end
    ("$@") >"$log" 2>&1 &
    running=$!
    set +m
    watch_step "$running" "$log" || rc=$?
    running=
    if [ "$rc" = 0 ]; then
        steps_passed=$((steps_passed + 1))
        if [ "$tier" = full ]; then echo $((SECONDS - start)) >"$mark"; fi
    else
        steps_failed=$((steps_failed + 1))
        word=FAILED
    fi
    line=$(grep -E '^[0-9]+% tests passed' "$log" | tail -n 1)
    printf '%-6s %4d s  %s\n' "$word" $((SECONDS - start)) "$line"
    summary+=("$(printf '%-6s %4d s  %s' "$word" $((SECONDS - start)) "$name")")
    if [ "$rc" != 0 ]; then
        echo "---- the last lines of ${log#"$root"/}"
        tail -n 80 "$log"
        echo "----"
    fi
    return "$rc"
}

# build NAME CMAKE_OPTIONS ...: make would take half a minute of processor time
# for going through the targets alone.
build() {
    local dir=$base/$1
    shift
    if [ -f "$dir/CMakeCache.txt" ] &&
        ! grep -q '^CMAKE_GENERATOR:INTERNAL=Ninja$' "$dir/CMakeCache.txt"; then
        rm -rf "$dir"
    fi
    cmake -S "$root" -B "$dir" -G Ninja -DDNNL_CACHE_WERROR=ON "$@" &&
        NINJA_STATUS='[%p] ' cmake --build "$dir" -j "$jobs"
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
    ctest --test-dir "$dir" --show-only=json-v1 "$@" >"$run/tests.json" || rc=1
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
    scripts/check_conformance.py "$@" docs/CONFORMANCE.md "$runs"/*/
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

# From PyPI; it is in no package of Debian's.
on_intel() {
    local driver
    driver=$(scripts/intel_runtime.sh "$base/intel") || return 1
    on_platform Intel "$driver"
}

# Scenes that no run before had.
includes_campaign() {
    "$base/includes/bin/include_campaign" --count 20000 \
        --seed "$(($(date +%s) * 100000))" --processes "$jobs" \
        --out "$runs/includes_found"
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
echo "The $tier tier. Logs of all steps: ${logs#"$root"/}"
purpose=$tier
[ "$tier" = quick ] && purpose="test"
step "packages" scripts/install_packages.sh "$purpose" || {
    echo "0 passed, 1 failed"
    exit 1
}
step "PoCL" name_pocl

# Which of a build's tests run where: labels of ctest (CONTRIBUTING.md).
slower_than_quick='^(merge|full)$'
slower_than_merge='^full$'
# What needs no OpenCL driver but the fake one.
without_driver='^(unit|fuzz|stores|tools|threads|api)$'
# Tests of the tree, not of the code; once is enough.
tree='^(headers|checks|package)$'

gcc_build() {
    build gcc -DCMAKE_C_COMPILER=gcc -DCMAKE_CXX_COMPILER=g++
}

run_quick() {
    step "gcc: build" gcc_build || return
    step "gcc: quick tests on PoCL" run_tests gcc gcc -LE "$slower_than_quick"
}

run_merge() {
    # What is quick to know comes first.
    step "layers" scripts/check_layers.sh
    step "format" scripts/check_format.sh
    step "shell scripts" shell_scripts
    step "recorded results" recorded_results

    if step "gcc: build" gcc_build; then
        step "gcc: tests on PoCL" run_tests gcc gcc -LE "$slower_than_merge"
        step "applications under the layer" tests/apps/run.sh --quick \
            --build "$base/gcc" --out "$base/apps"
    fi

    if step "clang: build" build clang -DCMAKE_C_COMPILER=clang \
        -DCMAKE_CXX_COMPILER=clang++; then
        step "clang: tests without a driver" run_tests clang clang \
            -L "$without_driver" -LE "^(device|merge|full)\$"
        step "clang-tidy" scripts/check_tidy.sh "$base/clang"
    fi

    with_asserts="-DCMAKE_C_FLAGS_RELWITHDEBINFO=-O2 -g"
    if step "asan-ubsan: build" build asan -DCMAKE_C_COMPILER=gcc \
        -DCMAKE_CXX_COMPILER=g++ -DCMAKE_BUILD_TYPE=RelWithDebInfo \
        "$with_asserts" -DDNNL_CACHE_SANITIZE=address,undefined \
        -DDNNL_CACHE_BENCH=OFF; then
        step "asan-ubsan: quick tests" run_tests asan asan \
            -LE "$tree|^no_asan\$|$slower_than_quick"
    fi
    if step "tsan: build" build tsan -DCMAKE_C_COMPILER=gcc \
        -DCMAKE_CXX_COMPILER=g++ -DCMAKE_BUILD_TYPE=RelWithDebInfo \
        "$with_asserts" -DDNNL_CACHE_SANITIZE=thread -DDNNL_CACHE_BENCH=OFF; then
        # ThreadSanitizer's memory map does not stand much randomization.
        if setarch -R true 2>/dev/null; then launcher=(setarch -R); fi
        # Drivers are not instrumented: what they do looks like races.
        step "tsan: tests of threads" run_tests tsan tsan -L '^threads$' \
            -LE "^(device|full)\$"
        launcher=()
    fi
}

run_full() {
    step "gcc: slow tests on PoCL" run_tests slow gcc -L "$slower_than_merge"
    step "asan-ubsan: slow tests" run_tests asan-slow asan \
        -L "$slower_than_quick" -LE "$tree|^no_asan\$"
    if setarch -R true 2>/dev/null; then launcher=(setarch -R); fi
    step "tsan: tests without a driver" run_tests tsan-all tsan \
        -L "$without_driver" -LE "^(device|threads)\$"
    launcher=()
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
    step "intel: tests that use a driver" on_intel
    if step "includes: build" build includes -DCMAKE_C_COMPILER=gcc \
        -DCMAKE_CXX_COMPILER=g++ -DDNNL_CACHE_INCLUDE_CAMPAIGN=ON \
        -DDNNL_CACHE_BENCH=OFF -DDNNL_CACHE_EXAMPLES=OFF; then
        step "includes: faults that are planted" run_tests includes includes \
            -L '^campaign$'
        step "includes: against the compiler" includes_campaign
    fi
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
    step "mutation check" tests/mutation/check.py --dir "$base/mutation" \
        --jobs "$jobs"
}

suppressions=$root/scripts/sanitizers
# GCC 12's guess at the size of thread-local storage in a module that is loaded
# later, as drivers are, is wrong where that lies 16 bytes into a page:
# LeakSanitizer dies of reading it.
export ASAN_OPTIONS="intercept_tls_get_addr=0"
export LSAN_OPTIONS="suppressions=$suppressions/lsan.txt:print_suppressions=0"
export UBSAN_OPTIONS="print_stacktrace=1"
export TSAN_OPTIONS="suppressions=$suppressions/tsan.txt:ignore_noninstrumented_modules=1:history_size=4"

case $tier in
quick) run_quick ;;
merge) run_merge ;;
full)
    run_merge
    run_full
    ;;
esac
if [ "$tier" = quick ]; then
    step "conformance" conformance --any
else
    step "conformance" conformance
fi

# ---- Summary ---------------------------------------------------------------

echo
printf '%s\n' "${summary[@]}"
echo "total  $((SECONDS - started)) s"
# left NAME OPTIONS ...: how many tests of the gcc build another tier runs.
left() {
    local count
    count=$(ctest --test-dir "$base/gcc" -N "${@:2}" 2>/dev/null |
        sed -n 's/^Total Tests: //p')
    echo "left to scripts/test.sh $1: ${count:-0} slower test programs"
}
case $tier in
quick)
    left --merge -L '^merge$'
    echo "    clang, clang-tidy, format, sanitizers, applications"
    left --full -L "$slower_than_merge"
    echo "    other drivers, long proofs, fuzzing, coverage, all applications"
    ;;
merge)
    left --full -L "$slower_than_merge"
    echo "    other drivers, long proofs, fuzzing, coverage, all applications"
    ;;
esac
scripts/test_summary.py "$steps_passed" "$steps_failed" "$runs"/*/
