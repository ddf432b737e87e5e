#!/usr/bin/env bash
# static-library.sh AR NM OBJCOPY IN.a OUT.a: the objects of IN.a. A static library has no hidden names, and a program may have
# a function of the same name as one inside: names that are not of the interface get that of the library in front. Objects of
# link-time optimisation keep theirs, as do all where there is no objcopy.
set -eu
ar=$1 nm=$2 objcopy=$3 in=$4 out=$5
prefix=$(basename "$out" .a)
prefix=${prefix#lib}
prefix=${prefix//-/_}__
temporary=$(mktemp -d "$out.XXXXXX")
trap 'rm -rf "$temporary"' EXIT

if [ "$(head -c 7 "$in")" = '!<thin>' ]; then # Meson's, of paths
    "$ar" t "$in" | xargs "$ar" qcD "$temporary/in.a"
    in=$temporary/in.a
fi
"$nm" -g --defined-only "$in" | awk -v prefix="$prefix" 'NF == 3 && $3 !~ /^sinpos_/ { print $3, prefix $3 }' | sort -u > "$temporary/names"
if "$objcopy" --redefine-syms="$temporary/names" "$in" "$temporary/out.a"; then
    "$ar" sD "$temporary/out.a"
else
    echo "$(basename "$out"): names inside stay as they are"
    cp "$in" "$temporary/out.a"
fi
mv "$temporary/out.a" "$out"
