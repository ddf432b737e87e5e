#!/usr/bin/env bash
# The quick tests of the release build, under a minute.
source "$(dirname "$0")/common.sh"
bash tools/deps.sh test
configure build/release
build build/release
meson test -C build/release --no-rebuild --suite quick
