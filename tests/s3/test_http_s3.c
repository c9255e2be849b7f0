/* SPDX-License-Identifier: Apache-2.0 */
/* The store on an S3 server that checks signatures: tests/s3/run.sh starts it,
 * and says by DNNL_CACHE_TEST_S3 where it is. */
#include "remote_helpers.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A store below a place of its own. */
static dnnl_cache_store_handle_t *open_at(const char *place, const char *more)
{
    const char *server = getenv("DNNL_CACHE_TEST_S3");
    if (server == NULL) {
        test_skip(__FILE__, __LINE__, "no S3 server: see tests/s3/run.sh");
        return NULL;
    }
    return remote_open("%s/fleet%s?insecure=1&timeout_ms=60000&"
                       "aws_region=eu-west-1%s",
            server, place, more);
}

static void set_keys(const char *id, const char *secret, const char *session)
{
    EXPECT_EQ(0, setenv("AWS_ACCESS_KEY_ID", id, 1));
    EXPECT_EQ(0, setenv("AWS_SECRET_ACCESS_KEY", secret, 1));
    EXPECT_EQ(0, setenv("AWS_SESSION_TOKEN", session, 1));
}

/* All calls, with a large body, and a list of one. */
static void expect_works(const char *place, const char *more)
{
    bool has = false;
    dnnl_cache_store_handle_t *store = open_at(place, more);
    if (store == NULL) return;
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 1, 100));
    EXPECT_OK(put_number(store, 1, 100));
    EXPECT_OK(put_number(store, 2, 3000000)); /* over what Expect is sent for */
    remote_flush(store);
    EXPECT_OK(get_number(store, 1, 100));
    EXPECT_OK(get_number(store, 2, 3000000));
    EXPECT_OK(dnnl_cache_store_remote_has(
            store, 4, (const uint8_t *)"id 1", &has));
    EXPECT_TRUE(has);
    EXPECT_EQ(2, count_entries(store));
    EXPECT_OK(remove_id(store, "id 2"));
    EXPECT_EQ(1, count_entries(store));
    EXPECT_OK(remove_id(store, "id 1"));
    EXPECT_EQ(0, count_entries(store));
    EXPECT_EQ(0, remote_of(store).errors);
    EXPECT_EQ(0, remote_of(store).refusals);
    dnnl_cache_store_close(store);
}

TEST_C(HttpS3, SignaturesAreThoseOfBotocore)
{
    set_keys("test-id", "test-secret", "");
    expect_works("", "");
    expect_works("/prefix", "");
    expect_works("/deeper/folder", "");
}

TEST_C(HttpS3, OddPathsAreSignedInTheirOneForm)
{
    set_keys("test-id", "test-secret", "");
    expect_works("/a%20b+c@d:e,f;g=h(i)!j'k*l~m$n", "");
    expect_works("/%c3%a4%2B%26%3C", "");
    expect_works("/a%2Fb", "");
}

TEST_C(HttpS3, SessionTokensAreSigned)
{
    char path[path_size];
    char more[2 * path_size];
    set_keys("session-id", "session-secret", "session-token");
    expect_works("/session", "");
    set_keys("", "", "");
    write_secret(path_in_test(path, "keys"),
            "# comment\naws_access_key_id=session-id\r\n"
            "aws_secret_access_key=session-secret\n"
            "aws_session_token=session-token",
            0600);
    snprintf(more, sizeof more, "&aws_keys_file=%s", path);
    expect_works("/file", more);
}

TEST_C(HttpS3, WrongSecretsAreRefused)
{
    set_keys("test-id", "another-secret", "");
    dnnl_cache_store_handle_t *store = open_at("/wrong", "");
    if (store == NULL) return;
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 1, 100));
    EXPECT_OK(put_number(store, 1, 100));
    remote_flush(store);
    EXPECT_EQ(2, remote_of(store).refusals);
    EXPECT_EQ(0, remote_of(store).errors);
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 1, 100));
    EXPECT_NULL(strstr(remote_messages(), "another-secret"));
    dnnl_cache_store_close(store);
}

/* More than a page of S3's, among objects of others. */
TEST_C(HttpS3, ListsHaveManyPages)
{
    enum { count = 1100 };
    struct dnnl_cache_store_check check = DNNL_CACHE_STORE_CHECK_INIT;
    set_keys("test-id", "test-secret", "");
    dnnl_cache_store_handle_t *store = open_at("/pages", "");
    if (store == NULL) return;
    for (unsigned i = 0; i < count; i++) {
        EXPECT_OK(put_number(store, i, 50));
        if (i % 100 == 99) remote_flush(store);
    }
    EXPECT_EQ(count, count_entries(store));
    EXPECT_OK(dnnl_cache_store_verify(store, false, NULL, NULL, &check));
    EXPECT_EQ(count, check.intact);
    EXPECT_EQ(0, check.damaged);
    dnnl_cache_store_close(store);
    /* Those of the place alone; the bucket's others are no entries. */
    store = open_at("", "");
    EXPECT_EQ(0, count_entries(store));
    dnnl_cache_store_close(store);
}
