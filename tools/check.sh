#!/usr/bin/env bash
# The quick tests, in build/check, under a minute.
source "$(dirname "$0")/common.sh"
bash tools/deps.sh test
configure build/check
if [ -z "${TMPDIR:-}" ] && [ -w /dev/shm ]; then # files of tests need not wait for a disk
    TMPDIR=$(mktemp -d -p /dev/shm sinpos-check-XXXXXX)
    export TMPDIR
    trap 'rm -rf "$TMPDIR"' EXIT
fi
meson test -C build/check --suite quick # it builds what they need, and nothing else
python3 tests/api/promises.py . --log build/check/meson-logs/testlog.json
