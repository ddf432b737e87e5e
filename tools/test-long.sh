#!/usr/bin/env bash
# The tests that take hours: the suite "long", against MPFR. SINPOS_LONG_SECONDS bounds each where it reads that.
source "$(dirname "$0")/common.sh"
bash tools/deps.sh test
configure build/check -Dtests=enabled -Doracle=enabled
build build/check
exec meson test -C build/check --no-rebuild --suite long --verbose --timeout-multiplier 0 "$@"
