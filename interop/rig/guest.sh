#!/bin/bash
# Runs a command in the guest; input, output and exit code pass through. Without a command: a shell.
set -euo pipefail
. "$(dirname "$0")/common.sh"
is_running || die "No guest runs; boot.sh starts one."
in_guest "$@"
