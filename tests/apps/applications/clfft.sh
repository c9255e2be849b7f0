# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2016,SC2034,SC2154
# run.sh reads these names, and sets those that are used.
packages=(clfft-client)
moves=(/usr/bin/clFFT-client /usr/lib/*/libclFFT.so*)
runs='`clFFT-client`: 64 x 8 and, out of place, 1000 points'
compared="the client's check of each value against its own"

run_application() {
    app clFFT-client --all -x 64 -y 8 >"$artifact/two-dimensions" || return
    app clFFT-client --all -x 1000 -o >"$artifact/out-of-place" || return
    grep -qF '*PASS*' "$artifact/two-dimensions" &&
        grep -qF '*PASS*' "$artifact/out-of-place"
}
