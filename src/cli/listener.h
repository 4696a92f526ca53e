/* listener.h - what reading and building tell, on the terminal: steps in the line of progress.h, notes as messages. */
#ifndef LISTENER_H
#define LISTENER_H

#include "understand/analysis.h"

extern const struct input_listener listener;

#endif
