#!/bin/sh
# run.sh EXPECTED PROGRAM: runs an example (through $MESON_EXE_WRAPPER where it is built for another processor) and
# compares what it prints.
expected=$1
shift
output=$(mktemp) || exit 99
trap 'rm -f "$output"' EXIT
# shellcheck disable=SC2086 # the wrapper is a list of words
$MESON_EXE_WRAPPER "$@" >"$output" || { echo "it failed: $*"; exit 1; }
diff -u "$expected" "$output"
