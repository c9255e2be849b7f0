#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: test_run_files.sh RUNNER SOURCE
# What goes with dnnl-cache-run: the man page and the completion know its
# options and its variables, and both are well-formed.
set -euo pipefail

runner=$(realpath "$1")
source=$2/tools/run
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
page=$source/dnnl-cache-run.1
broken=0
complain() {
    echo "$1"
    broken=1
}

mapfile -t words < <("$runner" --help |
    grep -oE '(^  --[a-z-]+|DNNL_CACHE_[A-Z_]+)' | sed 's/^ *//' | sort -u)
mapfile -t options < <(printf '%s\n' "${words[@]}" | grep '^--')
[ "${#options[@]}" = 30 ] || complain "found ${#options[@]} options"

echo "== man page"
if command -v groff >/dev/null; then
    warnings=$(groff -man -ww -z -Tutf8 "$page" 2>&1)
    [ -z "$warnings" ] || complain "groff warns: $warnings"
    text=$(groff -man -Tascii -P-cbou "$page")
else
    echo "no groff: only the source is looked at"
    text=$(sed 's/\\-/-/g' "$page")
fi
if grep -q ']"' <<<"$text"; then complain "the man page has a stray quotation mark"; fi
for word in "${words[@]}"; do
    grep -qF -- "$word" <<<"$text" || complain "the man page lacks $word"
done

echo "== completion"
# complete WORD ...: what can stand for the last word.
complete_words() {
    (
        # shellcheck source=/dev/null
        source "$source/dnnl-cache-run.bash"
        COMP_WORDS=("$runner" "$@")
        COMP_CWORD=$#
        _dnnl_cache_run
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
mkdir folder
touch file
expect "$(printf '%s\n' "${options[@]}" | tr '\n' ' ' | sed 's/ $//')" --
expect '--stats --status --store' --st
expect 'folder' --root f
expect '' --enable --deny f
mapfile -t types < <("$runner" --help | sed -n 's/^  --store TYPE *\(.*\) (.*/\1/p' |
    grep -oE '[a-z]+' | grep -vx or | sort)
[ "${#types[@]}" = 4 ] || complain "found ${#types[@]} types"
expect "${types[*]}" --store ''
expect '' --store o
section=$(sed -n '/^ *--store TYPE/,/^ *--max-size/p' <<<"$text")
for type in "${types[@]}"; do
    grep -qw -- "$type" <<<"$section" || complain "--store: the man page lacks $type"
done
expect 'tree' --store = t
expect 'folder' --dir f
expect 'file folder' --layer f
expect 'file folder' --stats = f
expect '' --max-size ''
expect 'folder' --off --dir fo
expect 'file folder' --dir = folder env f
expect 'file folder' --stats -- --off f
[ "$broken" = 0 ] && echo "run files: complete"
exit "$broken"
