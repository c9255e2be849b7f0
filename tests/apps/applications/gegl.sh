# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2016,SC2034,SC2154
# run.sh reads these names, and sets those that are used.
packages=(gegl python3)
moves=(/usr/bin/gegl /usr/lib/*/libgegl-0.4.so*)
runs='`gegl`: box blur, levels and posterize'
compared='the picture'

# babl, which converts pixels on the host, chooses among its extensions by how
# quick each is at that moment, and they round differently: none is used.
run_application() {
    python3 "$here/make_image.py" 160 120 in.png
    mkdir no_extensions
    GEGL_USE_OPENCL=cpu BABL_PATH=$PWD/no_extensions \
        app gegl in.png -o "$artifact/out.png" -- \
        gegl:box-blur radius=2 gegl:levels in-low=0.1 gegl:posterize levels=6
}
