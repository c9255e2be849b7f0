/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Applications on several "hosts", each with a store of its own on disk, and
 * one server behind them: Redis at a Unix socket, and the fake driver, which
 * ends the process at the first damaged binary.
 */
#include "application.h"

#include "dnnl_cache/store.h"
#include "layer_process.h"
#include "nginx_server.h"
#include "redis_server.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PROGRAMS = 3, text_size = 1024 };

/* What is compiled. */
static unsigned long all = PROGRAMS;
static unsigned long none = 0;

static void use_programs(void *user)
{
    const unsigned long *expected = user;
    struct application a;
    application_open(&a, 1);
    for (int i = 0; i < PROGRAMS; i++) {
        char kernel[32];
        (void)snprintf(kernel, sizeof kernel, "k%d", i);
        use_program(&a, kernel, "-DX=1");
    }
    EXPECT_EQ(*expected, source_builds(&a));
    application_close(&a);
}

/* ---- Hosts --------------------------------------------------------------- */

struct fleet {
    struct redis_process server;
    char key[text_size];
    char other_key[text_size];
    char secret[text_size];
    char public[text_size];
    const char *application; /* a variable; NULL: none */
};

static const char *path_in_test(char path[text_size], const char *name)
{
    (void)snprintf(path, text_size, "%s/%s", test_directory(), name);
    return path;
}

static void fleet_begin(struct fleet *fleet)
{
    *fleet = (struct fleet){.server = {.pid = 0}};
    path_in_test(fleet->key, "key");
    path_in_test(fleet->other_key, "other_key");
    path_in_test(fleet->secret, "secret");
    path_in_test(fleet->public, "public");
    EXPECT_OK(dnnl_cache_store_key_file_make(fleet->key));
    EXPECT_OK(dnnl_cache_store_key_file_make(fleet->other_key));
    EXPECT_OK(dnnl_cache_store_key_pair_make(fleet->secret, fleet->public));
    redis_start(&fleet->server, test_directory(), NULL);
}

static void fleet_end(struct fleet *fleet)
{
    redis_kill(&fleet->server);
}

/* Runs the application on a host, whose store has this name, with these options
 * of the URL (NULL: no server). The deadline leaves a busy machine time. */
static int run_on(const struct fleet *fleet, const char *host,
        const char *options, void (*body)(void *user), void *user)
{
    char directory[text_size + 64];
    char remote[2 * text_size];
    char path[text_size];
    const char *variables[] = {directory, NULL, NULL, NULL};
    (void)snprintf(directory, sizeof directory, "DNNL_CACHE_DIR=%s",
            path_in_test(path, host));
    (void)snprintf(remote, sizeof remote,
            "DNNL_CACHE_REMOTE=unix://%s?timeout_ms=20000%s",
            fleet->server.socket, options != NULL ? options : "");
    if (options != NULL) variables[1] = remote;
    if (options != NULL) variables[2] = fleet->application;
    return run_application(variables, body, user);
}

/* The same where all is compiled: what is said on standard error, which the
 * caller frees. */
static char *said_on(
        const struct fleet *fleet, const char *host, const char *options)
{
    char path[text_size];
    const int before = dup(STDERR_FILENO);
    FILE *file = fopen(path_in_test(path, "said"), "we");
    EXPECT_GE(dup2(fileno(file), STDERR_FILENO), 0);
    EXPECT_EQ(0, run_on(fleet, host, options, use_programs, &all));
    EXPECT_GE(dup2(before, STDERR_FILENO), 0);
    close(before);
    (void)fclose(file);
    return layer_process_read_file(path);
}

static const char *with(const char *name, const char *path)
{
    static char text[4][text_size + 64];
    static size_t next;
    char *made = text[next++ % 4];
    (void)snprintf(made, sizeof text[0], "&%s=%s", name, path);
    return made;
}

/* ---- Warm elsewhere ------------------------------------------------------ */

TEST_C(LayerRemote, WarmsHostsThatNeverRanTheApplication)
{
    struct fleet fleet;
    if (!redis_is_there()) return;
    fleet_begin(&fleet);
    const char *key = with("key_file", fleet.key);
    EXPECT_EQ(0, run_on(&fleet, "a", key, use_programs, &all));
    EXPECT_EQ(PROGRAMS, redis_number(&fleet.server, "DBSIZE"));
    EXPECT_EQ(0, run_on(&fleet, "b", key, use_programs, &none));
    EXPECT_EQ(PROGRAMS, counted("disk_hits"));
    EXPECT_EQ(PROGRAMS, counted("remote_hits"));
    EXPECT_EQ(0, counted("remote_failures"));
    /* What it found there is in its own store now. */
    fleet_end(&fleet);
    EXPECT_EQ(0, run_on(&fleet, "b", NULL, use_programs, &none));
}

TEST_C(LayerRemote, BringsAWorkingSetWithOneQuestion)
{
    struct fleet fleet;
    if (!redis_is_there()) return;
    fleet_begin(&fleet);
    const char *key = with("key_file", fleet.key);
    fleet.application = "DNNL_CACHE_APPLICATION=an app";
    EXPECT_EQ(0, run_on(&fleet, "a", key, use_programs, &all));
    EXPECT_EQ(PROGRAMS + 1, redis_number(&fleet.server, "DBSIZE"));
    const long long gets = redis_gets(&fleet.server);
    EXPECT_EQ(0, run_on(&fleet, "b", key, use_programs, &none));
    EXPECT_EQ(PROGRAMS, counted("disk_hits"));
    EXPECT_EQ(PROGRAMS, counted("remote_hits"));    /* not the list */
    EXPECT_EQ(gets + 2, redis_gets(&fleet.server)); /* list, and programs */
    /* All of it is here now, the list as well. */
    EXPECT_EQ(0, run_on(&fleet, "b", key, use_programs, &none));
    EXPECT_EQ(0, counted("remote_hits"));
    fleet_end(&fleet);
}

TEST_C(LayerRemote, WarmsHostsOverHttp)
{
    static const char *const hosts[] = {"a", "b"};
    struct nginx_process server = {.pid = 0};
    char key[text_size];
    char remote[2 * text_size];
    if (!nginx_is_there()) return;
    EXPECT_OK(dnnl_cache_store_key_file_make(path_in_test(key, "key")));
    nginx_start(&server, NULL);
    (void)snprintf(remote, sizeof remote,
            "DNNL_CACHE_REMOTE=http://127.0.0.1:%u/fleet?timeout_ms=20000&"
            "key_file=%s",
            server.port, key);
    for (size_t i = 0; i < COUNT(hosts); i++) {
        char directory[text_size + 64];
        char path[text_size];
        (void)snprintf(directory, sizeof directory, "DNNL_CACHE_DIR=%s",
                path_in_test(path, hosts[i]));
        const char *const variables[] = {directory, remote, NULL};
        EXPECT_EQ(0, run_application(
                             variables, use_programs, i == 0 ? &all : &none));
    }
    EXPECT_EQ(PROGRAMS, nginx_requests(&server, " PUT /fleet/"));
    EXPECT_EQ(PROGRAMS, counted("remote_hits"));
    EXPECT_EQ(0, counted("remote_failures"));
    nginx_kill(&server);
}

TEST_C(LayerRemote, NeedsNoStoreOnDisk)
{
    struct fleet fleet;
    char remote[2 * text_size];
    if (!redis_is_there()) return;
    fleet_begin(&fleet);
    (void)snprintf(remote, sizeof remote,
            "DNNL_CACHE_REMOTE=unix://%s?timeout_ms=20000&key_file=%s",
            fleet.server.socket, fleet.key);
    const char *const variables[] = {
            "DNNL_CACHE_DIR=", "XDG_CACHE_HOME=", "HOME=", remote, NULL};
    EXPECT_EQ(0, run_application(variables, use_programs, &all));
    EXPECT_EQ(0, run_application(variables, use_programs, &none));
    fleet_end(&fleet);
}

TEST_C(LayerRemote, IsBehindASeed)
{
    char seed[text_size];
    char variable[text_size + 64];
    char directory[text_size + 64];
    char path[text_size];
    const struct fleet fleet = {.server = {.pid = 0}};
    EXPECT_EQ(0, run_on(&fleet, "image", NULL, use_programs, &all));
    (void)snprintf(variable, sizeof variable, "DNNL_CACHE_SEED=%s",
            path_in_test(seed, "image"));
    (void)snprintf(directory, sizeof directory, "DNNL_CACHE_DIR=%s",
            path_in_test(path, "empty"));
    const char *const variables[] = {directory, variable, NULL};
    EXPECT_EQ(0, run_application(variables, use_programs, &none));
    /* The seed has all of it; nothing was copied. */
    EXPECT_EQ(0, run_on(&fleet, "empty", NULL, use_programs, &all));
}

/* ---- Trust --------------------------------------------------------------- */

TEST_C(LayerRemote, WithAnotherKeyCompiles)
{
    struct fleet fleet;
    if (!redis_is_there()) return;
    fleet_begin(&fleet);
    EXPECT_EQ(0, run_on(&fleet, "a", with("key_file", fleet.key), use_programs,
                         &all));
    char *said = said_on(&fleet, "b", with("key_file", fleet.other_key));
    EXPECT_NOT_NULL(
            strstr(said, "found entries that are damaged or of another key"));
    free(said);
    /* While keys change both are good. */
    char both[2 * text_size];
    (void)snprintf(both, sizeof both, "%s%s", with("key_file", fleet.key),
            with("old_key_file", fleet.other_key));
    EXPECT_EQ(0, run_on(&fleet, "c", both, use_programs, &none));
    fleet_end(&fleet);
}

/* All keys and values of the server, one after the other. */
static bool server_has(const struct fleet *fleet, const char *part)
{
    bool has = false;
    for (long long left = redis_number(&fleet->server, "DBSIZE"); left > 0;
            left--) {
        char name[512];
        size_t size = 0;
        (void)redis_text(&fleet->server, name, sizeof name, "RANDOMKEY");
        char *value = redis_bytes(&fleet->server, &size, "GET %s", name);
        has = has || strstr(name, part) != NULL
              || (value != NULL
                      && memmem(value, size, part, strlen(part)) != NULL);
        free(value);
        EXPECT_EQ(1, redis_number(&fleet->server, "DEL %s", name));
    }
    return has;
}

TEST_C(LayerRemote, WithAnEncryptionKeyShowsTheServerNothing)
{
    static const char option[] = "encryption_key_file";
    struct fleet fleet;
    char key[text_size];
    char other[text_size];
    char both[2 * text_size];
    if (!redis_is_there()) return;
    fleet_begin(&fleet);
    EXPECT_OK(dnnl_cache_store_encryption_key_make(path_in_test(key, "e")));
    EXPECT_OK(dnnl_cache_store_encryption_key_make(path_in_test(other, "o")));
    fleet.application = "DNNL_CACHE_APPLICATION=secret";
    EXPECT_EQ(0, run_on(&fleet, "a", with(option, key), use_programs, &all));
    EXPECT_EQ(0, run_on(&fleet, "b", with(option, key), use_programs, &none));
    char *said = said_on(&fleet, "c", with(option, other));
    EXPECT_NOT_NULL(strstr(said, "DNNL_CACHE_REMOTE: "));
    EXPECT_NOT_NULL(strstr(said, "of another key"));
    EXPECT_NULL(strstr(said, "damaged"));
    free(said);
    /* While keys change both are good. */
    (void)snprintf(both, sizeof both, "%s%s", with(option, other),
            with("old_encryption_key_file", key));
    EXPECT_EQ(0, run_on(&fleet, "d", both, use_programs, &none));
    EXPECT_LE(PROGRAMS, redis_number(&fleet.server, "DBSIZE"));
    EXPECT_FALSE(server_has(&fleet, "-DX=1"));
    EXPECT_EQ(0, run_on(&fleet, "e", "&insecure=1", use_programs, &all));
    EXPECT_TRUE(server_has(&fleet, "-DX=1"));
    fleet_end(&fleet);
}

TEST_C(LayerRemote, WithoutAKeyIsLeftOut)
{
    struct fleet fleet;
    if (!redis_is_there()) return;
    fleet_begin(&fleet);
    EXPECT_EQ(0, run_on(&fleet, "a", "", use_programs, &all));
    EXPECT_EQ(0, redis_number(&fleet.server, "DBSIZE"));
    EXPECT_EQ(0, run_on(&fleet, "a", "", use_programs, &none));
    EXPECT_EQ(0, run_on(&fleet, "b", "&insecure=1", use_programs, &all));
    EXPECT_EQ(PROGRAMS, redis_number(&fleet.server, "DBSIZE"));
    fleet_end(&fleet);
}

TEST_C(LayerRemote, IsReadAndNotWrittenByHostsWithAPublicKey)
{
    struct fleet fleet;
    if (!redis_is_there()) return;
    fleet_begin(&fleet);
    const char *public = with("public_key_file", fleet.public);
    EXPECT_EQ(0, run_on(&fleet, "a", public, use_programs, &all));
    EXPECT_EQ(0, redis_number(&fleet.server, "DBSIZE"));
    EXPECT_EQ(0, run_on(&fleet, "ci", with("sign_key_file", fleet.secret),
                         use_programs, &all));
    EXPECT_EQ(PROGRAMS, redis_number(&fleet.server, "DBSIZE"));
    EXPECT_EQ(0, run_on(&fleet, "b", public, use_programs, &none));
    fleet_end(&fleet);
}

/* Every entry gets the next one's bytes, or its own with one of them changed:
 * what somebody does who can write to the server and has no key. */
static const char swap_all[] =
        "local k = redis.call('keys', '*') table.sort(k) "
        "local first = redis.call('get', k[1]) "
        "for i = 1, #k do "
        "  local v = k[i + 1] and redis.call('get', k[i + 1]) or first "
        "  redis.call('set', k[i], v) "
        "end return #k";
static const char change_all[] =
        "local k = redis.call('keys', '*') "
        "for i = 1, #k do "
        "  local n = redis.call('strlen', k[i]) "
        "  local at = math.floor(n / 2) "
        "  local c = string.byte(redis.call('getrange', k[i], at, at)) "
        "  redis.call('setrange', k[i], at, string.char((c + 1) % 256)) "
        "end return #k";

TEST_C(LayerRemote, WithForgedEntriesCompiles)
{
    static const char *const forgeries[] = {swap_all, change_all};
    struct fleet fleet;
    if (!redis_is_there()) return;
    fleet_begin(&fleet);
    const char *key = with("key_file", fleet.key);
    for (size_t i = 0; i < COUNT(forgeries); i++) {
        char host[16];
        (void)redis_number(&fleet.server, "FLUSHALL");
        (void)snprintf(host, sizeof host, "a%zu", i);
        EXPECT_EQ(0, run_on(&fleet, host, key, use_programs, &all));
        EXPECT_EQ(PROGRAMS,
                redis_number(&fleet.server, "EVAL %s 0", forgeries[i]));
        (void)snprintf(host, sizeof host, "b%zu", i);
        EXPECT_EQ(0, run_on(&fleet, host, key, use_programs, &all));
        /* And has put right what it found there. */
        (void)snprintf(host, sizeof host, "c%zu", i);
        EXPECT_EQ(0, run_on(&fleet, host, key, use_programs, &none));
    }
    fleet_end(&fleet);
}

/* ---- Failures and ends of processes -------------------------------------- */

TEST_C(LayerRemote, ThatIsGoneIsDoneWithout)
{
    struct fleet fleet;
    if (!redis_is_there()) return;
    fleet_begin(&fleet);
    const char *key = with("key_file", fleet.key);
    EXPECT_EQ(0, run_on(&fleet, "a", key, use_programs, &all));
    fleet_end(&fleet);
    EXPECT_EQ(0, run_on(&fleet, "b", key, use_programs, &all));
    EXPECT_GE(counted("remote_failures"), PROGRAMS);
    EXPECT_EQ(0, run_on(&fleet, "b", key, use_programs, &none));
    EXPECT_EQ(0, counted("remote_failures"));
}

/* A child of fork() has connections of its own, and ends as its parent does. */
static void use_programs_in_both(void *user)
{
    int status = -1;
    use_programs(user);
    const pid_t child = fork();
    if (child == 0) {
        (void)alarm(120); /* ends a child that waits for a lost thread */
        use_programs(&none);
        exit(test_has_failed() ? EXIT_FAILURE : EXIT_SUCCESS);
    }
    EXPECT_EQ(child, waitpid(child, &status, 0));
    EXPECT_EQ(0, status);
}

TEST_C(LayerRemote, SurvivesForks)
{
    struct fleet fleet;
    if (!redis_is_there()) return;
    fleet_begin(&fleet);
    const char *key = with("key_file", fleet.key);
#ifdef __SANITIZE_ADDRESS__
    /* What the parent's threads had in hand would look leaked in the child:
     * with "b", whose programs are there, they have nothing. */
    EXPECT_EQ(0, run_on(&fleet, "a", key, use_programs, &all));
#else
    EXPECT_EQ(0, run_on(&fleet, "a", key, use_programs_in_both, &all));
#endif
    EXPECT_EQ(0, run_on(&fleet, "b", key, use_programs_in_both, &none));
    fleet_end(&fleet);
}
