#!/bin/sh
# Looks for the programs that the rig needs. Installs what is missing when it may, else names it and fails.
set -eu

# program:Debian package
needed="qemu-system-x86_64:qemu-system-x86 ssh:openssh-client ip:iproute2"
needed_to_build="cpio:cpio depmod:kmod mke2fs:e2fsprogs xz:xz-utils make:make gcc-12:gcc-12 strip:binutils"

. "$(dirname "$0")/common.sh"
[ -f "$image/manifest.txt" ] || needed="$needed $needed_to_build"

missing() {
    for entry in $needed; do
        command -v "${entry%%:*}" >/dev/null || printf ' %s' "${entry##*:}"
    done
}

packages=$(missing)
[ -n "$packages" ] || exit 0
install="apt-get install -y --no-install-recommends$packages"
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    echo "installing$packages"
    mkdir -p "$state"
    export DEBIAN_FRONTEND=noninteractive
    { apt-get update -qq && $install; } >"$state/apt.log" 2>&1 || tail -n 5 "$state/apt.log" >&2
    packages=$(missing)
fi
[ -z "$packages" ] || die "The interop rig cannot run, these Debian packages are missing:$packages" \
    "Install them as root: $install"
