# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2016,SC2034,SC2154
# run.sh reads these names, and sets those that are used.
packages=(python3-pyopencl python3-numpy)
moves=(/usr/lib/python3/dist-packages/pyopencl)
runs='arrays, a reduction and a scan in Python; `PYOPENCL_NO_CACHE=1`'
compared='the arrays'
# The reduction includes <pyopencl-complex.h>, from pyopencl's folder.
reads_files=--read-files

run_application() {
    PYOPENCL_NO_CACHE=1 app python3 "$here/applications/arrays.py" \
        "$artifact/arrays"
}
