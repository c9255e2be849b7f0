# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2016,SC2034,SC2154
# run.sh reads these names, and sets those that are used.
packages=(python3-pyfai python3-pyopencl python3-numpy)
moves=(/usr/lib/python3/dist-packages/{pyFAI,silx,pyopencl})
runs='`pyFAI`: an image of a detector integrated by angle; `PYOPENCL_NO_CACHE=1`'
compared='the angles; the curve with the image, to 1 %'

run_application() {
    app env PYOPENCL_NO_CACHE=1 \
        python3 "$here/applications/integrate.py" "$artifact/curves"
}
