#!/bin/sh
# fuzz.sh MAKE_AMON TARGET SECONDS APROF: run the libFuzzer target on a corpus made for the purpose, and on a run of a machine of
# its own scripts that tells its call sites apart.
# What it finds is left as crash-* in the current directory.
set -eu
make_amon=$1 target=$2 seconds=$3 aprof=$4
corpus=$(mktemp -d)
work=$(mktemp -d)
trap 'rm -rf "$corpus" "$work"' EXIT
"$make_amon" --paper 5 "$corpus/paper"
"$make_amon" --routines 3 --calls 60 --chunk 20 --beside "$corpus/beside"
for seed in 1 2 3; do
	"$make_amon" --seed $seed --routines $((2 * seed)) --threads $seed --calls $((40 * seed)) --chunk 50 \
		--phases $((seed - 1)) --reset $((20 * (seed - 1))) "$corpus/$seed"
done
"$aprof" cc --aprof-way=fentry -O1 -o "$work/machine" "$(dirname "$0")/../../../../doc/examples/machine.c"
(cd "$work" && APROF_SITES=1 APROF_OUT="$corpus/machine" ./machine >/dev/null)
"$target" -max_total_time="$seconds" -timeout=100 -rss_limit_mb=1500 -max_len=131072 -print_final_stats=1 \
	-verbosity=0 "$corpus"
