#!/bin/sh
# Each public header alone, in C11 and C++11, with every warning an error.   headers.sh INCLUDE_FOLDER
include=$1
seen=0
failed=0
n=0
try() { # LANGUAGE COMPILER STANDARD HEADER
    n=$((n + 1))
    if printf '#include <%s>\nint sinpos_only_a_header;\n' "$4" |
        $2 -x "$1" "-std=$3" -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -fsyntax-only "-I$include" -; then
        echo "ok $n - $4 $3 $2"
    else
        echo "not ok $n - $4 $3 $2"
        failed=1
    fi
    seen=1
}
for header in "$include"/*.h "$include"/*/*.h; do
    name=${header#"$include"/}
    for c in gcc clang; do
        command -v $c >/dev/null && try c $c c11 "$name" && try c $c c2x "$name"
    done
    for c in g++ clang++; do
        command -v $c >/dev/null && try c++ $c c++11 "$name" && try c++ $c c++17 "$name"
    done
done
[ $seen = 1 ] || { echo "skipped: no gcc and no clang here"; exit 77; }
exit $failed
