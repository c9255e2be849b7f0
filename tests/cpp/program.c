/* SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

#include "oneapi/dnnl/dnnl_ocl.h"
#include "test_platform.h"

#include <stdio.h>
#include <stdlib.h>

size_t program_engine_index(void)
{
    cl_device_id wanted = test_platform_device();
    size_t count = wanted != NULL ? dnnl_engine_get_count(dnnl_gpu) : 0;
    for (size_t i = 0; i < count; i++) {
        dnnl_engine_t engine = NULL;
        cl_device_id device = NULL;
        if (dnnl_engine_create(&engine, dnnl_gpu, i) != dnnl_success) continue;
        dnnl_status_t st = dnnl_ocl_interop_get_device(engine, &device);
        dnnl_engine_destroy(engine);
        if (st == dnnl_success && device == wanted) return i;
    }
    fprintf(stderr, "no engine of the platform that is tested\n");
    exit(1);
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
