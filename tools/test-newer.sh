#!/usr/bin/env bash
# test-newer.sh [RELEASE...]: the quick tests in C and the whole Python package on newer releases of Debian (trixie, sid),
# with the compilers, CPython, NumPy, PyTorch, ONNX Runtime and ml_dtypes that these have; each in a root of its own, in
# build/roots. Needs to be root, debootstrap, 8 GB of disk for each, and Debian's archive.
source "$(dirname "$0")/common.sh"
archive=${SINPOS_DEBIAN:-http://deb.debian.org/debian}
roots=${SINPOS_ROOTS:-$root/build/roots}
packages=(git gcc g++ pkg-config meson ninja-build libcmocka-dev libmpfr-dev libjansson-dev libflint-dev libopenblas-dev
    gnuplot-nox binutils make cmake python3-dev python3-pip python3-venv python3-mesonpy patchelf python3-numpy
    python3-pytest python3-hypothesis python3-torch libtorch-dev python3-onnx python3-matplotlib mypy)
where_there_is_one=(python3-ml-dtypes python3-onnxruntime)

[ "$(id -u)" = 0 ] || die 'tests on newer releases need a root folder of their own: run this as root'
command -v debootstrap >/dev/null || die 'debootstrap is missing' 'apt-get install debootstrap'

# inside RELEASE COMMAND: in its root, with mounts that nobody else sees and that end with it
inside() {
    local place=$roots/$1
    unshare --mount --pid --fork sh -ec '
        mount -t proc proc "$1/proc"
        mount --rbind /dev "$1/dev"
        exec chroot "$1" env -i HOME=/root LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
            PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin bash -euo pipefail -c "$2"
    ' sh "$place" "$2"
}

install_root() {
    local release=$1 name
    if [ ! -x "$roots/$release/usr/bin/apt-get" ]; then
        mkdir -p "$roots"
        debootstrap --variant=minbase "$release" "$roots/$release" "$archive"
    fi
    cp /etc/resolv.conf "$roots/$release/etc/resolv.conf"
    inside "$release" "apt-get -o Acquire::Check-Valid-Until=false update
        apt-get install -y --no-install-recommends ${packages[*]}"
    for name in "${where_there_is_one[@]}"; do
        inside "$release" "apt-get install -y --no-install-recommends $name" || echo "no $name in $release"
    done
}

copy_sources() {
    rm -rf "$roots/$1/sinpos"
    mkdir -p "$roots/$1/sinpos"
    git ls-files -z --cached --others --exclude-standard | tar --null --files-from=- -cf - |
        tar -xf - -C "$roots/$1/sinpos"
}

test_release() {
    local release=$1
    install_root "$release"
    copy_sources "$release"
    inside "$release" '
        cd /sinpos
        rm -rf /build && mkdir /build
        meson setup /build/c -Dpython=disabled -Dexamples=disabled
        ninja -C /build/c
        meson test -C /build/c --no-rebuild --print-errorlogs --suite quick --suite cli --no-suite long || true
        python3 tools/count.py /build/c/meson-logs/testlog.json > /build/c.counts
        python3 -m pip wheel . --no-build-isolation --no-deps --no-index -w /build/wheel
        python3 -m venv --system-site-packages /build/venv
        /build/venv/bin/python -m pip install --no-index --no-deps /build/wheel/sinpos-*.whl
        cd tests/python
        SINPOS_CLI=/build/c/cli/sinpos MYPY_CACHE_DIR=/build/mypy /build/venv/bin/python -m pytest -q \
            -p no:cacheprovider --junitxml=/build/pytest.xml || true
        cd ../.. && python3 tools/count.py /build/pytest.xml > /build/python.counts
        /build/venv/bin/python -c "
import importlib, platform
print(\"CPython\", platform.python_version(), end=\"\")
for name in (\"numpy\", \"torch\", \"onnx\", \"onnxruntime\", \"ml_dtypes\"):
    try:
        print(\",\", name, importlib.import_module(name).__version__, end=\"\")
    except ImportError:
        pass
" > /build/versions
        gcc --version | head -n 1 >> /build/versions'
}

if [ "${1:-}" = --one ]; then # in a shell of its own, which the first command that fails ends
    test_release "$2"
    exit
fi

releases=("$@")
[ $# -gt 0 ] || releases=(trixie sid)
passed=0 failed=0 skipped=0
mkdir -p build
for release in "${releases[@]}"; do
    log=build/newer-$release.log
    rm -f "$roots/$release"/build/*.counts
    bash tools/test-newer.sh --one "$release" >"$log" 2>&1 </dev/null ||
        { tail -n 40 "$log"; echo "$release: the run ended early: $log"; }
    tr '\n' ' ' <"$roots/$release/build/versions" 2>/dev/null || true
    echo
    for part in c python; do
        read -r p f s <<<"$(cat "$roots/$release/build/$part.counts" 2>/dev/null || echo 0 1 0)"
        printf '%-8s %-8s %5d passed %3d failed %3d skipped\n' "$release" $part "$p" "$f" "$s"
        passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
    done
    grep -aE '^FAILED|^(Not ok|Fail)|FAIL ' "$log" || true
done
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ] && [ $passed -gt 0 ]
