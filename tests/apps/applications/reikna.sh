# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2016,SC2034,SC2154
# run.sh reads these names, and sets those that are used.
packages=(python3-venv)
pypi=(reikna==0.9.0 pyopencl==2026.1.4 numpy==2.4.6)
runs='a transform of 8 x 8 and a product of matrices; `PYOPENCL_NO_CACHE=1`'
compared='the numbers'

run_application() {
    app env PYOPENCL_NO_CACHE=1 "$python" "$here/applications/transform.py" \
        "$artifact/numbers"
}
