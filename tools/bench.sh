#!/usr/bin/env bash
# The benchmark, with the peers installed; arguments go to "sinpos bench". Without any the Python package is measured too;
# "bench.sh python [ARGUMENT...]" measures that alone: bench/python.py.
source "$(dirname "$0")/common.sh"

python_package() {
    local python=/usr/bin/python3 module
    for module in numpy sysconfig; do
        "$python" -c "import $module" 2>/dev/null || die "no $module for $python, so the Python package is not measured"
    done
    configure build/python -Dwheel=true -Dpython=enabled -Dflint=disabled -Dlapack=disabled -Dsafetensors=disabled \
        -Dtests=disabled -Doracle=disabled -Dexamples=disabled
    build build/python
    PYTHONPATH=build/python/python "$python" bench/python.py "$@"
}

bash tools/deps.sh bench
if [ "${1:-}" = python ]; then
    shift
    python_package "$@"
    exit
fi
configure build/release -Dtests=disabled
build build/release
build/release/cli/sinpos bench "$@"
if [ $# -eq 0 ]; then
    echo
    python_package
fi
