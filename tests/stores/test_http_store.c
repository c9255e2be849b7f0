/* SPDX-License-Identifier: Apache-2.0 */
/* The store on a real nginx with WebDAV's PUT and DELETE. */
#include "nginx_server.h"
#include "remote_helpers.h"
#include "test.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static struct nginx_process server;

static dnnl_cache_store_handle_t *open_with(const char *more)
{
    return remote_open(
            "http://127.0.0.1:%u/fleet?insecure=1&timeout_ms=5000%s%s",
            server.port, more[0] != '\0' ? "&" : "", more);
}

/* ---- Entries ------------------------------------------------------------- */

TEST_NGINX(HttpStore, KeepsWhatIsPutForOtherHosts)
{
    dnnl_cache_store_handle_t *one = open_with("");
    dnnl_cache_store_handle_t *other = open_with("");
    bool has = true;
    EXPECT_STATUS(dnnl_cache_miss, get_number(one, 1, 3000));
    EXPECT_OK(
            dnnl_cache_store_remote_has(one, 4, (const uint8_t *)"id 1", &has));
    EXPECT_FALSE(has);
    EXPECT_OK(put_number(one, 1, 3000));
    remote_flush(one);
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
    /* A store has one connection for gets and one for puts, which come one
     * after the other; and one more if it asks for the server's key, once,
     * while it puts. */
    EXPECT_TRUE(nginx_connections(&server) >= 4);
    EXPECT_TRUE(nginx_connections(&server) <= 5);
}

TEST_NGINX(HttpStore, GetsManyAtOnceByFewConnections)
{
    expect_many(open_with(""));
    EXPECT_EQ(many_entries, nginx_requests(&server, " GET /fleet/"));
    EXPECT_LE(nginx_connections(&server), 16);
}

TEST_NGINX(HttpStore, PlainHttpCannotList)
{
    struct dnnl_cache_store_check check = DNNL_CACHE_STORE_CHECK_INIT;
    dnnl_cache_store_handle_t *store = open_with("");
    EXPECT_OK(put_number(store, 1, 100));
    EXPECT_STATUS(dnnl_unimplemented,
            dnnl_cache_store_verify(store, false, NULL, NULL, &check));
    EXPECT_TRUE(strstr(remote_messages(), "cannot list what it has") != NULL);
    dnnl_cache_store_close(store);
}

/* ---- Who we are ---------------------------------------------------------- */

/* One entry is put and got. */
static void expect_works(const char *more)
{
    dnnl_cache_store_handle_t *store = open_with(more);
    EXPECT_OK(put_number(store, 1, 100));
    remote_flush(store);
    EXPECT_OK(get_number(store, 1, 100));
    EXPECT_EQ(0, remote_of(store).errors);
    dnnl_cache_store_close(store);
}

/* Nothing is put or got, the server says so, and no message has a secret. */
static void expect_refused(const char *more)
{
    dnnl_cache_store_handle_t *store = open_with(more);
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 1, 100));
    EXPECT_EQ(1, remote_of(store).refusals);
    EXPECT_EQ(1, remote_of(store).gets_failed);
    EXPECT_OK(put_number(store, 1, 100));
    remote_flush(store);
    EXPECT_EQ(2, remote_of(store).refusals);
    EXPECT_EQ(0, remote_of(store).errors);
    EXPECT_OK(put_number(store, 1, 100)); /* logs what the last came to */
    EXPECT_NULL(strstr(remote_messages(), "secret"));
    dnnl_cache_store_close(store);
}

/* "OPTION=the file's path" */
static const char *file_option(
        char option[2 * path_size], const char *before, const char *name)
{
    char path[path_size];
    snprintf(option, 2 * path_size, "%s=%s", before, path_in_test(path, name));
    return option;
}

static void write_in_test(const char *name, const char *text)
{
    char path[path_size];
    write_secret(path_in_test(path, name), text, 0600);
}

TEST_C(HttpStore, BasicAuthentication)
{
    char more[2 * path_size];
    if (!nginx_is_there()) return;
    write_in_test("users", "host:{PLAIN}first-secret\n");
    write_in_test("password", "first-secret\n");
    /* Names of files in a configuration are relative to its folder. */
    nginx_start(&server,
            &(struct nginx_lines){.location = "auth_basic fleet; "
                                              "auth_basic_user_file users;"});
    expect_works(file_option(more, "user=host&password_file", "password"));
    expect_refused("");
    expect_refused(file_option(more, "user=guest&password_file", "password"));
    write_in_test("password", "second-secret");
    expect_refused(file_option(more, "user=host&password_file", "password"));
    nginx_kill(&server);
}

/* As docs/how_to/share_a_store_between_hosts.md has it: everybody reads,
 * builders write. */
TEST_C(HttpStore, OnlyBuildersWrite)
{
    char more[2 * path_size];
    if (!nginx_is_there()) return;
    write_in_test("users", "builder:{PLAIN}a-secret\n");
    write_in_test("password", "a-secret\n");
    nginx_start(&server,
            &(struct nginx_lines){
                    .location = "limit_except GET { auth_basic builders; "
                                "auth_basic_user_file users; }"});
    expect_works(file_option(more, "user=builder&password_file", "password"));
    dnnl_cache_store_handle_t *store = open_with("");
    EXPECT_OK(put_number(store, 2, 100));
    EXPECT_NE(dnnl_success, remove_id(store, "id 1"));
    EXPECT_OK(get_number(store, 1, 100));
    remote_flush(store);
    EXPECT_EQ(1, statistics_of(store).puts_failed);
    EXPECT_EQ(0, remote_of(store).errors);
    dnnl_cache_store_close(store);
    nginx_kill(&server);
}

static const char tokens[] =
        "map $http_authorization $is_known { default 0; "
        "\"Bearer first-secret\" 1; \"Bearer second-secret\" 1; }";
static const char needs_token[] = "if ($is_known = 0) { return 401; }";

TEST_C(HttpStore, BearerTokens)
{
    char more[2 * path_size];
    if (!nginx_is_there()) return;
    write_in_test("token", "first-secret\n");
    write_in_test("other", "another-secret\n");
    nginx_start(&server,
            &(struct nginx_lines){.http = tokens, .location = needs_token});
    expect_works(file_option(more, "token_file", "token"));
    expect_refused(file_option(more, "token_file", "other"));
    expect_refused("");
    nginx_kill(&server);
}

/* Tokens end: who writes a new one need not start the application again. */
TEST_C(HttpStore, ARenewedTokenIsReadAgain)
{
    char more[2 * path_size];
    if (!nginx_is_there()) return;
    write_in_test("token", "expired-secret\n");
    nginx_start(&server,
            &(struct nginx_lines){.http = tokens, .location = needs_token});
    dnnl_cache_store_handle_t *store =
            open_with(file_option(more, "token_file", "token"));
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 1, 100));
    EXPECT_EQ(1, remote_of(store).refusals);
    write_in_test("token", "second-secret\n");
    const uint64_t end = now_ms() + 60000;
    while (remote_of(store).refusals == remote_of(store).gets_failed
            && now_ms() < end) {
        const uint64_t refusals = remote_of(store).refusals;
        EXPECT_STATUS(dnnl_cache_miss, get_number(store, 1, 100));
        if (remote_of(store).refusals == refusals) break;
        (void)usleep(50000);
    }
    EXPECT_LT(now_ms(), end);
    EXPECT_EQ(1, statistics_of(store).misses);
    dnnl_cache_store_close(store);
    nginx_kill(&server);
}

TEST_C(HttpStore, SecretsMustBeTheOwnersAlone)
{
    static const struct {
        const char *text;
        mode_t mode;
        const char *said;
    } files[] = {
            {"a-secret", 0644, "other users may read it"},
            {"a-secret", 0640, "other users may read it"},
            {"\na-secret", 0600, "its first line is empty"},
            {"a\tsecret", 0600, "control character"},
            {"", 0600, "its first line is empty"},
    };
    char file[path_size];
    char url[2 * path_size];
    dnnl_cache_store_handle_t *store = NULL;
    (void)path_in_test(file, "token");
    snprintf(url, sizeof url, "http://127.0.0.1/?insecure=1&token_file=%s",
            file);
    EXPECT_STATUS(dnnl_runtime_error, remote_try_open(&store, url));
    for (size_t i = 0; i < COUNT(files); i++) {
        write_secret(file, files[i].text, files[i].mode);
        EXPECT_NE(dnnl_success, remote_try_open(&store, url));
        EXPECT_TRUE(strstr(remote_messages(), files[i].said) != NULL);
        EXPECT_NULL(strstr(remote_messages(), "secret"));
    }
}

/* ---- Descriptors --------------------------------------------------------- */

/* Connections that programs would inherit which this process starts. The
 * pipes by which libcurl 7.88 wakes its threads lead nowhere else. */
static unsigned count_inherited(void)
{
    unsigned count = 0;
    for (int fd = 0; fd < 1024; fd++) {
        int domain = 0;
        socklen_t size = sizeof domain;
        const int flags = fcntl(fd, F_GETFD);
        if (flags >= 0 && (flags & FD_CLOEXEC) == 0
                && getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &size) == 0)
            count += domain == AF_INET;
    }
    return count;
}

TEST_NGINX(HttpStore, ProgramsThatAreStartedInheritNoConnection)
{
    const unsigned before = count_inherited();
    dnnl_cache_store_handle_t *store = open_with("");
    EXPECT_OK(put_number(store, 1, 100));
    remote_flush(store);
    EXPECT_OK(get_number(store, 1, 100));
    EXPECT_EQ(before, count_inherited());
    dnnl_cache_store_close(store);
}

/* ---- What a server can answer -------------------------------------------- */

TEST_NGINX(HttpStore, AServerThatRefusesWritesIsReadOn)
{
    expect_works("");
    nginx_kill(&server);
    nginx_start(&server, &(struct nginx_lines){
                                 .location = "limit_except GET { deny all; }"});
    dnnl_cache_store_handle_t *store = open_with("");
    EXPECT_OK(put_number(store, 2, 1000));
    remote_flush(store);
    EXPECT_EQ(1, remote_of(store).refusals);
    EXPECT_OK(get_number(store, 1, 100));
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 2, 1000));
    EXPECT_EQ(0, remote_of(store).errors);
    dnnl_cache_store_close(store);
}

TEST_C(HttpStore, WhatTheServerFindsTooLargeIsDropped)
{
    if (!nginx_is_there()) return;
    nginx_start(&server,
            &(struct nginx_lines){.server = "client_max_body_size 10k;"});
    dnnl_cache_store_handle_t *store = open_with("");
    EXPECT_OK(put_number(store, 1, 30000));
    EXPECT_OK(put_number(store, 2, 3000000));
    remote_flush(store);
    EXPECT_EQ(2, statistics_of(store).puts_too_large);
    EXPECT_EQ(2, remote_of(store).too_large);
    EXPECT_OK(put_number(store, 3, 1000)); /* the server is not blamed */
    remote_flush(store);
    EXPECT_OK(get_number(store, 3, 1000));
    EXPECT_EQ(0, remote_of(store).errors);
    dnnl_cache_store_close(store);
    nginx_kill(&server);
}

TEST_NGINX(HttpStore, WhatIsTooLargeForUsIsNotFetched)
{
    dnnl_cache_store_handle_t *store = open_with("");
    dnnl_cache_store_handle_t *other = open_with("max_blob_bytes=20000");
    EXPECT_OK(put_number(store, 1, 100));
    EXPECT_OK(put_number(store, 2, 30000));
    EXPECT_OK(put_number(store, 3, 6000000));
    remote_flush(store);
    for (unsigned i = 2; i <= 3; i++) {
        EXPECT_STATUS(dnnl_cache_miss, get_number(other, i, 100));
        EXPECT_EQ(i - 1, remote_of(other).too_large);
        EXPECT_OK(get_number(other, 1, 100));
    }
    EXPECT_LT(remote_of(other).bytes_received, 2000);
    EXPECT_EQ(0, remote_of(other).errors);
    dnnl_cache_store_close(store);
    dnnl_cache_store_close(other);
}

TEST_C(HttpStore, RedirectsAreNotFollowed)
{
    if (!nginx_is_there()) return;
    nginx_start(&server,
            &(struct nginx_lines){
                    .location = "return 307 http://127.0.0.1:$server_port/"
                                "elsewhere$uri;",
                    .server = "location /elsewhere { return 404; }"});
    expect_refused("");
    EXPECT_EQ(2, nginx_requests(&server, " 307 "));
    EXPECT_EQ(0, nginx_requests(&server, "/elsewhere"));
    nginx_kill(&server);
}

TEST_C(HttpStore, AFullDiskIsReadOn)
{
    if (!nginx_is_there()) return;
    nginx_start(&server,
            &(struct nginx_lines){.most_file_bytes = (uint64_t)200 * 1024});
    dnnl_cache_store_handle_t *store = open_with("");
    EXPECT_OK(put_number(store, 1, 1000));
    EXPECT_OK(put_number(store, 2, 4000000));
    remote_flush(store);
    EXPECT_EQ(1, remote_of(store).refusals);
    EXPECT_EQ(1, statistics_of(store).puts_failed);
    EXPECT_OK(get_number(store, 1, 1000));
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 2, 4000000));
    EXPECT_EQ(0, remote_of(store).errors);
    EXPECT_EQ(0, statistics_of(store).damaged);
    dnnl_cache_store_close(store);
    nginx_kill(&server);
}

/* A key that only reads puts nothing, and removes nothing. */
TEST_NGINX(HttpStore, ReadOnlyAsksForNothingElse)
{
    expect_works("");
    dnnl_cache_store_handle_t *store = open_with("read_only=1");
    EXPECT_OK(put_number(store, 2, 100));
    EXPECT_NE(dnnl_success, remove_id(store, "id 1"));
    EXPECT_OK(get_number(store, 1, 100));
    dnnl_cache_store_close(store);
    EXPECT_EQ(1, nginx_requests(&server, " PUT "));
    EXPECT_EQ(0, nginx_requests(&server, " DELETE "));
}

/* The environment's proxies are for other things: none of them is asked. */
TEST_C(HttpStore, ProxiesOfTheEnvironmentAreNotUsed)
{
    if (!nginx_is_there()) return;
    EXPECT_EQ(0, setenv("http_proxy", "http://127.0.0.1:1", 1));
    EXPECT_EQ(0, setenv("ALL_PROXY", "http://127.0.0.1:1", 1));
    nginx_start(&server, NULL);
    expect_works("");
    EXPECT_EQ(0, unsetenv("http_proxy"));
    EXPECT_EQ(0, unsetenv("ALL_PROXY"));
    nginx_kill(&server);
}

/* ---- A server that comes and goes ---------------------------------------- */

/* The other side closes a kept connection: the next request makes one. */
TEST_C(HttpStore, AConnectionThatTheServerClosedIsMadeAgain)
{
    if (!nginx_is_there()) return;
    nginx_start(
            &server, &(struct nginx_lines){.server = "keepalive_timeout 0;"});
    dnnl_cache_store_handle_t *store = open_with("");
    for (unsigned i = 0; i < 5; i++) {
        EXPECT_OK(put_number(store, i, 1000));
        remote_flush(store);
        EXPECT_OK(get_number(store, i, 1000));
    }
    EXPECT_EQ(0, remote_of(store).errors);
    /* One more asks whether entries are encrypted there. */
    EXPECT_EQ(11, nginx_connections(&server));
    dnnl_cache_store_close(store);
    nginx_kill(&server);
}

TEST_NGINX(HttpStore, APausedServerIsNotWaitedFor)
{
    dnnl_cache_store_handle_t *store = remote_open(
            "http://127.0.0.1:%u?insecure=1&timeout_ms=100", server.port);
    remote_expect_no_wait_for_paused(store, server.pid);
}

static void kill_server(void)
{
    nginx_kill(&server);
}

static void start_again(void)
{
    nginx_start(&server, NULL);
}

TEST_NGINX(HttpStore, AServerIsKilledAndRestartedUnderLoad)
{
    dnnl_cache_store_handle_t *store = open_with("");
    remote_load_over_restarts(store, kill_server, start_again);
    dnnl_cache_store_close(store);
}
