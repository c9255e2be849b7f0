# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2016,SC2034,SC2154
# run.sh reads these names, and sets those that are used.
packages=(python3-venv)
pypi=(loopy==2025.2 pyopencl==2026.1.4 numpy==2.4.6)
runs='a loop over 64 numbers; `PYOPENCL_NO_CACHE=1`, `LOOPY_NO_CACHE=1`'
compared='the numbers'

run_application() {
    app env PYOPENCL_NO_CACHE=1 LOOPY_NO_CACHE=1 "$python" \
        "$here/applications/loop.py" "$artifact/numbers"
}
