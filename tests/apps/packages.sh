# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: Apache-2.0
# Sourced by scripts that run applications: Debian packages that they need. Set
# before: $out, where packages.log goes; $install, empty to install nothing;
# fail STATUS WORD ..., which ends the script.

# The packages that are missing.
missing_packages() {
    local package
    for package in "$@"; do
        case $(dpkg-query -W -f '${db:Status-Abbrev}' "$package" 2>/dev/null) in
        ii*) ;;
        *) echo "$package" ;;
        esac
    done
}

apt_get() {
    DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300 \
        "$@" </dev/null >>"$out/packages.log" 2>&1
}

# Those that are missing; ends the script if they cannot be had.
install_packages() {
    local wanted
    mapfile -t wanted < <(missing_packages "$@")
    [ "${#wanted[@]}" = 0 ] && return
    [ -n "$install" ] || fail 3 "missing packages: ${wanted[*]}"
    if ! command -v apt-get >/dev/null || [ "$(id -u)" != 0 ]; then
        fail 3 "please install, as root: ${wanted[*]}"
    fi
    echo "Installing: ${wanted[*]}"
    # The list of packages may be old or absent; look again before giving up.
    apt_get install -y --no-install-recommends "${wanted[@]}" ||
        { apt_get update &&
            apt_get install -y --no-install-recommends "${wanted[@]}"; } ||
        fail 3 "could not install ${wanted[*]}; see $out/packages.log"
}
