# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2016,SC2034,SC2154
# run.sh reads these names, and sets those that are used.
packages=(python3-venv)
pypi=(pyopencl==2026.1.4 numpy==2.4.6 Mako==1.4.3)
runs='arrays, a reduction and a scan with the loader of the wheel;'
runs+=' `PYOPENCL_NO_CACHE=1`'
compared='the arrays'

run_application() {
    app env PYOPENCL_NO_CACHE=1 "$python" "$here/applications/arrays.py" \
        "$artifact/arrays"
}
