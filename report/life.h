/* life.h - what became of the process that wrote a profile. */
#ifndef LIFE_H
#define LIFE_H

#include "report/report.h"

/* Of run RUN of the profile: as the reader of the files found it, else as the file itself says. */
enum report_life life_of(const struct report_input *in, uint32_t run);

/* One word for it, for programs: "ended". */
const char *life_word(enum report_life life);

/* LIFE as users read it, with how the process that wrote HEADER died if aprof run saw it; into BUFFER of SIZE bytes.  Returns
 * BUFFER. */
char *life_text(char *buffer, size_t size, enum report_life life, const struct amon_header *header);

/* A wait status: "exit status 3", "killed by signal 9 (Killed)"; into BUFFER of SIZE bytes.  Returns BUFFER. */
char *life_status(char *buffer, size_t size, int32_t status);

#endif
