#!/usr/bin/env bash
# python-asan.sh COMMAND...: runs a command with the Python package built with the address and undefined sanitizers of
# clang, as in: tools/python-asan.sh /usr/bin/python3 tests/python/fuzz_core.py 100000
# SINPOS_ASAN_BUILD names a build that is there already.
source "$(dirname "$0")/common.sh"
dir=${SINPOS_ASAN_BUILD:-$root/build/fuzz/python}
runtime=$(clang -print-file-name="libclang_rt.asan-$(uname -m).so")
[ -e "$runtime" ] || die "no library of clang's address sanitizer: $runtime"
if [ -z "${SINPOS_ASAN_BUILD:-}" ]; then
    CC=clang configure "$dir" -Db_sanitize=address,undefined -Db_lundef=false -Doptimization=1 -Ddebug=true \
        -Dpython=enabled
    build "$dir" python/sinpos/_core.abi3.so
fi
# Python's own allocator would hide its objects from the sanitizer; what it never frees is not a leak of ours.
exec env LD_PRELOAD="$runtime" PYTHONPATH="$dir/python" PYTHONMALLOC=malloc PYTHONDONTWRITEBYTECODE=1 \
    ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1:handle_sigill=1 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 "$@"
