/* A coroutine of C++20: each part of it, up to where it waits, is called by whoever resumes it.
 *
 * cc: gcc
 * ways: inline fentry
 * flags: -std=c++20 -fcoroutines
 * calls: 1 main
 * calls: 6 work
 * calls: 6 resume
 * depth: 0 */
#include <coroutine>
#include "trap.h"

struct task {
	struct promise_type {
		task get_return_object() { return { std::coroutine_handle<promise_type>::from_promise(*this) }; }
		std::suspend_always initial_suspend() { return {}; }
		std::suspend_always final_suspend() noexcept { return {}; }
		void return_void() {}
		void unhandled_exception() {}
	};
	std::coroutine_handle<promise_type> handle;
};

extern "C" HOOKED void work() { KEEP(); }
extern "C" HOOKED void resume(const task &t) { t.handle.resume(); KEEP(); }

static task steps(int n)
{
	for (int i = 0; i < n; i++) {
		work();
		co_await std::suspend_always{};
	}
}

int main()
{
	task t = steps(6);

	for (int i = 0; i < 6; i++)
		resume(t);
	t.handle.destroy();
	return 0;
}
