# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2016,SC2034,SC2154
# run.sh reads these names, and sets those that are used.
packages=(clpeak)
moves=(/usr/bin/clpeak)
runs='`clpeak --compute-sp`'
compared='the report; each rate within a factor of 5'

# A rate is a measurement: its line without the number must be the same, the
# number only close. One of other machine code is tens of times away.
run_application() {
    app clpeak --compute-sp >report || return
    sed -E 's/: [0-9.]+( MHz)?$/: number/' report >"$artifact/report"
    sed -nE 's/^ +(float[0-9]*) +: ([0-9.]+)$/\1 \2/p' report \
        >"$artifact/rates"
    [ "$(wc -l <"$artifact/rates")" = 5 ]
}
