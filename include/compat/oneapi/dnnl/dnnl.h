/* SPDX-License-Identifier: Apache-2.0 */
/* What oneDNN has in <oneapi/dnnl/dnnl.h>: the whole C interface. */
#include "dnnl_cache.h"
#include "dnnl_config.h"
#include "dnnl_version.h"
