#!/usr/bin/env bash
# amalgamated.sh FOLDER SOURCE COMPILER OPTIMISATION...: compiles FOLDER/sinpos.c with one bare line for each optimisation,
# and compares every instruction set with the bytes that MPFR gives. TAP on standard output.
set -uo pipefail
folder=$1 here=$2/tests/install compiler=$3
shift 3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
sha256=$(sed -n 's/^sha256=//p' "$here/check.sh")
count=0
failed=0

report() { # STATUS NAME [LOG]
    count=$((count + 1))
    if [ "$1" = 0 ]; then
        echo "ok $count - $2"
    else
        echo "not ok $count - $2"
        [ $# -lt 3 ] || tail -n 30 "$3" | sed 's/^/# /'
        failed=1
    fi
}

# Has this processor the instruction set? The library says so by refusing the cap.
cat >"$work/has.c" <<'C'
#include "sinpos.h"
int main(int argc, char **argv) { return argc != 2 || sinpos_isa_cap(argv[1]) != SINPOS_OK; }
C

same_bytes() { # PROGRAM ISA
    local got
    got=$(SINPOS_ISA=$2 "$1" | sha256sum | cut -d' ' -f1)
    [ "$got" = "$sha256" ]
}

# The conventions, by the library of the build.
library=$(cd "$folder/../src" && pwd)
"$compiler" -I"$folder" "$here/conventions.c" -o "$work/own" -L"$library" -lsinpos && LD_LIBRARY_PATH=$library "$work/own" >"$work/expected"
report $? "$(basename "$compiler"): every convention by the library"

for optimisation in "$@"; do
    name="$(basename "$compiler") $optimisation"
    object=$work/sinpos.o
    "$compiler" $optimisation -c "$folder/sinpos.c" -o "$object" >"$work/log" 2>&1 &&
        "$compiler" -I"$folder" "$work/has.c" "$object" -o "$work/has" -lm -lpthread >>"$work/log" 2>&1 &&
        "$compiler" -I"$folder" "$here/consumer.c" "$object" -o "$work/consumer" -lm -lpthread >>"$work/log" 2>&1
    report $? "$name compiles" "$work/log"
    "$compiler" -I"$folder" "$here/conventions.c" "$object" -o "$work/conventions" -lm -lpthread >"$work/errors" 2>&1 &&
        "$work/conventions" >"$work/got" && cmp "$work/got" "$work/expected" >>"$work/errors" 2>&1
    report $? "$name: every convention by the one file" "$work/errors"
    [ ! -s "$work/log" ]
    report $? "$name says nothing" "$work/log"
    for isa in scalar avx2 avx512 neon; do
        "$work/has" $isa || continue
        same_bytes "$work/consumer" $isa
        report $? "$name, $isa: the bytes of the library"
    done
done
nm -g --defined-only "$object" | awk '{ print $3 }' | grep -v '^sinpos_' >"$work/log"
[ ! -s "$work/log" ]
report $? "$(basename "$compiler"): only sinpos_ names leave the file" "$work/log"
if [ "$(uname -m)" = x86_64 ]; then
    # A pragma that a compiler drops costs only speed, which no byte shows. Without optimisation they are functions.
    [ "$optimisation" = -O0 ] && least=1 || least=8
    for register in ymm zmm; do
        n=$(objdump -d --no-show-raw-insn "$object" | grep -Ec "vfn?m(add|sub)[0-9]+pd.*%$register")
        [ "$n" -ge $least ]
        report $? "$(basename "$compiler"): $n fused multiply-adds on $register"
    done
fi
echo "1..$count"
exit $failed
