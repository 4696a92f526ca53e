/* failure.h - from a struct error to what users of the library get. */
#ifndef PUBLIC_FAILURE_H
#define PUBLIC_FAILURE_H

#include "base/error.h"
#include "public/aprof/profile.h"

/* Make *ERROR of ERR, unless ERROR is NULL.  Always returns 0, as error_set does. */
int failure_tell(struct aprof_error **error, const struct error *err);

#endif
