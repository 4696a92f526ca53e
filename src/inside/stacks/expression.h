/* expression.h - expressions in descriptions. */
#ifndef EXPRESSION_H
#define EXPRESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "inside/monitor.h"

struct unwind;

/* The value of the expression at AT, behind its length, which begins with CFA on its stack if WITH_CFA. False: it has none. */
bool expression_value(struct unwind *u, const uint8_t *at, bool with_cfa, uintptr_t cfa, uintptr_t *value) HIDDEN;

#endif
