#!/usr/bin/env bash
# Every test; the last line counts them. test.sh [--all] [STAGE...]: test.py says what runs.
source "$(dirname "$0")/common.sh"
purpose=test
[[ " $* " != *" --all "* && " $* " != *" s390x "* && " $* " != *" mingw "* ]] || purpose=test-all # or of stages that it alone has
[ -n "${SINPOS_NO_DEPS:-}" ] || bash tools/deps.sh "$purpose"
exec python3 tools/test.py "$@"
