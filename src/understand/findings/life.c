/* life.c - what became of a process, in words.
 *
 * A file in which no end is written was left by a process that still runs, that was killed, or that left by a door at which the
 * monitor does not stand (_exit, exec).  The wait status tells the last two apart where aprof run has written it in. */
#include "understand/findings/life.h"

#include <string.h>
#include <sys/wait.h>

enum report_life life_of(const struct report_input *in, uint32_t run)
{
	if (in->life)
		return in->life[run];
	return in->graph->profile->runs[run].header.state == AMON_ENDED ? REPORT_ENDED : REPORT_UNKNOWN;
}

const char *life_word(enum report_life life)
{
	static const char *const words[] = { "ended", "running", "died", "unknown" };

	return words[life];
}

char *life_status(char *buffer, size_t size, int32_t status)
{
	if (WIFSIGNALED(status))
		snprintf(buffer, size, "killed by signal %d (%s)%s", WTERMSIG(status), strsignal(WTERMSIG(status)),
			 WCOREDUMP(status) ? ", core dumped" : "");
	else
		snprintf(buffer, size, "exit status %d", WEXITSTATUS(status));
	return buffer;
}

uint64_t life_processes(const struct profile_run *run)
{
	uint64_t n = 0;

	for (size_t i = 0; i < run->ncommands; i++)
		n += run->commands[i].processes;
	return n;
}

const char *life_lack(const struct profile_run *run)
{
	return life_processes(run) > 1 ? "not all of its processes ended" : "its process died without ending";
}

char *life_text(char *buffer, size_t size, enum report_life life, const struct profile_run *run)
{
	static const char *const texts[] = {
		[REPORT_ENDED] = "ended",
		[REPORT_RUNNING] = "running: the figures are those of now",
		[REPORT_DIED] = "incomplete: its process died without ending (killed, crashed, _exit or exec)",
		[REPORT_UNKNOWN] = "running, or died: it has not said that it ended",
	};
	int32_t status = run->header.exit_status;
	char how[128];

	if (life == REPORT_DIED && life_processes(run) > 1)
		snprintf(buffer, size, "not all of them ended (killed, crashed, _exit or exec)");
	else if (life != REPORT_DIED || status < 0)
		snprintf(buffer, size, "%s", texts[life]);
	else
		snprintf(buffer, size, "incomplete: %s%s", WIFSIGNALED(status) ? "" : "left by _exit or exec, ",
			 life_status(how, sizeof how, status));
	return buffer;
}
