/* SPDX-License-Identifier: Apache-2.0 */
/* report.h: what happened to each object, as a table and as JSON. */
#ifndef DNNL_CACHE_EXAMPLES_REPORT_H
#define DNNL_CACHE_EXAMPLES_REPORT_H

#include "options.h"
#include "support/clock.h"
#include "support/device.h"

enum { report_max_objects = 16, report_text_size = 320 };

/* One engine, primitive or program. Times are milliseconds. */
struct report_object {
    const char *name;
    const char *kind; /* "engine", "primitive", "program" */
    /* Where it came from, as the library says. */
    dnnl_cache_origin_t origin;
    /* What became of the store's entry: dnnl_success, dnnl_cache_miss, or why
     * it was refused; and the reason in words. */
    dnnl_status_t found;
    char reason[report_text_size];
    size_t id_bytes;
    uint64_t blob_bytes;
    uint64_t binary_bytes;
    double id_ms;      /* making the ID */
    double get_ms;     /* asking the store */
    double create_ms;  /* from the blob or from source */
    double capture_ms; /* taking the blob of what was compiled */
    double put_ms;     /* storing it */
    double driver_ms;  /* of create_ms: in the driver */
    double first_run_ms;
    double second_run_ms;
    bool has_run;
    bool checked;
    double error; /* largest, relative to the tolerance: above 1 is wrong */
};

struct report {
    struct report_object objects[report_max_objects];
    size_t count;
};

/* What it took until the object could be used and its blob was in hand. */
double report_creation_ms(const struct report_object *object);

/* Adds an object with its name and kind. */
struct report_object *report_add(
        struct report *report, const char *name, const char *kind);

/* True if some check failed. */
bool report_is_wrong(const struct report *report);

void report_print(const struct report *report, const struct device *device);

/* store may be NULL. False, after a message, if the file cannot be written. */
bool report_write_json(const struct report *report, const struct device *device,
        const struct options *options, const dnnl_cache_store_handle_t *store);

#endif /* DNNL_CACHE_EXAMPLES_REPORT_H */
