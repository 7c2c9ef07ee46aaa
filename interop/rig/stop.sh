#!/bin/bash
# Ends the guest, if one runs, and takes its tap device away.
set -uo pipefail
. "$(dirname "$0")/common.sh"

readonly patience_tenths=50
ssh -q -O exit -o ControlPath="$guest/ssh" guest 2>/dev/null
# the number may belong to somebody else by now
if is_running && tr '\0' ' ' <"/proc/$(cat "$guest/pid")/cmdline" | grep -qF "$guest/pid"; then
    pid=$(cat "$guest/pid")
    kill "$pid"
    for ((tenths = 0; tenths < patience_tenths; tenths++)); do
        kill -0 "$pid" 2>/dev/null || break
        sleep 0.1
    done
    kill -9 "$pid" 2>/dev/null
fi
[ ! -f "$guest/has-tap" ] || ip link delete stag-rig 2>/dev/null
rm -f "$guest"/{pid,monitor,ssh-port,has-tap}
exit 0
