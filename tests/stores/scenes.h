/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scenes.h: stores of any kind in the middle of something, to be killed or
 * made to fail there: a small full store and one call that changes it.
 */
#ifndef DNNL_CACHE_TESTS_SCENES_H
#define DNNL_CACHE_TESTS_SCENES_H

#include "store_suite.h"

/* Numbers of put_number() that a scene's store may hold, and the blob sizes:
 * the usual, and that of a replaced one. */
enum { scene_numbers = 32, scene_other_size = 7000 };
size_t scene_size(unsigned number);

struct scene {
    const char *name;
    /* Changes the options of scene_begin(); NULL: they are fine. */
    void (*configure)(struct dnnl_cache_store_options *options);
    /* Brings the new store to where the call begins. */
    void (*prepare)(
            const struct store_kind *kind, dnnl_cache_store_handle_t *store);
    /* The call, on the same handle. */
    dnnl_status_t (*act)(
            const struct store_kind *kind, dnnl_cache_store_handle_t *store);
    /* What a success of it promises; NULL: nothing that can be seen. */
    void (*expect_done)(
            const struct store_kind *kind, dnnl_cache_store_handle_t *store);
    /* What a failure of it promises; NULL: nothing. */
    void (*expect_undone)(
            const struct store_kind *kind, dnnl_cache_store_handle_t *store);
    bool is_damaged; /* by others, before the call */
    /* Two IDs of one hash are put and both are looked for. */
    bool collides;
};

extern const struct scene scenes[];
extern const unsigned scene_count;

/* False if the kind promises nothing of the sort. */
bool scene_is_for(const struct scene *scene, const struct store_kind *kind);

/* Removes the test's directory "store"; the options to make it anew. */
struct dnnl_cache_store_options scene_begin(
        const struct store_kind *kind, const struct scene *scene);

/* The store after somebody died or failed in it: inside its capacity, open
 * without a wait, no wrong blob, all that is left intact, and no orphan and no
 * wrong number after one more put. */
void scene_expect_usable(const struct store_kind *kind,
        const struct scene *scene,
        const struct dnnl_cache_store_options *options);

double seconds_now(void);

/* True in the long run of the proofs (DNNL_CACHE_TEST_LONG). */
bool is_long_run(void);

#endif /* DNNL_CACHE_TESTS_SCENES_H */
