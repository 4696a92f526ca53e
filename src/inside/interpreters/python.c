/* python.c - CPython, unmodified, tells aprof of its functions: an extension module that sitecustomize.py loads, before any script.
 *
 * Its profile function is told of each call and return, those that an exception ends too, and of each time that a generator goes on or waits: a
 * call and a return each time, on behalf of who resumes it.  So what is open is a stack.  The one thing that it is not told of is told apart by the frames: a
 * generator that goes on since the one that it waited for (yield from, await) returned when an exception was thrown into it (_gen_throw of CPython's genobject.c,
 * in 3.11).
 * A thread with greenlets has a stack for each, as coroutines of other languages have.
 *
 * A function in Python is known by its code, whose object keeps what aprof calls it, for as long as it lives; one in C by its definition. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <frameobject.h>
#if PY_VERSION_HEX < 0x030c0000
#include <opcode.h>
#endif

#include "contract/aprof.h"
#include "inside/hooks/script.h"

PyMODINIT_FUNC APROF_INIT(void);

#if PY_VERSION_HEX >= 0x030c0000
#define _PyCode_GetExtra PyUnstable_Code_GetExtra
#define _PyCode_SetExtra PyUnstable_Code_SetExtra
#define _PyEval_RequestCodeExtraIndex PyUnstable_Eval_RequestCodeExtraIndex
#endif

/* ---- functions ---- */

static Py_ssize_t extra;		/* where a code object keeps its routine */
static bool has_greenlets;		/* the module was loaded: threads may have several stacks of frames */

static const char *python_text_of(PyObject *string)
{
	const char *text = string && PyUnicode_Check(string) ? PyUnicode_AsUTF8(string) : NULL;

	if (!text)
		PyErr_Clear();
	return text ? text : "?";
}

static bool python_ends_in(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return n >= m && strcmp(text + n - m, end) == 0;
}

static aprof_routine define_code(PyCodeObject *code)
{
	char name[512];

	/* Its first code that is called is the module's own. */
	has_greenlets |= python_ends_in(python_text_of(code->co_filename), "/greenlet/__init__.py");
	if (strcmp(python_text_of(code->co_name), "<module>") == 0)
		snprintf(name, sizeof name, "<module> %s", python_text_of(code->co_filename));
	else
		snprintf(name, sizeof name, "%s", python_text_of(code->co_qualname));
	return aprof_define("python", name, python_text_of(code->co_filename), code->co_firstlineno);
}

static aprof_routine routine_of_code(PyCodeObject *code)
{
	aprof_routine routine;
	void *kept = NULL;

	if (_PyCode_GetExtra((PyObject *)code, extra, &kept) == 0 && kept)
		return (aprof_routine)(uintptr_t)kept;
	routine = define_code(code);
	if (_PyCode_SetExtra((PyObject *)code, extra, (void *)(uintptr_t)routine) != 0)
		PyErr_Clear();
	return routine;
}

/* Functions in C, by their definitions, which are the modules' for ever. */
enum { FIRST_SLOTS = 1024 };
struct definition { const PyMethodDef *method; aprof_routine routine; };
static struct definition *definitions;	/* under the interpreter's lock */
static size_t nslots, used;

static struct definition *python_place_of(struct definition *table, size_t n, const PyMethodDef *method)
{
	size_t i = ((uintptr_t)method >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 32 & (n - 1);

	while (table[i].method && table[i].method != method)
		i = (i + 1) & (n - 1);
	return &table[i];
}

static struct definition *python_place(const PyMethodDef *method)
{
	size_t n = nslots ? 2 * nslots : FIRST_SLOTS;
	struct definition *more;

	if (used >= nslots / 2) {
		more = calloc(n, sizeof *more);
		if (!more)
			return NULL;
		for (size_t i = 0; i < nslots; i++)
			if (definitions[i].method)
				*python_place_of(more, n, definitions[i].method) = definitions[i];
		free(definitions);
		definitions = more;
		nslots = n;
	}
	return python_place_of(definitions, nslots, method);
}

/* The type that METHOD is of, among TYPE and those that it is derived from. */
static const PyTypeObject *type_with(const PyTypeObject *type, const PyMethodDef *method)
{
	for (const PyTypeObject *t = type; t; t = t->tp_base)
		for (const PyMethodDef *m = t->tp_methods; m && m->ml_name; m++)
			if (m == method)
				return t;
	return type;
}

/* `math.sqrt`, `list.append`; what is built in has its bare name. */
static aprof_routine python_define_c(PyCFunctionObject *function)
{
	PyObject *self = function->m_self;
	const char *name = function->m_ml->ml_name, *of = NULL;
	char full[512];

	if (self && PyModule_Check(self))
		of = python_text_of(function->m_module);
	else if (self)
		of = type_with(PyType_Check(self) ? (PyTypeObject *)self : Py_TYPE(self), function->m_ml)->tp_name;
	snprintf(full, sizeof full, "%s%s%s", of && strcmp(of, "builtins") != 0 ? of : "", of && strcmp(of, "builtins") != 0 ? "." : "", name);
	return aprof_define("python", full, NULL, 0);
}

static aprof_routine routine_of_c(PyObject *object)
{
	PyCFunctionObject *function = (PyCFunctionObject *)object;
	struct definition *d;

	if (!PyCFunction_Check(object))
		return 0;
	d = python_place(function->m_ml);
	if (d && !d->method) {
		*d = (struct definition){ function->m_ml, python_define_c(function) };
		used++;
	}
	return d ? d->routine : 0;
}

/* ---- what is open ---- */

/* What is open, the first caller first. */
struct open {
	uintptr_t *what;		/* each a frame, or IN_C and the frame that called a function in C */
	size_t depth, room;		/* how many; for how many there is room */
};

/* One of several stacks of frames that a thread goes back and forth between. */
struct greenlet {
	PyFrameObject *base;		/* its first frame, nobody's callee */
	struct aprof_stack *stack;	/* while another is in use */
	struct open open;		/* the same */
	struct greenlet *resumer;	/* on whose behalf it goes on; NULL: nobody's */
	struct greenlet *next;		/* among the thread's */
};

/* A thread of Python's, and what is open in it, as aprof has it.  It is the object that goes with the profile function; the thread's dictionary has it, too. */
struct thread {
	PyObject head;
	struct aprof_tls *words;	/* of the monitor; NULL: it is to be called */
	struct open open;		/* in the greenlet that runs */
	size_t thrown;			/* from this depth on generators may go on without a word; SIZE_MAX: none may */
	struct greenlet *all, *now;	/* if there were several; the one that runs; its own is the last of all */
	unsigned untraced;		/* how often the module may yet be asked to tell when it goes from one to another; 0: it was, or cannot */
};

enum { IN_C = 1, FIRST_ROOM = 64, TRIES = 10000 };

static void thread_free(PyObject *self)
{
	struct thread *t = (struct thread *)self;

	for (struct greenlet *g = t->all, *next; g; g = next) {
		next = g->next;
		free(g == t->now ? NULL : g->open.what);
		free(g);
	}
	free(t->open.what);
	PyObject_Free(self);
}

static PyTypeObject thread_type = {
	PyVarObject_HEAD_INIT(NULL, 0)
	.tp_name = "_aprof.thread", .tp_basicsize = sizeof(struct thread), .tp_dealloc = thread_free, .tp_flags = Py_TPFLAGS_DEFAULT,
};

/* NULL with an exception set. */
static struct thread *python_thread_new(void)
{
	struct thread *t = PyObject_New(struct thread, &thread_type);

	if (!t)
		return NULL;
	t->words = __aprof_script_words ? __aprof_script_words(SCRIPT_LAYOUT) : NULL;
	t->open = (struct open){ 0 };
	t->thrown = SIZE_MAX;
	t->all = t->now = NULL;
	t->untraced = TRIES;
	return t;
}

/* Room for one more.  False: there is no memory, and what is open is forgotten. */
static __attribute__((noinline)) bool thread_grow(struct thread *t)
{
	size_t room = t->open.room ? 2 * t->open.room : FIRST_ROOM;
	uintptr_t *more = realloc(t->open.what, room * sizeof *more);

	if (more) {
		t->open.what = more;
		t->open.room = room;
		return true;
	}
	aprof_unwind(0);
	t->open.depth = 0;
	return false;
}

static inline void python_enter(struct thread *t, uintptr_t what, aprof_routine routine)
{
	if (UNLIKELY(t->open.depth == t->open.room) && !thread_grow(t))
		return;
	t->open.what[t->open.depth++] = what;
	if (UNLIKELY(!t->words || !script_enter(t->words, routine, false)))
		aprof_enter(routine);
}

static inline void python_leave(struct thread *t)
{
	if (--t->open.depth < t->thrown)
		t->thrown = SIZE_MAX;
	if (UNLIKELY(!t->words || !script_leave(t->words)))
		aprof_leave();
}

static void python_leave_to(struct thread *t, size_t depth)
{
	while (t->open.depth > depth)
		python_leave(t);
}

static inline bool is_top(const struct thread *t, uintptr_t what)
{
	return t->open.depth > 0 && t->open.what[t->open.depth - 1] == what;
}

/* How many are open up to WHAT, with it; 0: it is not open. */
static size_t python_depth_of(const struct thread *t, uintptr_t what)
{
	size_t depth = t->open.depth;

	while (depth > 0 && t->open.what[depth - 1] != what)
		depth--;
	return depth;
}

/* The first of the frames of which FRAME is the last. */
static PyFrameObject *python_base_of(PyFrameObject *frame)
{
	PyFrameObject *back;

	while ((back = PyFrame_GetBack(frame))) {
		frame = back;
		Py_DECREF(back);		/* it runs, or waits: its caller's */
	}
	return frame;
}

static struct greenlet *greenlet_new(struct thread *t, PyFrameObject *base)
{
	struct greenlet *g = calloc(1, sizeof *g);

	if (g) {
		g->base = base;
		g->next = t->all;
		t->all = g;
	}
	return g;
}

static struct greenlet *greenlet_with(struct thread *t, PyFrameObject *base)
{
	struct greenlet *g = t->all;

	while (g && g->base != base)
		g = g->next;
	return g;
}

/* G has ended, and another one runs. */
static void greenlet_free(struct thread *t, struct greenlet *g)
{
	struct greenlet **at = &t->all;

	while (*at != g)
		at = &(*at)->next;
	*at = g->next;
	for (struct greenlet *other = t->all; other; other = other->next)
		if (other->resumer == g)
			other->resumer = g->resumer;
	aprof_stack_free(g->stack);
	free(g->open.what);
	free(g);
}

/* From now on G runs: on behalf of the one that ran, unless that ran on G's. */
static void greenlet_go_on(struct thread *t, struct greenlet *g)
{
	struct greenlet *left = t->now, *above = left;

	while (above && above != g)
		above = above->resumer;
	left->open = t->open;
	if (above) {
		left->stack = aprof_stack_use(g->stack);
	} else {
		g->resumer = left;
		left->stack = aprof_stack_resume(g->stack);
	}
	t->open = g->open;
	t->now = g;
	if (left->open.depth == 0 && left->next)
		greenlet_free(t, left);
}

/* FRAME runs: in the greenlet that ran before, or in which other? */
static void greenlet_follow(struct thread *t, PyFrameObject *frame)
{
	PyFrameObject *base = python_base_of(frame);
	struct greenlet *g;

	if (!t->now && t->open.depth > 0)
		t->now = greenlet_new(t, python_base_of((PyFrameObject *)(t->open.what[t->open.depth - 1] & ~(uintptr_t)IN_C)));
	if (!t->now || t->now->base == base)
		return;
	g = greenlet_with(t, base);
	if (!g && (g = greenlet_new(t, base)))
		g->stack = aprof_stack_new();
	if (g && g->stack)			/* else there is no memory */
		greenlet_go_on(t, g);
}

static int profile(PyObject *self, PyFrameObject *frame, int what, PyObject *arg);

/* The module tells that another greenlet runs.  That has no frame if it has just begun.  Where another profile function is told, what is open may be gone. */
static PyObject *greenlet_switched(PyObject *self, PyObject *args)
{
	PyThreadState *state = PyThreadState_Get();
	PyFrameObject *frame = state->c_profilefunc == profile ? PyThreadState_GetFrame(state) : NULL;

	(void)args;
	if (frame)
		greenlet_follow((struct thread *)self, frame);
	Py_XDECREF(frame);
	Py_RETURN_NONE;
}

static PyMethodDef switched_method = { "switched", greenlet_switched, METH_VARARGS, NULL };

/* The module, if it is loaded, or is just being so; NULL: it is not. */
static PyObject *greenlet_module(void)
{
	PyObject *name = PyUnicode_FromString("greenlet"), *found = name ? PyImport_GetModule(name) : NULL;

	Py_XDECREF(name);
	if (!found)
		PyErr_Clear();
	return found;
}

/* Have the module tell, as soon as it can.  A script that has it tell somebody else is left alone: then frames are all that is known. */
static __attribute__((noinline)) void greenlet_trace(struct thread *t)
{
	PyObject *module = greenlet_module(), *settrace = module ? PyObject_GetAttrString(module, "settrace") : NULL;
	PyObject *ours = settrace ? PyCFunction_New(&switched_method, &t->head) : NULL;
	PyObject *before = ours ? PyObject_CallOneArg(settrace, ours) : NULL;

	t->untraced = before ? 0 : t->untraced - 1;
	if (before && before != Py_None)
		Py_XDECREF(PyObject_CallOneArg(settrace, before));
	PyErr_Clear();
	Py_XDECREF(before);
	Py_XDECREF(ours);
	Py_XDECREF(settrace);
	Py_XDECREF(module);
}

/* FRAME runs, and nothing that it called.  If others are open and it is not, it goes on without a word; if nothing is, it began before all this. */
static __attribute__((noinline)) void python_settle(struct thread *t, PyFrameObject *frame)
{
	PyCodeObject *code;
	size_t depth;

	if (has_greenlets)
		greenlet_follow(t, frame);
	depth = python_depth_of(t, (uintptr_t)frame);
	if (depth > 0) {
		python_leave_to(t, depth);
	} else if (t->open.depth > 0) {
		code = PyFrame_GetCode(frame);
		python_enter(t, (uintptr_t)frame, routine_of_code(code));
		Py_DECREF(code);
	}
}

/* So does the caller of FRAME, or it runs a function in C that calls. */
static __attribute__((noinline)) void settle_caller(struct thread *t, PyFrameObject *frame)
{
	PyFrameObject *caller = PyFrame_GetBack(frame);
	size_t depth = t->open.depth;

	if (has_greenlets && t->untraced)
		greenlet_trace(t);
	while (depth > 0 && t->open.what[depth - 1] & IN_C)
		depth--;
	if (!caller && has_greenlets)
		greenlet_follow(t, frame);
	else if (caller && (depth == 0 || t->open.what[depth - 1] != (uintptr_t)caller))
		python_settle(t, caller);
	Py_XDECREF(caller);
}

/* ---- events ---- */

enum { GENERATORS = CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR };

/* Does FRAME, a generator's, go on with an exception, so that who waits for it may go on without a word?  Else it is where it resumes.  From 3.12 on there is
 * a word. */
static bool is_thrown_into(PyFrameObject *frame, PyCodeObject *code)
{
#if PY_VERSION_HEX < 0x030c0000
	int at = PyFrame_GetLasti(frame);
	int operation = at < 0 ? RESUME : _Py_OPCODE(_PyCode_CODE(code)[(size_t)at / sizeof(_Py_CODEUNIT)]);

	return operation != RESUME && operation != RESUME_QUICK;
#else
	(void)frame, (void)code;
	return false;
#endif
}

static void called(struct thread *t, PyFrameObject *frame)
{
	PyCodeObject *code = PyFrame_GetCode(frame);

	if (UNLIKELY(code->co_flags & GENERATORS && is_thrown_into(frame, code))) {
		if (t->open.depth < t->thrown)
			t->thrown = t->open.depth;
	} else if (UNLIKELY(t->open.depth >= t->thrown || has_greenlets)) {
		settle_caller(t, frame);
	}
	python_enter(t, (uintptr_t)frame, routine_of_code(code));
	Py_DECREF(code);
}

static void returned(struct thread *t, PyFrameObject *frame)
{
	if (UNLIKELY(!is_top(t, (uintptr_t)frame)))
		python_settle(t, frame);
	if (LIKELY(t->open.depth > 0))
		python_leave(t);
}

static void called_c(struct thread *t, PyFrameObject *frame, PyObject *function)
{
	if (UNLIKELY(!is_top(t, (uintptr_t)frame)))
		python_settle(t, frame);
	python_enter(t, (uintptr_t)frame | IN_C, routine_of_c(function));
}

static void returned_c(struct thread *t, PyFrameObject *frame)
{
	size_t depth;

	if (UNLIKELY(!is_top(t, (uintptr_t)frame | IN_C)) && has_greenlets)
		greenlet_follow(t, frame);
	if (LIKELY(is_top(t, (uintptr_t)frame | IN_C)))
		python_leave(t);
	else if ((depth = python_depth_of(t, (uintptr_t)frame | IN_C)))
		python_leave_to(t, depth - 1);		/* else it was called before all this began */
}

static int profile(PyObject *self, PyFrameObject *frame, int what, PyObject *arg)
{
	struct thread *t = (struct thread *)self;

	switch (what) {
	case PyTrace_CALL: called(t, frame); break;
	case PyTrace_RETURN: returned(t, frame); break;
	case PyTrace_C_CALL: called_c(t, frame, arg); break;
	case PyTrace_C_RETURN:
	case PyTrace_C_EXCEPTION: returned_c(t, frame);
	}
	return 0;
}

/* Nothing is open any more, in no greenlet: another profile function was told what became of it. */
static void thread_forget(struct thread *t)
{
	python_leave_to(t, 0);
	while (t->all && t->all->next) {
		struct greenlet *g = t->all;

		if (g == t->now)
			greenlet_go_on(t, g->next);
		else
			greenlet_free(t, g);
		python_leave_to(t, 0);
	}
	free(t->all);
	t->all = t->now = NULL;
}

/* From now on the thread tells what it calls; a thread of gevent's may have done so already, as another one.  NULL with an exception set. */
static PyObject *thread_begins(void)
{
	static const char name[] = "_aprof.thread";
	PyObject *own = PyThreadState_GetDict(), *before = own ? PyDict_GetItemString(own, name) : NULL, *t = before;

	Py_XINCREF(before);
	if (!before)
		t = (PyObject *)python_thread_new();
	if (!t || (own && !before && PyDict_SetItemString(own, name, t) < 0)) {
		Py_XDECREF(t);
		return NULL;
	}
	PyEval_SetProfile(profile, t);
	Py_DECREF(t);				/* it is the interpreter's */
	return t;
}

/* Nothing counts until the script begins: its module, or who runs one for -m, with nobody above it. */
static int wait_for_script(PyObject *self, PyFrameObject *frame, int what, PyObject *arg)
{
	PyFrameObject *back = PyFrame_GetBack(frame);
	PyCodeObject *code = PyFrame_GetCode(frame);
	const char *name = python_text_of(code->co_name);
	int is_first = !back && (strcmp(name, "<module>") == 0 || strcmp(name, "_run_module_as_main") == 0);

	Py_XDECREF(back);
	Py_DECREF(code);
	if (what != PyTrace_CALL || !is_first)
		return 0;
	self = thread_begins();
	return self ? profile(self, frame, what, arg) : -1;
}

/* What threading calls at the first event of a new thread; as a rule that is the return of sys.setprofile. */
static PyObject *python_thread_begin(PyObject *self, PyObject *args)
{
	static const char *const events[] = {
		[PyTrace_CALL] = "call", [PyTrace_RETURN] = "return", [PyTrace_C_CALL] = "c_call", [PyTrace_C_EXCEPTION] = "c_exception",
		[PyTrace_C_RETURN] = "c_return",
	};
	PyFrameObject *frame;
	PyObject *arg;
	const char *event;

	if (!PyArg_ParseTuple(args, "OsO", &frame, &event, &arg))
		return NULL;
	self = thread_begins();
	if (!self)
		return NULL;
	if (!is_top((struct thread *)self, (uintptr_t)frame | IN_C))
		thread_forget((struct thread *)self);
	for (size_t i = 0; i < sizeof events / sizeof *events; i++)
		if (events[i] && strcmp(events[i], event) == 0)
			profile(self, frame, (int)i, arg);
	Py_RETURN_NONE;
}

static PyMethodDef thread_method = { "thread_begin", python_thread_begin, METH_VARARGS, NULL };

/* False with an exception set. */
static int follow_threads(void)
{
	PyObject *threading = PyImport_ImportModule("threading"), *function = threading ? PyCFunction_New(&thread_method, NULL) : NULL;
	PyObject *done = function ? PyObject_CallMethod(threading, "setprofile", "O", function) : NULL;

	Py_XDECREF(threading);
	Py_XDECREF(function);
	Py_XDECREF(done);
	return done != NULL;
}

static PyObject *python_begin(PyObject *self, PyObject *none)
{
	PyObject *greenlets;

	(void)self, (void)none;
	if (PyType_Ready(&thread_type) < 0)
		return NULL;
	if (!aprof_is_on() || (extra = _PyEval_RequestCodeExtraIndex(NULL)) < 0)
		Py_RETURN_NONE;
	if (!follow_threads())
		return NULL;
	greenlets = greenlet_module();
	has_greenlets = greenlets;
	Py_XDECREF(greenlets);
	PyEval_SetProfile(wait_for_script, NULL);
	Py_RETURN_NONE;
}

static PyMethodDef methods[] = { { "begin", python_begin, METH_NOARGS, NULL }, { 0 } };
static struct PyModuleDef module = { PyModuleDef_HEAD_INIT, .m_name = "_aprof", .m_size = -1, .m_methods = methods };

PyMODINIT_FUNC APROF_INIT(void)
{
	return PyModule_Create(&module);
}
