#!/usr/bin/env bash
# Every test, half an hour on two cores: with gcc and clang, with the sanitizers, under valgrind, and on other
# processors by emulation. The last line counts them all. tools/test.sh STAGE... runs only these stages.
source "$(dirname "$0")/common.sh"
[ -n "${SINPOS_NO_DEPS:-}" ] || bash tools/deps.sh test
top=build/test
mkdir -p $top
passed=0 failed=0 skipped=0
began=$SECONDS

have() {
    local program
    for program in "$@"; do
        command -v "$program" >/dev/null || { missing=$program; return 1; }
    done
}

# stage NAME WHAT FUNCTION: runs it apart, so that nothing can end the rest; it leaves "passed failed skipped" in a file.
stage() {
    local name=$1 what=$2 start=$SECONDS counts
    shift 2
    [ ${#chosen[@]} -eq 0 ] || [[ " ${chosen[*]} " == *" $name "* ]] || return 0
    rm -f $top/$name.counts
    if ! ("$@") >$top/$name.log 2>&1 </dev/null; then
        echo "the stage ended early" >>$top/$name.log
    fi
    counts=$(cat $top/$name.counts 2>/dev/null || echo 0 1 0) # no counts: the stage itself failed
    read -r p f s <<<"$counts"
    passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
    printf '%-12s %-62s %5d passed %3d failed %3d skipped  %4d s\n' "$name" "$what" "$p" "$f" "$s" $((SECONDS - start))
    grep -a '^skipped: ' $top/$name.log | cut -c1-150 | sed 's/^/    /' || true
    [ "$f" = 0 ] || { echo "---- the end of $top/$name.log:"; tail -n 80 $top/$name.log; echo '----'; }
}

# meson_tests NAME BUILD ARGUMENT...: runs tests of a build and counts them.
meson_tests() {
    local name=$1 dir=$2
    shift 2
    rm -f "$dir/meson-logs/$name"*.json
    meson test -C "$dir" --no-rebuild --logbase "$name" --print-errorlogs "$@" || true
    python3 tools/count.py "$dir/meson-logs/$name"*.json >$top/$name.counts
}

# without_tool NAME: a stage that cannot run here is one skipped test, not a silent nothing.
without_tool() {
    echo "skipped: no $missing here"
    echo 0 0 1 >$top/$1.counts
}

with_gcc() {
    CC=gcc configure $top/gcc -Dtests=enabled
    build $top/gcc
    meson_tests gcc $top/gcc --no-suite long
}

with_clang() {
    have clang || { without_tool clang; return; }
    CC=clang configure $top/clang
    build $top/clang
    meson_tests clang $top/clang --suite quick --suite golden --suite cross --suite cli --suite analysis --no-suite long
}

unoptimised() {
    CC=gcc configure $top/O0 -Doptimization=0
    build $top/O0
    meson_tests O0 $top/O0 --suite golden --suite emulated
}

sanitized() { # NAME SANITIZERS SUITES...
    local name=$1 kind=$2
    shift 2
    have clang || { without_tool "$name"; return; }
    CC=clang configure $top/$name -Db_sanitize="$kind" -Db_lundef=false -Doptimization=1 -Ddebug=true
    build $top/$name
    export ASAN_OPTIONS=detect_stack_use_after_return=1 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
    meson_tests "$name" $top/$name "${@/#/--suite=}" --no-suite long -t 3
}

memory_sanitizer() {
    have clang || { without_tool msan; return; }
    CC=clang configure $top/msan -Db_sanitize=memory -Db_lundef=false -Doptimization=1 -Ddebug=true -Doracle=disabled \
        -Dsafetensors=disabled
    build $top/msan
    # Clang 14's sanitizer takes a permutation of AVX-512 to read the lanes that it does not choose; readers of files
    # are left out because it does not know the fstat of newer C libraries.
    export SINPOS_ISA=avx2
    meson_tests msan $top/msan --suite unit --suite property --no-suite long
}

under_valgrind() {
    have valgrind || { without_tool valgrind; return; }
    # Valgrind 3.19 knows no AVX-512: the library sees a processor without it and says avx2.
    meson_tests valgrind $top/gcc --wrapper 'valgrind -q --error-exitcode=9 --leak-check=full' --suite valgrind -t 5
}

aarch64() {
    have aarch64-linux-gnu-gcc qemu-aarch64 || { without_tool aarch64; return; }
    configure $top/aarch64 --cross-file tools/cross/aarch64.ini
    build $top/aarch64
    meson_tests aarch64 $top/aarch64 --suite emulated --suite codegen --suite examples -t 5
}

# An x86-64 of 2008: an instruction that leaked out of its kernel ends the program.
old_x86() {
    have qemu-x86_64 || { without_tool nehalem; return; }
    meson_tests nehalem $top/gcc --wrapper 'qemu-x86_64 -cpu Nehalem' --suite emulated -t 5
}

# The package as people get it: a wheel, installed where nothing else of sinpos is, and tested from there. The system's
# own Python has NumPy and PyTorch; another may come first on the PATH.
python_package() {
    local python=/usr/bin/python3 module dir=$top/python
    for module in mesonpy venv pip numpy pytest hypothesis; do
        "$python" -c "import $module" 2>/dev/null || { missing="$module for $python"; without_tool python; return; }
    done
    CC=gcc configure $top/gcc -Dtests=enabled # the command line, to compare with
    build $top/gcc cli/sinpos
    rm -rf $dir && mkdir -p $dir
    "$python" -m pip wheel . --no-build-isolation --no-deps --no-index -w $dir/wheel
    "$python" -m venv --system-site-packages $dir/venv
    $dir/venv/bin/python -m pip install --no-index --no-deps $dir/wheel/sinpos-*.whl
    export MYPY_CACHE_DIR=$root/$top/mypy # what mypy knows of NumPy
    (cd tests/python && SINPOS_CLI=$root/$top/gcc/cli/sinpos ../../$dir/venv/bin/python -m pytest -q -p no:cacheprovider \
        --junitxml="$root/$dir/pytest.xml" .) || true
    python3 tools/count.py $dir/pytest.xml >$top/python.counts
}

# The extension under the sanitizers: what is quick of its tests, and random calls.
python_sanitized() {
    local python=/usr/bin/python3 module dir=$top/python-asan
    have clang || { without_tool python-asan; return; }
    for module in numpy pytest hypothesis; do
        "$python" -c "import $module" 2>/dev/null || { missing="$module for $python"; without_tool python-asan; return; }
    done
    CC=gcc configure $top/gcc -Dtests=enabled # the command line, to compare with
    build $top/gcc cli/sinpos
    mkdir -p $dir
    rm -f $dir/pytest.xml
    SINPOS_CLI=$root/$top/gcc/cli/sinpos SINPOS_FUZZ_CALLS=20000 bash tools/python-asan.sh "$python" -m pytest -q \
        -p no:cacheprovider --junitxml="$root/$dir/pytest.xml" tests/python/test_{fuzz,work,files}.py || true
    python3 tools/count.py $dir/pytest.xml >$top/python-asan.counts
}

chosen=("$@")
stage gcc 'everything, gcc' with_gcc
stage python 'the Python package: a wheel in an empty environment' python_package
stage clang 'quick, golden, cross, analysis, command line, clang' with_clang
stage O0 'golden and cross, gcc -O0' unoptimised
stage asan 'address and undefined behaviour, clang' sanitized asan address,undefined quick fuzz cli analysis fault
stage python-asan 'the Python extension, address and undefined behaviour' python_sanitized
stage tsan 'threads, clang' sanitized tsan thread thread
stage msan 'uninitialised memory up to avx2, clang' memory_sanitizer
stage valgrind 'valgrind, up to avx2 (it knows no AVX-512)' under_valgrind
stage aarch64 'aarch64 under qemu, cross-compiled' aarch64
stage nehalem 'an x86-64 without AVX and FMA, under qemu' old_x86

echo "all stages: $((SECONDS - began)) s"
if [ $skipped -gt 0 ]; then
    echo "$passed passed, $failed failed, $skipped skipped"
else
    echo "$passed passed, $failed failed"
fi
[ $failed -eq 0 ] && [ $passed -gt 0 ]
