# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Sourced by the tests of scripts: a folder for each, and what to expect.
work=$(mktemp -d)
# Interrupted, too, a test ends what it has in the background.
clean_up() {
    local process
    for process in $(jobs -p); do
        kill "$process" 2>/dev/null && wait "$process" 2>/dev/null
    done
    rm -rf "$work"
}
trap clean_up EXIT
broken=0 # the test's exit status
export broken

# expect WHAT EXPECTED ACTUAL
expect() {
    [ "$2" = "$3" ] && return
    printf '%s: expected\n%s\nbut got\n%s\n\n' "$1" "$2" "$3"
    broken=1
}

# expect_words FILE PART: a part of a line of what a command printed.
expect_words() {
    grep -qF -- "$2" "$1" && return
    printf 'expected "%s" in\n' "$2"
    cat "$1"
    broken=1
}

# repository FOLDER: of all that is in it.
repository() {
    git -C "$1" init -q
    git -C "$1" add -A
    git -C "$1" -c user.name=test -c user.email=test@localhost \
        -c commit.gpgsign=false commit -q -m first
}
