# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2016,SC2034,SC2154
# run.sh reads these names, and sets those that are used.
packages=(clblast-tests)
moves=(/usr/bin/clblast_test_x{axpy,dot} /usr/lib/*/libclblast.so*)
runs='`clblast_test_xaxpy`, `clblast_test_xdot`'
compared='the report: each result against the reference BLAS'

run_application() {
    local routine
    for routine in xaxpy xdot; do
        app "clblast_test_$routine" >"$artifact/$routine" || return
        # Pass rates are there, and all are full.
        grep -q 'test(s) passed' "$artifact/$routine" || return
        ! grep -qE '[1-9][0-9]* test\(s\) failed' "$artifact/$routine" || return
    done
}
