# Sourced by the scripts beside it: where things are, how a stage is announced and timed.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
jobs=$(nproc 2>/dev/null || echo 2)
export NINJA_STATUS='[%f/%t] '
export CCACHE_DEPEND=1 # what the compiler lists as read is enough: no file is preprocessed apart
# The system's python3 has what deps.sh installs. Another one may come first on the PATH, at worst through a script that
# takes 0.4 s at each start.
if [ -x /usr/bin/python3 ]; then
    mkdir -p build/bin
    ln -sfn /usr/bin/python3 build/bin/python3
    export PATH=$root/build/bin:$PATH
fi

die() {
    printf 'sinpos: %s\n' "$1" >&2
    [ $# -lt 2 ] || printf '  %s\n' "${@:2}" >&2
    exit 1
}

# configure DIR [MESON OPTION...]: set up a build folder, or bring an old one up to date; speaks only when it fails.
configure() {
    local dir=$1 log
    shift
    mkdir -p "$(dirname "$dir")"
    log=$dir.setup.log
    if [ -f "$dir/build.ninja" ]; then
        meson setup --reconfigure "$dir" "$@" >"$log" 2>&1 && return
        rm -rf "$dir" # a folder of other versions or of a half-done setup
    fi
    meson setup "$dir" "$@" >"$log" 2>&1 || { tail -n 20 "$log" >&2; die "the build in $dir cannot be set up"; }
}

# build DIR [TARGET...]
build() {
    local dir=$1 log=$1.build.log
    shift
    ninja -C "$dir" -j "$jobs" "$@" >"$log" 2>&1 || { tail -n 60 "$log" >&2; die "the build in $dir fails"; }
}
