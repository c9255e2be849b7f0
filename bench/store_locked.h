/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A tree store while somebody else holds locks in it, and while nobody does:
 * what the locks of writers cost those that want something else.
 */
#ifndef BENCH_STORE_LOCKED_H
#define BENCH_STORE_LOCKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct store_locked;

/* Makes the store in a folder. False: failure.h says why. */
bool store_locked_open(struct store_locked **locked, const char *folder,
        size_t blob_size, const uint8_t *blob);

/* NULL is fine. */
void store_locked_close(struct store_locked *locked);

/* The time of a get while the store and the entry's directory are locked, as a
 * writer of that entry does, or nothing is. */
bool store_locked_get(
        struct store_locked *locked, bool is_locked, double *value);

/* That of a put while the directory of another entry is locked, or none is. */
bool store_locked_put(
        struct store_locked *locked, bool is_locked, double *value);

#endif /* BENCH_STORE_LOCKED_H */
