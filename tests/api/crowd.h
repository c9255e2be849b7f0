/* SPDX-License-Identifier: Apache-2.0 */
/* Many threads that create programs at once. */
#ifndef DNNL_CACHE_TESTS_API_CROWD_H
#define DNNL_CACHE_TESTS_API_CROWD_H

#include "dnnl_cache.h"

#include <pthread.h>
#include <stdbool.h>

enum { MOST_THREADS = 300 };

struct crowd {
    pthread_barrier_t start;
    dnnl_engine_t engine;
    bool is_same; /* all ask for one program, else each for its own */
    const char *options;
    size_t count;
    struct guest {
        struct crowd *crowd;
        unsigned number;
        pthread_t thread;
        dnnl_cache_program_desc_t desc;
        dnnl_cache_program_t program;
        dnnl_status_t status;
    } guests[MOST_THREADS];
};

/* Starts the threads, each with a descriptor of its own. */
void crowd_start(struct crowd *c, dnnl_engine_t engine, size_t count,
        bool is_same, const char *options);

void crowd_join(struct crowd *c);

/* All of them find the build under way: it is held up until they do. They have
 * been joined when this returns. */
void crowd_gather(struct crowd *c, dnnl_engine_t engine, size_t count,
        const char *options);

/* Gives up what the threads made. */
void crowd_end(struct crowd *c);

#endif /* DNNL_CACHE_TESTS_API_CROWD_H */
