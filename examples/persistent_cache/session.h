/* SPDX-License-Identifier: Apache-2.0 */
/* session.h: what every step of the application works with. */
#ifndef DNNL_CACHE_EXAMPLES_SESSION_H
#define DNNL_CACHE_EXAMPLES_SESSION_H

#include "cached.h"

#include <stdio.h>

struct session {
    const struct options *options;
    uint64_t started_ns; /* since the epoch */
    struct device device;
    dnnl_cache_store_handle_t
            *store; /* NULL: there is none, compile everything */
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    FILE *output; /* NULL: not asked for */
    struct report report;
};

/* Adds the object to the report, ready to be looked up. */
struct cached session_begin(
        struct session *session, const char *name, const char *kind);

/* Seeded numbers between -1 and 1, the same everywhere; NULL without memory.
 * The caller frees them. */
float *session_random(uint64_t seed, size_t count, float scale);

/* Writes a result to the output file and, if there is an expectation, checks
 * it. False if writing failed. */
bool session_take_result(struct session *session, struct report_object *object,
        const float *result, const float *expected, size_t count);

/* Says which call failed; gives the status back. */
dnnl_status_t session_failed(
        const char *name, const char *what, dnnl_status_t status);

/* The steps. Each notes what happened in the report and says on standard error
 * why it failed. */
dnnl_status_t network_run(struct session *session);
dnnl_status_t programs_run(struct session *session);

#endif /* DNNL_CACHE_EXAMPLES_SESSION_H */
