/* SPDX-License-Identifier: Apache-2.0 */
/* prove_runs.h: stores that dnnl-cache prove is run on. */
#ifndef DNNL_CACHE_TESTS_PROVE_RUNS_H
#define DNNL_CACHE_TESTS_PROVE_RUNS_H

#include "refresh_runs.h"

#include <dnnl_cache/store.h>

enum { no_platform = 77, nothing_proved = 6 };

/* Fails the test unless the text has the part. */
void expect_has(const char *text, const char *part);

/* The client under the layer, which keeps what it compiles in the store of that
 * name; what it builds is recorded. */
struct outcome fill(const char *name, int count);
/* The same on a driver that compiles at once, into "store". */
void fill_on_fake(int count);
/* What it has not kept. */
void complete(const char *name);

struct outcome prove(const char *name, const char *option);

/* The entry of a program that was built at once, with another ID than one. */
struct copy {
    const struct copy *other; /* NULL: any */
    uint8_t *id, *blob;
    size_t id_size, size;
    dnnl_cache_store_handle_t *store;
};

struct copy copy_of(const char *store, const struct copy *other);
void copy_fini(struct copy *copy);

/* The blob of one ID as if it had been made for the other: what a cache that
 * lacks an ingredient has. The caller frees it. */
uint8_t *under_id(const struct copy *what, const struct copy *id, size_t *size);
void put_blob(const char *store_name, const struct copy *id, size_t size,
        const uint8_t *blob);
/* Puts what the store "other" has in place of what "store" has. */
void blind(void);

#endif /* DNNL_CACHE_TESTS_PROVE_RUNS_H */
