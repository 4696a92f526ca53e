/* An unprivileged user's read()-bound loop: the time in the kernel is charged too.
 *
 * na(reads): it looks at CPU time, and this clock takes elapsed time
 * need: root setpriv
 * shell: chmod 777 .; exec setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
 * told: yes
 * expect: 1 0 main
 * expect: 1 0 main reads */
#include <fcntl.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
#include "trap.h"

HOOKED void reads(int fd) { static char b[65536]; while (clock() < CLOCKS_PER_SEC / 2) if (read(fd, b, sizeof b) < 0) break; KEEP(); }

int main(void)
{
	FILE *told;

	reads(open("/dev/zero", O_RDONLY));
	told = fopen("told", "w");
	fprintf(told, "after: \"$APROF\" contexts amon.out | awk '/reads/ { t = $3 } END { exit !(t > 0.4 && t < 0.6) }'\n");
	fclose(told);
	return 0;
}
