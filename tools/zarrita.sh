#!/usr/bin/env bash
# zarrita.sh: does zarrita of npm read what sinpos writes to .zarr? It is installed in build/zarrita.
source "$(dirname "$0")/common.sh"
command -v npm >/dev/null || die 'npm is missing' 'On Debian and Ubuntu: apt-get install npm'
mkdir -p build/zarrita
[ -f build/zarrita/package.json ] || echo '{"private": true}' >build/zarrita/package.json
npm install --prefix build/zarrita --no-audit --no-fund --silent zarrita@0.7.5 @zarrita/storage@0.2.0 ||
    die 'npm cannot install zarrita' 'Is the network there?'
bash tools/build.sh >/dev/null
python3 tests/cli/zarr.py --sinpos build/release/cli/sinpos --zarrita build/zarrita
