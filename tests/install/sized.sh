#!/usr/bin/env bash
# sized.sh SOURCE CC: programs and libraries whose sized structs have another size. Headers are copied and every sized struct
# gets a field at its end; two libraries and two programs are built, and each program runs with each library. TAP on
# standard output.
set -uo pipefail
source=$(cd "$1" && pwd) cc=$2
here=$source/tests/install
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99
count=0
failed=0

step() {
    local name=$1
    shift
    count=$((count + 1))
    if "$@" >step.log 2>&1; then
        echo "ok $count - $name"
    else
        echo "not ok $count - $name"
        tail -n 30 step.log | sed 's/^/# /'
        failed=1
    fi
}

# Every struct that begins with its size grows.
grow_headers() {
    cp -r "$source/include" grown
    sed -i '/^    size_t struct_size;/,/^}/ s/^}/    double added_later[2];\n}/' grown/*.h grown/*/*.h
    [ "$(grep -c added_later grown/*.h grown/*/*.h | awk -F: '{n += $2} END {print n}')" = "$(grep -c '^    size_t struct_size;' "$source"/include/*.h "$source"/include/*/*.h | awk -F: '{n += $2} END {print n}')" ]
}

library() { # FOLDER INCLUDE
    mkdir -p "$1"
    python3 "$source/gen/catalogue.py" conventions.c "$source"/conventions/*.toml || return
    "$cc" -std=c11 -O1 -DSINPOS_PORTABLE -DSINPOS_BUILD -fPIC -shared -fvisibility=hidden -I"$2" -I"$source/src/conventions" \
        "$source"/src/*.c "$source"/src/exact/*.c "$source"/src/conventions/*.c conventions.c "$source/src/kernels/kernels_scalar.c" -o "$1/libsinpos.so" -lm -lpthread || return
    formats=$(ls "$source"/formats/*.c | grep -vE '/(json|model_json|safetensors).c$')
    "$cc" -std=c11 -O1 -D_POSIX_C_SOURCE=200809L -D_FILE_OFFSET_BITS=64 -DSINPOS_BUILD -fPIC -shared -fvisibility=hidden -I"$2" \
        -I"$source/src" -I"$source/common" $formats "$source/src/boundary.c" -o "$1/libsinpos-formats.so" -lm
}

program() { # NAME INCLUDE FLAGS...
    local name=$1 include=$2
    shift 2
    "$cc" -std=c11 -Wall -Werror "$@" -I"$include" "$here/sized.c" -o "$name" -Lown -lsinpos -lsinpos-formats
}

run() { # PROGRAM LIBRARY
    LD_LIBRARY_PATH=$2 "./$1" "$([ "$2" = later ] && echo grown)" >"$1.$2"
    local code=$?
    [ $code = 0 ] && cmp "$1.$2" old_program.own && [ -s "$1.$2" ]
}

step 'headers whose structs have grown' grow_headers
step 'the library' library own "$source/include"
step 'the library with larger structs' library later grown
step 'a program' program old_program "$source/include"
step 'a program with larger structs' program new_program grown -DGROWN
step 'the program with its own library' run old_program own
step 'the program with a later library' run old_program later
step 'a later program with this library' run new_program own
step 'a later program with its own library' run new_program later
echo "1..$count"
exit $failed
