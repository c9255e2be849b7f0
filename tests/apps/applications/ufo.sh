# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2016,SC2034,SC2154
# run.sh reads these names, and sets those that are used.
packages=(libufo-bin ufo-filters)
runs='`ufo-launch`: a calculation, a blur, a flip'
compared='the picture'
as_gpu=1

run_application() {
    app ufo-launch -q dummy-data width=64 height=64 number=1 init=3 ! \
        calculate expression='v*2+x' ! blur size=5 ! flip ! \
        write filename="$artifact/out.raw"
}
