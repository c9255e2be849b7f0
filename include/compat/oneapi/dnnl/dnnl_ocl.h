/* SPDX-License-Identifier: Apache-2.0 */
/* What oneDNN has in <oneapi/dnnl/dnnl_ocl.h>: dnnl_ocl_interop_*. */
#include "dnnl.h"
