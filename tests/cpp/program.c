/* SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

#include "test_platform.h"

#include <stdio.h>
#include <stdlib.h>

size_t program_engine_index(void)
{
    const size_t index = test_platform_engine_index();
    if (index == SIZE_MAX) exit(1);
    return index;
}

int program_same(const char *what, size_t count, const float *expected,
        const float *actual)
{
    for (size_t i = 0; i < count; i++) {
        if (expected[i] <= actual[i] && expected[i] >= actual[i]) continue;
        fprintf(stderr, "%s: element %zu is %g, not %g\n", what, i,
                (double)actual[i], (double)expected[i]);
        return 0;
    }
    return 1;
}
