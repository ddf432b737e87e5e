#!/usr/bin/env bash
# musl.sh FOLDER SOURCE: FOLDER/sinpos.c as a static program of musl, whose threads have 128 KiB of stack unless asked: every
# function on 64 KiB, and the bytes of the library. TAP on standard output.
set -uo pipefail
if ! command -v musl-gcc >/dev/null; then
    echo "1..0 # SKIP musl-gcc is not installed"
    exit 0
fi
folder=$1 source=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
flags=(-static -O2 -std=c11 -Wall -Wextra -Werror -DSINPOS_CORE_ALONE -I"$folder" -I"$source/tests/support")
if ! musl-gcc "${flags[@]}" -Wno-unused-const-variable -c "$folder/sinpos.c" -o "$work/sinpos.o" ||
    ! musl-gcc "${flags[@]}" "$source/tests/api/small_stack.c" "$work/sinpos.o" -o "$work/small_stack" -lm -lpthread ||
    ! musl-gcc "${flags[@]}" "$source/tests/install/consumer.c" "$work/sinpos.o" -o "$work/consumer" -lm -lpthread; then
    echo "not ok 1 - musl-gcc compiles the amalgamation"
    echo "1..1"
    exit 1
fi
"$work/small_stack" >"$work/out"
small=$?
grep -v '^1\.\.' "$work/out"
count=$(($(grep -c '^\(not \)\?ok' "$work/out") + 1))
sha256=$(sed -n 's/^sha256=//p' "$source/tests/install/check.sh")
got=$("$work/consumer" | sha256sum | cut -d' ' -f1)
if [ "$got" = "$sha256" ]; then
    echo "ok $count - the bytes of the library"
else
    echo "not ok $count - the bytes are $got, not $sha256"
    small=1
fi
echo "1..$count"
exit $small
