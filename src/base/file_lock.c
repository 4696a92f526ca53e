/* file_lock.c - a shared lock keeps writers out, and fcntl's keeps out who changes it as we do. */
#include "base/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>

bool file_lock_to_change(int fd)
{
	struct flock whole = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

	return flock(fd, LOCK_SH | LOCK_NB) == 0 && fcntl(fd, F_OFD_SETLK, &whole) == 0;
}
