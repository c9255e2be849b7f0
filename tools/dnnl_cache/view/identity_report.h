/* SPDX-License-Identifier: Apache-2.0 */
/* identity_report.h: what this machine's devices and drivers are, as JSON. */
#ifndef DNNL_CACHE_TOOLS_VIEW_IDENTITY_REPORT_H
#define DNNL_CACHE_TOOLS_VIEW_IDENTITY_REPORT_H

#include "tools/dnnl_cache/base/tool.h"

/* Writes the document of "dnnl-cache identity --json" to out. False: out of
 * memory. */
bool identity_report_write(FILE *out);

#endif /* DNNL_CACHE_TOOLS_VIEW_IDENTITY_REPORT_H */
