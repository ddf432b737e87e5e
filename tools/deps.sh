#!/usr/bin/env bash
# deps.sh build|test|test-all|bench|lab|web: installs what is missing on Debian and Ubuntu; elsewhere names it.
source "$(dirname "$0")/common.sh"

# purpose | how to look | what to look for | Debian package | what it is | optional where packages cannot be installed
needs='
build|command|cc|gcc|a C11 compiler (gcc or clang)|
build|header|stdio.h|libc6-dev|the headers of the C library|
build|command|meson|meson|Meson, 1.0.1 or newer|
build|command|ninja|ninja-build|Ninja|
build|command|pkg-config|pkg-config|pkg-config|
build|library|jansson|libjansson-dev|Jansson, for .safetensors (jansson-devel, jansson)|optional
build|arb|arb.h|libflint-arb-dev|FLINT with Arb, for proofs about bases and rigorous integrals (flint-devel, flint)|optional
build|library|openblas|libopenblas-dev|OpenBLAS with LAPACK, for the structure of matrices (openblas-devel, openblas)|optional
build|command|gnuplot|gnuplot-nox|gnuplot, for figures|optional
build|command|mpicc|libopenmpi-dev|MPI, for sinpos-mpi (openmpi-devel, or MPICH)|optional
build|command|mpirun|openmpi-bin|the programs of MPI (openmpi)|optional
test|command|g++|g++|a C++ compiler|optional
test|command|clang|clang|Clang|optional
test|sanitizer|address|libclang-rt-@clang@-dev|the sanitizer libraries of Clang (compiler-rt)|optional
test|command|ccache|ccache|ccache: several stages compile the same|optional
test|command|clang-format|clang-format|clang-format 14, for the layout of C files|optional
test|library|cmocka|libcmocka-dev|cmocka (libcmocka-devel, cmocka)|
test|library|mpfr|libmpfr-dev|MPFR, 4.0 or newer (mpfr-devel, mpfr)|optional
test|command|aarch64-linux-gnu-gcc|gcc-aarch64-linux-gnu|a cross compiler for aarch64 (gcc-aarch64-linux-gnu)|optional
test|file|/usr/aarch64-linux-gnu/include/stdio.h|libc6-dev-arm64-cross|its C library|optional
test|command|qemu-aarch64|qemu-user|the user emulators of QEMU (qemu-user)|optional
all|command|qemu-s390x|qemu-user|the user emulators of QEMU (qemu-user)|optional
all|command|s390x-linux-gnu-gcc|gcc-s390x-linux-gnu|a cross compiler for s390x, which is big-endian (gcc-s390x-linux-gnu)|optional
all|file|/usr/s390x-linux-gnu/include/stdio.h|libc6-dev-s390x-cross|its C library|optional
all|command|x86_64-w64-mingw32-gcc|gcc-mingw-w64-x86-64-posix|a cross compiler for Windows (mingw64-gcc)|optional
all|file|/usr/lib/wine/wine64|wine64|Wine, 64 bits|optional
all|command|gcovr|gcovr|gcovr, for make coverage|optional
test|python|zarr|python3-zarr|Zarr|optional
test|command|qemu-x86_64|qemu-user|the user emulators of QEMU (qemu-user)|optional
test|command|musl-gcc|musl-tools|musl and its compiler (musl-tools)|optional
test|command|valgrind|valgrind|Valgrind|optional
test|command|cmake|cmake|CMake|optional
test|command|make|make|make|
test|command|objdump|binutils|objdump (binutils)|
test|command|python3|python3|Python 3|
test|python|mesonpy|python3-mesonpy|meson-python, for the Python package|optional
test|python|venv|python3-venv|the venv module of Python|optional
test|python|pip|python3-pip|pip|optional
test|python|os, sysconfig; assert os.path.exists(sysconfig.get_path("include") + "/Python.h")|python3-dev|the headers of Python|optional
test|python|numpy|python3-numpy|NumPy|optional
test|python|pytest|python3-pytest|pytest|optional
test|python|hypothesis|python3-hypothesis|Hypothesis|optional
test|python|torch|python3-torch|PyTorch|optional
test|python|distributed|python3-distributed|Dask, for the laboratory on many machines|optional
test|python|onnx|python3-onnx|ONNX|optional
test|python|matplotlib|python3-matplotlib|Matplotlib|optional
test|command|mypy|mypy|mypy|optional
test|command|wasm-ld|lld|the linker of Clang, for WebAssembly (lld)|optional
test|wasm|stdio.h|wasi-libc|a C library for WebAssembly (wasi-libc)|optional
test|wasm|builtins|libclang-rt-@clang@-dev-wasm32|the runtime library of Clang for WebAssembly|optional
test|command|node|nodejs|Node.js, for the explorer|optional
test|command|npm|npm|npm, for the explorer|optional
test|command|chromium|chromium|Chromium, for the page of the explorer|optional
web|command|clang|clang|Clang, which compiles for WebAssembly
web|command|wasm-ld|lld|its linker (lld)
web|wasm|stdio.h|wasi-libc|a C library for WebAssembly (wasi-libc)
web|wasm|builtins|libclang-rt-@clang@-dev-wasm32|the runtime library of Clang for WebAssembly
web|command|make|make|make
web|command|python3|python3|Python 3
web|command|node|nodejs|Node.js, 18 or newer
web|command|npm|npm|npm
lab|python|os, sysconfig; assert os.path.exists(sysconfig.get_path("include") + "/Python.h")|python3-dev|the headers of Python|
lab|python|numpy|python3-numpy|NumPy|
lab|python|torch|python3-torch|PyTorch, 1.13 or newer|
lab|command|bible|bible-kjv|the text that the laboratory reads (bible-kjv)|optional
bench|header|sleef.h|libsleef-dev|SLEEF|optional
bench|python|numpy|python3-numpy|NumPy|optional
bench|python|torch|python3-torch|PyTorch|optional
'

compiles() {
    printf '%s\n' "$1" | "${@:2}" -x c -o /dev/null - >/dev/null 2>&1
}

found() {
    case $1 in
    command) command -v "$2" >/dev/null ;;
    file) [ -e "$2" ] ;;
    header) command -v cc >/dev/null && compiles "#include <$2>
int main(void) { return 0; }" cc ;;
    arb) command -v cc >/dev/null && compiles '#if __has_include(<flint/arb.h>) || __has_include(<arb.h>)
int main(void) { return 0; }
#endif' cc ;;
    library) command -v pkg-config >/dev/null && pkg-config --exists "$2" ;;
    sanitizer) command -v clang >/dev/null && compiles 'int main(void) { return 0; }' clang "-fsanitize=$2" ;;
    wasm) command -v clang >/dev/null && (
        if [ "$2" = builtins ]; then
            [ -e "$(clang -print-resource-dir)/lib/wasi/libclang_rt.builtins-wasm32.a" ]
        else
            [ -e "/usr/include/wasm32-wasi/$2" ]
        fi
    ) ;;
    python) /usr/bin/python3 -c "import $2" >/dev/null 2>&1 ;;
    esac
}

# Sets packages (to install), names (to read aloud) and must (names without which nothing goes).
look() {
    local purpose how what package name optional
    packages=() names=() must=()
    while IFS='|' read -r purpose how what package name optional; do
        [[ -n $purpose && " $wanted " == *" $purpose "* ]] || continue
        found "$how" "$what" && continue
        [[ " ${packages[*]:-} " == *" $package "* ]] || packages+=("$package")
        names+=("$name")
        [ "$optional" = optional ] || must+=("$name")
    done <<<"$needs"
}

# Which Clang the distribution's package "clang" is, for the name of its runtime library's package.
clang_major() {
    if command -v clang >/dev/null; then
        clang -dumpversion | cut -d. -f1
    else
        apt-cache depends clang | sed -n 's/.*Depends: clang-\([0-9]*\)$/\1/p' | head -n 1
    fi
}

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

apt() {
    local try
    for try in 1 2 3; do
        as_root env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3 -qq -y "$@" \
            </dev/null >"$log" 2>&1 && return
        echo "apt-get $1: try $try did not work" >&2
        sleep $((try * 5))
    done
    tail -n 20 "$log" >&2
    return 1
}

install_missing() {
    log=$(mktemp)
    trap 'rm -f "$log"' EXIT
    if ! apt-cache show "${packages[0]/@clang@/14}" >/dev/null 2>&1 || [ -n "${APT_UPDATE:-}" ]; then
        apt update || die 'the lists of packages cannot be fetched' 'Is the network there? See the lines above.'
    fi
    packages=("${packages[@]/@clang@/$(clang_major)}")
    echo "installing: ${packages[*]}"
    if ! apt install --no-install-recommends "${packages[@]}"; then
        apt update && apt install --no-install-recommends "${packages[@]}" ||
            die "these packages could not be installed: ${packages[*]}" 'See the lines above.'
    fi
}

can_install() {
    command -v apt-get >/dev/null && { [ "$(id -u)" = 0 ] || command -v sudo >/dev/null; }
}

case ${1:-build} in
build) wanted='build' ;;
test) wanted='build test' ;;
test-all) wanted='build test all' ;;
bench) wanted='build bench' ;;
lab) wanted='build lab' ;;
web) wanted='web' ;;
*) die "deps.sh: unknown purpose '$1'" 'It is one of build, test, test-all, bench, lab, web.' ;;
esac

look
if [ ${#names[@]} -gt 0 ] && can_install; then
    install_missing
    look
    [ ${#names[@]} -eq 0 ] || printf 'still missing after the installation: %s\n' "${names[@]}" >&2
elif [ ${#names[@]} -gt 0 ]; then
    echo 'missing on this system:' >&2
    printf '  %s\n' "${names[@]}" >&2
    echo "On Debian and Ubuntu these are the packages: ${packages[*]/@clang@/14}" >&2
fi
[ ${#must[@]} -eq 0 ] || die "not without these: ${must[*]}" 'Install what is listed above, then run the same command again.'
