#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: check_demo.sh PROJECT [BUILD]
# scripts/demo.sh as a user runs it, but in a folder of the test's: what it
# checks holds, and what it prints is of clpeak, if that is installed, and of its
# four acts. With BUILD it takes what
# was built there.
set -uo pipefail
. "$1/tests/scripts/expect.sh"

# demo NAME STATUS OPTION ...
demo() {
    local name=$1 status=$2
    shift 2
    "$project/scripts/demo.sh" "$@" >"$work/$name" 2>&1
    expect "$name: status" "$status" $?
}

# row ACT: its numbers of compiled objects, of driver calls, and of what PoCL
# says it compiled.
row() {
    sed -n "s/^$1  *[0-9.]*  *[0-9.]*  *\([0-9]*\)  *\([0-9]*\)  *\([0-9]*\)\$/\1 \2 \3/p" \
        "$work/all"
}

project=$1
where=(--build "${2:-$work/build}")
[ -n "${2:-}" ] && where+=(--as-is)
demo wrong 1 --act 5
expect_words "$work/wrong" "demo: no such option: --act"
demo help 0 --help
expect_words "$work/help" "usage: scripts/demo.sh [--platform TEXT]"

demo all 0 "${where[@]}"
if command -v clpeak >/dev/null && ! grep -q "^clpeak fails here" "$work/all"; then
    expect "starts of clpeak" "3" "$(grep -cE \
        '^(plain|under dnnl-cache-run, the (first|second) start) +[0-9]+ ms$' \
        "$work/all")"
fi
for act in "1: cold" "2: warm" "3: one flipped byte" "4: one more build option"; do
    expect_words "$work/all" "Act $act"
done
expect_words "$work/all" "the next process found it healed"
expect "cold" "compiled" \
    "$(row cold | awk '$1 > 0 && $2 > 0 && $3 > 0 { print "compiled" }')"
expect "warm" "0 0 0" "$(row warm)"
expect "damaged" "1 object" "$(row damaged | awk '{ print $1 " object" }')"
expect "healed" "0 0 0" "$(row healed)"
expect "option" "2 objects" "$(row option | awk '{ print $1 " objects" }')"
expect "the last line" 1 "$(tail -n 1 "$work/all" |
    grep -cE '^demo: cold [0-9]+ ms, warm [0-9.]+ ms, [0-9]+ times faster, outputs identical$')"
[ "$broken" = 0 ] || cat "$work/all"

demo nowhere 1 "${where[@]}" --platform "no such platform"
expect_words "$work/nowhere" "demo: cold: the application failed"
exit "$broken"
