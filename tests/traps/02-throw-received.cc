/* Exceptions that code without hooks receives, in another object: caught, thrown on, thrown again out of the handler, kept and thrown later,
 * and destructors on the way; behind each, callbacks from deeper than the frames that are dead.
 *
 * plain: plain.o -c -DPLAIN
 * link: plain.o
 * variants: caught again nested kept dropped
 * expect: 1 0 main
 * expect: 100 0 main called
 * expect: 100 0 main called deeper
 * expect(nested): 100 0 main thrower
 * expect(nested): 100 0 main thrower deeper
 * expect(kept): 100 0 main later
 * expect: 200 0 main back
 * expect: 200 0 main back leaf
 * expect(again): 100 0 main work
 * expect: 100 0 main end */
#include <cstring>
#include <exception>
#include "trap.h"

extern "C" {
void guarded(const char *how, void (*f)(void), void (*g)(void), void (*back)(void));
void raise_one(int n);
void raise_kept(void);
}

#ifdef PLAIN
static std::exception_ptr kept;

void raise_one(int n) { throw n; }
void raise_kept() { std::rethrow_exception(kept); }

static void far(void (*f)(void))
{
	char volatile room[3000];

	room[1] = 0;
	f();
	room[1] = 0;
}

struct guard {
	void (*f)(void);
	~guard() { far(f); }
};

static void dropping(void (*f)(void), void (*back)(void))
{
	guard g = { back };

	f();
}

static void again(void (*f)(void), void (*g)(void))
{
	try {
		f();
	} catch (int) {
		far(g);
		throw;
	}
}

static void nested(void (*f)(void), void (*g)(void), void (*back)(void))
{
	try {
		f();
	} catch (int) {
		try {
			g();
		} catch (int) {
			far(back);
		}
		far(back);
	}
}

static void keeps(void (*f)(void), void (*g)(void), void (*back)(void))
{
	try {
		f();
	} catch (...) {
		kept = std::current_exception();
		far(back);
	}
	try {
		g();
	} catch (int) {
		far(back);
	}
	kept = nullptr;
}

void guarded(const char *how, void (*f)(void), void (*g)(void), void (*back)(void))
{
	if (!std::strcmp(how, "nested"))
		return nested(f, g, back);
	if (!std::strcmp(how, "kept"))
		return keeps(f, g, back);
	try {
		if (!std::strcmp(how, "again"))
			again(f, g);
		else if (!std::strcmp(how, "dropped"))
			dropping(f, back);
		else
			f();
	} catch (int) {
		far(back);
	}
	if (std::strcmp(how, "dropped"))
		far(back);
}
#else
extern "C" {
HOOKED void leaf(void) { KEEP(); }
HOOKED void back(void) { leaf(); KEEP(); }
HOOKED void deeper(void) { char volatile room[200]; room[1] = 0; raise_one(1); room[1] = 0; }
HOOKED void called(void) { deeper(); KEEP(); }
HOOKED void thrower(void) { deeper(); KEEP(); }
HOOKED void later(void) { raise_kept(); KEEP(); }
HOOKED void work(void) { KEEP(); }
HOOKED void end(void) { KEEP(); }
}

int main(int, char **argv)
{
	void (*second)(void) = !std::strcmp(argv[1], "nested") ? thrower : !std::strcmp(argv[1], "kept") ? later : work;

	for (int i = 0; i < 100; i++) {
		guarded(argv[1], called, second, back);
		end();
	}
	return 0;
}
#endif
