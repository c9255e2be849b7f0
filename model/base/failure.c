/* SPDX-License-Identifier: Apache-2.0 */
#include "model/base/failure.h"

#include <stdarg.h>
#include <stdio.h>

enum {
    out_of_memory = 1, /* dnnl_out_of_memory; no OpenCL here */
    status_at = sizeof((struct failure *)0)->text - 1
};

unsigned failure_status(const struct failure *failure)
{
    return (unsigned char)failure->text[status_at];
}

static bool note(struct failure *failure, unsigned status, const char *format,
        va_list values)
{
    if (failure->text[0] != '\0') return false;
    (void)vsnprintf(failure->text, status_at, format, values);
    failure->text[status_at] = (char)status;
    for (char *c = failure->text; *c != '\0'; c++)
        if ((unsigned char)*c < ' ' || *c == '\x7f') *c = '?';
    return false;
}

bool fail(struct failure *failure, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    (void)note(failure, 0, format, values);
    va_end(values);
    return false;
}

bool fail_as(struct failure *failure, unsigned status, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    (void)note(failure, status, format, values);
    va_end(values);
    return false;
}

bool fail_out_of_memory(struct failure *failure)
{
    return fail_as(failure, out_of_memory, "out of memory");
}
