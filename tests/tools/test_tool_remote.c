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
    dnnl_cache_store_handle_t *store = open_test_store("other");
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
    dnnl_cache_store_handle_t *store = open_test_store("store");
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

static size_t count_parts(const char *text, const char *part)
{
    size_t count = 0;
    for (; (text = strstr(text, part)) != NULL; text++)
        count++;
    return count;
}

/* Three entries of another key, each told once, and none is damage. */
static void expect_others(const struct run *run, int removed)
{
    expect_has(run->out, "intact             0");
    expect_has(run->out, "damaged            0");
    expect_has(run->out, "not of this key    3");
    expect_has(run->out, text_of("removed            %d\n", removed));
    EXPECT_EQ(3, count_parts(run->out, "not signed with this key\n"));
    EXPECT_EQ(
            3, count_parts(run->err, "not signed with a key of this store\n"));
    EXPECT_NULL(strstr(run->err, "damage"));
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
    expect_others(run, 0);
    EXPECT_NOT_NULL(strstr(run->err, "is this the right key file?"));
    /* Not even with --repair: they are somebody else's. */
    run = run_bare("--store", url, "verify", "--repair", NULL);
    EXPECT_EQ(exit_found, run->code);
    expect_others(run, 0);
    EXPECT_EQ(3, redis_number(&rig.server, "DBSIZE"));
    run = run_bare("--store", url, "verify", "--repair", "--unsigned", NULL);
    EXPECT_EQ(exit_found, run->code);
    expect_others(run, 3);
    EXPECT_EQ(0, redis_number(&rig.server, "DBSIZE"));
    rig_end(&rig);
}

/* What the server has of another key is put again, with the new one. */
static void expect_new_key_replaces(
        const char *from, const char *old_url, const char *new_url)
{
    EXPECT_EQ(exit_ok, run_bare("copy", from, old_url, NULL)->code);
    const struct run *run = run_bare("copy", from, new_url, NULL);
    EXPECT_EQ(exit_ok, run->code);
    EXPECT_STR_EQ("", run->err);
    expect_has(run->out, "3 copied with 1.1 KiB, 0 already there, 0 skipped");
    run = run_bare("copy", from, new_url, NULL);
    expect_has(run->out, "0 copied with 0 B, 3 already there");
}

/* An entry under another name is found by no get; what a newer version wrote is
 * its own. */
TEST_C(ToolRemote, RepairRemovesWhatNobodyFinds)
{
    struct remote_rig rig;
    char name[128];
    char other[128];
    if (!rig_begin(&rig)) return;
    EXPECT_EQ(exit_ok, run_bare("copy", rig.store, rig.url, NULL)->code);
    (void)redis_text(&rig.server, name, sizeof name, "RANDOMKEY");
    memcpy(other, name, sizeof other);
    char *last = other + strlen(other) - 1;
    *last = *last == '0' ? '1' : '0';
    (void)redis_number(&rig.server, "RENAME %s %s", name, other);
    const struct run *run = run_bare("--store", rig.url, "verify", NULL);
    EXPECT_EQ(exit_found, run->code);
    expect_has(run->out, "foreign  -  ");
    expect_has(run->out, "  has another ID\n");
    expect_has(run->out, "intact             2");
    run = run_bare("--store", rig.url, "verify", "--repair", NULL);
    EXPECT_EQ(exit_found, run->code);
    expect_has(run->out, "removed            1");
    EXPECT_EQ(2, redis_number(&rig.server, "DBSIZE"));
    (void)redis_text(&rig.server, name, sizeof name, "RANDOMKEY");
    (void)redis_number(&rig.server, "SETRANGE %s 8 %b", name, "\2", (size_t)1);
    run = run_bare("--store", rig.url, "verify", "--repair", NULL);
    EXPECT_EQ(exit_ok, run->code);
    expect_has(run->out, "of a newer format  1");
    expect_has(run->out, "intact             1");
    EXPECT_EQ(2, redis_number(&rig.server, "DBSIZE"));
    rig_end(&rig);
}

TEST_C(ToolRemote, CopyReplacesWhatAnotherKeySigned)
{
    struct remote_rig rig;
    char url[3 * path_size];
    if (!rig_begin(&rig)) return;
    EXPECT_OK(dnnl_cache_store_key_file_make(in_test("new_key")));
    snprintf(url, sizeof url, "unix://%s?key_file=%s", rig.server.socket,
            in_test("new_key"));
    expect_new_key_replaces(rig.store, rig.url, url);
    const struct run *run = run_bare("--store", url, "verify", NULL);
    EXPECT_EQ(exit_ok, run->code);
    expect_has(run->out, "intact             3");
    rig_end(&rig);
}

/* The steps of docs/how_to/encrypt_or_sign.md: what is there gets other names,
 * and what had the old ones is removed when it is asked for. */
TEST_C(ToolRemote, CopyEncryptsAnewWithAnotherKey)
{
    struct remote_rig rig;
    char old[path_size];
    char new[path_size];
    char both[5 * path_size];
    char url[3 * path_size];
    if (!rig_begin(&rig)) return;
    snprintf(old, sizeof old, "%s", in_test("old.key"));
    snprintf(new, sizeof new, "%s", in_test("new.key"));
    EXPECT_OK(dnnl_cache_store_encryption_key_make(old));
    EXPECT_OK(dnnl_cache_store_encryption_key_make(new));
    snprintf(url, sizeof url, "unix://%s?encryption_key_file=%s",
            rig.server.socket, old);
    expect_has(run_bare("copy", rig.store, url, NULL)->out, "3 copied");
    snprintf(url, sizeof url, "unix://%s?encryption_key_file=%s",
            rig.server.socket, new);
    snprintf(both, sizeof both, "%s&old_encryption_key_file=%s", url, old);
    const struct run *run = run_bare("copy", both, url, NULL);
    EXPECT_EQ(exit_ok, run->code);
    EXPECT_STR_EQ("", run->err);
    expect_has(run->out, "3 copied");
    run = run_bare("verify", "--store", url, NULL);
    EXPECT_EQ(exit_found, run->code);
    expect_has(run->out, "intact             3\n");
    expect_has(run->out, "damaged            0\n");
    expect_has(run->out, "not of this key    3\n");
    expect_has(run->err, "of another key than encryption_key_file");
    expect_has(run->err,
            "3 entries are of another encryption key than this URL's, or "
            "not encrypted");
    expect_has(run->err, "old_encryption_key_file");
    EXPECT_NULL(strstr(run->err, "without a signature"));
    run = run_bare("verify", "--repair", "--unsigned", "--store", url, NULL);
    expect_has(run->out, "removed            3\n");
    run = run_bare("verify", "--store", url, NULL);
    EXPECT_EQ(exit_ok, run->code);
    expect_has(run->out, "intact             3\n");
    /* And the object that says whose key they are of. */
    EXPECT_EQ(4, redis_number(&rig.server, "DBSIZE"));
    rig_end(&rig);
}

/* As a URL with a key for signatures alone put them. */
TEST_C(ToolRemote, CopyEncryptsWhatWasNotEncrypted)
{
    struct remote_rig rig;
    char key[path_size];
    char url[3 * path_size];
    if (!rig_begin(&rig)) return;
    snprintf(key, sizeof key, "%s", in_test("encryption.key"));
    EXPECT_OK(dnnl_cache_store_encryption_key_make(key));
    snprintf(url, sizeof url, "unix://%s?encryption_key_file=%s",
            rig.server.socket, key);
    expect_has(run_bare("copy", rig.store, rig.url, NULL)->out, "3 copied");
    const struct run *run = run_bare("verify", "--store", url, NULL);
    EXPECT_EQ(exit_found, run->code);
    expect_has(run->out, "not of this key    3\n");
    expect_has(run->err,
            "3 entries are of another encryption key than this URL's, or "
            "not encrypted");
    expect_has(run_bare("copy", rig.url, url, NULL)->out, "3 copied");
    run = run_bare("verify", "--store", url, NULL);
    expect_has(run->out, "intact             3\n");
    run = run_bare("verify", "--repair", "--unsigned", "--store", url, NULL);
    expect_has(run->out, "intact             3\n");
    EXPECT_EQ(exit_ok, run_bare("verify", "--store", url, NULL)->code);
    rig_end(&rig);
}

/* From a host without the key; also if a server has evicted what was encrypted,
 * and has the object alone that says so. */
TEST_C(ToolRemote, VerifyForgetsEncryptionThatIsTurnedOff)
{
    struct remote_rig rig;
    char key[path_size];
    char url[3 * path_size];
    if (!rig_begin(&rig)) return;
    snprintf(key, sizeof key, "%s", in_test("encryption.key"));
    EXPECT_OK(dnnl_cache_store_encryption_key_make(key));
    snprintf(url, sizeof url, "unix://%s?encryption_key_file=%s",
            rig.server.socket, key);
    for (int i = 0; i < 2; i++) {
        expect_has(run_bare("copy", rig.store, url, NULL)->out, "3 copied");
        EXPECT_EQ(4, redis_number(&rig.server, "DBSIZE"));
        for (int n = 0; n < 3 * i; n++) {
            char name[512];
            redis_text(&rig.server, name, sizeof name, "RANDOMKEY");
            if (redis_number(&rig.server, "STRLEN %s", name) > 200)
                EXPECT_EQ(1, redis_number(&rig.server, "DEL %s", name));
            else
                n--;
        }
        const struct run *run = run_bare(
                "verify", "--repair", "--unsigned", "--store", rig.url, NULL);
        expect_has(run->out,
                i == 0 ? "removed            3\n" : "intact             0\n");
        EXPECT_EQ(0, redis_number(&rig.server, "DBSIZE"));
    }
    rig_end(&rig);
}

TEST_C(ToolRemote, CopyReplacesOverHttpWhatAnotherKeySigned)
{
    struct nginx_process server = {.pid = 0};
    struct sample_store s;
    char store[path_size];
    char urls[2][2 * path_size];
    if (!nginx_is_there()) return;
    sample_store_make(&s);
    nginx_start(&server, NULL);
    snprintf(store, sizeof store, "%s", in_test("store"));
    for (int i = 0; i < 2; i++) {
        const char *key = in_test(i == 0 ? "key" : "new_key");
        EXPECT_OK(dnnl_cache_store_key_file_make(key));
        snprintf(urls[i], sizeof urls[i],
                "http://127.0.0.1:%u/path?key_file=%s", server.port, key);
    }
    expect_new_key_replaces(store, urls[0], urls[1]);
    nginx_kill(&server);
    sample_store_fini(&s);
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
    run = run_bare("--store", "redis://host?keyfile=/key", "stats", NULL);
    EXPECT_EQ(exit_store, run->code);
    EXPECT_STR_EQ("dnnl-cache: remote URL: unknown option: keyfile\n"
                  "dnnl-cache: the remote store cannot be opened\n",
            run->err);
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
    run = run_bare("--store", url, "stats", NULL);
    EXPECT_STR_EQ("", run->err);
    run = run_bare("--store", url, "list", NULL);
    EXPECT_EQ(exit_io, run->code);
    expect_has(run->err, "cannot list what it has\n");
    expect_has(run->err, "list: name the entries with --id-list FILE");
    EXPECT_NULL(strstr(run->err, "the store failed"));
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
    const char *const needing_a_list[] = {"verify", "why", "inspect"};
    for (int i = 0; i < 3; i++) {
        run = run_bare("--store", url, needing_a_list[i],
                i > 0 ? s.made[1].brief : NULL, NULL);
        EXPECT_EQ(exit_io, run->code);
        expect_has(run->err, "cannot list what it has\n");
        expect_has(run->err, text_of("%s: not possible with this server\n",
                                     needing_a_list[i]));
    }
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

/* What the server, or the store, says is the message. */
TEST_C(ToolRemote, ThatTakesNothingSaysWhy)
{
    const struct nginx_lines lines = {
            .location = "if ($request_method = PUT) { return 401; }"};
    struct nginx_process server = {.pid = 0};
    struct sample_store s;
    char url[3 * path_size];
    char from[path_size];
    if (!nginx_is_there()) return;
    sample_store_make(&s);
    snprintf(from, sizeof from, "%s", in_test("store"));
    nginx_start(&server, &lines);
    EXPECT_OK(dnnl_cache_store_key_pair_make(
            in_test("secret"), in_test("public")));
    snprintf(url, sizeof url, "http://127.0.0.1:%u/path?public_key_file=%s",
            server.port, in_test("public"));
    const struct run *run = run_bare("copy", from, url, NULL);
    EXPECT_EQ(exit_io, run->code);
    expect_has(run->err, "the store is read-only (no key_file= or "
                         "sign_key_file= in its URL, or read_only=1)\n");
    strcat(url, "&sign_key_file=");
    strcat(url, in_test("secret"));
    run = run_bare("copy", from, url, NULL);
    EXPECT_EQ(exit_io, run->code);
    EXPECT_STR_EQ(text_of("dnnl-cache: an entry was not stored: "
                          "http://127.0.0.1:%u/path: not stored: HTTP 401 "
                          "(user=, password_file=, token_file=)\n",
                          server.port),
            run->err);
    nginx_kill(&server);
    sample_store_fini(&s);
}

static void expect_unreachable(const struct run *run)
{
    EXPECT_EQ(exit_io, run->code);
    EXPECT_STR_EQ("", run->out);
    expect_has(run->err, "stats: the store failed");
}

TEST_C(ToolRemote, StatsTellThatPlainHttpIsDown)
{
    struct nginx_process server = {.pid = 0};
    char url[2 * path_size];
    if (!nginx_is_there()) return;
    nginx_start(&server, NULL);
    EXPECT_OK(dnnl_cache_store_key_file_make(in_test("key")));
    snprintf(url, sizeof url, "http://127.0.0.1:%u/path?key_file=%s",
            server.port, in_test("key"));
    EXPECT_EQ(exit_ok, run_bare("--store", url, "stats", NULL)->code);
    nginx_kill(&server);
    expect_unreachable(run_bare("--store", url, "stats", NULL));
    expect_unreachable(run_bare("--store", url, "stats", "--prometheus", NULL));
    expect_unreachable(run_bare("--store", url, "--json", "stats", NULL));
    expect_unreachable(run_bare("--store", url, "--quiet", "stats", NULL));
}
