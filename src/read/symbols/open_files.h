/* open_files.h - files that cannot be opened by the names that profiles have for them: deleted, or of another mount namespace.  Who finds one where it is keeps
 * it, and it can be opened again for as long as this process runs. */
#ifndef SYMBOLS_OPEN_FILES_H
#define SYMBOLS_OPEN_FILES_H

#include <stdbool.h>
#include <stddef.h>

enum {
	ELSEWHERE_PATH = 32,		/* bytes of a path that opens one */
	ELSEWHERE_PART = 4,		/* those kept are at most this part of the descriptors that the process may have */
};

/* Keep the file that PATH opens now for the name NAME; false: it cannot be opened, memory is short, or as many are kept as may be. */
bool open_files_keep(const char *name, const char *path);

/* Where the next file of that name can be opened, from number *I on, which is 0 at first: to PATH.  False: there is none.  They may be of several builds. */
bool open_files_next(const char *name, size_t *i, char path[ELSEWHERE_PATH]);

#endif
