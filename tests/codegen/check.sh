#!/usr/bin/env bash
# check.sh BUILD OBJDUMP NM CPU: what the compiler made of the kernels. Bits cannot show a kernel that fell back to
# scalar code or to libm's fma: it is right, and ninety times slower. TAP on standard output.
set -uo pipefail
build=$1 objdump=$2 nm=$3 cpu=$4
count=0
failed=0

# report NAME DETAIL: closes the check whose condition was the command before it.
report() {
    local status=$?
    count=$((count + 1))
    if [ $status = 0 ]; then
        echo "ok $count - $1"
    else
        echo "not ok $count - $1"
        echo "# $2"
        failed=1
    fi
    return $status
}

mnemonics() {
    $objdump -d --no-show-raw-insn "$@" | sed -n 's/^ *[0-9a-f]*:\t//p'
}

kernel_object() {
    find "$build/src/libsinpos_$1.a.p" -name '*.o' 2>/dev/null
}

# count_lines PATTERN < assembly
count_lines() {
    grep -Ec -- "$1" || true
}

# vector_kernel ISA FMA_PATTERN: vector fma there, and no call of the one in libm.
vector_kernel() {
    local object n calls
    object=$(kernel_object "$1")
    [ -n "$object" ]
    report "the $1 kernels were built" "no object in $build/src/libsinpos_$1.a.p" || return
    n=$(mnemonics $object | count_lines "$2")
    [ "$n" -ge 8 ]
    report "$1: $n vector fma instructions" "expected at least 8 lines like $2 in $object"
    calls=$($nm -u $object | grep -Ew 'fmaf?|sinf?|cosf?|sincosf?|rintf?|floorf?' | tr -s ' \n' ' ')
    [ -z "$calls" ]
    report "$1: no call of libm in the loops" "calls:$calls"
}

# without NAME PATTERN OBJECT...: no such instruction.
without() {
    local lines='no such object'
    [ $# -lt 3 ] || lines=$(mnemonics "${@:3}" | grep -E -m 3 -- "$2")
    [ -z "$lines" ]
    report "$1" "${lines//$'\n'/$'\n# '}"
}

case $cpu in
x86_64)
    vector_kernel avx2 '^vfn?m(add|sub)[0-9]+pd.*%ymm'
    vector_kernel avx512 '^vfn?m(add|sub)[0-9]+pd.*%zmm'
    vector_kernel avx512_bf16 '^vfn?m(add|sub)[0-9]+ps.*%zmm'
    without 'avx512: no instruction of bfloat16' '^v(cvtne|dpb)' $(kernel_object avx512)
    without 'avx2: no 512-bit register, no mask register' '%zmm|%k[0-7]|%[xy]mm(1[6-9]|2[0-9]|3[01])' $(kernel_object avx2)
    without 'scalar: no AVX' '^v|%[yz]mm' $(kernel_object scalar)
    core=$(find "$build/src" -path '*/libsinpos_inside.a.p/*.c.o')
    without 'the rest of the core: no AVX' '^v|%[yz]mm' $core
    ;;
aarch64)
    vector_kernel neon '^fml[as]\s+v[0-9]+\.2d'
    ;;
*)
    echo "1..0 # SKIP nothing is known of the instructions of $cpu"
    exit 0
    ;;
esac
echo "1..$count"
exit $failed
