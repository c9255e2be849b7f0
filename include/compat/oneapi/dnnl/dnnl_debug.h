/* SPDX-License-Identifier: Apache-2.0 */
/* What oneDNN has in <oneapi/dnnl/dnnl_debug.h>: dnnl_status2str() and its
 * like. */
#include "dnnl.h"
