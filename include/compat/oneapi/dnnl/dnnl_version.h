/* SPDX-License-Identifier: Apache-2.0 */
/* What oneDNN has in <oneapi/dnnl/dnnl_version.h>: DNNL_VERSION_*, of the
 * interface. */
#include "dnnl_cache/library.h"
