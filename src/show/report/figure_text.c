/* figure_text.c - times as they are told. */
#include "show/report/figure_text.h"

void figure_print(FILE *out, const struct graph *g, uint64_t time, int decimals, int width)
{
	if (decimals == PRINT_UNITS && figure_is_below(g, time))
		print_bound(out, figure_sample(g), figure_unit(g), width);
	else
		print_seconds(out, time, figure_unit(g), decimals, width);
}

void figure_mean_print(FILE *out, const struct graph *g, uint64_t time, uint64_t calls, int width)
{
	if (figure_is_below(g, time))
		print_bound(out, figure_sample(g) / (double)calls, figure_unit(g), width);
	else
		print_amount(out, figure_mean(time, calls), figure_unit(g), width);
}

char *figure_text(char *buffer, const struct graph *g, uint64_t time)
{
	char text[PRINT_TIME_SIZE];

	if (!figure_is_below(g, time))
		return print_amount_text(buffer, (double)time, figure_unit(g));
	snprintf(buffer, PRINT_TIME_SIZE, "<%.*s", PRINT_TIME_SIZE - 2, print_amount_text(text, figure_sample(g), figure_unit(g)));
	return buffer;
}
