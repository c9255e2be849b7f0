#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: test_sandbox.sh CLIENT LAYER TOOL
# The layer in bubblewrap, where root's files belong to nobody: a seed and a
# configuration file of root's are refused and told, and used where the user
# names them. Without root or bubblewrap it is skipped (77).
set -euo pipefail

client=$(realpath "$1")
layer=$(realpath "$2")
tool=$(realpath "$3")
[ "$(id -u)" = 0 ] || { echo "not root"; exit 77; }
command -v bwrap >/dev/null || { echo "no bubblewrap"; exit 77; }
command -v setpriv >/dev/null || { echo "no setpriv"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
broken=0
complain() {
    echo "$1"
    broken=1
}
user=54321
icd=$(find /etc/OpenCL/vendors/ -name '*pocl*.icd' 2>/dev/null | head -1)
[ -n "$icd" ] || { echo "no PoCL"; exit 77; }
for name in $(compgen -e | grep '^DNNL_CACHE_'); do unset "$name"; done
unset XDG_CACHE_HOME XDG_CONFIG_HOME XDG_RUNTIME_DIR
mkdir -m 755 "$work/bin" "$work/etc" "$work/home" "$work/run"
cp "$client" "$layer" "$work/bin"
chmod 755 "$work"
chmod -R a+rX "$work/bin"
chown "$user:$user" "$work/home" "$work/run"
setpriv --reuid "$user" --regid "$user" --clear-groups \
    test -x "$work/bin/${client##*/}" || { echo "$work is root's alone"; exit 77; }

echo "== seeds"
mkdir "$work/pocl"
OCL_ICD_VENDORS=$icd POCL_CACHE_DIR=$work/pocl POCL_KERNEL_CACHE=0 \
    OPENCL_LAYERS=$layer DNNL_CACHE_DIR=$work/store DNNL_CACHE_CONFIG=0 \
    DNNL_CACHE_CAPTURE_SECONDS_AT_EXIT=unlimited HOME=$work/home \
    "$client" "Portable Computing Language" 1 1 || { echo "no PoCL"; exit 77; }
mkdir -m 755 "$work/seeds"
"$tool" --store "$work/store" export --seed "$work/seeds/seed.pack" >/dev/null
"$tool" --store "$work/store" export "$work/archive" >/dev/null
"$tool" key make-pair "$work/secret" "$work/etc/root.key" >/dev/null
"$tool" --store "$work/store" export --seed --sign-key "$work/secret" \
    "$work/seeds/signed.pack" >/dev/null
"$tool" --store "$work/seeds/signed" --key "$work/secret" import "$work/archive" >/dev/null
install -o "$user" -m 644 "$work/etc/root.key" "$work/home/seed.key"
"$tool" --store "$work/seeds/folder" import "$work/archive" >/dev/null
chmod -R go=rX "$work/seeds"
printf 'DNNL_CACHE_APPLICATIONS_DENY = *\n' >"$work/etc/layer.conf"
chmod 644 "$work/etc/layer.conf"

# sandbox NAME=VALUE ...: what the client says there is in $work/said, and the
# layer's count of hits in $hits.
sandbox() {
    rm -rf "$work/run/pocl" "$work/run/stats" "$work/home/.cache"
    install -d -o "$user" -g "$user" "$work/run/pocl"
    setpriv --reuid "$user" --regid "$user" --clear-groups bwrap --unshare-user \
        --ro-bind / / --dev /dev --proc /proc --tmpfs /mnt \
        --ro-bind "$work/seeds" /mnt/seeds --ro-bind "$work/etc" /mnt/etc \
        --bind "$work/home" "$work/home" --bind "$work/run" "$work/run" \
        env HOME="$work/home" TMPDIR="$work/run" XDG_RUNTIME_DIR="$work/run" \
        OCL_ICD_VENDORS="$icd" POCL_CACHE_DIR="$work/run/pocl" \
        POCL_KERNEL_CACHE=0 DNNL_CACHE_CONFIG=0 \
        OPENCL_LAYERS="$work/bin/${layer##*/}" \
        DNNL_CACHE_STATS="$work/run/stats" "$@" \
        "$work/bin/${client##*/}" "Portable Computing Language" 1 1 \
        >"$work/said" 2>&1 || {
        cat "$work/said"
        if grep -q '^bwrap:' "$work/said"; then exit 77; fi
        complain "the client failed"
    }
    hits=$(grep -o '"hits":[0-9]*' "$work/run/stats" 2>/dev/null | grep -o '[0-9]*' || echo none)
}

for seed in /mnt/seeds/seed.pack /mnt/seeds/folder; do
    sandbox DNNL_CACHE_SEED="$seed"
    [ "$hits" = 0 ] || complain "$seed: used without a word: $hits hits"
    grep -q "DNNL_CACHE_SEED is not used: .*DNNL_CACHE_TRUST_UNMAPPED" \
        "$work/said" || complain "$seed: refused without a word"
    sandbox DNNL_CACHE_SEED="$seed" DNNL_CACHE_TRUST_UNMAPPED=/mnt/seeds
    [ "$hits" = 2 ] || complain "$seed: named, and refused: $(cat "$work/said")"
    # By its other path a folder is above it that all may write to.
    sandbox DNNL_CACHE_SEED="$work/seeds/${seed##*/}" \
        DNNL_CACHE_TRUST_UNMAPPED="$work/seeds"
    case $(stat -c %a "$(dirname "$work")") in
    *[2367] | *[2367]?)
        [ "$hits" = 0 ] || complain "$work: used, though others may write there"
        ;;
    esac
done

echo "== signed seeds"
for seed in /mnt/seeds/signed.pack /mnt/seeds/signed; do
    sandbox DNNL_CACHE_SEED="$seed"
    [ "$hits" = 0 ] || complain "$seed: used without a key: $hits hits"
    sandbox DNNL_CACHE_SEED="$seed" \
        DNNL_CACHE_SEED_PUBLIC_KEY="$work/home/seed.key"
    [ "$hits" = 2 ] || complain "$seed: signed, and refused: $(cat "$work/said")"
    # Inside nobody knows whose this key is.
    sandbox DNNL_CACHE_SEED="$seed" DNNL_CACHE_SEED_PUBLIC_KEY=/mnt/etc/root.key
    [ "$hits" = 0 ] || complain "$seed: used with a key of nobody's: $hits hits"
    grep -q "DNNL_CACHE_SEED is not used: .*root.key" "$work/said" ||
        complain "the key was refused without a word: $(cat "$work/said")"
    sandbox DNNL_CACHE_SEED="$seed" DNNL_CACHE_SEED_PUBLIC_KEY=seed.key
    [ "$hits" = 0 ] || complain "$seed: used without its key: $hits hits"
done
# The attack: entries that somebody else has put there.
for seed in /mnt/seeds/seed.pack /mnt/seeds/folder; do
    sandbox DNNL_CACHE_SEED="$seed" \
        DNNL_CACHE_SEED_PUBLIC_KEY="$work/home/seed.key"
    [ "$hits" = 0 ] || complain "$seed: not signed, and used: $hits hits"
    [ "$(grep -c "not signed with the store's key" "$work/said")" = 1 ] ||
        complain "$seed: not told once: $(cat "$work/said")"
done

echo "== configuration"
sandbox DNNL_CACHE_CONFIG=/mnt/etc/layer.conf
grep -q "/mnt/etc/layer.conf: ignored: .*DNNL_CACHE_TRUST_UNMAPPED" \
    "$work/said" || complain "the file was not refused: $(cat "$work/said")"
sandbox DNNL_CACHE_CONFIG=/mnt/etc/layer.conf DNNL_CACHE_TRUST_UNMAPPED=/mnt/etc
[ "$hits" = none ] || complain "the file was not used: $hits hits, $(cat "$work/said")"

echo "== home"
sandbox DNNL_CACHE_CAPTURE_SECONDS_AT_EXIT=unlimited
[ -n "$(ls -A "$work/home/.cache/dnnl_cache" 2>/dev/null)" ] ||
    complain "nothing was kept in the home: $(cat "$work/said")"

[ "$broken" = 0 ] && echo "the layer in a sandbox: right"
exit "$broken"
