/* SPDX-License-Identifier: Apache-2.0 */
/* opencl.h: OpenCL's own header. */
#ifndef DNNL_CACHE_OPENCL_H
#define DNNL_CACHE_OPENCL_H

#ifndef CL_TARGET_OPENCL_VERSION
/* The OpenCL version whose declarations are used, unless the application
 * chose one. */
#define CL_TARGET_OPENCL_VERSION 300
#endif
#include <CL/cl.h>

#endif /* DNNL_CACHE_OPENCL_H */
