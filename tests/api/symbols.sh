#!/bin/sh
# What a shared library exports is exactly a list, and it calls nothing that prints or ends the process.
#   symbols.sh LIBRARY LIST [files]      files: a library that writes files
command -v nm >/dev/null || { echo "skipped: no nm here"; exit 77; }
work=$(mktemp -d) || exit 3
trap 'rm -rf "$work"' EXIT
nm -D --defined-only "$1" | awk '$2 ~ /^[A-Z]$/ && $2 != "A" { sub(/@.*/, "", $3); print $3 }' | LC_ALL=C sort -u >"$work/got"
grep -v '^#' "$2" | LC_ALL=C sort -u >"$work/want"
status=0
if diff -u "$work/want" "$work/got"; then
    echo "ok 1 - exports exactly $(wc -l <"$work/want") symbols"
else
    echo "not ok 1 - exported symbols differ from $2"
    status=1
fi
if nm -D --undefined-only "$1" | awk '{ sub(/@.*/, "", $2); print $2 }' |
    grep -E "^(v?f?printf|v?dprintf|__(v?f?|d)printf_chk|puts|fputs|putchar|fputc|fwrite|${3:+no_}write|perror|exit|_exit|abort|__assert_fail|system|fopen)\$" >"$work/bad"; then
    echo "not ok 2 - calls $(tr '\n' ' ' <"$work/bad")"
    status=1
else
    echo "ok 2 - prints nothing and never exits"
fi
exit $status
