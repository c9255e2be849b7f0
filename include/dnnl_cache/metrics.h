/* SPDX-License-Identifier: Apache-2.0 */
/*
 * metrics.h: what this process counted, as the text that Prometheus reads
 * (exposition format 0.0.4).
 *
 *     const struct dnnl_cache_metrics_label labels[] = {
 *             {sizeof *labels, "service", "search"}};
 *     size_t size = 0;
 *     dnnl_cache_store_get_metrics(store, 1, labels, &size, NULL);
 *     char *text = malloc(size);
 *     dnnl_cache_store_get_metrics(store, 1, labels, &size, text);
 *
 * The application serves the text, or writes it to a file that an exporter
 * reads; nothing here opens a port. It has the library's statistics
 * (dnnl_cache_get_statistics()) and those of one store: of each member of a
 * chain, with the label "store", which is "seed", "local" or "remote" for
 * layers (tiers.h), the member's name for other chains, and for a store
 * that is no chain "local" or "remote". docs/how_to/fleet.md says what to
 * watch.
 *
 * "dnnl-cache stats --prometheus" writes what a store holds, and what all
 * processes together did with it.
 */
#ifndef DNNL_CACHE_STORE_METRICS_H
#define DNNL_CACHE_STORE_METRICS_H

#include "dnnl_cache/store.h"

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

/* Of every sample. All labels of an array have one struct_size. */
struct dnnl_cache_metrics_label {
    size_t struct_size; /* sizeof the struct */
    /* A letter or "_", then letters, digits and "_"; not "store", "reason" or
     * "kind", which samples have themselves, and not beginning with "__". */
    const char *name;
    const char *value; /* UTF-8, at most 255 bytes; escaped here */
};

/* The initial value: struct_size is set, all else is 0. */
#define DNNL_CACHE_METRICS_LABEL_INIT                       \
    {                                                       \
        sizeof(struct dnnl_cache_metrics_label), NULL, NULL \
    }

/* Size query: with text NULL, *size is set to what later calls for this store
 * with these labels need at most, in bytes with the trailing NUL; the call that
 * writes sets it to the size of the text. store may be NULL: the library alone.
 * Statuses: dnnl_success; dnnl_invalid_arguments (size NULL, more than 16
 * labels, a label as above, two of one name, bad
 * struct_size; or a buffer that is too small,
 * which stays as it is, with *size what is needed); dnnl_out_of_memory. */
dnnl_status_t dnnl_cache_store_get_metrics(
        const dnnl_cache_store_handle_t *store, size_t label_count,
        const struct dnnl_cache_metrics_label *labels, size_t *size,
        char *text);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif

#endif /* DNNL_CACHE_STORE_METRICS_H */
