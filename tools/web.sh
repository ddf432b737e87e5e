#!/usr/bin/env bash
# The explorer: build/web/sinpos.html, one file. Installs what is missing. --wasm: the module alone; --tests: also what
# tests/web needs.
source "$(dirname "$0")/common.sh"
[ -n "${SINPOS_NO_DEPS:-}" ] || bash tools/deps.sh web
out=build/web
mkdir -p "$out"

# Jansson, which Debian compiles for this machine alone, from Debian's own source package.
fetch_jansson() {
    local lists=$out/apt list=$out/debian.sources
    mkdir -p "$lists/partial" "$out/jansson"
    printf 'Types: deb-src\nURIs: %s\nSuites: %s\nComponents: main\nSigned-By: %s\n' \
        "$(apt-cache policy libc6 | sed -n 's/.* \(https\{0,1\}:[^ ]*\) .*main.*/\1/p' | grep -v security | head -n 1)" \
        "$(. /etc/os-release && echo "$VERSION_CODENAME")" /usr/share/keyrings/debian-archive-keyring.gpg >"$list"
    local apt=(-qq -o "Dir::Etc::sourcelist=$PWD/$list" -o Dir::Etc::sourceparts=/nonexistent
        -o "Dir::State::lists=$PWD/$lists" -o APT::Sandbox::User=root)
    apt-get "${apt[@]}" update && (cd "$out/jansson" && apt-get "${apt[@]}" source --download-only jansson)
}

jansson=${JANSSON_SOURCE:-}
if [ -z "$jansson" ]; then
    ls "$out"/jansson/*.orig.tar.* >/dev/null 2>&1 || fetch_jansson >"$out/jansson.log" 2>&1 ||
        echo 'sinpos: the sources of Jansson cannot be fetched: the page will not read .safetensors and config.json' >&2
    if ls "$out"/jansson/*.orig.tar.* >/dev/null 2>&1 && [ ! -d "$out/jansson/source" ]; then
        mkdir "$out/jansson/source"
        tar -xf "$out"/jansson/*.orig.tar.* -C "$out/jansson/source" --strip-components=1
    fi
    [ ! -d "$out/jansson/source" ] || jansson=$out/jansson/source
fi
if [ -n "$jansson" ]; then # what its configure script would find here
    sed -e 's/@json_inline@/inline/' -e 's/@[a-z_]*@/1/' "$jansson/src/jansson_config.h.in" >"$out/jansson/jansson_config.h"
    echo "#define HAVE_STDINT_H 1" >"$out/jansson/jansson_private_config.h"
fi

clang=clang
[ -n "${CI:-}" ] || ! command -v ccache >/dev/null || clang='ccache clang'
targets=("$out/sinpos.wasm")
[ "${1:-}" != --tests ] || targets+=("$out/golden.wasm")
compile() {
    make -s -j "$jobs" -f web/wasm/build.mk OUT="$out" JANSSON="$jansson" CLANG="$clang" "${targets[@]}" >"$out/wasm.log" 2>&1
}

if ! compile; then
    ! grep -q 'No rule to make target' "$out/wasm.log" || rm -rf "$out/objects" # made from files that have moved
    if ! compile; then
        grep -m 12 -A 2 -E 'error|undefined' "$out/wasm.log" >&2 || tail -n 12 "$out/wasm.log" >&2
        die 'the WebAssembly module cannot be built'
    fi
fi
[ "${1:-}" != --wasm ] || exit 0

cd web
[ node_modules/.package-lock.json -nt package-lock.json ] || npm ci --no-audit --no-fund >"../$out/npm.log" 2>&1 ||
    { tail -n 20 "../$out/npm.log" >&2; die 'the packages of web/package-lock.json cannot be installed'; }
npm run --silent build >"../$out/vite.log" 2>&1 || { tail -n 40 "../$out/vite.log" >&2; die 'the page cannot be built'; }
cd ..
printf '%s: %d bytes\n' "$out/sinpos.html" "$(stat -c %s "$out/sinpos.html")"
