#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: test_tool_files.sh TOOL SOURCE
# What goes with dnnl-cache: the man page and the completion know its commands
# and options, both are well-formed; its JSON is read by another reader; the
# sample archive is what docs/reference/archive.md says.
set -euo pipefail

tool=$(realpath "$1")
source=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
page=$source/tools/dnnl_cache/dnnl-cache.1
completion=$source/tools/dnnl_cache/dnnl-cache.bash
archive=$source/tests/data/archives/good.archive
broken=0
complain() {
    echo "$1"
    broken=1
}

mapfile -t commands < <("$tool" --help |
    sed -n '/^Commands/,/^$/s/^  \([a-z]*\) .*/\1/p')
mapfile -t options < <(for command in '' "${commands[@]}"; do
    "$tool" ${command:+"$command"} --help
done | sed -n 's/^  \(--[a-z-]*\).*/\1/p' | sort -u)
[ "${#commands[@]}" = 20 ] || complain "found ${#commands[@]} commands"
[ "${#options[@]}" = 43 ] || complain "found ${#options[@]} options"

echo "== man page"
if command -v groff >/dev/null; then
    [ -z "$(groff -man -ww -z -Tutf8 "$page" 2>&1)" ] ||
        complain "groff warns: $(groff -man -ww -z -Tutf8 "$page" 2>&1)"
    text=$(groff -man -Tascii -P-cbou "$page")
else
    echo "no groff: only the source is looked at"
    text=$(sed 's/\\-/-/g' "$page")
fi
if grep -q ']"' <<<"$text"; then complain "the man page has a stray quotation mark"; fi
for word in "${commands[@]}" "${options[@]}"; do
    grep -qF -- "$word" <<<"$text" ||
        complain "the man page lacks $word"
done

echo "== completion"
bash -n "$completion" || broken=1
export DNNL_CACHE_DIR=$work/store
"$tool" --quiet import "$archive"
# complete WORD ...: what can stand for the last word.
complete_words() {
    (
        # shellcheck source=/dev/null
        source "$completion"
        COMP_WORDS=("$tool" "$@")
        COMP_CWORD=$#
        _dnnl_cache
        printf '%s\n' "${COMPREPLY[@]}"
    )
}
expect() {
    local wanted=$1
    shift
    [ "$(complete_words "$@" | sort | tr '\n' ' ')" = "$wanted " ] ||
        complain "completion of \"$*\": $(complete_words "$@" | tr '\n' ' ')"
}
cd "$work"
expect "$(printf '%s\n' "${commands[@]}" | sort | tr '\n' ' ' |
    sed 's/ $//')" ''
expect 'evict export' 'e'
expect '--json' --j
for word in "${options[@]}"; do
    found=
    for command in stats list verify prove evict gc gone clear export copy refresh replay record; do
        if grep -qxF -- "$word" <<<"$(complete_words "$command" --)"; then
            found=1
        fi
    done
    [ -n "$found" ] || complain "the completion lacks $word"
done
expect 'evict export' help e
expect 'cost fifo lru' gc --policy ''
expect 'cost fifo lru' gc --policy = ''
mapfile -t types < <("$tool" --help |
    sed -n 's/^Types of stores: //p' | grep -oE '[a-z]+' | grep -vx or | sort)
[ "${#types[@]}" = 4 ] || complain "found ${#types[@]} types"
expect "${types[*]}" --type ''
expect '' --type o
section=$(sed -n '/^ *--type TYPE/,/^ *--key/p' <<<"$text")
for type in "${types[@]}"; do
    grep -qw -- "$type" <<<"$section" || complain "--type: the man page lacks $type"
done
name=$("$tool" list | sed -n '2s/ .*//p')
expect "$name" inspect "${name:0:11}"
expect "$name" --store "$work/store" why "${name:0:11}"
expect '' --store "$work/none" why "${name:0:11}"
expect "$name" export x.archive "${name:0:11}"
expect 'clear list' quarantine ''
touch my.archive
expect 'my.archive' import my.
touch st.pack
expect 'st.pack store' --store st

echo "== JSON"
for command in list stats verify "inspect $name" "why $name" \
    "export $work/x.archive" "import $archive" "gc --older-than 9w" \
    "evict --to 1G" "refresh --dry-run" refresh "quarantine list" \
    "quarantine clear" "clear --yes"; do
    # Word splitting is wanted.
    # shellcheck disable=SC2086
    "$tool" --json $command >"$work/json" 2>/dev/null || [ $? -lt 2 ] ||
        { [ "${command%% *}" = why ] && [ ! -s "$work/json" ] && continue; } ||
        complain "$command: failed"
    python3 - "$work/json" "${command%% *}" <<'PYTHON' || broken=1
import json
import sys


def unique(pairs):
    names = [name for name, _ in pairs]
    assert len(set(names)) == len(names), names
    return dict(pairs)


with open(sys.argv[1], encoding="utf-8") as file:
    document = json.load(file, object_pairs_hook=unique)
assert document["command"] == sys.argv[2], document
PYTHON
done

echo "== a machine without a device"
mkdir "$work/none"
env -u OCL_ICD_FILENAMES OCL_ICD_VENDORS="$work/none/" "$tool" --json identity \
    >"$work/identity.json" 2>"$work/err" && complain "identity succeeds"
grep -q '"devices": \[\]' "$work/identity.json" ||
    complain "$(cat "$work/identity.json")"
grep -q 'no OpenCL device was found' "$work/err" ||
    complain "identity does not say that there is no device"

echo "== the sample archive"
if python3 -c 'import ctypes; ctypes.CDLL("libxxhash.so.0")' 2>/dev/null; then
    python3 -B "$source/tests/tools/make_archive.py" --check || broken=1
fi
[ "$broken" = 0 ] && echo "tool files: complete"
exit "$broken"
