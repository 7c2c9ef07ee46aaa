#!/bin/bash
# Starts the guest and waits until it answers. It has two network cards:
#   eth0  user-mode networking of QEMU, needs no root. The guest is 10.0.2.15 and sees this host as 10.0.2.2; its TCP ports
#         given as arguments appear on 127.0.0.1 (PORT, or HOST_PORT:GUEST_PORT). QEMU ends TCP on both sides, like a middle box.
#   eth1  a tap device, only with STAG_RIG_TAP=1: TCP end to end. This host is 10.77.0.1, the guest 10.77.0.2. Needs root;
#         run it inside a network namespace of its own (ip netns exec).
set -euo pipefail
. "$(dirname "$0")/common.sh"

readonly boot_limit_tenths=1200
[ -f "$image/manifest.txt" ] || die "There is no image yet, build-image.sh makes it."
! is_running || die "A guest runs already; stop.sh ends it."
rm -rf "$guest"
mkdir -p "$guest"
# ssh wants a key that is its user's own; this one opens nothing but the guest
install -m 600 "$image/key" "$guest/key" ||
    die "The key of the guest's image cannot be read; as root, build-image.sh --force makes the image anew."

# A hypervisor inside a guest may offer /dev/kvm that cannot run an unmodified kernel: only VMX and SVM are trusted.
if [ -w /dev/kvm ] && [ ! -d /sys/module/kvm_pvm ] && { [ -d /sys/module/kvm_intel ] || [ -d /sys/module/kvm_amd ]; }; then
    accelerator=(-accel kvm -cpu host)
else
    accelerator=(-accel tcg,thread=multi -cpu Nehalem)
fi

free_port() {
    local port
    while port=$((20000 + RANDOM % 20000)); do
        (: <"/dev/tcp/127.0.0.1/$port") 2>/dev/null || { echo $port; return; }
    done
}

free_port >"$guest/ssh-port"
user=user,id=user,hostfwd=tcp:127.0.0.1:$(cat "$guest/ssh-port")-:22
for port in "$@"; do
    user+=,hostfwd=tcp:127.0.0.1:${port%%:*}-:${port##*:}
done
network=(-netdev "$user" -device virtio-net-pci,netdev=user,mac=52:54:00:00:00:01,romfile=)
if [ "${STAG_RIG_TAP:-0}" = 1 ]; then
    ip tuntap add stag-rig mode tap
    ip addr add 10.77.0.1/24 dev stag-rig
    ip link set stag-rig up
    # without offloads: what is captured is what a wire would carry
    network+=(-netdev tap,id=tap,ifname=stag-rig,script=no,downscript=no,vnet_hdr=off
        -device virtio-net-pci,netdev=tap,mac=52:54:00:00:00:02,romfile=)
    touch "$guest/has-tap"
fi

qemu-system-x86_64 "${accelerator[@]}" -machine q35,usb=off -m 384 -smp 2 -nodefaults -nographic -no-reboot \
    -kernel "$image/vmlinux" -initrd "$image/initrd.gz" \
    -append "console=ttyS0 quiet panic=-1 mitigations=off random.trust_cpu=on net.ifnames=0 \
rig.user=10.0.2.15/24 rig.gateway=10.0.2.2 rig.tap=10.77.0.2/24" \
    -drive if=none,id=root,format=raw,file="$image/root.ext4",snapshot=on -device virtio-blk-pci,drive=root \
    -device virtio-rng-pci "${network[@]}" \
    -chardev file,id=console,path="$guest/console.log" -serial chardev:console \
    -qmp unix:"$guest/monitor",server=on,wait=off -pidfile "$guest/pid" -daemonize

for ((tenths = 0; tenths < boot_limit_tenths; tenths++)); do
    if grep -aq RIG-READY "$guest/console.log" && in_guest true </dev/null; then
        echo "guest: $(grep -ao 'RIG-READY .*' "$guest/console.log" | tr -d '\r' | cut -d ' ' -f 2), ${accelerator[1]%%,*}, up after $((tenths / 10)).$((tenths % 10)) s"
        exit 0
    fi
    is_running || { tail -n 20 "$guest/console.log" >&2; die "The guest ended while it booted."; }
    sleep 0.1
done
tail -n 20 "$guest/console.log" >&2
die "The guest was not ready in $((boot_limit_tenths / 10)) s."
