#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: check_test_steps.sh PROJECT
# A run of steps (scripts/test_steps.sh) that was stopped in the middle goes on
# with the step it was in, by whatever signal it ended, and leaves no process
# behind; other sources start anew.
set -uo pipefail
. "$1/tests/scripts/expect.sh"

# Steps one, two and three, which note in $RAN that they ran; two waits in the
# middle if there is a $GATE, with a process of its own.
project=$work/project
mkdir "$project"
cat >"$project/run.sh" <<'RUN'
#!/usr/bin/env bash
set -uo pipefail
cd "$(dirname "$0")"
. "$STEPS"
steps_take "$PWD/out"
steps_begin "$PWD/out/${1:-full}" "${2:-remember}"
ran() { echo "$1" >>"$RAN"; }
two() {
    ran two
    [ -e fail ] && return 1
    [ -e change ] && echo >>change
    [ -p "$GATE" ] || return 0
    sleep 1000 &
    echo $! >"$GATE.child"
    echo >"$GATE"
    wait
}
step_always "build" ran build
step "step one" ran one
step "step two" two
step "step three" ran three
echo "$steps_passed passed, $steps_failed failed"
exit "$steps_failed"
RUN
chmod +x "$project/run.sh"
repository "$project"
export STEPS=$1/scripts/test_steps.sh RAN=$work/ran GATE=$work/gate

# run NAME ARGUMENTS ...: what ran, in one line, in $ran.
run() {
    local name=$1
    shift
    rm -f "$RAN"
    "$project/run.sh" "$@" >"$work/$name" 2>&1
    status=$?
    touch "$RAN"
    ran=$(tr '\n' ' ' <"$RAN")
}

# start: in the background, until it is in step two. A shell has what it starts
# there ignore SIGINT.
start() {
    mkfifo "$GATE"
    env --default-signal=INT "$project/run.sh" >"$work/stopped" 2>&1 &
    process=$!
    read -r <"$GATE"
    rm "$GATE"
    child=$(cat "$GATE.child")
}

is_there() {
    kill -0 "$1" 2>/dev/null && echo yes || echo no
}

# stop SIGNAL STATUS: sends it, the run ends with STATUS.
stop() {
    kill -"$1" "$process"
    { wait "$process"; } 2>/dev/null # Bash tells of those killed
    expect "SIG$1: exit status" "$2" $?
}

# Ended by a signal, after which the same run goes on with step two.
for signal in INT:130 TERM:143 HUP:129 KILL:137; do
    rm -rf "$project/out"
    start
    stop "${signal%:*}" "${signal#*:}"
    [ "$signal" = KILL:137 ] ||
        expect "$signal: its process lives" no "$(is_there "$child")"
    run again
    expect "$signal: ran afterwards" "build two three " "$ran"
    expect "$signal: status afterwards" 0 "$status"
    expect_words "$work/again" "passed before"
    expect_words "$work/again" "4 passed, 0 failed"
    expect "$signal: its process lives on" no "$(is_there "$child")"
done
expect_words "$work/again" "which a killed run left behind"

run everything
expect "ran when all had passed" "build " "$ran"

# What another tier does in between does not matter.
run quick quick ""
expect "another tier ran" "build one two three " "$ran"
run everything
expect "ran after another tier" "build " "$ran"

# A run has the folder for itself.
rm -rf "$project/out"
start
run second
expect "a second run: status" 1 "$status"
expect "a second run ran" "" "$ran"
expect_words "$work/second" "another run uses"
stop TERM 143

# Other sources: a file that git knows, one that it does not, a commit.
run everything
echo '# more' >>"$project/run.sh"
run everything
expect "ran after a change" "build one two three " "$ran"
expect_words "$work/everything" "The tree has changed"
touch "$project/more"
run everything
expect "ran after a new file" "build one two three " "$ran"
git -C "$project" add -A
git -C "$project" -c user.name=test -c user.email=test@localhost \
    -c commit.gpgsign=false commit -q -m second
run everything
expect "ran after a commit" "build one two three " "$ran"
run everything
expect "ran after nothing" "build " "$ran"

# A step that fails is run again; others go on.
touch "$project/fail"
run everything
expect "ran with a failure" "build one two three " "$ran"
expect "status with a failure" 1 "$status"
run everything
expect "ran after a failure" "build two " "$ran"
rm "$project/fail"

# What passes while the sources change is not remembered for either.
touch "$project/change"
run everything
expect_words "$work/everything" "the sources changed: not remembered"
run everything
expect "ran after a change in between" "build one two three " "$ran"

exit "$broken"
