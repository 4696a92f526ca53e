# Fibers of libraries as Debian has them, each in its own calls: GNU Pth, State Threads, PCL.
#
# ways: inline fentry cyg
# cc: gcc
cat > p.c << 'E'
#if defined(USES_PTH)
#include <pth.h>
#define YIELD pth_yield(NULL)
#elif defined(USES_ST)
#include <st.h>
#define YIELD st_usleep(0)
#else
#include <pcl.h>
#define YIELD co_resume()
#endif
#define HOOKED __attribute__((noinline, noclone))
#define KEEP() __asm__ volatile("" ::: "memory")
HOOKED void leaf(void) { KEEP(); }
HOOKED void step_a(void) { leaf(); YIELD; leaf(); KEEP(); }
HOOKED void middle(void) { YIELD; leaf(); KEEP(); }
HOOKED void *body_a(void *unused) { for (int i = 0; i < 5; i++) step_a(); KEEP(); return unused; }
HOOKED void *body_b(void *unused) { for (int i = 0; i < 7; i++) middle(); KEEP(); return unused; }
#if defined(USES_PTH)
int main(void)
{
	pth_t a, b;

	pth_init();
	a = pth_spawn(PTH_ATTR_DEFAULT, body_a, NULL);
	b = pth_spawn(PTH_ATTR_DEFAULT, body_b, NULL);
	pth_join(a, NULL);
	pth_join(b, NULL);
	leaf();
	return 0;
}
#elif defined(USES_ST)
int main(void)
{
	st_thread_t a, b;

	st_init();
	a = st_thread_create(body_a, NULL, 1, 0);
	b = st_thread_create(body_b, NULL, 1, 0);
	st_thread_join(a, NULL);
	st_thread_join(b, NULL);
	leaf();
	return 0;
}
#else
static void start(void *body) { ((void *(*)(void *))body)(0); }
int main(void)
{
	coroutine_t a, b;

	co_thread_init();
	a = co_create(start, body_a, 0, 65536);
	b = co_create(start, body_b, 0, 65536);
	for (int i = 0; i < 6; i++)
		co_call(a);
	for (int i = 0; i < 8; i++)
		co_call(b);
	leaf();
	return 0;
}
#endif
E
cat > expected << 'E'
1 0 body_a
1 0 body_b
1 0 main
1 0 main leaf
10 0 body_a step_a leaf
5 0 body_a step_a
7 0 body_b middle
7 0 body_b middle leaf
E
tried=0
for library in pth st pcl; do
	[ -e /usr/include/$library.h ] || continue
	tried=1
	$CC $OPT -DUSES_"$(echo $library | tr a-z A-Z)" p.c -o p -l$library
	rm -f amon.out
	./p
	"$APROF" contexts amon.out | while read -r entries recursive time history; do echo "$entries $recursive ${history#start }"; done | grep -v "^0 0 -" | grep -v ' start$' | sort > contexts
	diff expected contexts || { echo "$library"; exit 1; }
done
[ $tried = 1 ] || { echo "needs libpth-dev, libst-dev or libpcl1-dev"; exit 77; }
