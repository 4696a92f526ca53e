/* From other stacks, one of a coroutine and one of a handler, control comes back far below the hooks that were seen on the first one.
 *
 * variants: ends swaps jumps
 * plain: plain.o -c -DPLAIN
 * link: plain.o
 * expect: 1 0 main
 * expect: 100 0 main leaf
 * expect: 100 0 main leaf deeper
 * expect: 100 0 main after
 * expect(jumps): 100 0 handler
 * expect(!jumps): 100 0 body
 * expect(!jumps): 100 0 body deeper */
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include "trap.h"

void deep(const char *how, void (*f)(void));
void body(void);
extern ucontext_t at_main, at_body;
extern sigjmp_buf here;

#ifdef PLAIN
ucontext_t at_main, at_body;
sigjmp_buf here;

static void switches(void)
{
	static char stack[1 << 16] __attribute__((aligned(16)));

	memset(&at_body, 0, sizeof at_body);
	getcontext(&at_body);
	at_body.uc_stack.ss_sp = stack;
	at_body.uc_stack.ss_size = sizeof stack;
	at_body.uc_link = &at_main;
	makecontext(&at_body, body, 0);
	swapcontext(&at_main, &at_body);
}

void deep(const char *how, void (*f)(void))
{
	char room[100000];

	__asm__ volatile("" : : "r"(room) : "memory");
	if (strcmp(how, "jumps"))
		switches();
	else if (!sigsetjmp(here, 1))
		raise(SIGUSR1);
	f();
	KEEP();
}
#else
static const char *how;

HOOKED void deeper(void) { KEEP(); }
HOOKED void leaf(void) { deeper(); KEEP(); }
HOOKED void after(void) { KEEP(); }
HOOKED void handler(int sig) { (void)sig; siglongjmp(here, 1); KEEP(); }

HOOKED void body(void)
{
	deeper();
	if (!strcmp(how, "swaps"))
		swapcontext(&at_body, &at_main);
	KEEP();
}

int main(int argc, char **argv)
{
	stack_t stack = { .ss_sp = malloc(65536), .ss_size = 65536 };
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_ONSTACK };

	(void)argc;
	how = argv[1];
	sigaltstack(&stack, NULL);
	sigaction(SIGUSR1, &action, NULL);
	for (int i = 0; i < 100; i++) {
		deep(how, leaf);
		after();
	}
	return 0;
}
#endif
