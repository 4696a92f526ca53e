#!/bin/sh
# mutations.sh SEEDS DRIVER ROUNDS: the fuzz target as a driver over the seeds that the script SEEDS makes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
sh "$1" "$folder"
"$2" "$3" "$folder"/*
