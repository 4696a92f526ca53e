/* Buttons of a word processor are bound to commands, which one dispatcher executes: it keeps the list for undo, and
 * saves the text after every hundred (Spivey 2004, Introduction).  What a click costs is the command's affair; gprof
 * charges each button by its clicks. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define ROUTINE __attribute__((noinline, noclone)) static

enum { SIZE = 400000, PARAGRAPH = 2000, WIDTH = 72, UNDO = 1000 };

struct text {
	char bytes[SIZE + 1];
	unsigned long cursor;
};

struct command {
	void (*perform)(struct text *);
	const char *name;
};

struct application {
	struct text text;
	const struct command *undo[UNDO];
	unsigned long executed, clicks, saved;
};

/* Set the paragraph at the cursor in capitals, or back. */
ROUTINE void bold(struct text *text)
{
	unsigned long i = text->cursor = (text->cursor + 101) % (SIZE - PARAGRAPH);

	for (unsigned long end = i + PARAGRAPH; i < end; i++)
		text->bytes[i] ^= isalpha((unsigned char)text->bytes[i]) ? 0x20 : 0;
}

/* Put the cursor behind the next word that is not there. */
ROUTINE void find(struct text *text)
{
	const char *word = strstr(text->bytes, "nowhere");

	text->cursor = word ? (unsigned long)(word - text->bytes) : text->cursor;
}

/* Break all lines anew. */
ROUTINE void reformat(struct text *text)
{
	unsigned long line = 0, blank = 0;

	for (unsigned long i = 0; i < SIZE; i++) {
		if (isspace((unsigned char)text->bytes[i])) {
			text->bytes[i] = ' ';
			blank = i;
		}
		if (i - line >= WIDTH && blank > line) {
			text->bytes[blank] = '\n';
			line = blank + 1;
		}
	}
}

/* Here no more than a checksum. */
ROUTINE unsigned long save(const struct text *text)
{
	unsigned long sum = 0;

	for (unsigned long i = 0; i < SIZE; i++)
		sum = sum * 31 + (unsigned char)text->bytes[i];
	return sum;
}

ROUTINE void execute(struct application *app, const struct command *command)
{
	app->undo[app->executed++ % UNDO] = command;
	command->perform(&app->text);
	if (app->executed % 100 == 0)
		app->saved += save(&app->text);
}

static const struct command command_bold = { bold, "bold" }, command_find = { find, "find" },
	command_reformat = { reformat, "reformat" };

ROUTINE void click_bold(struct application *app)
{
	execute(app, &command_bold);
	app->clicks++;
}

ROUTINE void click_find(struct application *app)
{
	execute(app, &command_find);
	app->clicks++;
}

ROUTINE void click_reformat(struct application *app)
{
	execute(app, &command_reformat);
	app->clicks++;
}

int main(void)
{
	static struct application app;

	for (unsigned long i = 0; i < SIZE; i++)
		app.text.bytes[i] = i % 7 ? "abcdef"[i % 7 - 1] : ' ';
	for (int i = 0; i < 20000; i++) {
		int button = (i + i / 100) % 10;

		(button < 8 ? click_bold : button == 8 ? click_find : click_reformat)(&app);
	}
	printf("%lu clicks, %lx\n", app.clicks, app.saved);
	return 0;
}
