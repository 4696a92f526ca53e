/* amon.out is a link to something precious, or a directory: it is left alone.
 *
 * variants: link directory fifo
 * shell(link): echo precious > target; ln -s target amon.out; exec "$@"
 * shell(directory): mkdir amon.out; exec "$@"
 * shell(fifo): mkfifo amon.out; exec "$@"
 * after(link): test "$(cat target)" = precious
 * after: rm -rf amon.out; "$APROF" contexts amon.out.* | grep '^1 0 .* main f$'
 * note: other_name 0..1 */
#include "trap.h"

HOOKED void f(void) { KEEP(); }

int main(void)
{
	f();
	return 0;
}
