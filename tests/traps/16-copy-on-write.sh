# The disk fills up, and it is one that writes each version of a page to a new place: pages that it had taken it takes no more.
# The program goes on; with room again before its end the profile is whole, and says what was.
[ "$(id -u)" = 0 ] && command -v mkfs.btrfs unshare >/dev/null || { echo "needs root, btrfs-progs and unshare"; exit 77; }
truncate -s 128M image
mkfs.btrfs -q image >/dev/null 2>&1
mkdir disk
unshare -m sh -c 'mount -o loop image disk && umount disk' 2>/dev/null || { echo "needs a loop device and btrfs in the kernel"; exit 77; }
cat > program.c <<'END'
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "trap.h"

static long calls;

HOOKED void a(int n);
HOOKED void b(int n) { calls++; if (n > 0) a(n / 2); if (n % 3) b(n - 1); KEEP(); }
HOOKED void c(int n) { calls++; if (n > 0) b(n / 3); KEEP(); }
HOOKED void a(int n) { calls++; b(n - 1); c(n - 2); KEEP(); }

UNHOOKED void fill(void)
{
	static int block[16384];
	int fd = open("filler", O_CREAT | O_WRONLY, 0600);

	for (int i = 0; i < 16384; i++)
		block[i] = (int)random();
	for (size_t size = sizeof block; size >= 4096; size /= 16)
		while (write(fd, block, size) > 0)
			;
	fsync(fd);
	close(fd);
}

int main(int argc, char **argv)
{
	for (int i = 0; i < 6; i++) {
		if (i == 2)
			fill();
		if (i >= 2)
			sync();			/* what is in the file is written, and each page anew when it changes */
		a(60 + 40 * i);
	}
	if (argc > 1 && !strcmp(argv[1], "room")) {
		unlink("filler");
		sync();
	}
	printf("%ld\n", calls);
	return 3;
}
END
$BARE $OPT -I "$SOURCE" -o bare program.c 2>/dev/null
$CC $OPT -I "$SOURCE" -o program program.c
for how in room none; do
	APROF=$APROF unshare -m sh -e -c '
		mount -o loop image disk
		cp bare program disk
		cd disk
		expected=$(./bare '$how') || [ $? = 3 ]
		rm -f filler
		sync
		got=$(./program '$how') || [ $? = 3 ]
		[ "$got" = "$expected" ] || { echo "prints $got, not $expected"; exit 1; }
		counted=$("$APROF" contexts amon.out | awk "!/ main$/ { n += \$1 + \$2 } END { print n }")
		rm -f filler
		[ '$how' = none ] && [ "$counted" -le "$got" ] && exit 0
		[ "$counted" = "$got" ] || { echo "counted $counted calls, not $got"; exit 1; }
		"$APROF" info amon.out | grep -q "the disk refused space"'
done
