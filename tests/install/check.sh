#!/usr/bin/env bash
# check.sh SOURCE BUILD CC CXX: installs BUILD into an empty folder (with "anew" a build of its own, as users configure it),
# then builds consumer.c against it in every way there is, and the portable library by one bare compiler line. Each program
# must print the same bytes. TAP on standard output.
set -uo pipefail
source=$(cd "$1" && pwd) build=$2 cc=$3 cxx=${4:-}
[ "$build" = anew ] || build=$(cd "$build" && pwd)
here=$source/tests/install
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99

# The bytes that MPFR gives for the tables of consumer.c.
sha256=ffccc98774c0246145f0a83b25e0643a465ebdbfc340bcf10e557566e0a3e157
count=0
failed=0

# step NAME COMMAND...: one check; what the command says is shown when it fails.
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

skip() {
    count=$((count + 1))
    echo "ok $count - $1 # SKIP $2"
}

right_bytes() {
    local got
    got=$(LD_LIBRARY_PATH=${library_path:-} "$@" | sha256sum | cut -d' ' -f1)
    [ "$got" = "$sha256" ] || { echo "got $got, want $sha256"; return 1; }
}

# Into $work/root; the prefix in there is that of the build.
install_it() {
    if [ "$build" = anew ]; then
        build=$work/build
        env CC="$cc" meson setup "$build" "$source" --prefix /opt/sinpos -Dtests=disabled -Doracle=disabled \
            -Dexamples=disabled && ninja -C "$build" || return
    fi
    meson install -C "$build" --no-rebuild --destdir "$work/root"
}

by_pkg_config() {
    "$cc" -std=c11 -Wall -Wextra -Werror "$here/consumer.c" -o by_pkg_config $(pkg-config --cflags --libs sinpos) &&
        right_bytes ./by_pkg_config
}

# The second library: g(1) of 128 columns.
analysis_by_pkg_config() {
    cat >analysis_consumer.c <<'END'
#include <math.h>
#include <stdio.h>
#include <sinpos_analysis.h>

int main(void)
{
    sinpos_spec spec = SINPOS_SPEC_INIT;
    sinpos_plan *plan;
    sinpos_rows offsets = SINPOS_ROWS_INIT;
    double g = 0;
    spec.dim = 128;
    offsets.n = 1;
    offsets.first = 1;
    sinpos_status status = sinpos_plan_create(&plan, &spec);
    if (status == SINPOS_OK)
        status = sinpos_kernel_values(plan, &offsets, &g, 1);
    sinpos_plan_destroy(plan);
    printf("%.15g\n", g);
    return status != SINPOS_OK || !(fabs(g - 62.0936838057676) < 64e-15);
}
END
    "$cc" -std=c11 -Wall -Wextra -Werror analysis_consumer.c -o analysis_consumer \
        $(pkg-config --cflags --libs sinpos-analysis) -lm && LD_LIBRARY_PATH=$libdir ./analysis_consumer
}

by_pkg_config_static() {
    "$cc" -std=c11 "$here/consumer.c" -o by_static $(pkg-config --cflags sinpos) "$libdir/libsinpos.a" \
        $(pkg-config --static --libs-only-l --libs-only-other sinpos | sed 's/-lsinpos//') &&
        library_path= right_bytes ./by_static && ! ldd ./by_static | grep sinpos
}

# The three static libraries whole, beside functions of a program that are named as some inside are.
static_side_by_side() {
    local library
    for library in sinpos sinpos-formats sinpos-analysis; do
        nm -g --defined-only "$libdir/lib$library.a" | awk 'NF == 3 && $3 !~ /^sinpos_/ { print $3; found = 1 } END { exit found }' || return
    done
    cat >side_by_side.c <<'END'
#include <stdio.h>
#include <sinpos_analysis.h>
#include <sinpos_formats.h>

int output_write(void);
int threads_run(void);
int output_write(void) { return 1; }
int threads_run(void) { return 2; }

int main(void)
{
    return output_write() + threads_run() != 3 || printf("%s\n", sinpos_version()) < 0;
}
END
    "$cc" -std=c11 -Wall -Wextra -Werror side_by_side.c -o side_by_side $(pkg-config --cflags sinpos-analysis sinpos-formats) \
        -Wl,--whole-archive "$libdir"/libsinpos{,-formats,-analysis}.a -Wl,--no-whole-archive \
        $(pkg-config --static --libs-only-l --libs-only-other sinpos-analysis sinpos-formats | sed -E 's/-lsinpos[a-z-]*//g') &&
        ./side_by_side && ! ldd ./side_by_side | grep sinpos
}

by_c_plus_plus() {
    "$cxx" -std=c++11 -Wall -Wextra -Werror -x c++ "$here/consumer.c" -o by_cxx $(pkg-config --cflags --libs sinpos) &&
        right_bytes ./by_cxx
}

by_cmake() {
    cmake -S "$here" -B cmake -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$cc" && cmake --build cmake &&
        right_bytes cmake/consumer && library_path= right_bytes cmake/consumer_static
}

by_cmake_too_new() {
    ! cmake -S "$here" -B new -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$cc" -DASKED=99.0 >new.log 2>&1 &&
        grep 'considered but not accepted' new.log || { cat new.log; return 1; }
}

by_bare_line() {
    "$cc" -std=c11 "$@" -DSINPOS_PORTABLE -I"$source/include" "$here/consumer.c" "$source"/src/*.c "$source"/src/exact/*.c "$source/src/kernels/kernels_scalar.c" \
        -o bare -lm -lpthread && right_bytes ./bare
}

installed_program() {
    test -x "$prefix/bin/sinpos" && LD_LIBRARY_PATH=$libdir "$prefix/bin/sinpos" --version
}

step 'meson install' install_it
libdir=$(dirname "$(find "$work/root" -name libsinpos.a)")
prefix=$(cd "$work/root" && dirname "$PWD/$(find . -path '*/bin/sinpos' -printf '%h\n')")
library_path=$libdir
export PKG_CONFIG_PATH=$libdir/pkgconfig PKG_CONFIG_SYSROOT_DIR=$work/root
step 'the command line is installed' installed_program
step 'consumer by pkg-config' by_pkg_config
step 'consumer of the analysis library by pkg-config' analysis_by_pkg_config
step 'static consumer by pkg-config' by_pkg_config_static
step 'static libraries beside the names of a program' static_side_by_side
if [ -n "$cxx" ]; then
    step 'consumer in C++11' by_c_plus_plus
else
    skip 'consumer in C++11' 'no C++ compiler'
fi
if command -v cmake >/dev/null; then
    step 'consumers by CMake, shared and static' by_cmake
    step 'CMake refuses a version that is not there' by_cmake_too_new
else
    skip 'consumers by CMake, shared and static' 'no CMake'
    skip 'CMake refuses a version that is not there' 'no CMake'
fi
step 'one bare line, no options' by_bare_line
[ "$2" != anew ] || step 'one bare line, -O2' by_bare_line -O2
echo "1..$count"
exit $failed
