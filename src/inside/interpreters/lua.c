/* lua.c - Lua 5.4, unmodified, tells aprof of its functions: a library that Lua loads by LUA_INIT_5_4 (cli/interpreters.c), before any script.
 *
 * Lua's hook is told of calls, tail calls and returns, but not of what an error or a yield leaves.  So each state has a list of the frames whose
 * functions are open, by Lua's own records of them, and each event is held against it:
 *
 *     call        of a frame whose caller's is the last in the list: else what is behind the caller's is left
 *     tail call   its frame is the one that is replaced
 *     return      of the last one: else what is behind it is left
 *
 * A record is used again by a later frame of the same depth, never while its own is open.  States are the main one and coroutines. One that has an event
 * and is not in the chain of those that resumed each other was resumed by the last; one that is, goes on, and those behind it do not.
 *
 * A function is known by its prototype, what the compiler made of its text, not by its own address, which the collector gives to others; and since it
 * does so with prototypes too, by source and line beside.  Of a source with a long name the text is compared again when what loads code may have run.
 *
 * Lua's public interface is declared here, for it is the same in all of 5.4: no header is needed to build this.  What is not public, where a frame's
 * record has its function and that its prototype, is looked at only if it proves right on a function of which Lua tells the same (layout_prove);
 * else Lua is asked at each call, and functions that begin in one line are one. */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contract/aprof.h"
#include "inside/hooks/script.h"

/* ---- lua.h of 5.4 ---- */

typedef struct lua_State lua_State;
typedef int (*lua_CFunction)(lua_State *L);

typedef struct lua_Debug {
	int event;
	const char *name;
	const char *namewhat;
	const char *what;
	const char *source;
	size_t srclen;
	int currentline;
	int linedefined;
	int lastlinedefined;
	unsigned char nups, nparams;
	char isvararg, istailcall;
	unsigned short ftransfer, ntransfer;
	char short_src[60];
	const void *i_ci;		/* the record of the frame */
} lua_Debug;

typedef void (*lua_Hook)(lua_State *L, lua_Debug *ar);

enum { LUA_HOOKCALL, LUA_HOOKRET, LUA_HOOKLINE, LUA_HOOKCOUNT, LUA_HOOKTAILCALL };
enum { LUA_MASKCALL = 1, LUA_MASKRET = 2, LUA_MASKCOUNT = 8 };
enum { LUA_REGISTRYINDEX = -1000000 - 1000, LUA_TTABLE = 5, LUA_TSTRING = 4 };

extern void lua_sethook(lua_State *L, lua_Hook hook, int mask, int count);
extern lua_Hook lua_gethook(lua_State *L);
extern int lua_getinfo(lua_State *L, const char *what, lua_Debug *ar);
extern int lua_getstack(lua_State *L, int level, lua_Debug *ar);
extern int lua_gettop(lua_State *L);
extern void lua_settop(lua_State *L, int index);
extern int lua_checkstack(lua_State *L, int n);
extern int lua_getfield(lua_State *L, int index, const char *key);
extern int lua_next(lua_State *L, int index);
extern void lua_pushnil(lua_State *L);
extern int lua_type(lua_State *L, int index);
extern int lua_rawequal(lua_State *L, int a, int b);
extern const char *lua_tolstring(lua_State *L, int index, size_t *length);
extern lua_CFunction lua_tocfunction(lua_State *L, int index);
extern const void *lua_topointer(lua_State *L, int index);
extern lua_State *lua_tothread(lua_State *L, int index);
extern void lua_pushcclosure(lua_State *L, lua_CFunction function, int n);
extern void lua_setfield(lua_State *L, int index, const char *key);

int aprof_lua_begin(lua_State *L) __attribute__((visibility("default")));

/* ---- what is not public ---- */

struct value { const void *content; unsigned char tag; };
enum { TAG_LUA = 0x46, TAG_C = 0x16, TAG_C_CLOSURE = 0x66 };	/* of functions */

struct call_info {				/* CallInfo */
	const struct value *function;
	const void *top;
	const struct call_info *previous;
};

struct string {
	char head[8];
	unsigned char tag, marked, extra, length;
	unsigned hash;
};

struct prototype {
	char head[44];
	int linedefined, lastlinedefined;
	const void *constants, *code;
	char between[40];
	const struct string *source;	/* its text is TEXT bytes into it; NULL: it was stripped away */
};

struct closure {
	char head[24];
	const void *prototype;		/* or the C function */
};

enum { TEXT = 24, TAG_SHORT = 4, TAG_LONG = 0x14 };

static bool layout_known;

/* The function that calls this, in lines 2 to 4 of its source, is what Lua says. */
static void layout_prove(lua_State *L)
{
	const struct prototype *p;
	const struct call_info *r;
	const struct closure *c;
	lua_Debug ar, up;

	if (!lua_getstack(L, 1, &ar) || !lua_getstack(L, 2, &up) || !lua_getinfo(L, "fS", &ar))
		return;
	c = lua_topointer(L, -1);
	r = ar.i_ci;
	lua_settop(L, -2);
	if (ar.what[0] != 'L' || r->previous != up.i_ci || r->function->content != c || r->function->tag != TAG_LUA)
		return;
	p = c->prototype;
	layout_known = p->linedefined == 2 && ar.linedefined == 2 && p->lastlinedefined == 4 && ar.lastlinedefined == 4 && (const char *)p->source + TEXT == ar.source;
}

/* ---- functions ---- */

enum { FIRST_SLOTS = 256, LONGEST_NAME = 200, LONGEST_TEXT = 4096 /* of a source, that is compared */, LINE = 64, STATES = 1024,
	ALIGNED = 4 /* bits of an address that say nothing */ };

/* What a function is known by. */
struct identity {
	const void *at;			/* the prototype, the C function, or where the layout is not known the source's text; NULL: none */
	const void *code;		/* of the prototype */
	const char *source;		/* where its text is */
	int line;			/* of its definition; -1: in C */
	unsigned checked;		/* once it is known at once: what `check` pointed to when the source's text was what it is */
};

/* What a call led to once: found again by an address, and then compared. */
struct function {
	struct identity id;
	aprof_routine routine;
	uint64_t text;			/* hash of the source's */
	const unsigned *check;		/* the text's hash, as Lua has it of short strings; of a long one the thread's `loads` */
	const void *at_once;		/* `at`, if it is known at once; else NULL */
};

enum { SLOT_BITS = 6 };

_Static_assert(sizeof(struct function) == LINE && sizeof(struct function) == 1 << SLOT_BITS, "one cache line is compared");

/* The records of the functions that are open. */
struct frames {
	const void **top;		/* the one that was opened last; where none is, the NULL in front of all */
	const void **first, **limit;	/* that NULL; the last that there is room for */
};

/* A state of Lua's: the main one, or a coroutine. */
struct state {
	lua_State *L;
	struct frames open;		/* while another one is the last that ran */
	struct aprof_stack *stack;	/* NULL: the thread's own, or none */
	struct state *resumer;		/* in the chain: who resumed it; NULL: nobody */
	bool chained;			/* it is in the chain */
	struct state *next;		/* of the same hash */
};

static const void *no_frames[1];
static struct function no_functions[1];

/* What a thread has. */
static __thread struct {
	lua_State *L;			/* the one that ran last; NULL: none did yet */
	struct frames open;		/* its */
	struct state *last;		/* the chain, from that one; NULL: none did yet */
	struct aprof_tls *words;	/* the monitor's, once there is a state; NULL: it has others */
	struct function *functions;	/* by hash, more than are in use */
	size_t mask, used;		/* its last slot, in bytes; slots that are taken */
	struct state **states;		/* by hash; NULL: none yet */
	struct aprof_stack *stack;	/* the thread's own, while another is in use */
	unsigned long executed;		/* instructions that were not told yet */
	unsigned loads;			/* goes up whenever code may have been loaded, which may stand where other code stood */
} own = { .functions = no_functions };

/* In bytes.  Where layouts are known one address is one function's. */
static inline size_t lua_hash_of(const void *at, int line)
{
	return (((uintptr_t)at >> ALIGNED) + (layout_known ? 0 : (size_t)line)) << SLOT_BITS;
}

static struct function *lua_place_of(struct function *table, size_t mask, const void *at, int line)
{
	size_t i = lua_hash_of(at, line) & mask;
	struct function *f;

	while ((f = (struct function *)((char *)table + i))->id.at && (f->id.at != at || (!layout_known && f->id.line != line)))
		i = (i + sizeof *f) & mask;
	return f;
}

/* The place for AT and LINE, with room for one more; NULL: no memory. */
static struct function *lua_place(const void *at, int line)
{
	size_t slots = own.mask / sizeof(struct function) + 1, n = own.functions == no_functions ? FIRST_SLOTS : 2 * slots;
	struct function *more;

	if (own.used >= slots / 2) {
		more = aligned_alloc(LINE, n * sizeof *more);
		if (!more)
			return NULL;
		memset(more, 0, n * sizeof *more);
		for (size_t i = 0; i < slots; i++)
			if (own.functions[i].id.at)
				*lua_place_of(more, (n - 1) * sizeof *more, own.functions[i].id.at, own.functions[i].id.line) = own.functions[i];
		if (own.functions != no_functions)
			free(own.functions);
		own.functions = more;
		own.mask = (n - 1) * sizeof *more;
	}
	return lua_place_of(own.functions, own.mask, at, line);
}

/* Write the name to NAME under which a loaded module has the function on top of L's stack, as tracebacks do; what is global has none before it. False:
 * none has it. */
static bool module_name(lua_State *L, char *name)
{
	int function = lua_gettop(L), modules;
	bool found = false;

	if (!lua_checkstack(L, 8) || lua_getfield(L, LUA_REGISTRYINDEX, "_LOADED") != LUA_TTABLE)
		return lua_settop(L, function), false;
	modules = lua_gettop(L);
	for (lua_pushnil(L); !found && lua_next(L, modules); lua_settop(L, modules + 1)) {
		if (lua_type(L, -2) != LUA_TSTRING || lua_type(L, -1) != LUA_TTABLE)
			continue;
		for (lua_pushnil(L); !found && lua_next(L, modules + 2); lua_settop(L, modules + 3)) {
			const char *module = lua_tolstring(L, modules + 1, NULL);

			if (lua_type(L, -2) != LUA_TSTRING || !lua_rawequal(L, -1, function))
				continue;
			found = true;
			if (strcmp(module, "_G") == 0)
				snprintf(name, LONGEST_NAME, "%s", lua_tolstring(L, -2, NULL));
			else
				snprintf(name, LONGEST_NAME, "%s.%s", module, lua_tolstring(L, -2, NULL));
		}
	}
	lua_settop(L, function);
	return found;
}

/* What a function in Lua is called: as it was called first, or by where it stands. */
static aprof_routine define_lua(lua_State *L, lua_Debug *ar)
{
	const char *file = ar->source[0] == '@' || ar->source[0] == '=' ? ar->source + 1 : NULL;
	char name[LONGEST_NAME];

	lua_getinfo(L, "n", ar);
	if (ar->what[0] == 'm')
		snprintf(name, sizeof name, "main chunk (%s)", ar->short_src);
	else if (ar->name && ar->name[0] != '?' && strcmp(ar->namewhat, "metamethod") != 0 && ar->name[0] != '(')
		snprintf(name, sizeof name, "%s", ar->name);
	else
		snprintf(name, sizeof name, "<%s:%d>", ar->short_src, ar->linedefined);
	return aprof_define("lua", name, file ? file : ar->short_src, ar->linedefined);
}

/* The same in C; it is on top of L's stack. */
static aprof_routine lua_define_c(lua_State *L, lua_Debug *ar, lua_CFunction function)
{
	char name[LONGEST_NAME];
	Dl_info info;

	if (!module_name(L, name)) {
		lua_getinfo(L, "n", ar);
		if (ar->name && ar->name[0] != '?')
			snprintf(name, sizeof name, "%s [C]", ar->name);
		else if (dladdr((void *)function, &info) && info.dli_sname && info.dli_saddr == (void *)function)
			snprintf(name, sizeof name, "%s [C]", info.dli_sname);
		else
			snprintf(name, sizeof name, "[C]");
	}
	return aprof_define("lua", name, NULL, 0);
}

/* Lua's own functions that load code: where they are, and what they were when all began. */
static const char *const loader_names[][2] = { { "_G", "load" }, { "_G", "loadfile" }, { "_G", "dofile" }, { "_G", "require" }, { "debug", "debug" } };
enum { LOADERS = sizeof loader_names / sizeof *loader_names };
static lua_CFunction loaders[LOADERS];

/* May FUNCTION load code itself? */
static bool may_load(lua_CFunction function)
{
	Dl_info lua, its;

	for (size_t i = 0; i < LOADERS; i++)
		if (function == loaders[i])
			return true;
	return !dladdr((void *)lua_sethook, &lua) || !dladdr((void *)function, &its) || its.dli_fbase != lua.dli_fbase;
}

/* F is the place of FUNCTION, in C, which is called for the first time. */
static void begin_c(lua_State *L, lua_Debug *ar, struct function *f, const void *function)
{
	own.used += !f->id.at;
	*f = (struct function){ .id = { .at = function, .line = -1 } };
	if (lua_checkstack(L, 1) && lua_getinfo(L, "f", ar)) {
		f->routine = lua_define_c(L, ar, lua_tocfunction(L, -1));
		f->at_once = f->routine && !may_load(lua_tocfunction(L, -1)) ? function : NULL;
		lua_settop(L, -2);
	}
}

/* FUNCTION, in C, is called. */
static aprof_routine routine_in_c(lua_State *L, lua_Debug *ar, const void *function)
{
	struct function *f = lua_place(function, -1);

	if (!f)
		return 0;
	if (!f->id.at || f->id.line >= 0)
		begin_c(L, ar, f, function);
	own.loads += !f->at_once;
	return f->routine;
}

static uint64_t mixed(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 29;
}

/* The hash of a SOURCE's text. */
static uint64_t lua_text_of(const char *source)
{
	size_t n = strnlen(source, LONGEST_TEXT), i;
	uint64_t hash = n, word;

	for (i = 0; i + sizeof word <= n; i += sizeof word) {
		memcpy(&word, source + i, sizeof word);
		hash = mixed(hash, word);
	}
	word = 0;
	memcpy(&word, source + i, n - i);
	return mixed(hash, word);
}

/* ID, in Lua, is called. */
static aprof_routine routine_in_lua(lua_State *L, lua_Debug *ar, struct identity id)
{
	struct function *f = lua_place(id.at, id.line);
	uint64_t text = lua_text_of(id.source);

	if (!f)
		return 0;
	if (f->id.at && f->id.line == id.line && f->id.source == id.source && f->id.code == id.code && f->text == text)
		return f->routine;
	own.used += !f->id.at;		/* else another came to stand there */
	*f = (struct function){ .id = id, .text = text };
	lua_getinfo(L, "S", ar);
	f->routine = define_lua(L, ar);
	return f->routine;
}

/* What is called now, of which AR tells, as Lua says. */
static aprof_routine routine_asked(lua_State *L, lua_Debug *ar)
{
	lua_CFunction function;

	lua_getinfo(L, "S", ar);
	if (ar->linedefined >= 0)
		return routine_in_lua(L, ar, (struct identity){ .at = ar->source, .line = ar->linedefined, .source = ar->source });
	if (!lua_checkstack(L, 1) || !lua_getinfo(L, "f", ar))
		return 0;
	function = lua_tocfunction(L, -1);
	lua_settop(L, -2);
	return routine_in_c(L, ar, (const void *)function);
}

static const char stripped[] = "=?";

/* The text that says where P comes from, as Lua says it. */
static inline const char *source_of(const struct prototype *p)
{
	return p->source ? (const char *)p->source + TEXT : stripped;
}

static aprof_routine routine_of_prototype(lua_State *L, lua_Debug *ar, const struct prototype *p)
{
	const struct string *text = p->source;
	aprof_routine routine = routine_in_lua(L, ar, (struct identity){ .at = p, .line = p->linedefined, .source = source_of(p), .code = p->code });
	struct function *f = lua_place_of(own.functions, own.mask, p, p->linedefined);

	if (routine && f->id.at == p && text && (text->tag == TAG_SHORT || text->tag == TAG_LONG)) {
		f->check = text->tag == TAG_SHORT ? &text->hash : &own.loads;
		f->id.checked = *f->check;
		f->at_once = p;
	}
	return routine;
}

/* What AT led to, where layouts are known, in its own place or (not AT_FIRST) the next; NULL: it is not found at once. */
static inline __attribute__((always_inline)) struct function *lua_function_at(const void *at, bool at_first)
{
	uintptr_t offset = (uintptr_t)at << (SLOT_BITS - ALIGNED);
	struct function *f = (struct function *)((char *)own.functions + (offset & own.mask));

	if (!at_first && f->at_once != at)
		f = (struct function *)((char *)own.functions + ((offset + sizeof *f) & own.mask));
	return LIKELY(f->at_once == at) ? f : NULL;
}

/* Is what F says of the prototype P still so, but for the text of its source? */
static inline __attribute__((always_inline)) bool is_alike(const struct function *f, const struct prototype *p)
{
	return f->id.code == p->code && f->id.line == p->linedefined && f->id.source == (const char *)p->source + TEXT;
}

/* Is it still so, and is the text, which is a long string (more than 40 characters)?  Then nobody needs to ask again before code may have been loaded. */
static bool is_still_by_text(struct function *f, const struct prototype *p)
{
	if (f->check != &own.loads || !is_alike(f, p) || p->source->tag != TAG_LONG || lua_text_of(f->id.source) != f->text)
		return false;
	f->id.checked = own.loads;
	return true;
}

/* Is it still so? */
static inline __attribute__((always_inline)) bool lua_is_still(struct function *f, const struct prototype *p, bool at_first)
{
	return (is_alike(f, p) && *f->check == f->id.checked) || (!at_first && is_still_by_text(f, p));
}

/* What the function V led to, where layouts are known; NULL: it was not called before, or is not found at once. */
static inline __attribute__((always_inline)) const struct function *function_known(const struct value *v, bool at_first)
{
	const struct closure *c = v->content;
	struct function *f;

	if (LIKELY(v->tag == TAG_LUA)) {
		f = lua_function_at(c->prototype, at_first);
		return LIKELY(f && lua_is_still(f, c->prototype, at_first)) ? f : NULL;
	}
	if (v->tag == TAG_C)
		return lua_function_at(c, at_first);
	return v->tag == TAG_C_CLOSURE ? lua_function_at(c->prototype, at_first) : NULL;
}

static aprof_routine lua_routine_of(lua_State *L, lua_Debug *ar)
{
	const struct value *v = layout_known ? ((const struct call_info *)ar->i_ci)->function : NULL;
	const struct function *f = v ? function_known(v, false) : NULL;
	const struct closure *c;

	if (f)
		return f->routine;
	if (!v)
		return routine_asked(L, ar);
	c = v->content;
	if (v->tag == TAG_LUA)
		return routine_of_prototype(L, ar, c->prototype);
	if (v->tag == TAG_C)
		return routine_in_c(L, ar, c);
	return v->tag == TAG_C_CLOSURE ? routine_in_c(L, ar, c->prototype) : routine_asked(L, ar);
}

/* ---- states ---- */

static struct state *state_find(lua_State *L)
{
	struct state **list, *s;

	if (!own.states && !(own.states = calloc(STATES, sizeof *own.states)))
		return NULL;
	list = &own.states[((uintptr_t)L >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 54 & (STATES - 1)];
	s = *list;
	while (s && s->L != L)
		s = s->next;
	if (!s && (s = calloc(1, sizeof *s))) {
		*s = (struct state){ .L = L, .open = { no_frames, no_frames, no_frames }, .next = *list };
		*list = s;
	}
	return s;
}

static void lua_tell(void)
{
	if (own.executed)
		aprof_add(own.executed);
	own.executed = 0;
}

/* From now on S runs. */
static void lua_run(struct state *s)
{
	if (own.last)
		own.last->open = own.open;
	own.last = s;
	own.open = s->open;
	own.L = s->L;
}

/* S, in the chain, goes on: those that it resumed have yielded, or ended. */
static void lua_go_back(struct state *s)
{
	for (struct state *left = own.last; left != s; left = left->resumer)
		left->chained = false;
	lua_run(s);
	aprof_stack_use(s->stack ? s->stack : own.stack);
}

/* S is resumed by the state that ran last. */
static void resume(struct state *s)
{
	struct aprof_stack *before = NULL;
	struct state *last = own.last;

	if (last) {
		if (!s->stack)
			s->stack = aprof_stack_new();
		before = aprof_stack_resume(s->stack);
		if (!last->stack && !last->resumer)
			own.stack = before;
	}
	s->resumer = last;
	s->chained = true;
	lua_run(s);
}

static struct aprof_tls *words_of_thread(void)
{
	return __aprof_script_words ? __aprof_script_words(SCRIPT_LAYOUT) : NULL;
}

/* Let L, which runs, be the state that ran last.  False: no memory. */
static bool state_runs(lua_State *L)
{
	struct state *s;

	if (own.L == L)
		return true;
	s = state_find(L);
	if (!own.words)
		own.words = words_of_thread();
	if (!s)
		return false;
	lua_tell();
	own.loads++;			/* who runs states that are no coroutines may have loaded something in between */
	if (s->chained)
		lua_go_back(s);
	else
		resume(s);
	return true;
}

/* ---- events, in the state that runs ---- */

static unsigned depth(void)
{
	return (unsigned)(own.open.top - own.open.first);
}

/* All but the first N are left. */
static void lua_leave_to(unsigned n)
{
	own.open.top = own.open.first + n;
	aprof_unwind(n);
}

/* How many frames are open up to the one with the record CI, with it; 0: it is not there. */
static unsigned lua_depth_of(const void *ci)
{
	const void **at = own.open.top;

	while (*at && *at != ci)
		at--;
	return (unsigned)(at - own.open.first);
}

/* The frame that is entered has its caller LEVEL frames up, and on: what is behind the first of these that is open is left. */
static void lua_settle(void)
{
	unsigned n = 0;
	lua_Debug up;

	for (int level = 1; !n && lua_getstack(own.L, level, &up); level++)
		n = lua_depth_of(up.i_ci);
	own.loads++;			/* it is called from C, or by what was not told */
	if (n != depth())
		lua_leave_to(n);
}

static bool lua_has_room(void)
{
	unsigned n = depth(), room = n ? 2 * n : 32;
	const void **more;

	if (own.open.top < own.open.limit)
		return true;
	more = realloc(own.open.first == no_frames ? NULL : own.open.first, (room + 1) * sizeof *more);
	if (!more)
		return false;
	more[0] = NULL;
	own.open = (struct frames){ .top = more + n, .first = more, .limit = more + room };
	return true;
}

/* Is the frame with the record CALLER the one that called AR's? */
static bool is_caller(lua_State *L, lua_Debug *ar, const void *caller)
{
	lua_Debug up;

	if (layout_known)
		return ((const struct call_info *)ar->i_ci)->previous == caller;
	return lua_getstack(L, 1, &up) && up.i_ci == caller;
}

static void lua_open_frame(lua_State *L, lua_Debug *ar)
{
	if (!lua_has_room())
		return;
	*++own.open.top = ar->i_ci;
	aprof_enter(lua_routine_of(L, ar));
}

/* Whatever Lua tells of, but for instructions. */
static __attribute__((noinline)) void event(lua_State *L, lua_Debug *ar)
{
	unsigned n;

	if (!state_runs(L))
		return;
	lua_tell();
	if (ar->event == LUA_HOOKCALL) {
		if (!*own.open.top)
			own.loads++;	/* the program that has Lua in it calls */
		else if (!is_caller(L, ar, *own.open.top))
			lua_settle();
		lua_open_frame(L, ar);
		return;
	}
	if (*own.open.top == ar->i_ci) {
		own.open.top--;
		aprof_leave();
	} else if ((n = lua_depth_of(ar->i_ci))) {
		lua_leave_to(n - 1);
	}
	if (ar->event == LUA_HOOKTAILCALL)
		lua_open_frame(L, ar);
}

/* By clock count. */
static void hook_counting(lua_State *L, lua_Debug *ar)
{
	if (ar->event == LUA_HOOKCOUNT)
		own.executed++;
	else
		event(L, ar);
}

/* The function of AR is called by the one that is open, and known. */
static inline __attribute__((always_inline)) bool call_known(const lua_Debug *ar, bool at_first)
{
	const struct call_info *r = ar->i_ci;
	const void **top = own.open.top;
	const struct function *f;

	if (UNLIKELY(*top != r->previous || top >= own.open.limit))
		return false;
	top[1] = r;
	f = function_known(r->function, at_first);
	if (UNLIKELY(!f || !script_enter(own.words, f->routine, at_first)))
		return false;
	own.open.top++;
	return true;
}

/* What was not found where it was looked for first, or is not usual, in the state that ran last. */
static __attribute__((noinline)) void event_there(lua_Debug *ar)
{
	if (ar->event == LUA_HOOKRET || !call_known(ar, false))
		event(own.L, ar);
}

/* By the other clocks, where layouts are known.  What is usual is done here, and needs no register that had to be saved: a known function is called by the one
 * that is open, or this one returns. */
static void hook_at_once(lua_State *L, lua_Debug *ar)
{
	const void **top = own.open.top;

	if (UNLIKELY(own.L != L)) {
		event(L, ar);
		return;
	}
	if (ar->event == LUA_HOOKRET) {
		if (LIKELY(*top == ar->i_ci && script_leave(own.words))) {
			own.open.top = top - 1;
			return;
		}
	} else if (LIKELY(call_known(ar, true))) {
		return;
	}
	event_there(ar);
}

/* ---- hooks of the script's own ----
 *
 * A state has one hook.  A script that sets its own takes ours away, and has it back when it has taken its own away; that there is ours it does not see. */

static bool counts;			/* clock count: instructions are told, too */
static lua_CFunction debug_gethook, debug_sethook;	/* Lua's own; NULL: it has none */

static bool lua_is_ours(lua_Hook h)
{
	return h == event || h == hook_at_once || h == hook_counting;
}

static void hook_set(lua_State *L)
{
	lua_sethook(L, counts ? hook_counting : layout_known && words_of_thread() ? hook_at_once : event, LUA_MASKCALL | LUA_MASKRET | (counts ? LUA_MASKCOUNT : 0), counts);
}

/* The coroutine that a function of `debug` is called for: it is the first argument, or else the one that runs. */
static lua_State *state_meant(lua_State *L)
{
	lua_State *named = lua_tothread(L, 1);

	return named ? named : L;
}

/* In the place of debug.gethook. */
static int gethook(lua_State *L)
{
	if (!lua_is_ours(lua_gethook(state_meant(L))))
		return debug_gethook(L);
	lua_pushnil(L);
	return 1;
}

/* L's hook was taken away by the C function that runs: nobody will tell that this returns. */
static void leave_untold(lua_State *L)
{
	unsigned n;
	lua_Debug ar;

	if (!state_runs(L) || !lua_getstack(L, 0, &ar) || !(n = lua_depth_of(ar.i_ci)))
		return;
	lua_tell();
	lua_leave_to(n - 1);
}

/* In the place of debug.sethook. */
static int sethook(lua_State *L)
{
	lua_State *meant = state_meant(L);
	bool was_ours = lua_is_ours(lua_gethook(meant));
	int results = debug_sethook(L);

	if (!lua_gethook(meant))
		hook_set(meant);
	else if (was_ours && meant == L)
		leave_untold(L);
	return results;
}

/* Let NAME in the table on top of L's stack be FUNCTION.  Returns what was there; NULL: no C function, and it still is. */
static lua_CFunction lua_replace(lua_State *L, const char *name, lua_CFunction function)
{
	lua_CFunction before;

	lua_getfield(L, -1, name);
	before = lua_tocfunction(L, -1);
	lua_settop(L, -2);
	if (!before)
		return NULL;
	lua_pushcclosure(L, function, 0);
	lua_setfield(L, -2, name);
	return before;
}

static void hide_hook(lua_State *L)
{
	int top = lua_gettop(L);

	if (lua_checkstack(L, 4) && lua_getfield(L, LUA_REGISTRYINDEX, "_LOADED") == LUA_TTABLE && lua_getfield(L, -1, "debug") == LUA_TTABLE) {
		debug_gethook = lua_replace(L, "gethook", gethook);
		debug_sethook = lua_replace(L, "sethook", sethook);
	}
	lua_settop(L, top);
}

/* Note the functions of Lua's own that load code. */
static void loaders_note(lua_State *L)
{
	int top = lua_gettop(L);

	for (size_t i = 0; lua_checkstack(L, 4) && i < LOADERS; i++) {
		if (lua_getfield(L, LUA_REGISTRYINDEX, "_LOADED") == LUA_TTABLE && lua_getfield(L, -1, loader_names[i][0]) == LUA_TTABLE &&
		    lua_getfield(L, -1, loader_names[i][1]))
			loaders[i] = lua_tocfunction(L, -1);
		lua_settop(L, top);
	}
}

int aprof_lua_begin(lua_State *L)
{
	const char *clock = getenv("APROF_CLOCK");

	counts = clock && strcmp(clock, "count") == 0;
	layout_prove(L);
	if (!aprof_is_on())
		return 0;
	loaders_note(L);
	hide_hook(L);
	hook_set(L);
	return 0;
}
