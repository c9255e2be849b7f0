# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2016,SC2034,SC2154
# run.sh reads these names, and sets those that are used.
packages=(mandelbulber2 mandelbulber2-data python3)
runs='`mandelbulber2 -n -g`: a fractal of 64 x 48'
compared='the pixels'
as_gpu=1

run_application() {
    mkdir -p "$HOME/.mandelbulber"
    printf '%s\n' '# Mandelbulber settings file' '# version 2.20' \
        '# only modified parameters' '[main_parameters]' \
        'opencl_enabled true;' 'opencl_platform 0;' \
        >"$HOME/.mandelbulber/mandelbulber_220.ini"
    QT_QPA_PLATFORM=offscreen app mandelbulber2 -n -g -r 64x48 -f png \
        -o "$work/out.png" /usr/share/mandelbulber2/examples/IFS_001.fract \
        >"$work/said" || return
    grep -q 'for OpenCL rendering' "$work/said" &&
        python3 "$here/pixels.py" "$work/out.png" "$artifact/pixels"
}
