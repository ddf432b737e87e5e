#!/usr/bin/env bash
# The benchmark, with the peers installed; arguments go to "sinpos bench".
source "$(dirname "$0")/common.sh"
bash tools/deps.sh bench
configure build/release -Dtests=disabled
build build/release
exec build/release/cli/sinpos bench "$@"
