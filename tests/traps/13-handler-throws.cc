/* A handler that throws through what it interrupted.
 *
 * expect: 1 0 main
 * expect: 100 0 main catcher()
 * expect: 100 0 main catcher() faulty()
 * expect: 100 0 main catcher() leaf()
 * expect: 100 0 handler(int)
 * expect: 100 0 handler(int) leaf()
 * depth: 0
 * flags: -fnon-call-exceptions
 * cc: gcc */
#include <signal.h>
#include "trap.h"

static int *volatile nowhere;

HOOKED void leaf() { KEEP(); }
HOOKED void handler(int sig) { leaf(); throw sig; }
HOOKED int faulty() { int value = *nowhere; KEEP(); return value; }
HOOKED int catcher() { int caught = 0; try { faulty(); } catch (int sig) { caught = sig; } leaf(); KEEP(); return caught; }

int main()
{
	struct sigaction action = {};
	int wrong = 0;

	action.sa_handler = handler;
	action.sa_flags = SA_NODEFER;
	sigaction(SIGSEGV, &action, NULL);
	for (int i = 0; i < 100; i++)
		wrong += catcher() != SIGSEGV;
	return wrong != 0;
}
