/* api.c - what the program itself asks for (contract/aprof.h). */
#include <errno.h>

#include "contract/aprof.h"
#include "inside/clock/look.h"
#include "inside/file/flush.h"
#include "inside/hooks/slow.h"
#include "inside/process/phase.h"
#include "inside/process/reset.h"
#include "inside/state.h"
#include "inside/sys.h"
#include "inside/tls.h"

__attribute__((visibility("default"))) int __aprof_control(int what, const char *text);

/* Before the first hook there is nothing to stop or reset; what is asked for is remembered. */
static int control(int what, const char *text)
{
	switch (what) {
	case APROF_CONTROL_START: phase_stop(false); return 0;
	case APROF_CONTROL_STOP: phase_stop(true); return 0;
	case APROF_CONTROL_PHASE: phase_set(text ? text : ""); return 0;
	case APROF_CONTROL_RESET:
		if (monitor.started)
			reset_counters();
		return 0;
	default: return ENOSYS;
	}
}

/* A program that flushes before its first hook, or a child, has a file to flush nevertheless. */
static int api_flush(const char *path)
{
	if (!path || !*path)
		return EINVAL;
	if (!aprof_tls.thread && !slow_start((uintptr_t)__builtin_frame_address(0)))
		return ENOSYS;
	look_hold();
	look_release();
	return flush_to(path);
}

int __aprof_control(int what, const char *text)
{
	uint64_t mask;
	int error;

	if (monitor_state() == MONITOR_OFF)
		return ENOSYS;
	sys_block_signals(&mask);
	sys_lock(&monitor.control);
	if (what == APROF_CONTROL_FLUSH) {
		error = api_flush(text);
	} else {
		look_hold();
		error = control(what, text);
		look_release();
	}
	sys_unlock(&monitor.control);
	sys_restore_signals(&mask);
	return error;
}
