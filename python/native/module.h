/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DNNL_CACHE_PYTHON_MODULE_H
#define DNNL_CACHE_PYTHON_MODULE_H

#include "dnnl_cache/onednn/types.h"

#include <stdbool.h>
#include <stddef.h>

/* Calls OpenCL through the loader that the shared object user, which is in the
 * process, is linked against; NULL: through a loader that is in the process, or
 * else through libOpenCL.so.1. To be called before anything that needs a
 * device, by one thread at a time. false: nothing has changed, and why, of
 * why_capacity bytes, says what is missing. */
DNNL_API bool dnnl_cache_python_use_loader(
        const char *user, char *why, size_t why_capacity);

/* The path of that loader; "" before it is known. */
DNNL_API const char *dnnl_cache_python_get_loader(void);

/* The size in bytes of a struct of the public headers, by its name, for a test
 * of the package's own definitions; 0: not known. */
DNNL_API size_t dnnl_cache_python_get_size(const char *type);

#endif /* DNNL_CACHE_PYTHON_MODULE_H */
