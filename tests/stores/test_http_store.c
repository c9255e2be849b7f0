/* SPDX-License-Identifier: Apache-2.0 */
/* The store on a real nginx with WebDAV's PUT and DELETE. */
#include "nginx_server.h"
#include "remote_helpers.h"
#include "test.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static struct nginx_process server;

static struct dnnl_cache_store_handle *open_with(const char *more)
{
    return remote_open(
            "http://127.0.0.1:%u/fleet?insecure=1&timeout_ms=5000%s%s",
            server.port, more[0] != '\0' ? "&" : "", more);
}

/* ---- Entries ------------------------------------------------------------- */

TEST_C(HttpStore, KeepsWhatIsPutForOtherHosts)
{
    if (!nginx_is_there()) return;
    nginx_start(&server, NULL);
    struct dnnl_cache_store_handle *one = open_with("");
    struct dnnl_cache_store_handle *other = open_with("");
    bool has = true;
    EXPECT_STATUS(dnnl_cache_miss, get_number(one, 1, 3000));
    EXPECT_OK(
            dnnl_cache_store_remote_has(one, 4, (const uint8_t *)"id 1", &has));
    EXPECT_FALSE(has);
    EXPECT_OK(put_number(one, 1, 3000));
    EXPECT_OK(put_number(one, 2, 3000000));
    remote_flush(one);
    EXPECT_OK(get_number(other, 1, 3000));
    EXPECT_OK(get_number(other, 2, 3000000));
    EXPECT_OK(
            dnnl_cache_store_remote_has(one, 4, (const uint8_t *)"id 1", &has));
    EXPECT_TRUE(has);
    EXPECT_OK(put_number(one, 1, 3000)); /* in place of itself */
    remote_flush(one);
    EXPECT_OK(remove_id(other, "id 1"));
    EXPECT_OK(remove_id(other, "id 1"));
    EXPECT_STATUS(dnnl_cache_miss, get_number(one, 1, 3000));
    EXPECT_EQ(0, remote_of(one).errors);
    EXPECT_EQ(0, remote_of(other).errors);
    dnnl_cache_store_close(one);
    dnnl_cache_store_close(other);
    EXPECT_EQ(3, nginx_requests(&server, " PUT /fleet/"));
    EXPECT_EQ(0, nginx_requests(&server, "expect=100"));
    /* A store has one connection for gets and one for puts. */
    EXPECT_EQ(4, nginx_connections(&server));
    nginx_kill(&server);
}

TEST_C(HttpStore, GetsManyAtOnceByFewConnections)
{
    enum { count = 50, size = 2000 };
    static char ids[count][16];
    size_t id_sizes[count];
    const uint8_t *list[count];
    size_t sizes[count] = {0};
    const uint8_t *blobs[count] = {NULL};
    if (!nginx_is_there()) return;
    nginx_start(&server, NULL);
    struct dnnl_cache_store_handle *store = open_with("");
    for (unsigned i = 0; i < count; i++) {
        id_sizes[i] = (size_t)snprintf(ids[i], sizeof ids[i], "id %u", i);
        list[i] = (const uint8_t *)ids[i];
        if (i != 7) EXPECT_OK(put_number(store, i, size));
    }
    remote_flush(store);
    const dnnl_cache_store_t *s = dnnl_cache_store_callbacks(store);
    EXPECT_OK(s->get_many(s->user, count, id_sizes, list, sizes, blobs));
    for (unsigned i = 0; i < count; i++) {
        EXPECT_EQ(i == 7 ? 0 : size, sizes[i]);
        if (blobs[i] != NULL) s->release(s->user, sizes[i], blobs[i]);
    }
    EXPECT_EQ(count, nginx_requests(&server, " GET /fleet/"));
    EXPECT_LE(nginx_connections(&server), 16);
    EXPECT_EQ(0, remote_of(store).errors);
    dnnl_cache_store_close(store);
    nginx_kill(&server);
}

TEST_C(HttpStore, PlainHttpCannotList)
{
    struct dnnl_cache_store_check check = {0};
    if (!nginx_is_there()) return;
    nginx_start(&server, NULL);
    struct dnnl_cache_store_handle *store = open_with("");
    EXPECT_OK(put_number(store, 1, 100));
    EXPECT_STATUS(dnnl_unimplemented,
            dnnl_cache_store_verify(store, false, NULL, NULL, &check));
    EXPECT_TRUE(strstr(remote_messages(), "cannot list what it has") != NULL);
    dnnl_cache_store_close(store);
    nginx_kill(&server);
}
