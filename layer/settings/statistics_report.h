/* SPDX-License-Identifier: Apache-2.0 */
/* statistics_report.h: what the layer did in this process, in words. */
#ifndef DNNL_CACHE_LAYER_SETTINGS_STATISTICS_REPORT_H
#define DNNL_CACHE_LAYER_SETTINGS_STATISTICS_REPORT_H

#include "layer/settings/statistics.h"

#include <stdio.h>

/* For people; and for programs, one object in one line. */
void statistics_write_table(const struct statistics_totals *totals, FILE *out);
void statistics_write_json(const struct statistics_totals *totals, FILE *out);

/* What DNNL_CACHE_STATS asks for, at exit; once a process. */
void statistics_report(void);

#endif /* DNNL_CACHE_LAYER_SETTINGS_STATISTICS_REPORT_H */
