# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2016,SC2034,SC2154
# run.sh reads these names, and sets those that are used.
packages=(python3-silx python3-numpy)
moves=(/usr/lib/python3/dist-packages/{silx,pyopencl})
runs='a median, a convolution and a back projection; `PYOPENCL_NO_CACHE=1`'
compared='the numbers'

run_application() {
    app env PYOPENCL_NO_CACHE=1 python3 "$here/applications/filters.py" \
        "$artifact/numbers"
}
