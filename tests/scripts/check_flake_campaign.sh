#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: check_flake_campaign.sh PROJECT
# scripts/flake_campaign.sh on a project of a few tests: it finds what fails now
# and then and what leaves files behind, tells how often, keeps the output, and
# goes on where it was stopped.
set -uo pipefail
. "$1/tests/scripts/expect.sh"

project=$work/project
mkdir -p "$project/scripts"
cp "$1"/scripts/{flake_campaign,test_runs,test_steps}.sh "$project/scripts"
# The system's drivers are those of a folder of the test's.
sed -i "s|/etc/OpenCL/vendors|$work/vendors|" "$project/scripts/test_runs.sh"
mkdir "$work/vendors"
echo libdriver.so >"$work/vendors/pocl.icd"
# At its turns 2 and 4 "sometimes" fails; "waits" waits in its first if there is
# a gate.
cat >"$project/one.sh" <<'ONE'
set -eu
echo "$1" >>"$NOTES/ran"
turn=$(grep -c "^$1\$" "$NOTES/ran")
case $1 in
sometimes)
    [ $((turn % 2)) = 1 ] && exit
    touch "$HOME/litter" # as a test that dies leaves
    echo "turn $turn is not good"
    exit 1
    ;;
litters) [ "$turn" != 3 ] || touch "$HOME/litter" ;;
waits)
    if [ -p "$NOTES/gate" ]; then
        echo >"$NOTES/gate"
        sleep 1000
    fi
    ;;
drivers) [ "$(cat "$OCL_ICD_VENDORS"/*.icd)" = libdriver.so ] && [ -d "$TMPDIR" ] ;;
esac
ONE
cat >"$project/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.20)
project(few LANGUAGES NONE)
enable_testing()
foreach(name always sometimes litters drivers waits a+b slow)
    add_test(NAME ${name} COMMAND bash "${PROJECT_SOURCE_DIR}/one.sh" ${name})
endforeach()
set_tests_properties(slow PROPERTIES LABELS full)
CMAKE
echo '/build-test/' >"$project/.gitignore"
repository "$project"
export NOTES=$work DNNL_CACHE_TEST_LOAD=1
unset DNNL_CACHE_TEST_DIR
results=$project/build-test/flakes
failures=$results/failures

# campaign NAME STATUS OPTION ...
campaign() {
    local name=$1 status=$2
    shift 2
    "$project/scripts/flake_campaign.sh" --no-sanitizers "$@" \
        >"$work/$name" 2>&1
    expect "$name: status" "$status" $?
}

times() {
    grep -c "^$1\$" "$work/ran"
}

# What is wrong or only asks creates nothing.
campaign wrong 2 --rounds none
campaign wrong 2 --round 3
campaign help 0 --help
expect_words "$work/help" "--not-labels REGEX"
campaign report 2 --report
expect_words "$work/report" "no campaign was run"
expect "the folder is there" no "$([ -e "$project/build-test" ] && echo yes || echo no)"

# Stopped in its first round, under load, while "waits" runs and nothing else.
mkfifo "$work/gate"
export DNNL_CACHE_TEST_JOBS=1
"$project/scripts/flake_campaign.sh" --no-sanitizers --rounds 4 --loaded 1 \
    >"$work/stopped" 2>&1 &
process=$!
read -r <"$work/gate"
rm "$work/gate"
kill -TERM "$process"
wait "$process"
expect "stopped: status" 143 $?

# What had ended is not run again, and the rest is: "waits" began once more than
# it ended. What a killed test left is no fault of the next.
for process in 0 1; do
    mkdir -p "$results/processes/$process"/{home,tmp}
    touch "$results/processes/$process"/{home,tmp}/stale
done
export DNNL_CACHE_TEST_JOBS=2
campaign whole 1 --rounds 4 --loaded 1
expect_words "$work/whole" "24 runs of 6 tests, each 4 to 4 times"
expect_words "$work/whole" "3 failed"
expect_words "$work/whole" "sometimes failed 2 of 4 times"
expect_words "$work/whole" "litters failed 1 of 4 times"
expect_words "$failures/sometimes-2.log" "turn 2 is not good"
expect_words "$failures/litters-3.log" "home/litter"
expect "what a failed test left is no second failure" 0 \
    "$(grep -c "left files behind" "$failures/sometimes-2.log")"
expect "times waits began" 5 "$(times waits)"
expect "times of the full tier" 0 "$(times slow)"

# Once more: nothing is left to run, and what failed is not forgotten.
sum=$(wc -l <"$work/ran")
campaign again 1 --rounds 4 --loaded 1
expect "runs afterwards" "$sum" "$(wc -l <"$work/ran")"
campaign report 1 --report
expect_words "$work/report" "24 runs of 6 tests"
expect "log of a step" PoCL.log "$(cd "$results/logs" && echo P*.log)"

# A corrected test is repeated from the start; the others' runs still count, if
# so wished. "sometimes" is not corrected.
sed -i 's/!= 3/!= 0/' "$project/one.sh"
campaign kept 0 --keep --rounds 5 --loaded 0 --except some
expect_words "$work/kept" "litters failed on other sources"
expect_words "$work/kept" "sometimes failed on other sources"
expect_words "$work/kept" "25 runs of 5 tests, each 5 to 5 times"
expect_words "$work/kept" "on 2 states of the sources: 0 failed"
campaign kept 1 --keep --rounds 5 --loaded 0
expect_words "$work/kept" "30 runs of 6 tests, each 5 to 5 times"
expect_words "$work/kept" "sometimes failed 2 of 5 times"
campaign kept 1 --keep --rounds 5 --loaded 0
expect_words "$work/kept" "sometimes failed 2 of 5 times"

# Anew, and the choice of tests.
echo >>"$project/one.sh"
campaign anew 0 --rounds 1 --loaded 0 --only 'a+b|always'
expect_words "$work/anew" "1 runs of 1 tests"
campaign nothing 1 --rounds 1 --only nosuch

# Without the driver, or its name, nothing is run.
echo >"$work/vendors/pocl.icd"
sum=$(wc -l <"$work/ran")
campaign nameless 1 --rounds 2 --loaded 0
expect_words "$work/nameless" "names no driver"
rm "$work/vendors/pocl.icd"
campaign driverless 1 --rounds 2 --loaded 0
expect_words "$work/driverless" "FAILED"
expect "runs without a driver" "$sum" "$(wc -l <"$work/ran")"

exit "$broken"
