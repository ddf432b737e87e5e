#!/bin/sh
# Puts the catalogue as C into the archive that `meson dist` makes.
set -eu
cp "$MESON_BUILD_ROOT/conventions/conventions.c" "$MESON_DIST_ROOT/conventions/"
