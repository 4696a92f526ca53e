/* pid.h - a process where a profile is expected: by its PID, which it runs under now. */
#ifndef PID_H
#define PID_H

#include <stdbool.h>
#include <stdint.h>

/* Sets *PID to the number that WORD is, digits alone.  False: it is no PID. */
bool pid_read(const char *word, int32_t *pid);

/* Say why the profile of process PID is not to be had; WHY is what live_profile_open left in errno. */
void pid_tell(int32_t pid, int why);

/* The path of the profile that the operand WORD means: WORD itself, unless there is no such file and it is the PID of a process; then that of the
 * profile which this process has mapped, which stays valid for good.  A stream is kept (stream.h).  NULL after a message. */
char *pid_operand(char *word);

#endif
