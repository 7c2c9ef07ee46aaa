#!/bin/bash
# Builds the guest from Debian packages: a kernel, its soft-iWARP driver (siw) in several variants, rdma-core.
# Usage: build-image.sh [--force]. Needs root and about two minutes; makes vmlinux, initrd.gz, root.ext4, key, manifest.txt.
set -euo pipefail
. "$(dirname "$0")/common.sh"

if [ -f "$image/manifest.txt" ] && [ "${1:-}" != --force ]; then
    exit 0
fi
[ "$(id -u)" = 0 ] || die "Building the guest's image needs root, once: $0" "Afterwards the plain cells run without."
command -v apt-get >/dev/null || die "The image is made of Debian packages, and apt-get is not here."

packages="busybox-static libc6 bash coreutils iproute2 kmod ethtool dropbear-bin rdma-core ibverbs-utils ibverbs-providers rdmacm-utils"
modules="virtio_pci virtio_blk virtio_net virtio_rng ext4 crc32c_intel crc32c_generic
    siw rdma_ucm ib_uverbs rdma_cm iw_cm sch_netem sch_ingress act_mirred cls_matchall ifb"

work=$state/work
packages_folder=$state/packages
root=$work/root
export DEBIAN_FRONTEND=noninteractive
apt=(apt-get -o DPkg::Lock::Timeout=600 -o APT::Sandbox::User=root)
mkdir -p "$image" "$work" "$packages_folder/partial"

run() { # log command…
    local log=$work/$1.log
    shift
    "$@" >"$log" 2>&1 || { tail -n 20 "$log" >&2; die "failed: $*"; }
}

package_file() { # name
    ls "$packages_folder/${1%%:*}"_*.deb | tail -n 1
}

extract_kernel() {
    dpkg -x "$(package_file "linux-image-$kernel")" "$work/kernel"
    # QEMU boots the uncompressed kernel directly; without KVM, unpacking it in the guest would take seconds.
    # Offsets from Documentation/x86/boot.rst: setup_sects, payload_offset, payload_length.
    local file=$work/kernel/boot/vmlinuz-$kernel sectors offset length
    sectors=$(od -An -tu1 -j $((0x1f1)) -N 1 "$file")
    offset=$(od -An -tu4 -j $((0x248)) -N 4 "$file")
    length=$(od -An -tu4 -j $((0x24c)) -N 4 "$file")
    dd if="$file" bs=1M iflag=skip_bytes,count_bytes skip=$(((sectors + 1) * 512 + offset)) count=$((length)) status=none |
        xz -dc --single-stream >"$image/vmlinux"
}

# Debian's kernel comes without siw. Its switches are constants in the source, so each variant is a build that differs in one.
build_siw() {
    local siw=$work/source/$source/drivers/infiniband/sw/siw
    mkdir -p "$work/source" "$modules_folder/updates" "$work/variants"
    dpkg-deb --fsys-tarfile "$(package_file "$source")" | tar -xO "./usr/src/$source.tar.xz" | xz -dc -T0 |
        tar -x -C "$work/source" "$source/drivers/infiniband/sw/siw"
    cp "$siw/siw_main.c" "$work/siw_main.c"
    compile_siw stock ''
    compile_siw crc 's/^const bool mpa_crc_required;/const bool mpa_crc_required = true;/'
    compile_siw p2p 's/^const bool peer_to_peer;/const bool peer_to_peer = true;/'
    compile_siw mpa1 's/^u_char mpa_version = MPA_REVISION_2;/u_char mpa_version = MPA_REVISION_1;/'
    compile_siw gso 's/^const bool try_gso;/const bool try_gso = true;/'
    cp "$work/variants/siw-stock.ko" "$modules_folder/updates/siw.ko" # for modprobe to find what it depends on
}

compile_siw() { # variant sed-command
    local siw=$work/source/$source/drivers/infiniband/sw/siw
    sed "$2" "$work/siw_main.c" >"$siw/siw_main.c"
    if [ -n "$2" ] && cmp -s "$work/siw_main.c" "$siw/siw_main.c"; then
        die "siw variant $1: the constant is no longer where it was in siw_main.c"
    fi
    run "siw-$1" make -s -C "/usr/src/linux-headers-$kernel" M="$siw" CONFIG_RDMA_SIW=m KBUILD_MODPOST_WARN=1 modules
    strip -g -o "$work/variants/siw-$1.ko" "$siw/siw.ko"
}

# Only unpacked, never configured: apt resolves the dependencies against an empty system.
unpack_packages() {
    local empty=(-o "Dir::State::status=$work/empty" -o Debug::NoLocking=1 --no-install-recommends)
    : >"$work/empty"
    run apt-guest "${apt[@]}" "${empty[@]}" -o "Dir::Cache::archives=$packages_folder" install -y -qq --download-only $packages
    unpacked=$("${apt[@]}" "${empty[@]}" install -s $packages | awk '/^Inst/ {print $2}')
    mkdir -p "$root"/usr/{bin,sbin,lib,lib64}
    for folder in bin sbin lib lib64; do
        ln -s "usr/$folder" "$root/$folder"
    done
    for package in $unpacked; do
        dpkg-deb --fsys-tarfile "$(package_file "$package")" | tar -x -C "$root" --keep-directory-symlink
    done
    rm -rf "$root"/usr/share/{doc,man,locale,info,i18n,lintian,bash-completion,perl*} \
        "$root"/usr/lib/x86_64-linux-gnu/{gconv,perl*} "$root/usr/lib/systemd"
}

install_modules() {
    rm -f "$modules_folder"/modules.dep*
    depmod -b "$work/kernel" "$kernel"
    mkdir -p "$root/lib/modules/$kernel" "$root/lib/siw"
    cp "$modules_folder"/modules.{order,builtin,builtin.modinfo} "$root/lib/modules/$kernel/"
    for module in $modules; do
        files_of "$module"
    done | sort -u | sed "s,^$work/kernel/*,," | (cd "$work/kernel" && cpio -pdm --quiet "$root")
    cp "$work/variants"/*.ko "$root/lib/siw/"
    depmod -b "$root" "$kernel"
}

files_of() { # module
    modprobe -d "$work/kernel" -S "$kernel" --show-depends "$1" | awk '$1 == "insmod" {print $2}'
}

configure_guest() {
    rm -f "$image"/key*
    ssh-keygen -q -t ed25519 -N '' -C stag-rig -f "$image/key"
    mkdir -p "$root"/{proc,sys,dev,run,tmp,etc/dropbear,var/log,root/.ssh}
    chmod 644 "$image/key" # other users may boot the guest, too
    cp "$image/key.pub" "$root/root/.ssh/authorized_keys"
    chmod 700 "$root/root" "$root/root/.ssh"
    echo 'root:x:0:0:root:/root:/bin/bash' >"$root/etc/passwd"
    echo 'root:x:0:' >"$root/etc/group"
    echo /bin/bash >"$root/etc/shells"
    echo '127.0.0.1 localhost' >"$root/etc/hosts"
    printf 'passwd: files\ngroup: files\nhosts: files\n' >"$root/etc/nsswitch.conf"
    "$root/usr/bin/busybox" --list | while read -r applet; do
        [ -e "$root/usr/bin/$applet" ] || [ -e "$root/usr/sbin/$applet" ] || ln -s busybox "$root/usr/bin/$applet"
    done
    install -m 755 "$here/guest/init" "$root/usr/sbin/init"
    install -m 755 "$here/guest/siw" "$root/usr/sbin/siw"
}

pack_initrd() {
    local initrd=$work/initrd number=10
    mkdir -p "$initrd"/{bin,dev,proc,newroot,modules}
    cp "$root/usr/bin/busybox" "$initrd/bin/busybox"
    for module in virtio_pci virtio_blk crc32c_generic ext4; do
        files_of "$module"
    done | awk '!seen[$0]++' | while read -r file; do
        cp "$file" "$initrd/modules/$number-${file##*/}"
        number=$((number + 1))
    done
    install -m 755 "$here/guest/initrd-init" "$initrd/init"
    (cd "$initrd" && find . | cpio -o -H newc --quiet) | gzip >"$image/initrd.gz"
}

pack_root() {
    local megabytes=$(($(du -sm "$root" | cut -f 1) * 115 / 100 + 64))
    rm -f "$image/root.ext4"
    mke2fs -q -t ext4 -O ^has_journal,^metadata_csum -d "$root" "$image/root.ext4" "${megabytes}M" >/dev/null
}

write_manifest() { # the last file: an image without it is not complete
    {
        echo "kernel $kernel"
        for package in "linux-image-$kernel" "$source" $unpacked; do
            echo "$package $(dpkg-deb -f "$(package_file "$package")" Version)"
        done
    } >"$image/manifest.txt"
}

here=$(cd "$(dirname "$0")" && pwd)
rm -f "$image/manifest.txt"
rm -rf "$work"/{kernel,source,variants,root,initrd}

find_kernel() {
    kernel=$(apt-cache depends linux-image-amd64 2>/dev/null | sed -n 's/.*Depends: linux-image-//p' | head -n 1)
    source=$(apt-cache depends linux-source 2>/dev/null | sed -n 's/.*Depends: //p' | head -n 1)
    [ -n "$kernel" ] && [ -n "$source" ]
}
find_kernel || { run apt-update "${apt[@]}" update -qq && find_kernel; } ||
    die "apt knows no packages linux-image-amd64 and linux-source; the image is made of those of Debian 12."
modules_folder=$work/kernel/lib/modules/$kernel

echo "image: packages of kernel $kernel"
run apt-headers "${apt[@]}" install -y -qq --no-install-recommends "linux-headers-$kernel"
(cd "$packages_folder" && run apt-kernel "${apt[@]}" download -qq "linux-image-$kernel" "$source")
extract_kernel
echo "image: siw and its variants"
build_siw
echo "image: user space"
unpack_packages
install_modules
configure_guest
echo "image: file systems"
pack_initrd
pack_root
write_manifest
rm -rf "$work"
echo "image: done"
