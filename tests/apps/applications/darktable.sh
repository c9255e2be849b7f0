# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2016,SC2034,SC2154
# run.sh reads these names, and sets those that are used.
packages=(darktable python3)
runs='`darktable-cli`: a picture with its default modules'
compared='the pixels'
own_cache=1

# darktable refuses processors until its settings, which a first run writes,
# say otherwise. It quotes the folder of its headers in a way that PoCL 3.1
# does not take; PoCL also looks in the working directory.
run_application() {
    local settings=$HOME/.config/darktable/darktablerc picture=$PWD/in.png
    python3 "$here/make_image.py" 160 120 in.png
    cd /usr/share/darktable/kernels || return
    if ! [ -f "$settings" ]; then
        app_without_layers darktable-cli "$picture" "$work/first.png" \
            --apply-custom-presets 0 --core --conf opencl=TRUE || return
        sed -Ei '/^cldevice_v[0-9]+_[a-z0-9]+=/s/ 1 ([0-9.]+ [0-9.]+)$/ 0 \1/' \
            "$settings"
    fi
    app darktable-cli "$picture" "$work/out.png" --apply-custom-presets 0 \
        --core --conf opencl=TRUE -d perf >"$work/said" || return
    grep -q 'processed .* on GPU' "$work/said" &&
        python3 "$here/pixels.py" "$work/out.png" "$artifact/pixels"
}
