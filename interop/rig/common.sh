# Sourced by the other scripts: where things are, and how to reach the guest.

state=${STAG_RIG:-/var/tmp/stag-rig}
image=$state/image
# Of the guest that runs: pid, console, monitor. Who may not write to the image's folder has a folder of his own.
if [ -z "${STAG_RIG_GUEST:-}" ] && [ -d "$state" ] && [ ! -w "$state" ]; then
    STAG_RIG_GUEST=$state-$(id -u)/guest
fi
guest=${STAG_RIG_GUEST:-$state/guest}

die() {
    printf '%s\n' "$@" >&2
    exit 1
}

is_running() {
    [ -f "$guest/pid" ] && kill -0 "$(cat "$guest/pid")" 2>/dev/null
}

# One connection is kept open and shared: a command then takes milliseconds, not a key exchange.
in_guest() { # command…
    ssh -q -i "$guest/key" -p "$(cat "$guest/ssh-port")" \
        -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o BatchMode=yes -o ConnectTimeout=30 \
        -o ControlMaster=auto -o ControlPath="$guest/ssh" -o ControlPersist=yes \
        root@127.0.0.1 "$@"
}
