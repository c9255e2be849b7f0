/* SPDX-License-Identifier: Apache-2.0 */
/* What oneDNN has in <oneapi/dnnl/dnnl_common.h>: the C interface, which is one
 * header here. */
#include "dnnl.h"
