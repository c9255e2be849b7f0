/* SPDX-License-Identifier: Apache-2.0 */
/* What oneDNN has in <oneapi/dnnl/dnnl_types.h>: the types of the C interface.
 */
#include "dnnl_cache/library.h"
#include "dnnl_cache/onednn/types.h"
#include "dnnl_config.h"
