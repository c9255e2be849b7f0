/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scenes.h: stores in the middle of something, to be killed or made to fail
 * there: a small full store and one call that changes it.
 */
#ifndef DNNL_CACHE_TESTS_SCENES_H
#define DNNL_CACHE_TESTS_SCENES_H

#include "store.h"

/* Numbers of put_number() that a scene's store may hold, and the blob sizes:
 * the usual, and that of a replaced one. */
enum { scene_numbers = 32, scene_other_size = 7000 };
size_t scene_size(unsigned number);

struct scene {
    const char *name;
    /* Changes the options of scene_options(); NULL: they are fine. */
    void (*configure)(struct store_options *options);
    /* Brings the new store to where the call begins. */
    void (*prepare)(struct store *store);
    /* The call, on the same handle. */
    dnnl_status_t (*act)(struct store *store);
    /* What a success of it promises; NULL: nothing that can be seen. */
    void (*expect_done)(struct store *store);
    /* What a failure of it promises; NULL: nothing. */
    void (*expect_undone)(struct store *store);
    bool is_damaged; /* by others, before the call */
};

extern const struct scene scenes[];
extern const unsigned scene_count;

/* Removes the test's directory "store"; the options to make it anew. */
struct store_options scene_begin(const struct scene *scene);

/* The store after somebody died or failed in it: inside its capacity, open
 * within a second, no wrong blob, all that is left intact, and no orphan and no
 * wrong number after one more put. */
void scene_expect_usable(
        const struct scene *scene, const struct store_options *options);

/* Every file, and every directory, is one that belongs to a store. */
void expect_no_orphans(const char *path);

double seconds_now(void);

/* True in the long run of the proofs (DNNL_CACHE_TEST_LONG). */
bool is_long_run(void);

#endif /* DNNL_CACHE_TESTS_SCENES_H */
