/* naked.c - the words of naked.h. */
#include "compile/naked.h"

#include <string.h>

static bool naked_starts(const char *text, const char *word) { return !strncmp(text, word, strlen(word)); }

static const char *naked_skip_blanks(const char *line) { return line + strspn(line, " \t"); }

/* Is WORD all of LINE that is not blank? */
static bool is_only(const char *line, const char *word)
{
	line = naked_skip_blanks(line);
	return naked_starts(line, word) && line[strlen(word) + strspn(line + strlen(word), " \t\n")] == '\0';
}

static bool moves_stack(const char *word)
{
	const char *to = strrchr(word, ',');

	return naked_starts(word, "push") || naked_starts(word, "pop") || naked_starts(word, "leave") || naked_starts(word, "enter") ||
		(to && is_only(to, ", %rsp"));
}

static enum naked_sign directive_sign(const char *word)
{
	if (naked_starts(word, ".cfi_endproc") || naked_starts(word, ".size"))
		return NAKED_END;
	return naked_starts(word, ".type") ? NAKED_NEVER : 0;		/* its other part, far away */
}

/* Does CALL, an instruction, name one of the functions in ABOVE?  GCC knows whether one that it has compiled wants an aligned stack. */
static bool calls_one_of(const char *call, const struct list *above)
{
	char name[256];
	size_t length;

	call += strcspn(call, " \t\n");
	call += strspn(call, " \t");
	length = strcspn(call, "@ \t\n");
	if (length >= sizeof name)
		return false;
	memcpy(name, call, length);
	name[length] = '\0';
	return list_has(above, name);
}

enum naked_sign naked_sign(const char *line, const struct list *above)
{
	const char *word = naked_skip_blanks(line);

	if (is_only(line, "#APP"))
		return NAKED_ASM;
	if (*word == '.')
		return directive_sign(word);
	if (!*word || strchr("#\"\n", *word) || is_only(line, "nop") || is_only(line, "ud2"))
		return 0;
	if (moves_stack(word) || naked_starts(word, "ret") || naked_starts(word, "rep ret") || strstr(word, "__return__"))
		return NAKED_NEVER;
	if (!naked_starts(word, "call"))
		return NAKED_CODE;
	return calls_one_of(word, above) ? NAKED_NEVER : NAKED_CALL;
}

bool naked_by(unsigned signs)
{
	if (signs & NAKED_NEVER)
		return false;
	return signs & NAKED_CALL || (signs & NAKED_ASM && !(signs & NAKED_CODE));
}

bool naked_makes_frame(const char *line)
{
	return naked_starts(naked_skip_blanks(line), "push") && strstr(line, "%rbp");
}

bool naked_loads(const char *line, bool first)
{
	const char *word = naked_skip_blanks(line), *to = strrchr(line, ',');

	if (first)
		return is_only(line, "movq\t8(%rbp), %rax") || is_only(line, "movq\t8(%rbp), %rsi");
	return to && (naked_starts(word, "mov") || naked_starts(word, "lea")) &&
	       (is_only(to, ", %rax") || is_only(to, ", %rsi") || is_only(to, ", %rdi") || is_only(to, ", %edi"));
}

bool naked_calls_hook(const char *line)
{
	const char *word = naked_skip_blanks(line);

	if (!naked_starts(word, "call"))
		return false;
	word += strcspn(word, " \t\n");
	word += strspn(word, " \t*");
	return naked_starts(word, "__cyg_profile_func_enter") || naked_starts(word, "__cyg_profile_func_exit");
}
