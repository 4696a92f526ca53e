/* python.c - CPython, unmodified, tells aprof of its functions: an extension module that sitecustomize.py loads, before any script.
 *
 * Its profile function is told of each call and return, those that an exception ends too, and of each time that a generator goes on or waits: a
 * call and a return each time, on behalf of who resumes it.  So what is open is a stack, always.
 *
 * A function in Python is known by its code, whose object keeps what aprof calls it, for as long as it lives; one in C by its definition. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <frameobject.h>

#include "include/aprof.h"

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

static aprof_routine routine_of_code(PyFrameObject *frame)
{
	PyCodeObject *code = PyFrame_GetCode(frame);
	aprof_routine routine;
	void *kept = NULL;

	if (_PyCode_GetExtra((PyObject *)code, extra, &kept) == 0 && kept) {
		Py_DECREF(code);
		return (aprof_routine)(uintptr_t)kept;
	}
	routine = define_code(code);
	if (_PyCode_SetExtra((PyObject *)code, extra, (void *)(uintptr_t)routine) != 0)
		PyErr_Clear();
	Py_DECREF(code);
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

/* ---- events ---- */

static int profile(PyObject *self, PyFrameObject *frame, int what, PyObject *arg)
{
	(void)self;
	switch (what) {
	case PyTrace_CALL: aprof_enter(routine_of_code(frame)); break;
	case PyTrace_C_CALL: aprof_enter(routine_of_c(arg)); break;
	case PyTrace_RETURN:
	case PyTrace_C_RETURN:
	case PyTrace_C_EXCEPTION:
		if (aprof_depth())	/* else it was called before all this began */
			aprof_leave();
	}
	return 0;
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
	PyEval_SetProfile(profile, NULL);
	return profile(self, frame, what, arg);
}

/* What threading calls at the first event of a new thread. */
static PyObject *thread_begin(PyObject *self, PyObject *args)
{
	PyFrameObject *frame;
	PyObject *arg;
	const char *event;

	(void)self;
	if (!PyArg_ParseTuple(args, "OsO", &frame, &event, &arg))
		return NULL;
	PyEval_SetProfile(profile, NULL);
	if (strcmp(event, "call") == 0)
		aprof_enter(routine_of_code(frame));
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
