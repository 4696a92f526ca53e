#!/bin/sh
# install.sh SOURCE BUILD: the libraries of the page, as the lock file says, into BUILD/node_modules.
# Nothing happens when those of this lock file are there.
set -e
source=$1 build=$2
cmp -s "$source/package-lock.json" "$build/node_modules/installed" && exit 0
mkdir -p "$build"
cp "$source/package.json" "$source/package-lock.json" "$source/.npmrc" "$build"
cd "$build"
npm ci --no-progress >npm.log 2>&1
cp package-lock.json node_modules/installed
