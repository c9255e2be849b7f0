# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2016,SC2034,SC2154
# run.sh reads these names, and sets those that are used.
letter=c
title='pyopencl'
licence=MIT
origin=pypi name=pyopencl version=2026.1.4
archive_name=pyopencl-2026.1.4.tar.gz
sha256=6cb9544a004609061e86873fe36500da6c2101042e9c7b9c3b804a29a12b98bf
packages=(g++ cmake python3-dev)
runs='`tests/apps/applications/arrays.py`: arrays, a reduction, a scan, a program'
compared='the arrays'

build_application() {
    install_python numpy==2.4.6 Mako==1.4.3
}

run_application() {
    "$built/python/bin/python" "$root/tests/apps/applications/arrays.py" \
        "$artifact/arrays"
}
