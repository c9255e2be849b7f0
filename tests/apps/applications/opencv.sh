# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2016,SC2034,SC2154
# run.sh reads these names, and sets those that are used.
packages=(python3-opencv python3-numpy)
moves=(/usr/lib/python3/dist-packages/cv2* /usr/lib/*/libopencv_{core,imgproc}.so*)
runs='`cv2.UMat`: grey, Gaussian blur, resize, threshold'
compared='the picture'
own_cache=1

run_application() {
    mkdir -p "$HOME/opencv" # its own cache
    OPENCV_OPENCL_CACHE_DIR=$HOME/opencv OPENCV_OPENCL_DEVICE=:CPU: \
        app python3 "$here/applications/picture.py" "$artifact/out.png"
}
