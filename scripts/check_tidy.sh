#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: check_tidy.sh BUILD
# clang-tidy 14 over the sources of the project, tests and benchmarks apart, with
# the flags of the compile_commands.json in BUILD. Says what it finds;
# .clang-tidy says what is looked for.
set -euo pipefail
build=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."

tidy=$(command -v clang-tidy-14 || command -v clang-tidy) ||
    { echo "no clang-tidy" >&2; exit 1; }
database=$build/compile_commands.json
[ -f "$database" ] || { echo "no $database" >&2; exit 1; }

# Sources of this tree that the build knows, tests and generated ones apart.
mapfile -t files < <(grep -oE '"file": "[^"]+"' "$database" | cut -d'"' -f4 |
    grep -E "^$PWD/(src|stores|layer|model|examples|tools|python)/" | grep -vF "$build/" | sort -u)
[ "${#files[@]}" -gt 0 ] || { echo "$database names no source" >&2; exit 1; }

found=$(mktemp)
trap 'rm -f "$found"' EXIT
failed=0
printf '%s\0' "${files[@]}" |
    xargs -0 -n 4 -P "$(nproc)" "$tidy" -p "$build" --quiet \
        >"$found" 2>/dev/null || failed=1
# A header's finding is told once for every file that includes it.
grep -E '(warning|error): ' "$found" | sort -u || true
if [ "$failed" != 0 ]; then
    exit 1
fi
echo "clang-tidy: ${#files[@]} files, nothing found"
