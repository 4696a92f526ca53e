/* The program's own phases, stops, resets and flushes; built without aprof it runs the same.
 *
 * expect: 1 0 main
 * expect: 2 0 main load
 * expect: 2 0 main load work
 * expect: 6 0 main work
 * after: "$APROF" contexts --phase=load > c; grep -qx '2 0 [0-9.]* main load' c; grep -qx '2 0 [0-9.]* main load work' c; ! grep -q 'main work' c
 * after: "$APROF" contexts --phase=solve > c; grep -qx '5 0 [0-9.]* main work' c; ! grep -q load c
 * after: "$APROF" contexts --phase= > c; grep -qx '1 0 [0-9.]* main' c; grep -qx '1 0 [0-9.]* main work' c
 * after: "$APROF" contexts flushed > c; grep -qx '1 0 [0-9.]* main load' c; ! grep -q 'main work' c
 * after: "$APROF" report --phase=solve > c; grep -q '^phase  *solve, entered 1 time' c
 * after: "$APROF" report --phase=nothing 2> c; test $? = 2; grep -q 'no such phase' c
 * after: "$APROF" info > c; grep -Eq '^ +1 .* 5  solve$' c; grep -Eq '^ +2 .* 4  load$' c; grep -Eq '^ +1 .* 100  \(stopped\)$' c
 * output: 1 0 */
#include <errno.h>
#include <stdio.h>
#include "../../src/contract/aprof.h"
#include "trap.h"

HOOKED void work(void) { KEEP(); }
HOOKED void load(void) { work(); KEEP(); }

int main(void)
{
	int flushed;

	errno = 0;
	aprof_phase("load");
	load();
	flushed = aprof_flush("flushed");
	aprof_phase("solve");
	for (int i = 0; i < 5; i++)
		work();
	aprof_stop();
	for (int i = 0; i < 100; i++)
		work();
	aprof_start();
	aprof_phase("load");
	load();
	aprof_phase(NULL);
	work();
	printf("%d %d\n", flushed == (aprof_is_on() ? 0 : ENOSYS), errno);
	return 0;
}
