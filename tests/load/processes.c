/* Short processes in one directory, 50 at a time: each has its own file, and it is whole.
 *
 * small: 200
 * full: 2000
 * shell: n=$2; seq $n | xargs -P 50 -n $((n / 50)) sh -c 'for i; do ./prog; done' sh; printf 'calls: %d main\ncalls: %d leaf\n' $n $((n * 7)) >> told; printf 'files: %d\n' $n >> told
 * told: yes
 * env: APROF_OUT=amon.out.%p
 * note: other_name 0.. */
#include "../traps/trap.h"

HOOKED void leaf(void) { KEEP(); }

int main(void)
{
	for (int i = 0; i < 7; i++)
		leaf();
	return 0;
}
