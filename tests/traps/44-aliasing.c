/* A program of one millisecond's period, of which one routine takes a tenth: samples do not beat with it.  (Those that did would find the routine always or never; as
 * many as there were may be off by five standard errors.)
 *
 * opt: -O2
 * bare: 1
 * env: APROF_RATE=997
 * ignore: period
 * ignore: main
 * after: python3 -c 'import json, subprocess, os; lines = [l.split(" ", 3) for l in subprocess.run([os.environ["APROF"], "contexts", "amon.out"], stdout=subprocess.PIPE, text=True).stdout.splitlines()]; t = {h.split()[-1]: float(s) for _, _, s, h in lines}; share = t["tenth"] / (t["tenth"] + t["rest"]); n = sum(x["ticks"] for x in json.loads(subprocess.run([os.environ["APROF"], "info", "--json", "amon.out"], stdout=subprocess.PIPE, text=True).stdout)["threads"]); assert abs(share - 0.1) < 0.01 + 5 * (0.09 / n) ** 0.5, (share, n)' */
#include <stdlib.h>
#include <time.h>
#include "trap.h"

UNHOOKED long cpu(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec * 1000000000L + now.tv_nsec;
}

HOOKED void tenth(long until) { while (cpu() < until) KEEP(); }
HOOKED void rest(long until) { while (cpu() < until) KEEP(); }
HOOKED void period(long begin) { tenth(begin + 100000); rest(begin + 1000000); KEEP(); }

int main(int argc, char **argv)
{
	for (long begin = cpu(), i = 0, n = argc > 1 ? atol(argv[1]) : 1500; i < n; i++)
		period(begin + i * 1000000);
	return 0;
}
