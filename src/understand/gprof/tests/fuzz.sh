#!/bin/sh
# fuzz.sh TARGET SECONDS: run the libFuzzer target; it makes its own first inputs.
# What it finds is left as crash-* in the current directory.
exec "$1" -max_total_time="$2" -timeout=100 -rss_limit_mb=1500 -max_len=65536 -print_final_stats=1 -verbosity=0
