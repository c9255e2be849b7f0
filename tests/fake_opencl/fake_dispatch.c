/* SPDX-License-Identifier: Apache-2.0 */
/* The table through which the loader calls. */
#include "fake_internal.h"

#include <string.h>

const cl_icd_dispatch fake_dispatch = {
#define FUNCTION(name, error) .name = fake_##name,
#include "fake_functions.def"
#undef FUNCTION
};

/* What OpenCL's look-up returns: a function's address in a data pointer,
 * which C has no conversion for. */
#define ADDRESS(function)                    \
    ((union {                                \
        __typeof__(&(function)) of_function; \
        void *of_data;                       \
    }){.of_function = (function)}            \
                    .of_data)

void *dispatch_find(const char *name)
{
    if (strcmp(name, "clIcdGetPlatformIDsKHR") == 0)
        return ADDRESS(clIcdGetPlatformIDsKHR);
    if (strcmp(name, "clCreateProgramWithILKHR") == 0)
        return ADDRESS(fake_clCreateProgramWithIL);
#define FUNCTION(function, error) \
    if (strcmp(name, #function) == 0) return ADDRESS(fake_##function);
#include "fake_functions.def"
#undef FUNCTION
    return NULL;
}
