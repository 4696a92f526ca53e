#!/bin/sh
# fuzz_binary.sh SEEDS TARGET SECONDS: run the libFuzzer target on the seeds that the script SEEDS makes.
# What it finds is left as crash-*, timeout-* or oom-* in the current directory.
set -eu
seeds=$1 target=$2 seconds=$3
corpus=$(mktemp -d)
trap 'rm -rf "$corpus"' EXIT
sh "$seeds" "$corpus"
# A file that asks for more memory than there is gets an error, as in the program itself.
ASAN_OPTIONS=allocator_may_return_null=1 "$target" -seed=1 -max_total_time="$seconds" -timeout=100 -rss_limit_mb=1500 \
	-max_len=65536 -print_final_stats=1 -verbosity=0 "$corpus"
