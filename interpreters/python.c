/* python.c - CPython, unmodified, tells aprof of its functions: an extension module that sitecustomize.py loads, before any script.
 *
 * Its profile function is told of each call and return, those that an exception ends too, and of each time that a generator goes on or waits: a
 * call and a return each time, on behalf of who resumes it.  So what is open is a stack.  The one thing that it is not told of is told apart by the frames: a
 * generator that goes on since the one that it waited for (yield from, await) returned when an exception was thrown into it (_gen_throw of CPython's genobject.c).
 *
 * A function in Python is known by its code, whose object keeps what aprof calls it, for as long as it lives; one in C by its definition. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <frameobject.h>
#include <opcode.h>

#include "include/aprof.h"
#include "monitor/script.h"

PyMODINIT_FUNC APROF_INIT(void);

/* ---- functions ---- */

static Py_ssize_t extra;		/* where a code object keeps its routine */

static const char *text_of(PyObject *string)
{
	const char *text = string && PyUnicode_Check(string) ? PyUnicode_AsUTF8(string) : NULL;

	if (!text)
		PyErr_Clear();
	return text ? text : "?";
}

static aprof_routine define_code(PyCodeObject *code)
{
	char name[512];

	if (strcmp(text_of(code->co_name), "<module>") == 0)
		snprintf(name, sizeof name, "<module> %s", text_of(code->co_filename));
	else
		snprintf(name, sizeof name, "%s", text_of(code->co_qualname));
	return aprof_define("python", name, text_of(code->co_filename), code->co_firstlineno);
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

static struct definition *place_of(struct definition *table, size_t n, const PyMethodDef *method)
{
	size_t i = ((uintptr_t)method >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 32 & (n - 1);

	while (table[i].method && table[i].method != method)
		i = (i + 1) & (n - 1);
	return &table[i];
}

static struct definition *place(const PyMethodDef *method)
{
	size_t n = nslots ? 2 * nslots : FIRST_SLOTS;
	struct definition *more;

	if (used >= nslots / 2) {
		more = calloc(n, sizeof *more);
		if (!more)
			return NULL;
		for (size_t i = 0; i < nslots; i++)
			if (definitions[i].method)
				*place_of(more, n, definitions[i].method) = definitions[i];
		free(definitions);
		definitions = more;
		nslots = n;
	}
	return place_of(definitions, nslots, method);
}

/* `math.sqrt`, `list.append`; what is built in has its bare name. */
static aprof_routine define_c(PyCFunctionObject *function)
{
	PyObject *self = function->m_self;
	const char *name = function->m_ml->ml_name, *of = NULL;
	char full[512];

	if (self && PyModule_Check(self))
		of = text_of(function->m_module);
	else if (self)
		of = PyType_Check(self) ? ((PyTypeObject *)self)->tp_name : Py_TYPE(self)->tp_name;
	snprintf(full, sizeof full, "%s%s%s", of && strcmp(of, "builtins") != 0 ? of : "", of && strcmp(of, "builtins") != 0 ? "." : "", name);
	return aprof_define("python", full, NULL, 0);
}

static aprof_routine routine_of_c(PyObject *object)
{
	PyCFunctionObject *function = (PyCFunctionObject *)object;
	struct definition *d;

	if (!PyCFunction_Check(object))
		return 0;
	d = place(function->m_ml);
	if (d && !d->method) {
		*d = (struct definition){ function->m_ml, define_c(function) };
		used++;
	}
	return d ? d->routine : 0;
}

/* ---- what is open ---- */

/* A thread of Python's, and what is open in it, as aprof has it.  It is the object that goes with the profile function, and lasts as long as that. */
struct thread {
	PyObject head;
	struct aprof_tls *words;	/* of the monitor; NULL: it is to be called */
	uintptr_t *open;		/* by depth: a frame, or IN_C and the frame that called a function in C */
	size_t depth, room;		/* how many; for how many there is room */
	size_t thrown;			/* from this depth on generators may go on without a word; SIZE_MAX: none may */
};

enum { IN_C = 1, FIRST_ROOM = 64 };

static void thread_free(PyObject *self)
{
	free(((struct thread *)self)->open);
	PyObject_Free(self);
}

static PyTypeObject thread_type = {
	PyVarObject_HEAD_INIT(NULL, 0)
	.tp_name = "_aprof.thread", .tp_basicsize = sizeof(struct thread), .tp_dealloc = thread_free, .tp_flags = Py_TPFLAGS_DEFAULT,
};

/* NULL with an exception set. */
static struct thread *thread_new(void)
{
	struct thread *t = PyObject_New(struct thread, &thread_type);

	if (!t)
		return NULL;
	t->words = __aprof_script_words ? __aprof_script_words(SCRIPT_LAYOUT) : NULL;
	t->open = NULL;
	t->depth = t->room = 0;
	t->thrown = SIZE_MAX;
	return t;
}

/* Room for one more.  False: there is no memory, and what is open is forgotten. */
static __attribute__((noinline)) bool thread_grow(struct thread *t)
{
	size_t room = t->room ? 2 * t->room : FIRST_ROOM;
	uintptr_t *more = realloc(t->open, room * sizeof *more);

	if (more) {
		t->open = more;
		t->room = room;
		return true;
	}
	aprof_unwind(0);
	t->depth = 0;
	return false;
}

static inline void enter(struct thread *t, uintptr_t what, aprof_routine routine)
{
	if (UNLIKELY(t->depth == t->room) && !thread_grow(t))
		return;
	t->open[t->depth++] = what;
	if (UNLIKELY(!t->words || !script_enter(t->words, routine, false)))
		aprof_enter(routine);
}

static inline void leave(struct thread *t)
{
	if (--t->depth < t->thrown)
		t->thrown = SIZE_MAX;
	if (UNLIKELY(!t->words || !script_leave(t->words)))
		aprof_leave();
}

static void leave_to(struct thread *t, size_t depth)
{
	while (t->depth > depth)
		leave(t);
}

static inline bool is_top(const struct thread *t, uintptr_t what)
{
	return t->depth > 0 && t->open[t->depth - 1] == what;
}

/* How many are open up to WHAT, with it; 0: it is not open. */
static size_t depth_of(const struct thread *t, uintptr_t what)
{
	size_t depth = t->depth;

	while (depth > 0 && t->open[depth - 1] != what)
		depth--;
	return depth;
}

/* FRAME runs, and nothing that it called.  If others are open and it is not, it goes on without a word; if nothing is, it began before all this. */
static __attribute__((noinline)) void settle(struct thread *t, PyFrameObject *frame)
{
	size_t depth = depth_of(t, (uintptr_t)frame);
	PyCodeObject *code;

	if (depth > 0) {
		leave_to(t, depth);
	} else if (t->depth > 0) {
		code = PyFrame_GetCode(frame);
		enter(t, (uintptr_t)frame, routine_of_code(code));
		Py_DECREF(code);
	}
}

/* So does the caller of FRAME, or it runs a function in C that calls. */
static __attribute__((noinline)) void settle_caller(struct thread *t, PyFrameObject *frame)
{
	PyFrameObject *caller = PyFrame_GetBack(frame);
	size_t depth = t->depth;

	while (depth > 0 && t->open[depth - 1] & IN_C)
		depth--;
	if (caller && (depth == 0 || t->open[depth - 1] != (uintptr_t)caller))
		settle(t, caller);
	Py_XDECREF(caller);
}

/* ---- events ---- */

enum { GENERATORS = CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR };

/* Does FRAME, a generator's, go on with an exception? Else it is where it resumes. */
static bool is_thrown_into(PyFrameObject *frame, PyCodeObject *code)
{
	int at = PyFrame_GetLasti(frame);
	int operation = at < 0 ? RESUME : _Py_OPCODE(_PyCode_CODE(code)[(size_t)at / sizeof(_Py_CODEUNIT)]);

	return operation != RESUME && operation != RESUME_QUICK;
}

static void called(struct thread *t, PyFrameObject *frame)
{
	PyCodeObject *code = PyFrame_GetCode(frame);

	if (UNLIKELY(code->co_flags & GENERATORS && is_thrown_into(frame, code))) {
		if (t->depth < t->thrown)
			t->thrown = t->depth;
	} else if (UNLIKELY(t->depth >= t->thrown)) {
		settle_caller(t, frame);
	}
	enter(t, (uintptr_t)frame, routine_of_code(code));
	Py_DECREF(code);
}

static void returned(struct thread *t, PyFrameObject *frame)
{
	if (UNLIKELY(!is_top(t, (uintptr_t)frame)))
		settle(t, frame);
	if (LIKELY(t->depth > 0))
		leave(t);
}

static void called_c(struct thread *t, PyFrameObject *frame, PyObject *function)
{
	if (UNLIKELY(!is_top(t, (uintptr_t)frame)))
		settle(t, frame);
	enter(t, (uintptr_t)frame | IN_C, routine_of_c(function));
}

static void returned_c(struct thread *t, PyFrameObject *frame)
{
	size_t depth;

	if (LIKELY(is_top(t, (uintptr_t)frame | IN_C)))
		leave(t);
	else if ((depth = depth_of(t, (uintptr_t)frame | IN_C)))
		leave_to(t, depth - 1);		/* else it was called before all this began */
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

/* From now on the thread tells what it calls.  NULL with an exception set. */
static PyObject *thread_begins(void)
{
	struct thread *t = thread_new();

	if (!t)
		return NULL;
	PyEval_SetProfile(profile, &t->head);
	Py_DECREF(t);				/* it is the interpreter's */
	return &t->head;
}

/* Nothing counts until the script begins: its module, or who runs one for -m, with nobody above it. */
static int wait_for_script(PyObject *self, PyFrameObject *frame, int what, PyObject *arg)
{
	PyFrameObject *back = PyFrame_GetBack(frame);
	PyCodeObject *code = PyFrame_GetCode(frame);
	const char *name = text_of(code->co_name);
	int is_first = !back && (strcmp(name, "<module>") == 0 || strcmp(name, "_run_module_as_main") == 0);

	Py_XDECREF(back);
	Py_DECREF(code);
	if (what != PyTrace_CALL || !is_first)
		return 0;
	self = thread_begins();
	return self ? profile(self, frame, what, arg) : -1;
}

/* What threading calls at the first event of a new thread. */
static PyObject *thread_begin(PyObject *self, PyObject *args)
{
	PyFrameObject *frame;
	PyObject *arg;
	const char *event;

	if (!PyArg_ParseTuple(args, "OsO", &frame, &event, &arg))
		return NULL;
	self = thread_begins();
	if (!self)
		return NULL;
	if (strcmp(event, "call") == 0)
		called((struct thread *)self, frame);
	Py_RETURN_NONE;
}

static PyMethodDef thread_method = { "thread_begin", thread_begin, METH_VARARGS, NULL };

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

static PyObject *begin(PyObject *self, PyObject *none)
{
	(void)self, (void)none;
	if (PyType_Ready(&thread_type) < 0)
		return NULL;
	if (!aprof_is_on() || (extra = _PyEval_RequestCodeExtraIndex(NULL)) < 0)
		Py_RETURN_NONE;
	if (!follow_threads())
		return NULL;
	PyEval_SetProfile(wait_for_script, NULL);
	Py_RETURN_NONE;
}

static PyMethodDef methods[] = { { "begin", begin, METH_NOARGS, NULL }, { 0 } };
static struct PyModuleDef module = { PyModuleDef_HEAD_INIT, .m_name = "_aprof", .m_size = -1, .m_methods = methods };

PyMODINIT_FUNC APROF_INIT(void)
{
	return PyModule_Create(&module);
}
