/* SPDX-License-Identifier: Apache-2.0 */
/* A rig whose engine has a store, and what tests of stores ask for. */
#ifndef DNNL_CACHE_TESTS_API_STORED_H
#define DNNL_CACHE_TESTS_API_STORED_H

#include "memory_store.h"
#include "rig.h"

struct stored {
    struct rig rig;
    struct memory_store store;
};

void stored_open(struct stored *x);
/* Puts that are left for the end are made, without a hook. */
void stored_close(struct stored *x);

/* Another process, as far as the library is concerned, with the same store. */
void stored_restart(struct stored *x);

/* Creates a relu of a fixed shape and destroys it again; what came of it, and
 * where it came from (none if it failed). */
dnnl_status_t try_relu(dnnl_engine_t engine, dnnl_cache_origin_t *origin);
/* The same; a failure is the test's. */
dnnl_cache_origin_t relu_origin(dnnl_engine_t engine);
/* What try_relu() tells, as the creation info of the relu's program. */
dnnl_cache_creation_info_t relu_info(dnnl_engine_t engine);
/* Where the engine's facts came from; establishes none. */
dnnl_cache_creation_info_t facts_info(dnnl_engine_t engine);

/* Copies of the store's engine blob and of the relu's program blob, with their
 * IDs, made in the store and left there. */
struct good_blobs {
    struct memory_store_entry engine;
    struct memory_store_entry program;
};
void good_blobs_make(struct good_blobs *good, struct stored *x);
void good_blobs_free(struct good_blobs *good);
/* Notes a failure unless these, and no others, are in the store. */
void expect_good_blobs(const struct good_blobs *good, struct stored *x);

/* A failure of the test's unless the store's counters have moved so far since
 * then. */
void expect_moved(const dnnl_cache_statistics_t *before, unsigned hits,
        unsigned misses, unsigned puts, unsigned failures);

/* A gate at which threads wait until it is opened. */
struct gate {
    pthread_mutex_t lock; /* guards the rest; leaf */
    pthread_cond_t moved;
    unsigned waiting; /* threads that came */
    bool is_open;
};
void gate_init(struct gate *gate);
void gate_fini(struct gate *gate);
void gate_pass(struct gate *gate);
void gate_await(struct gate *gate, unsigned threads);
void gate_open(struct gate *gate);

/* A test that has one, opened before and closed after it: TEST_WITH(). */
#define TEST_STORED(suite, name) \
    TEST_WITH(suite, name, struct stored, x, stored_open(x), stored_close(x))

#endif /* DNNL_CACHE_TESTS_API_STORED_H */
