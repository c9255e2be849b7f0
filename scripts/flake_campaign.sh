#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: scripts/flake_campaign.sh [OPTION ...]
#
# Looks for tests that fail now and then: repeats each test of the quick tier,
# the first rounds with the processors and the disk busy and from empty driver
# caches, and runs the quick tests under the sanitizers once. Continues after a
# failure. Run again on the same sources, it goes on where it was stopped.
#
#   --rounds N       repetitions of each test (20)
#   --loaded N       the first N rounds run under competing load (3)
#   --only REGEX     only tests of which REGEX matches a part of the name, those
#                    labelled merge too
#   --except REGEX   not these
#   --labels REGEX   only tests with such a label
#   --not-labels REGEX   not these
#   --no-sanitizers  only the repetitions
#   --keep           go on although the sources changed since: after a test was
#                    corrected, what the others did still counts; those that
#                    failed before are repeated from the first round
#   --report         only print what was found so far
#
# Prints each failure and keeps its output below flakes/failures in
# DNNL_CACHE_TEST_DIR. Exit status: 0 nothing failed, 1 something failed, 2
# wrong usage.
#
# DNNL_CACHE_TEST_DIR   where to build and run (build-test in the project)
# DNNL_CACHE_TEST_JOBS  tests at a time (number of processors)
# DNNL_CACHE_TEST_LOAD  busy processes in a round under load (twice the number of
#                       processors); one more writes to the disk
set -uo pipefail

usage() {
    sed -n '3,/^set /{/^set /d;s/^# \{0,1\}//p;}' "$0"
}

# ---- One repetition, which xargs runs in a process of its own ---------------

# repeat_once ROUND NUMBER ENTRY: NUMBER is its place in the round. The folder
# of results is the current one. ctest keeps its own files below the folder that
# it runs in, hence one for each process.
repeat_once() {
    local round=$1 number=$2 entry=$3 run=processes/$PROCESS rc=0 start word=Passed
    local escaped log
    escaped=$(printf '%s' "$entry" | sed 's/[^a-zA-Z0-9_-]/[&]/g')
    mkdir -p "$run"
    run=$(realpath "$run")
    log=$run/log
    echo "subdirs(\"$base/gcc\")" >"$run/CTestTestfile.cmake"
    start=$(date +%s%N)
    in_run "$run" env POCL_CACHE_DIR="$PWD/pocl" ctest --test-dir "$run" \
        --output-on-failure --no-tests=error -R "^$escaped\$" >"$log" 2>&1 ||
        rc=1
    if [ "$rc" != 0 ]; then
        word=FAILED
        mkdir -p failures
        cp "$log" "failures/$entry-$round.log"
    fi
    printf '%s\t%s\t%s\t%d\t%s\n' "$round" "$entry" "$word" \
        $((($(date +%s%N) - start) / 1000000)) "$(cat tree)" >>results.tsv
    printf '%4d/%d Test %s %s\n' "$number" "$COUNT" "$entry" "$word"
    # A status of its own would have xargs say so, for a test that was told of.
}

# ---- Load -------------------------------------------------------------------

# Each ends when the process PARENT does, however that ends.
burn() {
    local i
    while kill -0 "$1" 2>/dev/null; do
        for ((i = 0; i < 200000; i++)); do :; done
    done
}
write_disk() {
    while kill -0 "$1" 2>/dev/null; do
        dd if=/dev/zero of=load.tmp bs=1M count=64 conv=fsync status=none
        rm -f load.tmp
    done
}

# Twice as many as processors: even at a lower priority they take a good part,
# and tests wait for their turn.
load=()
start_load() {
    local i self=$BASHPID
    for ((i = 0; i < ${DNNL_CACHE_TEST_LOAD:-2 * $(nproc)}; i++)); do
        nice -n 5 bash -c "$(declare -f burn); burn $self" &
        load+=($!)
    done
    nice -n 5 bash -c "$(declare -f write_disk); write_disk $self" &
    load+=($!)
}
end_load() {
    [ "${#load[@]}" -gt 0 ] && kill "${load[@]}" 2>/dev/null
    rm -f load.tmp
}

# ---- Rounds -----------------------------------------------------------------

# round_left ROUND: "NUMBER ENTRY" of what it has not run yet.
round_left() {
    awk -F '\t' -v round="$1" '
        FILENAME == "results.tsv" { if ($1 == round) ran[$2] = 1; next }
        !($1 in ran) { print ++n, $1 }' results.tsv entries
}

# run_round ROUND LOADED
run_round() {
    local round=$1
    round_left "$round" >left
    COUNT=$(wc -l <left)
    export COUNT
    if [ "$2" = loaded ]; then
        # A round that was stopped goes on with what it had compiled.
        [ "$COUNT" = "$(wc -l <entries)" ] && rm -rf pocl
        start_load
    fi
    mkdir -p pocl
    sed "s/^/$round /" left |
        xargs -r -L 1 -P "$jobs" --process-slot-var=PROCESS \
            "$root/scripts/flake_campaign.sh" --one
    end_load
    if grep -P "^$round\t.*\tFAILED\t" results.tsv; then return 1; fi
}

# list_entries: of the quick tier, as the options say.
list_entries() {
    # Of several -LE all have to match.
    local slower=$slower_than_quick
    [ -n "$only" ] && slower=$slower_than_merge
    local select=(-LE "$slower${not_labels:+|$not_labels}")
    [ -n "$labels" ] && select+=(-L "$labels")
    [ -n "$only" ] && select+=(-R "$only")
    [ -n "$except" ] && select+=(-E "$except")
    ctest --test-dir "$base/gcc" -N "${select[@]}" |
        sed -n 's/^ *Test *#[0-9]*: //p' >entries
    [ -s entries ]
}

# Forgets what was run on other sources of the tests that failed there.
forget_failed() {
    local tree
    tree=$(cat tree)
    awk -F '\t' -v tree="$tree" '
        $5 != tree && $3 == "FAILED" && !seen[$2]++ { print $2 }' \
        results.tsv >failed
    [ -s failed ] || return 0
    sed 's/$/ failed on other sources: is repeated from the first round/' failed
    awk -F '\t' -v tree="$tree" '
        FILENAME == "failed" { failed[$1] = 1; next }
        $5 == tree || !($2 in failed)' failed results.tsv >results.new &&
        mv results.new results.tsv
}

# What all rounds came to; fails if a test did.
report() {
    [ -s results.tsv ] || { echo "no test ran"; return 1; }
    echo
    awk -F '\t' '
        { count[$2]++; trees[$5] = 1; total++; ms += $4 }
        $3 == "FAILED" { failed[$2]++; bad++
            logs[$2] = logs[$2] " failures/" $2 "-" $1 ".log" }
        END {
            for (entry in count) {
                n = count[entry]
                if (least == "" || n < least) least = n
                if (n > most) most = n
                entries++
            }
            for (entry in failed)
                printf "%s failed %d of %d times:%s\n", entry, failed[entry], \
                    count[entry], logs[entry]
            for (t in trees) states++
            printf "%d runs of %d tests, each %d to %d times, on %d state%s of the sources: %d failed\n", \
                total, entries, least, most, states, (states > 1 ? "s" : ""), bad
            exit bad > 0
        }' results.tsv
}

# ---- The campaign -----------------------------------------------------------

root=$(cd "$(dirname "$0")/.." && pwd)
base=$(realpath -ms -- "${DNNL_CACHE_TEST_DIR:-$root/build-test}")
jobs=${DNNL_CACHE_TEST_JOBS:-$(nproc)}
results=$base/flakes
runs=$results/runs
. "$root/scripts/test_runs.sh"

if [ "${1:-}" = --one ]; then
    repeat_once "${@:2}"
    exit
fi

rounds=20 loaded=3 only='' except='' labels='' not_labels=''
sanitizers=yes keep='' report=''
while [ $# -gt 0 ]; do
    case $1 in
    --rounds | --loaded | --only | --except | --labels | --not-labels)
        [ $# -ge 2 ] || { echo "flake_campaign.sh: $1 needs a value" >&2; exit 2; }
        option=${1#--}
        printf -v "${option//-/_}" '%s' "$2"
        shift
        ;;
    --no-sanitizers) sanitizers= ;;
    --keep) keep=keep ;;
    --report) report=yes ;;
    -h | --help)
        usage
        exit 0
        ;;
    *)
        echo "flake_campaign.sh: no option $1 (--help lists them)" >&2
        exit 2
        ;;
    esac
    shift
done
if ! [[ $rounds =~ ^[1-9][0-9]*$ && $loaded =~ ^[0-9]+$ ]]; then
    echo "flake_campaign.sh: --rounds and --loaded take numbers" >&2
    exit 2
fi
exec </dev/null
if [ -n "$report" ]; then
    if ! [ -f "$results/results.tsv" ]; then
        echo "flake_campaign.sh: no campaign was run in $base" >&2
        exit 2
    fi
    cd "$results" && report
    exit
fi

cd "$root" || exit 1
. scripts/test_steps.sh
steps_take "$base"
steps_begin "$results" "${keep:-remember}"
mkdir -p "$runs"
touch "$results/results.tsv"
choose_environment
# No share of the tests of an entry: all of them.
export DNNL_CACHE_TEST_DIR=$base DNNL_CACHE_TEST_WHOLE=1

echo "Results: ${results#"$root"/}"
step_always "PoCL" system_driver pocl || exit 1
step_always "gcc: build" gcc_build || exit 1
cd "$results" || exit 1
forget_failed || exit 1
list_entries || { echo "no such test"; exit 1; }
echo "$(wc -l <entries) tests, $rounds rounds"
for ((i = 1; i <= rounds; i++)); do
    if [ "$i" -le "$loaded" ]; then
        step_always "round $i, under load" run_round "$i" loaded
    else
        step_always "round $i" run_round "$i" unloaded
    fi
done
cd "$root" || exit 1
if [ -n "$sanitizers" ]; then
    if step_always "asan-ubsan: build" asan_quick_build
    then
        step "asan-ubsan: quick tests" asan_quick_tests
    fi
    if step_always "tsan: build" tsan_quick_build; then
        step "tsan: tests of threads" tsan_quick_tests
    fi
fi

printf '\n%s\n' "${steps_summary[@]}"
cd "$results" && report && [ "$steps_failed" = 0 ]
