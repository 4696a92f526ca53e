/* A disk that is full, at once or soon: the program goes on as if nothing were.
 *
 * need: mounts
 * variants: 4k 64k 200k
 * shell: size=$(eval echo \${$#}); exec unshare -m sh -c 'mkdir d; mount -t tmpfs -o size='$size' none d; cd d; exec ../prog'
 * flags: -DWORK
 * output: done
 * files: 0..1
 * note: copied 0..
 * note: no_file 0..
 * note: disk_full 0..
 * note: out_of_memory 0..
 * note: lost_calls 0.. */
#include <stdio.h>
#include "trap.h"

HOOKED void a(int n);
HOOKED void b(int n) { if (n > 0) a(n / 2); if (n % 3) b(n - 1); KEEP(); }
HOOKED void c(int n) { if (n > 0) b(n / 3); KEEP(); }
HOOKED void a(int n) { b(n - 1); c(n - 2); KEEP(); }

int main(void)
{
	a(100);
	puts("done");
	return 0;
}
