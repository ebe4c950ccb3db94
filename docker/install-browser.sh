#!/bin/sh
# Chromium for the browser tests. Never fails: without it those tests are skipped, and all others still run.
set -eu

for browser in chromium-headless-shell chromium chromium-browser google-chrome; do
    if command -v "$browser" >/dev/null 2>&1; then exit 0; fi
done

as_root=
if [ "$(id -u)" -ne 0 ]; then as_root="sudo -n"; fi
if ! command -v apt-get >/dev/null 2>&1 || ! $as_root true 2>/dev/null; then
    echo "No Chromium was found and none could be installed, so the browser tests will be skipped."
    exit 0
fi

apt="$as_root env DEBIAN_FRONTEND=noninteractive apt-get"
if ! $apt update -qq || ! $apt install -y -qq --no-install-recommends chromium fonts-dejavu-core; then
    echo "Installing Chromium failed (apt-get says why above), so the browser tests will be skipped."
fi
