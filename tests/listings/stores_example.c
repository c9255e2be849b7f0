/* SPDX-License-Identifier: Apache-2.0 */
/*
 * docs/how_to/choose_a_store.md's example, between the marks, compiled and run
 * as it stands there: without a seed, and with what that run left as the seed
 * of another.
 */
#include <ftw.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Listing: begin */
#include <dnnl_cache.h>
#include <dnnl_cache/chain_store.h>

struct warm_start {
    /* Installed with the application; may be NULL. */
    dnnl_cache_store_handle_t *seed;
    /* This user's own; NULL: not available. */
    dnnl_cache_store_handle_t *local;
    dnnl_cache_store_handle_t *chain;
};

/* No other thread may be compiling meanwhile. */
void warm_start_close(struct warm_start *w)
{
    dnnl_cache_set_default_store(NULL);
    dnnl_cache_store_close(w->chain);
    dnnl_cache_store_close(w->local);
    dnnl_cache_store_close(w->seed);
}

/* Entries of the seed are taken from there; all others are compiled once, and
 * kept in the user's directory. Failures are logged to log, which may be NULL.
 */
dnnl_status_t warm_start_open(struct warm_start *w, const char *seed_dir,
        const char *local_dir, dnnl_cache_log_callback_t log)
{
    struct dnnl_cache_store_options options = DNNL_CACHE_STORE_OPTIONS_INIT;
    struct dnnl_cache_store_chain_options chain_options =
            DNNL_CACHE_STORE_CHAIN_OPTIONS_INIT;
    *w = (struct warm_start){NULL, NULL, NULL};
    options.log = log;

    options.path = seed_dir;
    options.read_only = true;
    (void)dnnl_cache_store_open(&w->seed, "bucket", &options);

    options.path = local_dir;
    options.read_only = false;
    options.capacity = dnnl_cache_store_megabytes(256);
    options.policy = dnnl_cache_store_policy_lru;
    (void)dnnl_cache_store_open(&w->local, "bucket", &options);

    /* A member that is NULL is ignored. */
    const struct dnnl_cache_store_chain_member members[] = {
            {.struct_size = sizeof(struct dnnl_cache_store_chain_member),
                    .name = "seed",
                    .store = w->seed,
                    .role = dnnl_cache_store_chain_role_read},
            {.struct_size = sizeof(struct dnnl_cache_store_chain_member),
                    .name = "local",
                    .store = w->local,
                    .role = dnnl_cache_store_chain_role_write},
    };
    dnnl_status_t st =
            dnnl_cache_store_open_chain(&w->chain, members, 2, &chain_options);
    if (st == dnnl_success)
        st = dnnl_cache_set_default_store(
                dnnl_cache_store_get_callbacks(w->chain));
    if (st != dnnl_success) warm_start_close(w);
    return st;
}
/* Listing: end */

static const uint8_t seeded[] = {1, 2, 3};
static const uint8_t other[] = {4, 5, 6};

static bool has(const dnnl_cache_store_handle_t *store, const uint8_t id[3])
{
    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(store);
    const uint8_t *blob = NULL;
    size_t size = 0;
    if (s->get(s->user, 3, id, &size, &blob) != dnnl_success) return false;
    const bool good = size == 3 && memcmp(blob, id, 3) == 0;
    s->release(s->user, size, blob);
    return good;
}

static bool put(const dnnl_cache_store_handle_t *store, const uint8_t id[3])
{
    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(store);
    return s->put(s->user, 3, id, 3, id, NULL) == dnnl_success;
}

/* Nothing is installed: what is put is the user's. */
static bool works_without_seed(const char *nothing, const char *local)
{
    struct warm_start w;
    if (warm_start_open(&w, nothing, local, NULL) != dnnl_success) return false;
    const bool good = w.seed == NULL && !has(w.chain, seeded)
                      && put(w.chain, seeded) && has(w.local, seeded);
    warm_start_close(&w);
    return good;
}

static bool works_with_seed(const char *seed, const char *local)
{
    struct warm_start w;
    if (warm_start_open(&w, seed, local, NULL) != dnnl_success) return false;
    const bool good = w.seed != NULL && has(w.chain, seeded)
                      && !has(w.local, seeded) && put(w.chain, other)
                      && has(w.local, other) && !has(w.seed, other);
    warm_start_close(&w);
    return good;
}

static bool works_with_nothing(void)
{
    struct warm_start w;
    if (warm_start_open(&w, "/dev/null", "/dev/null", NULL) != dnnl_success)
        return false;
    const bool good = put(w.chain, seeded) && !has(w.chain, seeded);
    warm_start_close(&w);
    return good;
}

static int remove_it(
        const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)st;
    (void)type;
    (void)at;
    return remove(path);
}

int main(void)
{
    char seed[1000];
    char local[1000];
    char root[900];
    const char *parent = getenv("TMPDIR");
    (void)snprintf(root, sizeof root, "%.800s/stores_XXXXXX",
            parent != NULL ? parent : "/tmp");
    if (mkdtemp(root) == NULL) return 2;
    (void)snprintf(seed, sizeof seed, "%s/seed", root);
    (void)snprintf(local, sizeof local, "%s/local", root);
    const bool without = works_without_seed(local, seed);
    const bool with = works_with_seed(seed, local);
    const bool nothing = works_with_nothing();
    printf("without seed %d, with seed %d, with nothing %d\n", without, with,
            nothing);
    if (nftw(root, remove_it, 8, FTW_DEPTH | FTW_PHYS) != 0) return 1;
    return without && with && nothing ? 0 : 1;
}
