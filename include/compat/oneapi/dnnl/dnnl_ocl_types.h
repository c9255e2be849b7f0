/* SPDX-License-Identifier: Apache-2.0 */
/* What oneDNN has in <oneapi/dnnl/dnnl_ocl_types.h>:
 * dnnl_ocl_interop_memory_kind_t. */
#include "dnnl.h"
