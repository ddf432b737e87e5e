#!/usr/bin/env bash
# Every test; the last line counts them. test.sh [--all] [STAGE...]: test.py says what runs.
source "$(dirname "$0")/common.sh"
[ -n "${SINPOS_NO_DEPS:-}" ] || bash tools/deps.sh test
exec python3 tools/test.py "$@"
