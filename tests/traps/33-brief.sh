# Processes of a millisecond, that are executed: what no sample saw of them is unplaced, and in the errors; none of it is charged to where they end.
cat > brief.c <<'END'
#include <time.h>
__attribute__((noinline)) void burn(void)
{
	struct timespec now, until;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &until);
	until.tv_nsec += 1000000;
	do
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	while (now.tv_sec == until.tv_sec && now.tv_nsec < until.tv_nsec);
}
int main(void) { burn(); return 0; }
END
$CC $OPT -o brief brief.c
"$APROF" run --no-report --data brief.out sh -c 'i=0; while [ $i -lt 100 ]; do ./brief; i=$((i + 1)); done' 2>told
"$APROF" report --json brief.out | python3 -c '
import json, sys
report = json.load(sys.stdin)
times = report["run"]["times"]
burn = sum(row["self_ns"] for row in report["flat"] if row["name"] == "burn")
assert burn + times["unplaced_ns"] > 8e7, report["run"]
assert times["outside_ns"] < 2e7 + 0.5 * burn, times
assert all(row["self_error_ns"] >= 0.9 * row["self_ns"] * times["unplaced_ns"] / 1.2e8 for row in report["flat"] if row["name"] == "burn"), report["flat"]'
