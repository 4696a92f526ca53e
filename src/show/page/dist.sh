#!/bin/sh
# For meson dist: the tarball has the page built, so that who builds from it needs neither npm nor a network.
set -e
page=$MESON_BUILD_ROOT/src/show/page/page.html
[ -f "$page" ] || { echo "dist: no page: ninja -C $MESON_BUILD_ROOT, with Node.js and npm" >&2; exit 1; }
cp "$page" "$MESON_DIST_ROOT/src/show/page/prebuilt.html"
