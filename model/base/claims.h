/* SPDX-License-Identifier: Apache-2.0 */
/*
 * claims.h: of several loaders that start cold at once, one compiles a program,
 * and the others find it in the store then.
 *
 * A claim is a lock on a byte of one empty file, so that nothing is left behind
 * by a process that dies. It only saves work: who cannot lock, or has waited
 * long enough, compiles all the same.
 */
#ifndef DNNL_CACHE_MODEL_BASE_CLAIMS_H
#define DNNL_CACHE_MODEL_BASE_CLAIMS_H

#include <stdbool.h>
#include <stdint.h>

enum { claims_patience_ms = 60000 }; /* more than any compilation takes */

struct claims {
    int file; /* -1: there are no locks */
};

/* Of a store's folder; made if it is not there. */
void claims_open(struct claims *claims, const char *folder);

/* False if another process has the program of this hash. */
bool claims_take(const struct claims *claims, uint64_t hash);
/* Waits for it, for so many milliseconds at most. */
void claims_wait(const struct claims *claims, uint64_t hash, int limit_ms);
void claims_drop(const struct claims *claims, uint64_t hash);

void claims_close(struct claims *claims);

#endif /* DNNL_CACHE_MODEL_BASE_CLAIMS_H */
