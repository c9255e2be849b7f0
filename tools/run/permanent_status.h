/* SPDX-License-Identifier: Apache-2.0 */
/* permanent_status.h: where the layer is enabled, and what it would do. */
#ifndef DNNL_CACHE_TOOLS_RUN_PERMANENT_STATUS_H
#define DNNL_CACHE_TOOLS_RUN_PERMANENT_STATUS_H

#include "tools/run/permanent.h"

#include <stdio.h>

/* Prints it, and returns 0 if the layer is enabled in a place that was asked
 * for (in any, if none was), or in this session, and is there; else
 * permanent_failed. */
int permanent_status_print(const struct permanent_request *request, FILE *out);

#endif /* DNNL_CACHE_TOOLS_RUN_PERMANENT_STATUS_H */
