/* figure_text.c - times as they are told. */
#include "show/report/figure_text.h"

#include <string.h>

/* NS as an upper bound, to the right in WIDTH columns as print_time has it. */
static void below_print(FILE *out, double ns, int width)
{
	char text[PRINT_TIME_SIZE], *unit;

	print_time_text(text, ns);
	unit = strchr(text, ' ');
	fprintf(out, "%*s%.*s %-2s", width - 4 - (int)(unit - text) > 0 ? width - 4 - (int)(unit - text) + 1 : 1, "<", (int)(unit - text), text, unit + 1);
}

void figure_print(FILE *out, const struct graph *g, uint64_t time, int decimals, int width)
{
	if (decimals == PRINT_UNITS && figure_is_below(g, time))
		below_print(out, figure_sample(g), width);
	else
		print_seconds(out, time, decimals, width);
}

void figure_mean_print(FILE *out, const struct graph *g, uint64_t time, uint64_t calls, int width)
{
	if (figure_is_below(g, time))
		below_print(out, figure_sample(g) / (double)calls, width);
	else
		print_time(out, figure_mean(time, calls), width);
}

char *figure_text(char *buffer, const struct graph *g, uint64_t time)
{
	if (!figure_is_below(g, time))
		return print_time_text(buffer, (double)time);
	*buffer = '<';
	print_time_text(buffer + 1, figure_sample(g));
	return buffer;
}
