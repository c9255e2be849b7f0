#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: check_format.sh [--fix]
# C and C++ as clang-format 14 lays them out, and what no formatter sees:
# licence lines, white space, names of a developer's machine.
set -euo pipefail
export LC_ALL=C
cd "$(dirname "$0")/.."

format=$(command -v clang-format-14 || command -v clang-format) ||
    { echo "no clang-format" >&2; exit 1; }
case $("$format" --version) in
*'version 14.'*) ;;
*) echo "clang-format 14 is needed, not: $("$format" --version)" >&2; exit 1 ;;
esac

folders=()
for folder in include src stores layer model tools examples python tests bench \
    scripts cmake docs; do
    [ -d "$folder" ] && folders+=("$folder")
done
broken=0
# files NAMES ...: their paths, separated by NUL. Corpora and data are bytes.
files() {
    local names=() name
    for name in "$@"; do names+=(-o -name "$name"); done
    find "${folders[@]}" \( -path '*/corpus/*' -o -path 'tests/data/*.blob' \
        -o -path 'tests/data/stores/*/*' \) \
        -prune -o -type f \( "${names[@]:1}" \) -print0
}
complain() {
    [ -n "$2" ] || return 0
    printf '%s\n%s\n' "$1" "$2"
    broken=1
}

if [ "${1:-}" = --fix ]; then
    files '*.[ch]' '*.[ch]pp' | xargs -0 "$format" -i
else
    complain "clang-format would change:" "$(files '*.[ch]' '*.[ch]pp' |
        xargs -0 -n 32 -P "$(nproc)" "$format" --dry-run 2>&1 | sed -n 's/: warning:.*//p' |
        cut -d: -f1,2 | sort -u)"
fi

text=('*.[ch]' '*.[ch]pp' '*.cl' '*.sh' '*.py' '*.cmake' '*.in' '*.txt' '*.md'
    '*.def')
code=('*.[ch]' '*.[ch]pp' '*.cl' '*.sh' '*.py' '*.cmake' CMakeLists.txt)
complain "no SPDX line among the first three:" "$(files "${code[@]}" |
    while IFS= read -r -d '' file; do
        head -n 3 "$file" | grep -q 'SPDX-License-Identifier: Apache-2.0' ||
            echo "$file"
    done)"
complain "white space at the end of a line:" \
    "$(files "${text[@]}" | xargs -0 grep -nE '[[:blank:]]$' || true)"
complain "a tab in C, C++ or OpenCL C:" "$(files '*.[ch]' '*.[ch]pp' '*.cl' |
    xargs -0 grep -nP '\t' || true)"
complain "no newline at the end:" "$(files "${text[@]}" |
    while IFS= read -r -d '' file; do
        [ -z "$(tail -c 1 "$file")" ] || echo "$file"
    done)"
[ "$broken" = 0 ] && echo "format: clean"
exit "$broken"
