/* SPDX-License-Identifier: Apache-2.0 */
/*
 * persistent_environment.h: what the user of an application sets for its
 * persistent cache, with the environment variables of the OpenCL layer. It
 * comes before what the application sets.
 *
 * Read once, at first use. An empty variable is treated as unset. A program
 * that has more rights than the user who started it ignores them.
 */
#ifndef DNNL_CACHE_STORES_PERSISTENT_PERSISTENT_ENVIRONMENT_H
#define DNNL_CACHE_STORES_PERSISTENT_PERSISTENT_ENVIRONMENT_H

#include "dnnl_cache/store.h"

struct persistent_environment {
    bool is_off; /* DNNL_CACHE_PERSISTENT=0 */
    /* DNNL_CACHE_DIR, DNNL_CACHE_SEED: absolute paths; DNNL_CACHE_REMOTE: a
     * URL; DNNL_CACHE_APPLICATION: a name. NULL: not set. */
    const char *dir;
    const char *seed;
    /* DNNL_CACHE_SEED_PUBLIC_KEY, of any seed; a path that is none if it makes
     * no sense, so that no seed is used. */
    const char *seed_key;
    const char *remote;
    const char *application;
    bool has_size;     /* DNNL_CACHE_MAX_SIZE: */
    uint64_t max_size; /* bytes; 0: no limit */
    /* Variables that make no sense, as a message; NULL: none. */
    const char *complaint;
};

/* That of the process, which never changes. */
const struct persistent_environment *persistent_environment(void);

#endif /* DNNL_CACHE_STORES_PERSISTENT_PERSISTENT_ENVIRONMENT_H */
