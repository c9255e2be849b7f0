/* SPDX-License-Identifier: Apache-2.0 */
/* What oneDNN has in <oneapi/dnnl/dnnl_types.h>: the types of the C interface.
 */
#include "dnnl_cache_types.h"
#include "dnnl_config.h"
