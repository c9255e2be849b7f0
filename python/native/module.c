/* SPDX-License-Identifier: Apache-2.0 */
/* What the Python package calls besides the library and the stores. */
#include "module.h"

#include "opencl_table.h"

bool dnnl_cache_python_use_loader(
        const char *user, char *why, size_t why_capacity)
{
    const struct opencl_source source = {user, "libOpenCL.so.1"};
    return opencl_table_fill(&source, why, why_capacity);
}

const char *dnnl_cache_python_get_loader(void)
{
    return opencl_table_origin();
}
