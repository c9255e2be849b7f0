/* SPDX-License-Identifier: Apache-2.0 */
#include "failure.h"

#include <stdarg.h>
#include <stdio.h>

bool fail(struct failure *failure, const char *format, ...)
{
    if (failure->text[0] != '\0') return false;
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(failure->text, sizeof failure->text, format, arguments);
    va_end(arguments);
    for (char *c = failure->text; *c != '\0'; c++)
        if ((unsigned char)*c < ' ' || *c == '\x7f') *c = '?';
    return false;
}

bool fail_out_of_memory(struct failure *failure)
{
    return fail(failure, "out of memory");
}
