# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Sourced by scripts that run long steps (test.sh, flake_campaign.sh). The output
# of a step goes to a file, its result to the screen. With "remember" a step that
# passed is not run again for the same sources, however the run before ended.
#
#   steps_take FOLDER                  only one run at a time uses FOLDER
#   steps_begin FOLDER [remember|keep] FOLDER is emptied unless the steps that
#                                      passed are remembered for these sources;
#                                      "keep": for those before, too
#   step NAME COMMAND ...              run, print, remember
#   step_always NAME COMMAND ...       run even if it passed before: a build,
#                                      which another run may have changed since
#
# steps_take is called in the top folder of the sources. Afterwards: steps_passed,
# steps_failed, steps_summary (an array of lines).

steps_passed=0
steps_failed=0
steps_summary=()
steps_remember=
steps_number=0
steps_running=
steps_taken=

# A digest of the sources as they are now, committed or not, without the taken
# folder; empty where git does not know them.
steps_tree() {
    local without=()
    git -C "$steps_top" rev-parse --quiet --verify HEAD >/dev/null 2>&1 ||
        return 0
    [[ $steps_taken == "$steps_top"/* ]] &&
        without=(":(exclude)${steps_taken#"$steps_top"/}")
    (
        cd "$steps_top" || exit
        git rev-parse HEAD && git diff HEAD --binary -- . "${without[@]}" &&
            git ls-files -z --others --exclude-standard -- . "${without[@]}" |
            xargs -0r sha256sum
    ) 2>/dev/null | sha256sum | cut -c1-16
}

# When a process started, which tells it from a later one of the same number.
steps_started() {
    sed 's/.*) //' "/proc/$1/stat" 2>/dev/null | cut -d ' ' -f 20
}

# Ends the processes of a group, and returns when they are gone.
steps_end_group() {
    local i signal=TERM
    for i in {1..100}; do
        [ "$i" = 60 ] && signal=KILL
        # Each time, since processes may start others while they are ended.
        kill -"$signal" -- "-$1" 2>/dev/null || return 0
        sleep 0.1
    done
}

# A run that was killed could not end its step, which would go on writing to the
# builds.
steps_end_leftover() {
    local group started
    read -r group started 2>/dev/null <"$1" || return 0
    if [ -n "$started" ] && [ "$(steps_started "$group")" = "$started" ]; then
        echo "ending process group $group, which a killed run left behind"
        steps_end_group "$group"
    fi
    rm -f "$1"
}

steps_interrupted() {
    trap '' INT TERM HUP
    [ -n "$steps_running" ] && steps_end_group "$steps_running"
    rm -f "$steps_taken/running"
    echo
    echo "interrupted"
    exit "$1"
}

steps_take() {
    mkdir -p "$1" || exit 1
    exec 9>>"$1/lock"
    if ! flock -n 9; then
        echo "${0##*/}: another run uses $1; name another folder in" \
            "DNNL_CACHE_TEST_DIR" >&2
        exit 1
    fi
    steps_top=$PWD
    steps_taken=$1
    steps_end_leftover "$1/running"
    trap 'steps_interrupted 130' INT
    trap 'steps_interrupted 143' TERM
    trap 'steps_interrupted 129' HUP
}

steps_begin() {
    local tree
    steps_folder=$1
    steps_remember=${2:-}
    steps_logs=$1/logs
    tree=$(steps_tree)
    case $steps_remember in
    keep) ;;
    remember)
        if [ -z "$tree" ] || [ "$(cat "$1/tree" 2>/dev/null)" != "$tree" ]; then
            if [ -d "$1/passed" ]; then
                echo "The tree has changed: ${1##*/} begins anew."
            fi
            rm -rf "$1"
        fi
        ;;
    *) rm -rf "$1" ;;
    esac
    mkdir -p "$steps_logs" "$1/passed" || exit 1
    echo "$tree" >"$1/tree"
}

# The tests or per cent in the last "N/M Test" or "[ N%]" of a log.
steps_progress() {
    tail -c 4000 "$1" 2>/dev/null | tr '\r' '\n' |
        grep -oE '^ *[0-9]+/[0-9]+ Test|^\[ *[0-9]+%\]' | tail -n 1 |
        sed 's/ Test$/ tests/;s/[][ ]*\(.*[^]]\)]*/\1/'
}

# Waits for a process; shows its progress on a terminal.
steps_watch() {
    if [ -t 1 ]; then
        while kill -0 "$1" 2>/dev/null; do
            printf '%-20s\033[20D' "$(steps_progress "$2")"
            sleep 1
        done
        printf '%-20s\033[20D' ''
    fi
    wait "$1"
}

# steps_mark FILE SECONDS: the step passed, if the sources are those it began
# with; all of the file or nothing.
steps_mark() {
    if [ "$(steps_tree)" != "$(cat "$steps_folder/tree")" ]; then
        echo "    the sources changed: not remembered"
        return 0
    fi
    echo "$2" >"$1.new" && mv "$1.new" "$1"
}

step() {
    local file=${1//[^A-Za-z0-9]/-} start=$SECONDS seconds
    if [ -n "$steps_remember" ] && [ -f "$steps_folder/passed/$file" ]; then
        steps_number=$((steps_number + 1))
        steps_passed=$((steps_passed + 1))
        seconds=$(cat "$steps_folder/passed/$file")
        printf '%2d  %-42s passed before (%d s)\n' "$steps_number" "$1" "$seconds"
        steps_summary+=("$(printf 'before %4d s  %s' "$seconds" "$1")")
        return 0
    fi
    step_always "$@" || return
    if [ -n "$steps_remember" ]; then
        steps_mark "$steps_folder/passed/$file" $((SECONDS - start))
    fi
}

step_always() {
    local name=$1 file=${1//[^A-Za-z0-9]/-} start=$SECONDS rc=0 word=ok seconds
    local log=$steps_logs/$file.log
    shift
    steps_number=$((steps_number + 1))
    printf '%2d  %-42s ' "$steps_number" "$name"
    set -m # a process group of its own, which an interrupt can end
    (
        # By itself: this shell may be killed before it could do so.
        self=$BASHPID
        echo "$self $(steps_started "$self")" >"$steps_taken/running"
        "$@"
    ) >"$log" 2>&1 9>&- &
    steps_running=$!
    set +m
    steps_watch "$steps_running" "$log" || rc=$?
    steps_running=
    rm -f "$steps_taken/running"
    seconds=$((SECONDS - start))
    if [ "$rc" = 0 ]; then
        steps_passed=$((steps_passed + 1))
    else
        steps_failed=$((steps_failed + 1))
        word=FAILED
    fi
    printf '%-6s %4d s  %s\n' "$word" "$seconds" \
        "$(grep -E '^[0-9]+% tests passed' "$log" | tail -n 1)"
    steps_summary+=("$(printf '%-6s %4d s  %s' "$word" "$seconds" "$name")")
    if [ "$rc" != 0 ]; then
        echo "---- the last lines of ${log#"$PWD"/}"
        tail -n 80 "$log"
        echo "----"
    fi
    return "$rc"
}
