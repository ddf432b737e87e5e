#!/usr/bin/env bash
# lab.sh [OPTION...]: the laboratory: trains what is missing in build/lab/results.jsonl, and writes build/lab/lab.md.
# Options and experiments are those of `python3 -m sinpos.lab run`.
source "$(dirname "$0")/common.sh"
bash tools/deps.sh lab
configure build/lab/build -Dtests=disabled -Dexamples=disabled -Dpython=enabled
build build/lab/build cli/sinpos python/sinpos/_core.abi3.so
export PYTHONPATH=$root/build/lab/build/python SINPOS_CLI=$root/build/lab/build/cli/sinpos
/usr/bin/python3 -m sinpos.lab run --budget 90 "$@"
/usr/bin/python3 -m sinpos.lab report --results build/lab/results.jsonl --out build/lab/lab.md
