#!/usr/bin/env bash
# Deliberate faults, one at a time: mutate.py says what runs.
source "$(dirname "$0")/common.sh"
bash tools/deps.sh test
exec python3 tools/mutate.py "$@"
