/* state.c - the state of the process, and the notes of what went wrong in it.  It is here for all to read, and needs nobody. */
#include "inside/state.h"

struct monitor monitor OF_PROCESS;

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
