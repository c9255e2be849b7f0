# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2016,SC2034,SC2154
# run.sh reads these names, and sets those that are used.
packages=(ffmpeg)
moves=(/usr/bin/ffmpeg /usr/lib/*/libavfilter.so*)
runs='five frames through `avgblur_opencl`, `unsharp_opencl`, `sobel_opencl`'
compared='a checksum of each frame'

run_application() {
    app ffmpeg -v error -init_hw_device opencl=device:0.0 \
        -filter_hw_device device -f lavfi -i testsrc=size=64x48:duration=0.2 \
        -vf "format=yuv420p,hwupload,avgblur_opencl=2,unsharp_opencl,\
sobel_opencl,hwdownload,format=yuv420p" -f framemd5 "$artifact/frames"
}
