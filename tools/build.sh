#!/usr/bin/env bash
# The release build, in build/release.
source "$(dirname "$0")/common.sh"
bash tools/deps.sh build
configure build/release -Dtests=disabled
build build/release
build/release/cli/sinpos --version
