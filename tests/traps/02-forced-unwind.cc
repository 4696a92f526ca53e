/* A forced unwind: a function of the program's is called at each frame, from within the unwinder, and so from the routine in which the unwinding
 * begins, or goes on behind a landing pad.  By way cyg GCC gives each routine a landing pad with its exit hook, where it is left.
 *
 * na(cyg): its landing pads have left the routines
 * expect: 1 0 main
 * expect: 1 0 main doit()
 * expect: 1 0 main doit() begin()
 * expect: 2..3 0 main doit() begin() stop
 * expect: 1 0 main doit() dropped()
 * expect: 2..12 0 main doit() stop
 * expect: 1 0 main doit() stop end() */
#include <cstdlib>
#include <unwind.h>
#include "trap.h"

static _Unwind_Exception exception;

HOOKED void end() { KEEP(); std::exit(0); }

extern "C" HOOKED _Unwind_Reason_Code stop(int, _Unwind_Action actions, _Unwind_Exception_Class, _Unwind_Exception *, _Unwind_Context *, void *)
{
	if (actions & _UA_END_OF_STACK)
		end();
	KEEP();
	return _URC_NO_REASON;
}

HOOKED void dropped() { KEEP(); }
struct guard { UNHOOKED ~guard() { dropped(); KEEP(); } };

HOOKED void begin() { _Unwind_ForcedUnwind(&exception, stop, nullptr); KEEP(); }
HOOKED void doit() { guard g; begin(); KEEP(); }

int main()
{
	doit();
	return 1;
}
