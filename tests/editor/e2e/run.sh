#!/usr/bin/env bash
# The end-to-end tests: sets up what they need, then runs them where there is no network but loopback, on a folder of their own.
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
why="$("$here/possible.sh")" || { echo "e2e: cannot run here: $why" >&2; exit 1; }
toolchain="$("$here/../setup-vscode.sh")"
export FIRSTFAULT_E2E_TOOLCHAIN="$toolchain"
node=("$toolchain/node" --test-reporter=spec "$here/main.mjs" "$@")
# A mount of its own on /mnt: a name that is the same on all machines, shared with nobody, gone at the end.
inside='mount -t tmpfs tmpfs /mnt && ip link set lo up && export FIRSTFAULT_E2E_ROOT=/mnt && exec "$@"'
exec unshare --user --map-root-user --net --mount --pid --fork --kill-child --mount-proc sh -c "$inside" sh "${node[@]}"
