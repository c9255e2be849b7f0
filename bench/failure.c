/* SPDX-License-Identifier: Apache-2.0 */
#include "failure.h"

#include <stdarg.h>
#include <stdio.h>

static char text[256];

void failure_set(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
}

const char *failure_text(void)
{
    return text;
}

bool succeeded(dnnl_status_t status, const char *call)
{
    if (status != dnnl_success)
        failure_set("%s answers %s", call, dnnl_status2str(status));
    return status == dnnl_success;
}

bool cl_succeeded(cl_int error, const char *call)
{
    if (error != CL_SUCCESS) failure_set("%s answers %d", call, (int)error);
    return error == CL_SUCCESS;
}
