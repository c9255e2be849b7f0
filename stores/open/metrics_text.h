/* SPDX-License-Identifier: Apache-2.0 */
/* metrics_text.h: writes the text that Prometheus reads, into a buffer. */
#ifndef DNNL_CACHE_STORES_OPEN_METRICS_TEXT_H
#define DNNL_CACHE_STORES_OPEN_METRICS_TEXT_H

#include "dnnl_cache/metrics.h"

/* One of every sample, or one of its own. */
struct metrics_label {
    const char *name;
    const char *value;
};

enum { metrics_most_labels = 16 };

/* Without a buffer it counts what the longest numbers would need. */
struct metrics_text {
    char *text; /* NULL: counts only */
    size_t size;
    size_t used; /* may be over size: then the rest was left out */
    size_t label_count;
    const struct metrics_label *labels; /* of every sample */
};

enum metrics_type {
    metrics_counter, /* ends with _total */
    metrics_gauge
};

/* The two lines that come before all samples of a name. */
void metrics_begin(struct metrics_text *text, const char *name,
        enum metrics_type type, const char *help);

/* A sample, with up to two labels of its own: name NULL for none. */
void metrics_number(struct metrics_text *text, const char *name,
        const struct metrics_label own[2], uint64_t number);
/* The same in seconds. */
void metrics_seconds(struct metrics_text *text, const char *name,
        const struct metrics_label own[2], uint64_t ns);

/* Reads the caller's labels. False: samples may not have them. */
bool metrics_read_labels(struct metrics_label labels[metrics_most_labels],
        size_t count, const struct dnnl_cache_metrics_label *callers);

#endif /* DNNL_CACHE_STORES_OPEN_METRICS_TEXT_H */
