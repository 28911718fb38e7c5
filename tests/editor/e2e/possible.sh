#!/usr/bin/env bash
# Whether real VS Code can be set up and run on this machine. If not, prints why in one line and ends with 1.
set -uo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
no() { echo "$*"; exit 1; }

[ "$(uname -s)" = Linux ] || no "they run on Linux only"
command -v node >/dev/null && command -v npm >/dev/null || no "Node 20 or newer with npm is missing"
[ "$(node -p 'process.versions.node.split(".")[0]')" -ge 20 ] || no "Node 20 or newer is needed, this is $(node --version)"
command -v unshare >/dev/null || no "unshare is missing (Debian package util-linux)"
unshare --user --map-root-user --net --mount --pid --fork --mount-proc true 2>/dev/null ||
  no "namespaces are not allowed here, so that 'works offline' cannot be shown (on Debian: sysctl kernel.unprivileged_userns_clone=1)"
case "$here" in /mnt/*) no "they mount a folder of their own on /mnt and would hide this checkout; move it elsewhere" ;; esac
said="$("$here/../setup-vscode.sh" packages 2>&1)" || no "${said##*$'\n'}"
