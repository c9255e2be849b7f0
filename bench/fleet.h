/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Many hosts that start at once and want the same programs, over one server.
 *
 * A host is a thread with a store and connections of its own, and an empty
 * local store in memory. Compiling is sleeping: a driver for each of a thousand
 * hosts does not fit a machine of two processors.
 */
#ifndef BENCH_FLEET_H
#define BENCH_FLEET_H

#include "fleet_server.h"

#include <stddef.h>

struct fleet_options {
    unsigned programs;
    unsigned compile_ms;
    unsigned blob_bytes;
    unsigned lease_ms;
};

/* What came of a start. */
struct fleet_start {
    double first_ns; /* until the first host had all programs */
    double last_ns;
    double compiled; /* programs, by all hosts */
    double failed;   /* wanted, and the store said what it must not say */
    double requests; /* that the server counted */
    double sent_bytes;
    double longest_wait_ns; /* of one call of a store */
};

/* False: failure.h. */
bool fleet_measure(struct fleet_start *start, struct fleet_server *server,
        const struct fleet_options *options, unsigned hosts);

#endif /* BENCH_FLEET_H */
