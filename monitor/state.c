/* state.c - the process's own variables, and the notes, which everybody takes. */
#include "monitor/state.h"

struct monitor monitor;
uintptr_t aprof_context_start;

void note(enum amon_note kind)
{
	__atomic_fetch_add(&monitor.header->notes[kind], 1, __ATOMIC_RELAXED);
}

void note_error(enum amon_note kind, long error)
{
	note(kind);
	monitor.header->note_errno = (uint32_t)-error;
}

void note_once(enum amon_note kind)
{
	if (!monitor.header->notes[kind])
		note(kind);
}
