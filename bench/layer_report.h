/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What dnnl_cache_layer_bench says.
 */
#ifndef BENCH_LAYER_REPORT_H
#define BENCH_LAYER_REPORT_H

#include "device.h"
#include "layer_rows.h"

/* What is measured, and the table's head; then a line a row, as it comes. */
void layer_report_head(const struct device *device);
void layer_report_entry(const struct layer_entry *entry);

/* All rows as JSON; docs/PERFORMANCE.md describes it. False: failure.h. */
bool layer_report_json(const char *path, const struct device *device,
        const struct layer_entry *entries, size_t count);

#endif /* BENCH_LAYER_REPORT_H */
