#!/usr/bin/env bash
# What identify says of 20,000 generated encodings and 20,000 arrays that are none: identify-study.py has the options.
source "$(dirname "$0")/common.sh"
bash tools/deps.sh test
configure build/check -Dtests=enabled
build build/check tests/analysis/analysis_identify_generated
exec python3 tools/identify-study.py "$@"
