#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: check_exports.sh [--names FILE] LIBRARY [PEER [-DNAME=VALUE ...]]
# The library (shared or static) exports what the public headers declare, no
# more and no less (a static one also what the layer calls), and shares no name
# with PEER (oneDNN's libdnnl.so; "" if there is none). -D are the definitions
# that the library's users compile with.
# FILE is the table of the linker's names, which has to have all of them.
set -euo pipefail
export LC_ALL=C

names=
[ "$1" = --names ] && names=$2 && shift 2
library=$1
peer=${2:-}
shift $(($# < 2 ? $# : 2))
include=$(cd "$(dirname "$0")/../include" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# After the preprocessor the names are the linker's, as dnnl_cache/symbols.h
# makes them; the experimental ones, too.
headers=(dnnl_cache.h dnnl_cache/sys/layer.h)
case $library in *.a) headers+=(dnnl_cache/sys/inside.h) ;; esac
printf '#include "%s"\n' "${headers[@]}" |
    "${CC:-cc}" -E -P -DDNNL_EXPERIMENTAL_PROFILING \
        -DDNNL_EXPERIMENTAL_GROUPED_MEMORY=1 "$@" -I "$include" -x c - | tr '\n' ' ' |
    grep -oE 'visibility\("default"\)\)\) *\**[A-Za-z_0-9]+' |
    sed -E 's/.*[ *)]//' | sort >"$work/declared"

dynamic=()
case $library in *.so*) dynamic=(-D) ;; esac
nm "${dynamic[@]}" -g --defined-only "$library" |
    awk 'NF == 3 { sub(/@.*/, "", $3); print $3 }' | sort -u >"$work/exported"

broken=0
complain() {
    [ -s "$2" ] || return 0
    echo "$1"
    sed 's/^/    /' "$2"
    broken=1
}
uniq -d "$work/declared" >"$work/twice"
complain "declared twice:" "$work/twice"
sort -u -o "$work/declared" "$work/declared"
[ -s "$work/declared" ] || { echo "found no declaration at all"; exit 1; }
comm -23 "$work/declared" "$work/exported" >"$work/missing"
complain "declared, but not exported:" "$work/missing"
comm -13 "$work/declared" "$work/exported" >"$work/extra"
complain "exported, but not declared:" "$work/extra"
grep -vE '^(dnnlc_|dnnl_cache_)' "$work/exported" >"$work/foreign" || true
complain "neither dnnlc_ nor dnnl_cache_ (see dnnl_cache/symbols.h):" \
    "$work/foreign"
if [ -n "$names" ]; then
    sed -nE 's/^ *"dnnl_(\w+)": "((dnnlc_|dnnl_)\1)",?$/\2/p' "$names" | sort >"$work/table"
    comm -3 "$work/table" "$work/exported" >"$work/other"
    complain "in the table and not exported, or the other way round:" \
        "$work/other"
fi
if [ -n "$peer" ]; then
    nm -D --defined-only "$peer" |
        awk 'NF == 3 { sub(/@.*/, "", $3); print $3 }' | sort -u >"$work/peer"
    comm -12 "$work/exported" "$work/peer" >"$work/both"
    complain "exported by $peer, too:" "$work/both"
else
    echo "no oneDNN given: names not compared with its"
fi
[ "$broken" = 0 ] && echo "exports: $(wc -l <"$work/exported") names," \
    "as declared"
exit "$broken"
