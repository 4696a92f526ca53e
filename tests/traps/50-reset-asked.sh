# aprof reset where no sampler looks for it: the program sees it when it makes its next context, of routines that it knows and
# in tables that have room.
cat > p.c <<'END'
#include <poll.h>
#include <stdio.h>

#define HOOKED __attribute__((noinline))
#define KEEP() __asm__ volatile("" : : : "memory")

HOOKED void work(void) { KEEP(); }
typedef void routine(int depth, const int *order);
static routine *const routines[];

#define ROUTINE(name) \
	HOOKED void name(int depth, const int *order) { if (depth) routines[*order](depth - 1, order + 1); KEEP(); }
ROUTINE(a) ROUTINE(b) ROUTINE(c) ROUTINE(d) ROUTINE(e) ROUTINE(f)
static routine *const routines[] = { a, b, c, d, e, f };
enum { N = sizeof routines / sizeof *routines };

/* The next order of all, none twice. */
static int next(int *order)
{
	int i = N - 2, k = N - 1, swap;

	while (i >= 0 && order[i] > order[i + 1])
		i--;
	if (i < 0)
		return 0;
	while (order[k] < order[i])
		k--;
	swap = order[i], order[i] = order[k], order[k] = swap;
	for (i++, k = N - 1; i < k; i++, k--)
		swap = order[i], order[i] = order[k], order[k] = swap;
	return 1;
}

int main(void)
{
	int order[N] = { 0, 1, 2, 3, 4, 5 };
	struct pollfd in = { .fd = 0, .events = POLLIN };

	for (volatile int i = 0; i < 10; i++)
		work();
	for (int i = 0; i < 100; i++, next(order))
		routines[order[0]](N - 1, order + 1);
	puts("ready");
	fflush(stdout);
	for (; poll(&in, 1, 100) == 0; next(order))
		routines[order[0]](N - 1, order + 1);
	for (volatile int i = 0; i < 3; i++)
		work();
	return 0;
}
END
$CC $OPT p.c -o p
mkfifo in out
APROF_CLOCK=none ./p < in > out &
exec 3> in 4< out
read ready <&4
test "$ready" = ready
"$APROF" reset $!
echo go >&3
wait
"$APROF" contexts amon.out > contexts
grep -q '^3 0 [0-9.]* main work$' contexts
! grep -q '^10 ' contexts
