/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report.h: where the time of a start went. Phases may run beside each other:
 * each has its begin and end, and its own milliseconds, which are less than
 * between the two if it was a part of the work there. Any thread may note its
 * own phase.
 */
#ifndef DNNL_CACHE_MODEL_BASE_REPORT_H
#define DNNL_CACHE_MODEL_BASE_REPORT_H

enum phase {
    phase_parse,       /* file, graph, plan */
    phase_engine,      /* driver, context, engine */
    phase_identity,    /* of device and driver */
    phase_store,       /* opening it, and what was asked of it */
    phase_driver_load, /* binaries, in the driver */
    phase_compile,     /* sources */
    phase_upload,      /* weights */
    phase_describe, /* descriptors, primitives and memories around all that */
    phase_count
};

struct report {
    double began;                                /* clock_ms() when all began */
    double begin[phase_count], end[phase_count]; /* after `began` */
    double ms[phase_count];
    double ready;
    unsigned long long programs_compiled;
    unsigned long long programs_loaded;
    int primitives;
    int programs_of_store; /* of the working set, found at the start */
};

void report_begin(struct report *report, enum phase phase);
/* Ends it; its milliseconds are those since the begin. */
void report_end(struct report *report, enum phase phase);

const char *report_phase_name(enum phase phase);

#endif /* DNNL_CACHE_MODEL_BASE_REPORT_H */
