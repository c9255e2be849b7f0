/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Many hosts that start at once and want the same programs, over one server.
 *
 * A host is a thread with a store and connections of its own, behind an empty
 * local store (fleet_host.h); some hundred are a process. Compiling
 * is sleeping: a driver for each of ten thousand hosts does not fit a machine.
 */
#ifndef BENCH_FLEET_H
#define BENCH_FLEET_H

#include "fleet_server.h"

#include <stddef.h>

/* When a host that leads the first program is killed. */
enum fleet_death {
    fleet_death_none = 0,
    fleet_death_before_compile,
    fleet_death_in_compile,
    fleet_death_before_put,
    fleet_death_before_release, /* its entry is on the server */
    fleet_death_count
};

struct fleet_options {
    unsigned programs;
    unsigned compile_ms;
    unsigned blob_bytes;
    unsigned lease_ms;
    enum fleet_death death; /* of one host more, which is not counted */
    /* Hosts have no store: each GETs as many entries, which are there, by
     * hiredis on a connection of its own, the next one each compile_ms. What a
     * fleet takes more than that is the protocol's; what this takes more than
     * one host does, the machine's. */
    bool is_plain;
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
    double host_cpu_ns;     /* processor time that all hosts took */
    double server_cpu_ns;
    double connections; /* of the server, when half of the time is over */
};

/* False: failure.h. */
bool fleet_measure(struct fleet_start *start, struct fleet_server *server,
        const struct fleet_options *options, unsigned hosts);

#endif /* BENCH_FLEET_H */
