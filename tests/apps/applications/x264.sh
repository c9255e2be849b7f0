# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2016,SC2034,SC2154
# run.sh reads these names, and sets those that are used.
packages=(x264 python3)
moves=(/usr/bin/x264 /usr/lib/*/libx264.so*)
runs='`x264 --opencl`: four frames'
compared='the number of frames; the bit rate within a factor of 5'
as_gpu=1

# Which motion vectors its kernels find depends on the order of work-items: two
# runs without the layer write different streams, too.
run_application() {
    python3 "$here/make_film.py" 128 96 4 in.y4m
    app x264 --opencl --threads 1 --no-progress -o out.264 in.y4m \
        2>"$work/said" || return
    ! grep -q 'OpenCL: .*\(Unable\|fatal\)' "$work/said" || return
    sed -nE 's/^encoded ([0-9]+) frames, .*/\1/p' "$work/said" \
        >"$artifact/frames"
    sed -nE 's/^encoded .* ([0-9.]+) kb\/s$/rate \1/p' "$work/said" \
        >"$artifact/rates"
}
