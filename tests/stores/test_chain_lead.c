/* SPDX-License-Identifier: Apache-2.0 */
/* A chain passes on who waits for another host, and who leads. */
#include "dnnl_cache/chain_store.h"
#include "store_helpers.h"
#include "test.h"

#include <stddef.h>
#include <string.h>

/* A member that can tell: its get never finds anything. */
struct teller {
    dnnl_cache_store_t callbacks;
    dnnl_status_t answer;
    const char *blob; /* with dnnl_success; NULL: a lie */
    unsigned asked, stopped, released, failures;
};

static dnnl_status_t tell_get(void *user, size_t id_size, const uint8_t *id,
        size_t *size, const uint8_t **blob)
{
    struct teller *t = user;
    (void)id_size;
    (void)id;
    (void)size;
    (void)blob;
    return t->failures > 0 ? dnnl_runtime_error : dnnl_cache_miss;
}

static void tell_release(void *user, size_t size, const uint8_t *blob)
{
    struct teller *t = user;
    EXPECT_EQ(strlen(t->blob), size);
    EXPECT_TRUE((const char *)blob == t->blob);
    t->released++;
}

static dnnl_status_t tell_wait(void *user, size_t id_size, const uint8_t *id,
        size_t *size, const uint8_t **blob)
{
    struct teller *t = user;
    EXPECT_EQ(4, id_size);
    EXPECT_EQ(0, memcmp("id 1", id, 4));
    t->asked++;
    if (t->answer == dnnl_success && t->blob != NULL) {
        *size = strlen(t->blob);
        *blob = (const uint8_t *)t->blob;
    }
    return t->answer;
}

static void tell_stop(void *user, size_t id_size, const uint8_t *id)
{
    struct teller *t = user;
    EXPECT_EQ(4, id_size);
    EXPECT_EQ(0, memcmp("id 1", id, 4));
    t->stopped++;
}

static void teller_init(struct teller *t, dnnl_status_t answer)
{
    *t = (struct teller){.answer = answer, .blob = "of another host"};
    t->callbacks = (dnnl_cache_store_t){
            .struct_size = sizeof t->callbacks,
            .user = t,
            .get = tell_get,
            .release = tell_release,
            .put = put_nothing,
            .remove = remove_nothing,
            .acquire_lease = tell_wait,
            .release_lease = tell_stop,
    };
}

struct chained {
    dnnl_cache_store_handle_t *local;
    dnnl_cache_store_handle_t *chain;
    const dnnl_cache_store_t *s;
};

static void open_all(
        struct chained *x, const struct teller *near, const struct teller *far)
{
    const struct dnnl_cache_store_options local = test_options();
    const struct dnnl_cache_store_chain_options options =
            DNNL_CACHE_STORE_CHAIN_OPTIONS_INIT;
    x->local = open_store(&local);
    const struct dnnl_cache_store_chain_member members[] = {
            {sizeof(struct dnnl_cache_store_chain_member), "local", x->local,
                    NULL, dnnl_cache_store_chain_role_write},
            {sizeof(struct dnnl_cache_store_chain_member), "near", NULL,
                    near != NULL ? &near->callbacks : NULL,
                    dnnl_cache_store_chain_role_write},
            {sizeof(struct dnnl_cache_store_chain_member), "far", NULL,
                    far != NULL ? &far->callbacks : NULL,
                    dnnl_cache_store_chain_role_write}};
    EXPECT_OK(dnnl_cache_store_open_chain(&x->chain, members, 3, &options));
    x->s = dnnl_cache_store_get_callbacks(x->chain);
}

static void close_all(struct chained *x)
{
    dnnl_cache_store_close(x->chain);
    dnnl_cache_store_close(x->local);
}

static dnnl_status_t wait(const struct chained *x)
{
    size_t size = 0;
    const uint8_t *blob = NULL;
    const dnnl_status_t st = x->s->acquire_lease(
            x->s->user, 4, (const uint8_t *)"id 1", &size, &blob);
    if (st == dnnl_success) x->s->release(x->s->user, size, blob);
    return st;
}

TEST_C(ChainLead, WithoutAMemberThatCanTellThereIsNone)
{
    struct chained x;
    struct teller near;
    teller_init(&near, dnnl_cache_miss);
    near.callbacks.release_lease = NULL; /* both or neither */
    open_all(&x, &near, NULL);
    EXPECT_TRUE(x.s->acquire_lease == NULL);
    EXPECT_TRUE(x.s->release_lease == NULL);
    close_all(&x);
    /* A member of before these callbacks. */
    teller_init(&near, dnnl_cache_miss);
    near.callbacks.struct_size = offsetof(dnnl_cache_store_t, acquire_lease);
    open_all(&x, &near, NULL);
    EXPECT_TRUE(x.s->acquire_lease == NULL);
    close_all(&x);
}

TEST_C(ChainLead, WhatAnotherHostBuiltIsCopiedToNearerOnes)
{
    struct chained x;
    struct teller near;
    char text[64];
    teller_init(&near, dnnl_success);
    open_all(&x, &near, NULL);
    EXPECT_OK(wait(&x));
    EXPECT_EQ(1, near.released);
    EXPECT_OK(get_text(x.local, "id 1", text, sizeof text));
    EXPECT_STR_EQ("of another host", text);
    close_all(&x);
}

TEST_C(ChainLead, TheFirstThatCanTellDecides)
{
    struct chained x;
    struct teller near;
    struct teller far;
    teller_init(&near, dnnl_cache_miss);
    teller_init(&far, dnnl_success);
    open_all(&x, &near, &far);
    EXPECT_STATUS(dnnl_cache_miss, wait(&x));
    EXPECT_EQ(1, near.asked);
    EXPECT_EQ(0, far.asked);
    x.s->release_lease(x.s->user, 4, (const uint8_t *)"id 1");
    EXPECT_EQ(1, near.stopped);
    EXPECT_EQ(1, far.stopped);
    near.answer = dnnl_not_required;
    EXPECT_STATUS(dnnl_not_required, wait(&x));
    EXPECT_EQ(0, far.asked);
    close_all(&x);
}

TEST_C(ChainLead, ALieMeansCompiling)
{
    struct chained x;
    struct teller near;
    teller_init(&near, dnnl_success);
    near.blob = NULL;
    open_all(&x, &near, NULL);
    EXPECT_STATUS(dnnl_runtime_error, wait(&x));
    close_all(&x);
}

TEST_C(ChainLead, ASkippedMemberIsNotAsked)
{
    struct chained x;
    struct teller near;
    size_t size;
    const uint8_t *blob;
    teller_init(&near, dnnl_cache_miss);
    open_all(&x, &near, NULL);
    near.failures = 3;
    for (int i = 0; i < 3; i++)
        EXPECT_STATUS(dnnl_cache_miss,
                x.s->get(x.s->user, 4, (const uint8_t *)"id 1", &size, &blob));
    EXPECT_STATUS(dnnl_not_required, wait(&x));
    EXPECT_EQ(0, near.asked);
    EXPECT_STATUS(dnnl_invalid_arguments,
            x.s->acquire_lease(x.s->user, 0, NULL, &size, &blob));
    x.s->release_lease(x.s->user, 0, NULL);
    EXPECT_EQ(0, near.stopped);
    close_all(&x);
}
