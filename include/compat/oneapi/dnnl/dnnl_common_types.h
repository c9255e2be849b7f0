/* SPDX-License-Identifier: Apache-2.0 */
/* What oneDNN has in <oneapi/dnnl/dnnl_common_types.h>: the types of the C
 * interface. */
#include "dnnl_types.h"
