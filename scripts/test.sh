#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: scripts/test.sh [--merge | --full] [--help]
#
# Tests the project on Debian 12, in three tiers. Each tier installs the packages
# it lacks, builds, and runs its tests on PoCL:
#
#   (default)  one build with gcc, and every test that is quick: each behaviour
#              of docs/reference/conformance.md by at least one test
#   --merge    all tests but those labelled full or long, of slow ones a share, another
#              one each time; clang, clang-tidy, format, shell
#              scripts, layers; AddressSanitizer, UndefinedBehaviorSanitizer,
#              ThreadSanitizer; recorded results; two applications under the
#              OpenCL layer. Continuous integration runs this.
#   --full     --merge without shares, all applications, programs of others that use the
#              library, the long proofs of the stores and of the caches, the
#              Python wheel with PyPI's pyopencl, ONNX's tests of operators, the
#              tests that use a driver on Oclgrind, rusticl and Intel's CPU
#              runtime, the layer below other loaders (scripts/loaders.py),
#              other platforms (scripts/platforms.sh), ten minutes
#              of each fuzz target, random includes
#              against clang's preprocessor, coverage, mutants, a planted
#              fault for each row of docs/reference/conformance.md, the documentation
#              site.
#              Takes hours. Run again on the same sources, it goes on where it
#              was stopped, whatever stopped it; a run of another tier in
#              between does not matter.
#
# Exit status: 0 everything passed, 1 something failed, 2 wrong usage.
#
# DNNL_CACHE_TEST_DIR   where to build and run (build-test in the project);
#                       builds in it are reused, a tier's results are replaced;
#                       one run at a time uses it; "records" in it says how the
#                       tests ended on each driver (scripts/driver_record.py)
# DNNL_CACHE_TEST_JOBS  compilers at a time (number of processors); twice as many
#                       tests, since many of them wait
# DNNL_CACHE_TEST_FUZZ_SECONDS  of each fuzz target with --full (600)
set -uo pipefail

tier=quick
for argument in "$@"; do
    case $argument in
    --merge | --full)
        if [ "$tier" != quick ] && [ "$tier" != "${argument#--}" ]; then
            echo "test.sh: --merge or --full, not both" >&2
            exit 2
        fi
        tier=${argument#--}
        ;;
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
mkdir -p "$base" || exit 1
base=$(cd "$base" && pwd)
jobs=${DNNL_CACHE_TEST_JOBS:-$(nproc)}
results=$base/$tier
runs=$results/runs
. scripts/test_steps.sh
. scripts/test_runs.sh
steps_take "$base"
steps_begin "$results" "$([ "$tier" = full ] && echo remember)"
mkdir -p "$runs" || exit 1
choose_environment
# Empty at first: the tests of the first build compile, and those of the others
# load, but for those that bring an empty cache of their own.
pocl_cache=$results/pocl
rm -rf "$pocl_cache"

# Named *.sh, or with a shell in the first line.
shell_scripts() {
    local file files=()
    while IFS= read -r file; do
        if [[ $file == *.sh ]] ||
            head -c 32 "$file" | grep -aqE '^#!.*(bash|/sh)'; then
            files+=("$file")
        fi
    done < <(find scripts tests bench stores layer model examples tools python \
        docs packaging .ci -type f -not -path '*/corpus/*')
    printf '%s\0' "${files[@]}" | xargs -0 -n 8 -P "$jobs" shellcheck -x &&
        echo "shellcheck: ${#files[@]} files"
}

# The documents say what was measured.
recorded_results() {
    local rc=0
    scripts/results.py --check || rc=1
    scripts/draw_pictures.py --check || rc=1
    tests/apps/results.py --document docs/reference/applications.md --check \
        tests/apps/results.json tests/apps/counts.json || rc=1
    tests/apps/replay_results.py --document docs/reference/applications.md --check \
        tests/apps/replays.json || rc=1
    tests/adoptions/adoption_results.py --document docs/reference/adoptions.md --check \
        tests/adoptions/results.json || rc=1
    return "$rc"
}

# record_driver RUN PLATFORM ENVIRONMENT ...: how its tests ended on that driver.
record_driver() {
    local run=$1 name=$2
    shift 2
    env "$@" scripts/driver_record.py --tool "$base/gcc/bin/dnnl-cache" \
        --platform "$name" --tier "$tier" --json "$base/records/$run-$tier.json" \
        "$runs/$run"
}

# on_pocl CTEST_OPTIONS ...
on_pocl() {
    local rc=0
    in_memory run_tests gcc gcc "$@" || rc=1
    record_driver gcc "Portable Computing Language" \
        OCL_ICD_VENDORS="$base/vendors/pocl" || rc=1
    return "$rc"
}

conformance() {
    [ -f docs/reference/conformance.md ] || { echo "no docs/reference/conformance.md"; return 1; }
    scripts/check_conformance.py "$@" docs/reference/conformance.md "$runs"/*/
}

# What the merge tier leaves out, as options of ctest's. What is labelled "long"
# is there with this configuration only.
slow=(-C Long -L '^(full|long)$')

# ---- Only with --full ------------------------------------------------------

# on_platform NAME ENVIRONMENT ...: the tests that use a driver, on another.
on_platform() {
    local name=$1 rc=0
    shift
    launcher=(env DNNL_CACHE_TEST_PLATFORM="$name" "$@")
    run_tests "${name,,}" gcc -L device || rc=1
    record_driver "${name,,}" "$name" "$@" || rc=1
    return "$rc"
}

# The driver named by its ICD file: "oclgrind COMMAND" would bypass the loader
# and with it every layer. It reports races and bad accesses and goes on, so
# its words decide, not only the tests' results.
on_oclgrind() {
    local icd log rc=0
    icd=$(find /usr/lib -name 'liboclgrind-rt-icd.so*' -print -quit)
    [ -n "$icd" ] || { echo "no ICD library of Oclgrind's"; return 1; }
    one_driver oclgrind "$icd"
    driver_reads Oclgrind OCL_ICD_VENDORS="$base/vendors/oclgrind" || rc=1
    on_platform Oclgrind OCL_ICD_VENDORS="$base/vendors/oclgrind" \
        OCLGRIND_CHECK_API=1 OCLGRIND_DATA_RACES=1 || rc=1
    log=$runs/oclgrind/ctest.log
    if grep -E "data race|Invalid (read|write)|Oclgrind: .*error" "$log"; then
        rc=1
    fi
    return "$rc"
}

# driver_reads NAME ENVIRONMENT ...: what a driver reads is in its identity.
driver_reads() {
    local name=$1
    shift
    env "$@" scripts/driver_reads.py --tool "$base/gcc/bin/dnnl-cache" \
        --compiler "$(find "$base/gcc" -name compile_corpus -type f)" \
        --shim "$(find "$base/gcc" -name libtrace_getenv.so)" --platform "$name"
}

on_rusticl() {
    system_driver rusticl &&
        driver_reads rusticl OCL_ICD_VENDORS="$base/vendors/rusticl" &&
        on_platform rusticl OCL_ICD_VENDORS="$base/vendors/rusticl" \
            RUSTICL_ENABLE=llvmpipe
}

# From PyPI; it is in no package of Debian's.
on_intel() {
    local driver
    driver=$(scripts/intel_runtime.sh "$base/intel") || return 1
    driver_reads "Intel(R) OpenCL" "$driver" &&
        on_platform Intel "$driver"
}

# The loader that comes with it, of 2026; Debian's is older.
on_newest_loader() {
    scripts/intel_runtime.sh "$base/intel" >/dev/null || return 1
    local launcher=(env DNNL_CACHE_TEST_LOADER="$base/intel/loader"
        LD_LIBRARY_PATH="$base/intel/loader")
    run_tests newest-loader gcc -R '^test_layer_' \
        -E '^test_layer_(normalization|run_loaders)'
}

# Prints which it skips: sources come from GitHub, wheels from PyPI.
on_other_loaders() {
    scripts/loaders.py --build "$base/gcc" --folder "$base/loaders" \
        --intel "$base/intel" --json "$runs/loaders.json"
}

# The versions of PoCL of which more is known than that they are PoCL, but the
# machine's own. Prints what it skips: packages come from Debian.
on_newer_pocl() {
    local suite status
    for suite in trixie sid; do
        status=0
        pocl_of "$suite" || status=$?
        [ "$status" -ne 77 ] || echo "PoCL of $suite: skipped"
        [ "$status" -eq 0 ] || [ "$status" -eq 77 ] || return 1
    done
}

pocl_of() {
    local in_root=(scripts/debian_pocl.sh "$1" "$base/pocl-$1")
    "${in_root[@]}" "$base/gcc/bin/test_layer_device" \
        --gtest_filter='LayerCompiled.Is*:LayerCompiled.Gives*:LayerCompiled.OfRandom*' || return
    "${in_root[@]}" "$base/gcc/bin/test_layer_device" \
        --gtest_filter='LayerMade.*' || return
    "${in_root[@]}" "$base/gcc/bin/test_program_device" \
        --gtest_filter='PoclFolder.*'
}

# Scenes that no run before had.
includes_campaign() {
    "$base/includes/bin/include_campaign" --count 20000 \
        --seed "$(($(date +%s) * 100000))" --processes "$jobs" \
        --out "$runs/includes_found"
}

# Programs in two places that no run before had.
moves_campaign() {
    python3 -B tests/includes/move_campaign.py \
        --probe "$base/includes/bin/move_probe" \
        --reference "$base/includes/bin/move_reference" --count 100000 \
        --seed "$(($(date +%s) * 100000))" --jobs "$jobs"
}

# fuzz BUILD TARGET ...: as many targets at a time as there are processors: each of
# them keeps one busy.
fuzz() {
    local fuzz_seconds=${DNNL_CACHE_TEST_FUZZ_SECONDS:-600} found_in=$runs/$1
    local bin=$base/$1/bin
    shift
    printf '%s\0' "$@" | xargs -0 -n 1 -P "$jobs" \
        tests/fuzz/campaign.sh run "$bin" "$found_in" "$fuzz_seconds"
}

# fuzz_build NAME OPTIONS ...
fuzz_build() {
    build "$@" -DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++ \
        -DDNNL_CACHE_FUZZ=ON -DDNNL_CACHE_TESTS=OFF -DDNNL_CACHE_BENCH=OFF
}

fuzz_build_all() {
    local targets=(--target dnnl_cache_fuzz_targets)
    fuzz_build fuzz
}

all_fuzz_targets() {
    local files=("$base"/fuzz/bin/fuzz_*) rc=0
    fuzz fuzz "${files[@]##*/}" || rc=1
    python3 tests/fuzz/campaign_table.py "$runs"/fuzz/*.log
    return "$rc"
}

# A process of 32 bits: sizes in files must not overflow its size_t.
fuzz_build_32() {
    local targets=(--target "${loader_fuzz_targets[@]}")
    scripts/cross_root.sh i386 "$base/platforms/i386" &&
        fuzz_build fuzz32 -DDNNL_CACHE_TOOLS=OFF \
            -DCMAKE_TOOLCHAIN_FILE="$base/platforms/i386/toolchain.cmake"
}
loader_fuzz_targets=(fuzz_image_reader fuzz_npy_reader fuzz_onnx_reader)

# A process that is killed while it writes its counts leaves a file that the next
# one complains of, on standard error, which some tests read.
coverage_tests() {
    local launcher=(env GCOV_ERROR_FILE="$runs/gcov_errors.log")
    find "$base/coverage" -name '*.gcda' -delete
    run_tests coverage coverage -L '^(unit|fuzz|threads|api)$' -LE device
}

# Lines and branches that the tests without a driver reach, at least 95 % of each,
# of what reads and writes bytes and of src/common. The branches of asserts and of uthash's macros are not
# ours to reach; docs/reference/coverage.md lists them and whatever else is missing.
covered() {
    local files rc=0
    local text='build_options|header_set|include_(assembly|scan|words)'
    for files in "(blob|binaries)/|includes/($text)[.]" common/; do
        (cd "$base/coverage" && gcovr --root "$root" \
            --filter "$root/src/($files)" --exclude-throw-branches \
            --exclude-branches-by-pattern '\s*(assert|(HASH|DL|LL)_\w+)\(.*' \
            --print-summary --fail-under-line 95 --fail-under-branch 95 . &&
            gcovr --root "$root" --filter "$root/src/($files)" \
                --exclude-throw-branches --branches .) || rc=1
    done
    return "$rc"
}

# ---- The run ---------------------------------------------------------------

started=$SECONDS
echo "The $tier tier. Logs of all steps: ${steps_logs#"$root"/}"
purpose=$tier
[ "$tier" = quick ] && purpose="test"
step "packages" scripts/install_packages.sh "$purpose" || {
    echo "0 passed, 1 failed"
    exit 1
}
step_always "PoCL" system_driver pocl

run_quick() {
    step_always "gcc: build" gcc_build quick || return
    step "gcc: quick tests on PoCL" on_pocl -LE "$slower_than_quick"
}

# The full tier runs slower tests with it, too.
asan_build() {
    if [ "$tier" = full ]; then
        sanitizer_build asan address,undefined
    else
        asan_quick_build
    fi
}

# Without the programs of slower tests, which gcc's build has.
clang_build() {
    build clang -DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++ \
        "-DDNNL_CACHE_TEST_QUICK=$([ "$tier" = full ] && echo OFF || echo ON)"
}

run_merge() {
    # What is quick to know comes first.
    step "rooms, by their includes" scripts/check_rooms.py --includes
    step "versions" scripts/check_versions.py
    step "format" scripts/check_format.sh
    step "shell scripts" shell_scripts
    step "recorded results" recorded_results
    step "comments of public symbols" scripts/site.sh --headers \
        --out "$base/site-headers"

    if step_always "gcc: build" gcc_build; then
        step "gcc: tests on PoCL" on_pocl -LE "$slower_than_merge"
        step "applications under the layer" in_run "$runs/apps" \
            tests/apps/run.sh --quick --build "$base/gcc" --out "$base/apps"
        step "other platforms: the product compiles" scripts/platforms.sh \
            --must --build "$base/gcc" --folder "$base/platforms" arm64 musl
    fi

    if step_always "clang: build" clang_build; then
        step "clang: a third of unit tests and stores" a_third run_tests clang clang \
            -L "^(unit|fuzz|stores)\$" -LE "^(device|merge|full)\$"
        step "clang-tidy" scripts/check_tidy.sh "$base/clang"
    fi

    if step_always "asan-ubsan: build" asan_build; then
        step "asan-ubsan: quick tests" in_memory asan_quick_tests
    fi
    if step_always "tsan: build" tsan_quick_build; then
        step "tsan: tests of threads" tsan_quick_tests
    fi
}

# Rows that measure nanoseconds of the library's own, each with a target. Not
# in --merge: what else the machine does must not decide there.
own_speed() {
    in_run "$runs/speed" "$base/gcc/bin/dnnl_cache_bench" --rows "program_id_first,\
program_id_repeated,primitive_id_first,primitive_id_repeated,primitive_hit,\
primitive_hit_described,kernel_hit"
}

# ONNX's own tests of its operators, from PyPI.
onnx_nodes() {
    local network venv=$base/onnx_venv
    [ -x "$venv/bin/python" ] || python3 -m venv "$venv" || return 1
    "$venv/bin/pip" install --quiet --disable-pip-version-check \
        -r tests/onnx_backend/requirements.txt || return 1
    in_run "$runs/onnx_nodes" "$venv/bin/python" tests/onnx_backend/run.py \
        --server "$base/gcc/bin/node_server" --store "$base/onnx_store" \
        --recorded bench/results/onnx_nodes.json || return 1
    # ONNX Runtime 1.32 keeps a number of the machine's in a user's caches, and
    # one of its sessions' among temporary files.
    mkdir -p "$base/onnx_runtime"
    for network in tests/data/onnx/networks/*.onnx; do
        in_run "$runs/onnx_layers" env XDG_CACHE_HOME="$base/onnx_runtime" \
            TMPDIR="$base/onnx_runtime" "$venv/bin/python" \
            scripts/compare_layers.py "$network" --loader "$base/gcc/bin/model_loader" \
            --store "$base/onnx_store" --worst 3 || return 1
    done
}

# What a machine without the packages that are optional builds; pkg-config and
# CMake's find_package() do not find them. The tests need some of them.
build_without_optional() {
    local pkg_config=$base/pkg_config_without_optional
    cat >"$pkg_config" <<'END'
#!/bin/sh
for argument; do
    case $argument in
    libcurl* | hiredis* | libpng* | libjpeg*) exit 1 ;;
    esac
done
exec pkg-config "$@"
END
    chmod +x "$pkg_config" || return 1
    build without_optional -DCMAKE_C_COMPILER=gcc -DCMAKE_CXX_COMPILER=g++ \
        -DDNNL_CACHE_TESTS=OFF -DPKG_CONFIG_EXECUTABLE="$pkg_config" \
        -DCMAKE_DISABLE_FIND_PACKAGE_CLBlast=ON \
        -DCMAKE_DISABLE_FIND_PACKAGE_dnnl=ON
}

run_full() {
    # What takes minutes, and then what takes a quarter of an hour and more.
    step "gcc: build without optional packages" build_without_optional
    step "gcc: other configurations" scripts/configurations.sh \
        --folder "$base/configurations"
    step "documentation site" scripts/site.sh --out "$base/site"
    # Prints which cannot be tried here: roots of other systems come from Debian.
    step "other platforms: tests" scripts/platforms.sh --tier full \
        --build "$base/gcc" --folder "$base/platforms"
    step "speed: IDs, hits in memory" own_speed
    step "onnx: backend tests of nodes, layers of networks" onnx_nodes
    step "rusticl: tests that use a driver" on_rusticl
    step "intel: tests that use a driver" on_intel
    step "newest loader: tests of the layer" on_newest_loader
    step "other loaders: the layer, cold and warm" in_run "$runs/loaders" \
        on_other_loaders
    step "newer PoCL: tests of what it has compiled" on_newer_pocl
    if step_always "coverage: build" build coverage -DCMAKE_C_COMPILER=gcc \
        -DCMAKE_CXX_COMPILER=g++ -DCMAKE_BUILD_TYPE=Debug \
        -DDNNL_CACHE_COVERAGE=ON -DDNNL_CACHE_BENCH=OFF; then
        step "coverage: tests" coverage_tests
        step "coverage: 95 % of src/blob, src/binaries and src/common" covered
    fi
    if step_always "includes: build" build includes -DCMAKE_C_COMPILER=gcc \
        -DCMAKE_CXX_COMPILER=g++ -DDNNL_CACHE_INCLUDE_CAMPAIGN=ON \
        -DDNNL_CACHE_BENCH=OFF -DDNNL_CACHE_EXAMPLES=OFF -DDNNL_CACHE_LOADER=OFF; then
        step "includes: faults that are planted" run_tests includes includes \
            -L '^campaign$'
        step "includes: against the compiler" includes_campaign
        step "includes: programs in two places" moves_campaign
    fi
    # From PyPI: pyopencl, NumPy, scikit-build-core, mypy, pytest.
    step "python: the wheel" in_run "$runs/python" python/test.sh \
        --out "$base/python"
    # As many at a time as there are processors: some keep several busy.
    step "gcc: slow tests" run_tests slow gcc -L '^full$' -j "$jobs"
    step "clang: tests without a driver" run_tests clang-all clang \
        -L "$without_driver" -LE "^(device|merge|full)\$"
    step "gcc: long proofs" in_memory run_tests long gcc -C Long -L '^long$' \
        -j "$jobs"
    step "oclgrind: tests that use a driver" on_oclgrind
    step_always "tsan: build of all" sanitizer_build tsan thread &&
        step "tsan: tests without a driver" without_randomization run_tests \
            tsan-all tsan -L "$without_driver" -LE "^(device|threads)\$"
    million_operations() {
        DNNL_CACHE_TEST_LONG=1 without_randomization \
            run_tests tsan-long tsan -R '^test_cache(_merge)?$'
    }
    step "tsan: a million operations" million_operations
    step "asan-ubsan: slow tests" run_tests asan-slow asan \
        -L "$slower_than_quick" -LE "$tree|^no_asan\$"
    step "all applications under the layer" in_run "$runs/all-apps" \
        tests/apps/run.sh --build "$base/gcc" --out "$base/apps"
    # Prints what it skips: sources come from Debian and PyPI.
    step "programs of others that use the library" in_run "$runs/adoptions" \
        tests/adoptions/run.sh --rounds 1 --build "$base/gcc" \
        --out "$base/adoptions"
    if step_always "fuzz: build" fuzz_build_all; then
        step "fuzz: campaigns" all_fuzz_targets
    fi
    if step_always "fuzz: loader's targets with 32 bits, build" fuzz_build_32
    then
        step "fuzz: loader's targets with 32 bits" \
            fuzz fuzz32 "${loader_fuzz_targets[@]}"
    fi
    step "mutation check" tests/mutation/check.py --dir "$base/mutation" \
        --jobs "$jobs"
    step "each row's tests notice a planted fault" tests/mutation/rows.py \
        --dir "$base/mutation" --jobs "$jobs"
}

# Who checks the same sources again runs the same shares (tests/CMakeLists.txt).
if seed=$(git rev-parse --verify --quiet --short=8 HEAD: 2>/dev/null); then
    export DNNL_CACHE_TEST_SHARE_SEED=${DNNL_CACHE_TEST_SHARE_SEED:-$seed}
fi

case $tier in
quick) run_quick ;;
merge) run_merge ;;
full)
    # All of what the merge tier has a share of.
    export DNNL_CACHE_TEST_WHOLE=1
    run_merge
    run_full
    ;;
esac
if [ "$tier" = quick ]; then
    step "conformance" conformance --any
else
    step "conformance" conformance
fi

rm -rf "$pocl_cache"

# ---- Summary ---------------------------------------------------------------

echo
printf '%s\n' "${steps_summary[@]}"
echo "total  $((SECONDS - started)) s"
# left NAME OPTIONS ...: how many tests of the gcc build another tier runs.
left() {
    local count
    count=$(ctest --test-dir "$base/gcc" -N "${@:2}" 2>/dev/null |
        sed -n 's/^Total Tests: //p')
    echo "not run here, see scripts/test.sh $1: ${count:-0} more tests;"
}
case $tier in
quick)
    left --merge -L '^merge$'
    echo "    clang, clang-tidy, format, sanitizers, applications"
    left --full "${slow[@]}"
    echo "    other drivers, long proofs, fuzzing, coverage, all applications"
    ;;
merge)
    left --full "${slow[@]}"
    echo "    other drivers, long proofs, fuzzing, coverage, all applications"
    ;;
esac
scripts/test_summary.py "$steps_passed" "$steps_failed" "$runs"/*/
