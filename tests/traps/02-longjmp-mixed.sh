# A jump in a thread that has met one way only, of a program that has two: what it calls for the first time after the receiver has returned is called by
# the receiver's caller.  The callers of a nested function, which the receiver calls, are found on the stack.
#
# ways: inline
# na(reads): way fentry, which has a part of it, needs no other code for the clock
# cc: gcc
cat > thread.c <<'E'
#include <pthread.h>
#include <setjmp.h>
#include "trap.h"
static jmp_buf place;
HOOKED void jump(void) { KEEP(); longjmp(place, 1); }
HOOKED int apply(int (*f)(void)) { int n = f(); KEEP(); return n; }
HOOKED int catch(void)
{
	volatile int calls = 0;
	HOOKED int received(void) { KEEP(); return ++calls; }

	if (!setjmp(place))
		jump();
	return received() + apply(received);
}
HOOKED void first(void) { KEEP(); }
HOOKED void second(void) { KEEP(); }
HOOKED void *thread(void *unused) { catch(); first(); catch(); second(); KEEP(); return unused; }
E
cat > main.c <<'E'
#include <pthread.h>
void *thread(void *);
int main(void) { pthread_t t; pthread_create(&t, 0, thread, 0); return pthread_join(t, 0); }
E
cat > expected <<'EOT'
1 0 main
1 0 thread
1 0 thread first
1 0 thread second
2 0 thread catch
2 0 thread catch jump
2 0 thread catch apply
2 0 thread catch apply received.0
2 0 thread catch received.0
EOT
for pic in -fPIE -fPIC; do
	$CC -c --aprof-way=fentry $OPT $pic -I"$SOURCE" thread.c
	$CC $OPT main.c thread.o -pthread -o p
	./p
	"$APROF" contexts amon.out | while read -r entries recursive time history; do echo "$entries $recursive $history"; done | grep -v "^0 0 -" | sort > contexts
	sort expected | diff - contexts
done
