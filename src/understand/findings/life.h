/* life.h - what became of the process that wrote a profile. */
#ifndef LIFE_H
#define LIFE_H

#include "understand/findings/report_input.h"

/* Of run RUN of the profile: as the reader of the files found it, else as the file itself says. */
enum report_life life_of(const struct report_input *in, uint32_t run);

/* One word for it, for programs: "ended". */
const char *life_word(enum report_life life);

/* How many processes RUN is the sum of; 0: it is one. */
uint64_t life_processes(const struct profile_run *run);

/* LIFE as users read it, with how the process that wrote RUN died if aprof run saw it; of a sum, whether all its processes ended; into BUFFER of
 * SIZE bytes.  Returns BUFFER. */
char *life_text(char *buffer, size_t size, enum report_life life, const struct profile_run *run);

/* What RUN lacks, of which life_of is that it died, in a few words. */
const char *life_lack(const struct profile_run *run);

/* A wait status: "exit status 3", "killed by signal 9 (Killed)"; into BUFFER of SIZE bytes.  Returns BUFFER. */
char *life_status(char *buffer, size_t size, int32_t status);

#endif
