/* SPDX-License-Identifier: Apache-2.0 */
/* A chain whose memory runs out hands nothing out, and gives back what a member
 * gave it. */
#include "dnnl_cache/chain_store.h"
#include "fault.h"
#include "store_helpers.h"
#include "test.h"

#include <string.h>

/* A member whose every look-up finds the same blob. */
struct giver {
    dnnl_cache_store_t callbacks;
    unsigned given, released;
};

static const char blob_given[] = "a blob";

static dnnl_status_t give(void *user, size_t id_size, const uint8_t *id,
        size_t *size, const uint8_t **blob)
{
    struct giver *g = user;
    (void)id_size;
    (void)id;
    g->given++;
    *size = sizeof blob_given;
    *blob = (const uint8_t *)blob_given;
    return dnnl_success;
}

static void take_back(void *user, size_t size, const uint8_t *blob)
{
    struct giver *g = user;
    EXPECT_EQ(sizeof blob_given, size);
    EXPECT_TRUE((const char *)blob == blob_given);
    g->released++;
}

static void stop(void *user, size_t id_size, const uint8_t *id)
{
    (void)user;
    (void)id_size;
    (void)id;
}

static void giver_init(struct giver *g)
{
    *g = (struct giver){.given = 0};
    g->callbacks = (dnnl_cache_store_t){
            .struct_size = sizeof g->callbacks,
            .user = g,
            .get = give,
            .release = take_back,
            .put = put_nothing,
            .remove = remove_nothing,
            .acquire_lease = give,
            .release_lease = stop,
    };
}

typedef dnnl_status_t (*look_up_t)(void *user, size_t id_size,
        const uint8_t *id, size_t *size, const uint8_t **blob);

/* With a fault at each call that the look-up makes, and with none. */
static void look_up(const dnnl_cache_store_t *chain, look_up_t call,
        struct giver *giver, dnnl_status_t without_memory)
{
    const char *what = "";
    unsigned faults = 0;
    for (unsigned at = 1; what != NULL && at < 100; at++) {
        size_t size = 77;
        const uint8_t *blob = NULL;
        giver_init(giver);
        fault_arm(at, 0, false);
        const dnnl_status_t st =
                call(chain->user, 4, (const uint8_t *)"id 1", &size, &blob);
        (void)fault_disarm(&what);
        if (what != NULL) faults++;
        if (st == dnnl_success) {
            EXPECT_EQ(sizeof blob_given, size);
            EXPECT_TRUE((const char *)blob == blob_given);
            chain->release(chain->user, size, blob);
        } else {
            EXPECT_TRUE(what != NULL);
            EXPECT_STATUS(without_memory, st);
            EXPECT_EQ(77, size);
            EXPECT_TRUE(blob == NULL);
        }
        EXPECT_EQ(1, giver->given);
        EXPECT_EQ(1, giver->released);
    }
    EXPECT_GT(faults, 0);
    EXPECT_TRUE(what == NULL);
}

TEST_C(ChainFaults, WithoutMemoryNothingIsHandedOut)
{
    const struct dnnl_cache_store_chain_options options =
            DNNL_CACHE_STORE_CHAIN_OPTIONS_INIT;
    dnnl_cache_store_handle_t *handle = NULL;
    struct giver giver;
    giver_init(&giver);
    const struct dnnl_cache_store_chain_member members[] = {
            {sizeof(struct dnnl_cache_store_chain_member), "giver", NULL,
                    &giver.callbacks, dnnl_cache_store_chain_role_write}};
    ASSERT_OK(dnnl_cache_store_open_chain(&handle, members, 1, &options));
    const dnnl_cache_store_t *chain = dnnl_cache_store_get_callbacks(handle);
    look_up(chain, chain->acquire_lease, &giver, dnnl_out_of_memory);
    look_up(chain, chain->get, &giver, dnnl_cache_miss);
    dnnl_cache_store_close(handle);
}
