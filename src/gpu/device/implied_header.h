/* SPDX-License-Identifier: Apache-2.0 */
/* Files that a driver's compiler reads though no source asks for them. */
#ifndef DNNL_CACHE_GPU_IMPLIED_HEADER_H
#define DNNL_CACHE_GPU_IMPLIED_HEADER_H

#include "dnnl_cache.h"

/* The name of the file if one that is not the driver's own may be read for it,
 * as the options stand: Mesa's rusticl looks for clang's opencl-c-base.h in the
 * working directory and along -I before it takes its own, Intel's runtime for
 * CPUs for its settings in the working directory. NULL: there is none now. */
const char *implied_header_misled(cl_device_id device, const char *options);

#endif /* DNNL_CACHE_GPU_IMPLIED_HEADER_H */
