/* SPDX-License-Identifier: Apache-2.0 */
/* The tool and a store on a server: Redis at a Unix socket. */
#include "nginx_server.h"
#include "prometheus_text.h"
#include "redis_server.h"
#include "test.h"
#include "tool_helpers.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct remote_rig {
    struct redis_process server;
    struct sample_store sample; /* in the store "store" */
    char store[path_size];
    char key[path_size];
    char url[3 * path_size];
};

static bool rig_begin(struct remote_rig *rig)
{
    if (!redis_is_there()) return false;
    sample_store_make(&rig->sample);
    snprintf(rig->store, sizeof rig->store, "%s", in_test("store"));
    snprintf(rig->key, sizeof rig->key, "%s", in_test("key"));
    EXPECT_OK(dnnl_cache_store_key_file_make(rig->key));
    rig->server = (struct redis_process){.pid = 0};
    redis_start(&rig->server, test_directory(), NULL);
    snprintf(rig->url, sizeof rig->url, "unix://%s?key_file=%s",
            rig->server.socket, rig->key);
    return true;
}

static void rig_end(struct remote_rig *rig)
{
    redis_kill(&rig->server);
    sample_store_fini(&rig->sample);
}

static void expect_has(const char *text, const char *part)
{
    if (strstr(text, part) == NULL)
        test_fail(__FILE__, __LINE__, "no \"%s\" in: %s", part, text);
    test_asserts();
}

TEST_C(ToolRemote, IsCopiedToAndFrom)
{
    struct remote_rig rig;
    char other[path_size];
    if (!rig_begin(&rig)) return;
    snprintf(other, sizeof other, "%s", in_test("other"));
    const struct run *run = run_bare("copy", rig.store, rig.url, NULL);
    EXPECT_EQ(exit_ok, run->code);
    EXPECT_STR_EQ("", run->err);
    expect_has(run->out, "3 copied with 1.1 KiB, 0 already there, 0 skipped");
    EXPECT_EQ(3, redis_number(&rig.server, "DBSIZE"));
    run = run_bare("copy", rig.store, rig.url, NULL);
    expect_has(run->out, "0 copied with 0 B, 3 already there");
    run = run_bare("copy", rig.url, other, NULL);
    EXPECT_EQ(exit_ok, run->code);
    expect_has(run->out, "3 copied");
    struct dnnl_cache_store_handle *store = open_test_store("other");
    for (int i = 0; i < sample_entries; i++)
        EXPECT_OK(get_made(store, &rig.sample.made[i]));
    dnnl_cache_store_close(store);
    rig_end(&rig);
}

/* As a process of its own, which is killed when the server has some of them.
 * False: it was too fast. */
static bool kill_while_copying(const struct remote_rig *rig, int all)
{
    enum { some = 10 };
    const pid_t pid = fork();
    if (pid == 0) {
        (void)execl(DNNL_CACHE_TEST_TOOL, "dnnl-cache", "--quiet", "copy",
                rig->store, rig->url, (char *)NULL);
        _exit(127);
    }
    while (redis_number(&rig->server, "DBSIZE") < some
            && waitpid(pid, NULL, WNOHANG) == 0)
        ;
    (void)kill(pid, SIGKILL);
    (void)waitpid(pid, NULL, 0);
    return redis_number(&rig->server, "DBSIZE") < all;
}

TEST_C(ToolRemote, GoesOnWhereACopyWasKilled)
{
    enum { programs = 300, all = programs + sample_entries };
    struct remote_rig rig;
    if (!rig_begin(&rig)) return;
    struct dnnl_cache_store_handle *store = open_test_store("store");
    for (int i = 0; i < programs; i++) {
        char source[32];
        snprintf(source, sizeof source, "kernel %d", i);
        struct made made = make_program("Sample GPU", "1.0", source, "", NULL);
        put_made(store, &made, 1000);
        made_fini(&made);
    }
    dnnl_cache_store_close(store);
    bool is_killed = kill_while_copying(&rig, all);
    for (int i = 0; i < 20 && !is_killed; i++) {
        (void)redis_number(&rig.server, "FLUSHALL");
        is_killed = kill_while_copying(&rig, all);
    }
    EXPECT_TRUE(is_killed);
    const long long there = redis_number(&rig.server, "DBSIZE");
    char expected[64];
    snprintf(expected, sizeof expected, "%lld already there, 0 skipped", there);
    const struct run *run = run_bare("copy", rig.store, rig.url, NULL);
    EXPECT_EQ(exit_ok, run->code);
    expect_has(run->out, expected);
    EXPECT_EQ(all, redis_number(&rig.server, "DBSIZE"));
    run = run_bare("--store", rig.url, "verify", NULL);
    expect_has(run->out, "intact             303");
    rig_end(&rig);
}

TEST_C(ToolRemote, IsLookedIntoAndChecked)
{
    struct remote_rig rig;
    char archive[path_size];
    if (!rig_begin(&rig)) return;
    EXPECT_EQ(exit_ok, run_bare("copy", rig.store, rig.url, NULL)->code);
    const struct run *run = run_bare("--store", rig.url, "stats", NULL);
    EXPECT_EQ(exit_ok, run->code);
    expect_has(run->out, "remote");
    expect_has(run->out, "entries            3");
    /* Its options are nobody's business. */
    EXPECT_NULL(strstr(run->out, "key_file"));
    run = run_bare("--store", rig.url, "--json", "stats", NULL);
    expect_has(run->out, "\"entries\": 3");
    EXPECT_NULL(strstr(run->out, "key_file"));
    run = run_bare("--store", rig.url, "list", NULL);
    expect_has(run->out, rig.sample.made[1].brief);
    run = run_bare(
            "--store", rig.url, "inspect", rig.sample.made[1].brief, NULL);
    EXPECT_EQ(exit_ok, run->code);
    run = run_bare("--store", rig.url, "verify", NULL);
    EXPECT_EQ(exit_ok, run->code);
    expect_has(run->out, "intact             3");
    snprintf(archive, sizeof archive, "%s", in_test("archive"));
    run = run_bare("--store", rig.url, "export", archive, NULL);
    expect_has(run->out, "3 exported");
    (void)redis_number(&rig.server, "FLUSHALL");
    run = run_bare("--store", rig.url, "import", archive, NULL);
    EXPECT_EQ(exit_ok, run->code);
    expect_has(run->out, "3 imported, 0 already there, 0 skipped");
    rig_end(&rig);
}

TEST_C(ToolRemote, WithAnotherKeyHasNothingThatCounts)
{
    struct remote_rig rig;
    char url[3 * path_size];
    if (!rig_begin(&rig)) return;
    EXPECT_EQ(exit_ok, run_bare("copy", rig.store, rig.url, NULL)->code);
    snprintf(url, sizeof url, "unix://%s?key_file=%s", rig.server.socket,
            in_test("other_key"));
    EXPECT_EQ(
            exit_ok, run_bare("key", "make", in_test("other_key"), NULL)->code);
    const struct run *run = run_bare("--store", url, "verify", NULL);
    EXPECT_EQ(exit_found, run->code);
    expect_has(run->out, "intact             0");
    expect_has(run->err, "not signed with a key of this store");
    /* Not even with --repair: they are somebody else's. */
    EXPECT_EQ(exit_found,
            run_bare("--store", url, "verify", "--repair", NULL)->code);
    EXPECT_EQ(3, redis_number(&rig.server, "DBSIZE"));
    rig_end(&rig);
}

TEST_C(ToolRemote, ThatCannotBeUsedIsAFailure)
{
    struct remote_rig rig;
    char url[3 * path_size];
    if (!rig_begin(&rig)) return;
    snprintf(url, sizeof url, "unix://%s", rig.server.socket);
    const struct run *run = run_bare("--store", url, "stats", NULL);
    EXPECT_EQ(exit_store, run->code);
    expect_has(run->err, "a remote store needs a key");
    run = run_bare("--store", "redis://me:hunter2@host", "stats", NULL);
    EXPECT_EQ(exit_store, run->code);
    EXPECT_NULL(strstr(run->err, "hunter2"));
    EXPECT_EQ(exit_store, run_bare("--store", "s3://b", "list", NULL)->code);
    EXPECT_EQ(exit_usage,
            run_bare("--store", rig.url, "--type", "flat", "list", NULL)->code);
    EXPECT_EQ(exit_usage,
            run_bare("--store", rig.url, "gc", "--older-than", "1d", NULL)
                    ->code);
    EXPECT_EQ(exit_usage, run_bare("--store", rig.url, "refresh", NULL)->code);
    run = run_bare("--store", rig.url, "stats", "--reset", NULL);
    EXPECT_EQ(exit_usage, run->code);
    expect_has(run->err, "stats --reset: not for a store on a server");
    redis_kill(&rig.server);
    run = run_bare("--store", rig.url, "stats", NULL);
    EXPECT_EQ(exit_io, run->code);
    expect_has(run->err, "cannot be read");
    run = run_bare("copy", rig.store, rig.url, NULL);
    EXPECT_EQ(exit_io, run->code);
    EXPECT_STR_EQ("", run->out);
    /* Nothing is made for what cannot be read. */
    EXPECT_EQ(exit_io, run_bare("copy", rig.url, in_test("new"), NULL)->code);
    EXPECT_FALSE(exists(in_test("new")));
    rig_end(&rig);
}

/* A server that cannot list what it has works with a list of IDs. */
TEST_C(ToolRemote, OfPlainHttpNeedsIds)
{
    struct nginx_process server = {.pid = 0};
    struct sample_store s;
    char from[path_size];
    char to[path_size];
    char ids[path_size];
    char key[path_size];
    char place[path_size];
    char url[2 * path_size];
    if (!nginx_is_there()) return;
    sample_store_make(&s);
    nginx_start(&server, NULL);
    snprintf(from, sizeof from, "%s", in_test("store"));
    snprintf(to, sizeof to, "%s", in_test("other"));
    snprintf(ids, sizeof ids, "%s", in_test("ids"));
    snprintf(key, sizeof key, "%s", in_test("key"));
    EXPECT_OK(dnnl_cache_store_key_file_make(key));
    snprintf(url, sizeof url, "http://127.0.0.1:%u/path?key_file=%s",
            server.port, key);
    EXPECT_EQ(exit_ok, run_bare("copy", from, url, NULL)->code);
    EXPECT_EQ(3, nginx_requests(&server, " PUT /path/"));
    const struct run *run = run_bare("--store", url, "stats", NULL);
    EXPECT_EQ(exit_ok, run->code);
    expect_has(run->out, "unknown (name them with --id-list FILE)");
    run = run_bare("--store", url, "stats", "--prometheus", NULL);
    EXPECT_EQ(exit_ok, run->code);
    EXPECT_NULL(prometheus_find_mistake(run->out));
    snprintf(place, sizeof place,
            "dnnl_cache_place_is_listed{place=\"http://127.0.0.1:%u/"
            "path\",type=",
            server.port);
    expect_has(run->out, place);
    EXPECT_NULL(strstr(run->out, "key_file"));
    EXPECT_NULL(strstr(run->out, "dnnl_cache_place_entries"));
    run = run_bare("--store", url, "--json", "stats", NULL);
    EXPECT_EQ(exit_ok, run->code);
    expect_has(run->out, "\"entries\": null");
    run = run_bare("--store", url, "list", NULL);
    EXPECT_EQ(exit_io, run->code);
    expect_has(run->err, "cannot list what it has");
    EXPECT_EQ(exit_io, run_bare("copy", url, to, NULL)->code);
    EXPECT_FALSE(exists(to));
    run = run_bare("--store", from, "list", "--ids", NULL);
    write_whole(ids, run->out, run->out_size);
    run = run_bare("--store", url, "stats", "--id-list", ids, NULL);
    expect_has(run->out, "entries            3");
    run = run_bare("--store", url, "list", "--id-list", ids, NULL);
    expect_has(run->out, s.made[2].brief);
    run = run_bare(
            "--store", url, "export", in_test("a"), "--id-list", ids, NULL);
    expect_has(run->out, "3 exported");
    run = run_bare("copy", url, to, "--id-list", ids, NULL);
    EXPECT_EQ(exit_ok, run->code);
    expect_has(run->out, "3 copied");
    EXPECT_EQ(3, count_entries("other"));
    run = run_bare("--store", url, "verify", NULL);
    EXPECT_EQ(exit_io, run->code);
    expect_has(run->err, "cannot list what it has");
    /* To another place of the same server. */
    snprintf(url, sizeof url, "http://127.0.0.1:%u/new?key_file=%s",
            server.port, key);
    run = run_bare("--store", url, "import", in_test("a"), NULL);
    EXPECT_EQ(exit_ok, run->code);
    expect_has(run->out, "3 imported");
    run = run_bare("--store", url, "stats", "--id-list", ids, NULL);
    expect_has(run->out, "entries            3");
    nginx_kill(&server);
    sample_store_fini(&s);
}
