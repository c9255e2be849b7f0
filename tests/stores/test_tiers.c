/* SPDX-License-Identifier: Apache-2.0 */
/* A seed, a local store and a remote one in one call; without a server. */
#include "dnnl_cache/tiers.h"

#include "dnnl_cache/remote_store.h"
#include "redis_server.h"
#include "store_helpers.h"
#include "test.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { small = 100 };

static char said[1024]; /* all messages of a test, one after the other */

static void hear(dnnl_cache_log_level_t level, const char *text, void *unused)
{
    (void)level;
    (void)unused;
    const size_t used = strlen(said);
    (void)snprintf(said + used, sizeof said - used, "%s\n", text);
}

static bool was_said(const char *part)
{
    return strstr(said, part) != NULL;
}

/* The local store's, in static memory as its path: for one test at a time. */
static struct dnnl_cache_store_options local;

static struct dnnl_cache_store_tiers test_tiers(void)
{
    static char seed[path_size];
    static char path[path_size];
    struct dnnl_cache_store_tiers tiers = DNNL_CACHE_STORE_TIERS_INIT;
    said[0] = '\0';
    tiers.seed = path_in_test(seed, "seed.pack");
    local = (struct dnnl_cache_store_options)DNNL_CACHE_STORE_OPTIONS_INIT;
    local.path = path_in_test(path, "local");
    tiers.local = &local;
    tiers.log = hear;
    return tiers;
}

/* A pack with one entry, which nobody may write to. */
static void make_seed(const char *path, unsigned number)
{
    dnnl_cache_store_handle_t *store = NULL;
    struct dnnl_cache_store_options options = DNNL_CACHE_STORE_OPTIONS_INIT;
    options.path = path;
    ASSERT_OK(dnnl_cache_store_open(&store, "pack", &options));
    EXPECT_OK(put_number(store, number, small));
    dnnl_cache_store_close(store);
    EXPECT_EQ(0, chmod(path, 0444));
}

static dnnl_cache_store_handle_t *open_layers(
        const struct dnnl_cache_store_tiers *tiers)
{
    dnnl_cache_store_handle_t *store = NULL;
    EXPECT_OK(dnnl_cache_store_open_tiers(&store, tiers));
    return store;
}

static size_t count_in(
        dnnl_cache_store_handle_t *store, enum dnnl_cache_store_tier tier)
{
    return count_entries(dnnl_cache_store_get_tier(store, tier));
}

TEST_C(Tiers, ReadsTheSeedAndPutsIntoTheLocalStore)
{
    const struct dnnl_cache_store_tiers tiers = test_tiers();
    make_seed(tiers.seed, 1);
    dnnl_cache_store_handle_t *store = open_layers(&tiers);
    ASSERT_NOT_NULL(store);
    EXPECT_OK(get_number(store, 1, small));
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 2, small));
    EXPECT_OK(put_number(store, 2, small));
    EXPECT_OK(get_number(store, 2, small));
    EXPECT_EQ(1, count_in(store, dnnl_cache_store_tier_seed));
    EXPECT_EQ(1, count_in(store, dnnl_cache_store_tier_local));
    EXPECT_NULL(dnnl_cache_store_get_tier(store, dnnl_cache_store_tier_remote));
    EXPECT_STR_EQ("", said);
    dnnl_cache_store_close(store);
    store = open_layers(&tiers);
    EXPECT_OK(get_number(store, 1, small));
    EXPECT_OK(get_number(store, 2, small));
    dnnl_cache_store_close(store);
}

TEST_C(Tiers, OfALocalStoreAloneIsThatStore)
{
    struct dnnl_cache_store_tiers tiers = test_tiers();
    tiers.seed = NULL;
    dnnl_cache_store_handle_t *store = open_layers(&tiers);
    EXPECT_PTR_EQ(store,
            dnnl_cache_store_get_tier(store, dnnl_cache_store_tier_local));
    EXPECT_NULL(dnnl_cache_store_get_tier(store, dnnl_cache_store_tier_seed));
    EXPECT_OK(put_number(store, 1, small));
    EXPECT_EQ(1, statistics_of(store).puts);
    dnnl_cache_store_close(store);
    EXPECT_NULL(dnnl_cache_store_get_tier(NULL, dnnl_cache_store_tier_local));
}

TEST_C(Tiers, LeavesOutASeedThatIsMissingOrNoStore)
{
    static const char *const contents[] = {NULL, "", "not a store at all"};
    const struct dnnl_cache_store_tiers tiers = test_tiers();
    for (size_t i = 0; i < COUNT(contents); i++) {
        said[0] = '\0';
        if (contents[i] != NULL)
            write_whole(tiers.seed, contents[i], strlen(contents[i]));
        dnnl_cache_store_handle_t *store = open_layers(&tiers);
        EXPECT_TRUE(was_said(contents[i] != NULL
                                     ? "seed.pack: the seed is not a store"
                                     : "seed.pack: the seed is not there"));
        EXPECT_OK(put_number(store, 1, small));
        EXPECT_OK(get_number(store, 1, small));
        dnnl_cache_store_close(store);
    }
}

TEST_C(Tiers, LeavesOutASeedThatOthersMayWriteTo)
{
    const struct dnnl_cache_store_tiers tiers = test_tiers();
    make_seed(tiers.seed, 1);
    EXPECT_EQ(0, chmod(tiers.seed, 0666));
    dnnl_cache_store_handle_t *store = open_layers(&tiers);
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 1, small));
    EXPECT_TRUE(was_said("seed.pack"));
    dnnl_cache_store_close(store);
}

TEST_C(Tiers, LeavesOutARemoteStoreWithoutAKey)
{
    static const char *const urls[] = {"http://127.0.0.1:1/x",
            "redis://127.0.0.1:1", "nonsense", "rediss://127.0.0.1",
            "http://127.0.0.1:1?key_file=/nowhere/key"};
    struct dnnl_cache_store_tiers tiers = test_tiers();
    tiers.seed = NULL;
    for (size_t i = 0; i < COUNT(urls); i++) {
        said[0] = '\0';
        tiers.remote = urls[i];
        dnnl_cache_store_handle_t *store = open_layers(&tiers);
        EXPECT_TRUE(said[0] != '\0');
        EXPECT_NULL(
                dnnl_cache_store_get_tier(store, dnnl_cache_store_tier_remote));
        EXPECT_OK(put_number(store, 1, small));
        EXPECT_OK(get_number(store, 1, small));
        dnnl_cache_store_close(store);
    }
}

TEST_C(Tiers, WarnsOfASigningKeyOfAnotherPair)
{
    char paths[4][path_size];
    char url[(COUNT(paths) + 2) * sizeof paths[0]];
    struct dnnl_cache_store_tiers tiers = test_tiers();
    for (size_t i = 0; i < COUNT(paths); i += 2) {
        (void)snprintf(url, sizeof url, "key%zu", i);
        path_in_test(paths[i], url);
        (void)snprintf(url, sizeof url, "public%zu", i);
        path_in_test(paths[i + 1], url);
        EXPECT_OK(dnnl_cache_store_key_pair_make(paths[i], paths[i + 1]));
    }
    tiers.seed = NULL;
    tiers.remote = url;
    for (size_t i = 0; i < COUNT(paths); i += 2) {
        said[0] = '\0';
        (void)snprintf(url, sizeof url,
                "http://127.0.0.1:1?public_key_file=%s&sign_key_file=%s",
                paths[1], paths[i]);
        dnnl_cache_store_handle_t *store = open_layers(&tiers);
        EXPECT_NOT_NULL(
                dnnl_cache_store_get_tier(store, dnnl_cache_store_tier_remote));
        EXPECT_EQ(i > 0, was_said("not the secret key of public_key_file"));
        dnnl_cache_store_close(store);
    }
}

TEST_C(Tiers, IsASeedAloneWhereNothingCanBeWritten)
{
    struct dnnl_cache_store_tiers tiers = test_tiers();
    make_seed(tiers.seed, 1);
    write_whole(local.path, "a file", 6);
    dnnl_cache_store_handle_t *store = open_layers(&tiers);
    ASSERT_NOT_NULL(store);
    EXPECT_OK(get_number(store, 1, small));
    EXPECT_OK(put_number(store, 2, small));
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 2, small));
    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(store);
    EXPECT_NE(dnnl_success, s->can_put(s->user));
    dnnl_cache_store_close(store);
    store = NULL;
    tiers.needs_local = true;
    EXPECT_NE(dnnl_success, dnnl_cache_store_open_tiers(&store, &tiers));
    EXPECT_NULL(store);
}

TEST_C(Tiers, OfNothingIsRefused)
{
    dnnl_cache_store_handle_t *store = NULL;
    struct dnnl_cache_store_tiers tiers = DNNL_CACHE_STORE_TIERS_INIT;
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_cache_store_open_tiers(&store, &tiers));
    EXPECT_STATUS(
            dnnl_invalid_arguments, dnnl_cache_store_open_tiers(&store, NULL));
    EXPECT_STATUS(
            dnnl_invalid_arguments, dnnl_cache_store_open_tiers(NULL, &tiers));
    tiers.seed = "/nowhere/seed";
    EXPECT_STATUS(
            dnnl_runtime_error, dnnl_cache_store_open_tiers(&store, &tiers));
    EXPECT_NULL(store);
}

/* ---- With a server ------------------------------------------------------- */

/* What hosts do that have a public key alone: they find, and change nothing. */
TEST_C(Tiers, OfAHostThatOnlyVerifiesChangesNothingOnTheServer)
{
    char secret[path_size];
    char public[path_size];
    char url[3 * path_size];
    struct redis_process server;
    struct dnnl_cache_store_tiers tiers = test_tiers();
    if (!redis_is_there()) return;
    tiers.seed = NULL;
    tiers.remote = url;
    path_in_test(secret, "secret");
    path_in_test(public, "public");
    EXPECT_OK(dnnl_cache_store_key_pair_make(secret, public));
    redis_start(&server, test_directory(), NULL);
    (void)snprintf(url, sizeof url,
            "unix://%s?timeout_ms=20000&sign_key_file=%s", server.socket,
            secret);
    dnnl_cache_store_handle_t *store = open_layers(&tiers);
    EXPECT_OK(put_number(store, 1, small));
    EXPECT_OK(put_bytes(store, "an ID", "a blob", 6));
    dnnl_cache_store_close(store);
    EXPECT_EQ(2, redis_number(&server, "DBSIZE"));
    char other[path_size];
    local.path = path_in_test(other, "other");
    (void)snprintf(url, sizeof url,
            "unix://%s?timeout_ms=20000&public_key_file=%s", server.socket,
            public);
    store = open_layers(&tiers);
    EXPECT_OK(get_number(store, 1, small));
    EXPECT_OK(put_number(store, 2, small));
    for (int i = 0; i < 5; i++)
        EXPECT_OK(remove_id(store, "an ID"));
    EXPECT_OK(get_number(store, 1, small));
    dnnl_cache_store_handle_t *remote =
            dnnl_cache_store_get_tier(store, dnnl_cache_store_tier_remote);
    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(remote);
    EXPECT_NE(dnnl_success, s->can_put(s->user));
    EXPECT_OK(get_number(remote, 1, small));
    EXPECT_STATUS(dnnl_runtime_error, remove_id(remote, "an ID"));
    dnnl_cache_store_close(store);
    EXPECT_EQ(2, redis_number(&server, "DBSIZE"));
    redis_kill(&server);
}

/* ---- The working set ----------------------------------------------------- */

enum { programs = 50 };

/* Without a seed, over a server that is started; url has path_size bytes. */
static struct dnnl_cache_store_tiers tiers_with_server(
        struct redis_process *server, char *url)
{
    struct dnnl_cache_store_tiers tiers = test_tiers();
    redis_start(server, test_directory(), NULL);
    (void)snprintf(url, path_size, "unix://%s?insecure=1&timeout_ms=20000",
            server->socket);
    tiers.seed = NULL;
    tiers.remote = url;
    return tiers;
}

/* A host that starts: gets all programs, and compiles and puts what it does not
 * find. How many it found. */
static unsigned start_host(const struct dnnl_cache_store_tiers *tiers)
{
    unsigned found = 0;
    dnnl_cache_store_handle_t *store = open_layers(tiers);
    for (unsigned i = 0; i < programs; i++) {
        if (get_number(store, i, small) == dnnl_success)
            found++;
        else
            EXPECT_OK(put_number(store, i, small));
    }
    dnnl_cache_store_close(store);
    return found;
}

/* The same with a local store of its own; *gets and *reads: what the server was
 * asked. */
static unsigned start_new_host(struct dnnl_cache_store_tiers *tiers,
        const char *name, const struct redis_process *server, long long *gets,
        long long *reads)
{
    char path[path_size];
    if (name != NULL) local.path = path_in_test(path, name);
    *gets = redis_gets(server);
    *reads = redis_reads(server);
    const unsigned found = start_host(tiers);
    *reads = redis_reads(server) - *reads;
    *gets = redis_gets(server) - *gets;
    local.path = NULL;
    return found;
}

TEST_C(Tiers, BringsWhatAnotherHostAskedForInOneRoundTrip)
{
    /* Connecting, the list, all programs, which may be read in two parts, and
     * what redis_reads() needs itself. */
    enum { most_reads = 8 };
    char url[path_size];
    long long gets, reads;
    struct redis_process server;
    struct dnnl_cache_store_tiers tiers;
    if (!redis_is_there()) return;
    tiers = tiers_with_server(&server, url);
    tiers.application = "app";
    EXPECT_EQ(0, start_new_host(&tiers, "first", &server, &gets, &reads));
    EXPECT_EQ(programs + 1, redis_number(&server, "DBSIZE"));
    /* A machine that has never run it. */
    EXPECT_EQ(
            programs, start_new_host(&tiers, "second", &server, &gets, &reads));
    EXPECT_EQ(2, gets); /* the list, and all that it names */
    EXPECT_LE(reads, most_reads);
    /* Again: it has all of it. */
    EXPECT_EQ(
            programs, start_new_host(&tiers, "second", &server, &gets, &reads));
    EXPECT_EQ(0, gets);
    /* Without a store on disk memory keeps it. */
    EXPECT_EQ(programs, start_new_host(&tiers, NULL, &server, &gets, &reads));
    EXPECT_EQ(2, gets); /* the list, and all that it names */
    EXPECT_LE(reads, most_reads);
    /* Another application asks for one after the other. */
    tiers.application = "other";
    EXPECT_EQ(
            programs, start_new_host(&tiers, "third", &server, &gets, &reads));
    EXPECT_EQ(programs + 1, gets);
    EXPECT_GT(reads, programs);
    redis_kill(&server);
    /* The second host needs no server any more. */
    char path[path_size];
    tiers.application = "app";
    local.path = path_in_test(path, "second");
    EXPECT_EQ(programs, start_host(&tiers));
}

/* A list is an entry as others, whose ID no store has to understand. */
TEST_C(Tiers, OfAnyTypeKeepsTheList)
{
    char url[path_size];
    long long gets, reads;
    const struct dnnl_cache_store_type *type;
    struct redis_process server;
    struct dnnl_cache_store_tiers tiers;
    if (!redis_is_there()) return;
    tiers = tiers_with_server(&server, url);
    tiers.application = "app";
    EXPECT_EQ(0, start_new_host(&tiers, "first", &server, &gets, &reads));
    for (size_t i = 0; (type = dnnl_cache_store_get_type(i)) != NULL; i++) {
        tiers.type = type;
        EXPECT_EQ(programs,
                start_new_host(&tiers, type->name, &server, &gets, &reads));
        EXPECT_EQ(2, gets); /* the list, and all that it names */
        EXPECT_EQ(programs,
                start_new_host(&tiers, type->name, &server, &gets, &reads));
        EXPECT_EQ(0, gets);
    }
    redis_kill(&server);
}

TEST_C(Tiers, OfAnApplicationWithoutANameHasNoList)
{
    char name[257];
    char url[path_size];
    char path[path_size];
    struct redis_process server;
    struct dnnl_cache_store_tiers tiers;
    if (!redis_is_there()) return;
    tiers = tiers_with_server(&server, url);
    local.path = path_in_test(path, "first");
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    tiers.application = name;
    EXPECT_EQ(0, start_host(&tiers)); /* told, and no failure */
    tiers.application = NULL;
    EXPECT_EQ(programs, start_host(&tiers));
    EXPECT_EQ(programs, redis_number(&server, "DBSIZE"));
    EXPECT_STATUS(
            dnnl_invalid_arguments, dnnl_cache_store_save_working_set(NULL));
    redis_kill(&server);
}

/* ---- Two types at once --------------------------------------------------- */

enum { makers = 6, puts_of_each = 4, rounds = 4 };

/* Opens a store of a type of its own where there may be none, when all others
 * do. */
static int make_and_put(unsigned maker, int gate)
{
    struct dnnl_cache_store_tiers tiers = test_tiers();
    dnnl_cache_store_handle_t *store = NULL;
    char byte;
    tiers.seed = NULL;
    tiers.needs_local = true;
    tiers.type = dnnl_cache_store_get_type(maker % 3); /* of directories */
    local.lock_timeout_ms = 60000;
    if (read(gate, &byte, 1) != 0
            || dnnl_cache_store_open_tiers(&store, &tiers) != dnnl_success)
        return 1;
    for (unsigned i = 0; i < puts_of_each; i++)
        if (put_number(store, 100 * maker + i, small) != dnnl_success) return 2;
    dnnl_cache_store_close(store);
    return 0;
}

static void make_at_once(void)
{
    pid_t pids[makers];
    int gate[2];
    int status;
    ASSERT_EQ(0, pipe(gate));
    fflush(NULL);
    for (unsigned i = 0; i < makers; i++) {
        pids[i] = fork();
        if (pids[i] != 0) continue;
        close(gate[1]);
        _exit(make_and_put(i, gate[0]));
    }
    close(gate[0]);
    close(gate[1]);
    for (unsigned i = 0; i < makers; i++) {
        ASSERT_EQ(pids[i], waitpid(pids[i], &status, 0));
        EXPECT_EQ(0, status);
    }
}

/* One type wins, and all put into that store. */
TEST_C(Tiers, IsOneStoreWhoeverMakesItFirst)
{
    for (int round = 0; round < rounds; round++) {
        struct dnnl_cache_store_tiers tiers = test_tiers();
        tiers.seed = NULL;
        run_shell("rm -rf '%s'", local.path);
        make_at_once();
        dnnl_cache_store_handle_t *store = open_layers(&tiers);
        ASSERT_NOT_NULL(store);
        EXPECT_EQ(makers * puts_of_each, count_entries(store));
        dnnl_cache_store_close(store);
        EXPECT_STR_EQ("", said);
    }
}

/* ---- The key of a seed --------------------------------------------------- */

/* How many tiers are there. */
static size_t layers_with_key(
        const struct dnnl_cache_store_tiers *tiers, const char *key)
{
    dnnl_cache_store_handle_t *store = NULL;
    said[0] = '\0';
    EXPECT_OK(dnnl_cache_store_open_tiers_with_key(&store, tiers, key));
    size_t count = 0;
    if (dnnl_cache_store_get_tier(store, dnnl_cache_store_tier_seed) != NULL)
        count++;
    if (dnnl_cache_store_get_tier(store, dnnl_cache_store_tier_local) != NULL)
        count++;
    dnnl_cache_store_close(store);
    return count;
}

/* A secret proves entries, too, but is not to be where seeds are read. */
TEST_C(Tiers, TheKeyOfASeedIsAPublicOne)
{
    struct dnnl_cache_store_tiers tiers = test_tiers();
    char secret[path_size];
    char public[path_size];
    char password[path_size];
    make_seed(tiers.seed, 1);
    EXPECT_OK(dnnl_cache_store_key_pair_make(
            path_in_test(secret, "secret"), path_in_test(public, "public")));
    FILE *file = fopen(path_in_test(password, "password"), "w");
    ASSERT_TRUE(file != NULL);
    (void)fputs("a password of sixteen letters and more", file);
    (void)fclose(file);
    EXPECT_EQ(0, chmod(password, 0600));

    EXPECT_EQ(2, layers_with_key(&tiers, public));
    EXPECT_STR_EQ("", said);
    EXPECT_EQ(1, layers_with_key(&tiers, secret));
    EXPECT_TRUE(was_said("secret: not a public key"));
    EXPECT_EQ(1, layers_with_key(&tiers, password));
    EXPECT_TRUE(was_said("password: not a public key"));
    EXPECT_EQ(0, chmod(public, 0664));
    EXPECT_EQ(1, layers_with_key(&tiers, public));
    EXPECT_TRUE(was_said("public: others may write to it (chmod go-w)"));
}
