/* SPDX-License-Identifier: Apache-2.0 */
/* Stores on real servers that may not read what they keep: what goes over the
 * wire, what lies there, and hosts with other keys. */
#include "dnnl_cache/working_set.h"
#include "nginx_server.h"
#include "redis_server.h"
#include "remote_helpers.h"
#include "slow_proxy.h"
#include "test.h"

#include <dirent.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct redis_process redis;
static struct nginx_process nginx;

/* A key of the test's, made if it is not there, and the option that names it.
 */
static const char *option_of(
        char option[path_size], const char *name, const char *file)
{
    char path[path_size];
    (void)path_in_test(path, file);
    if (access(path, F_OK) != 0)
        EXPECT_OK(dnnl_cache_store_encryption_key_make(path));
    snprintf(option, path_size, "%s=%.*s", name, path_size - 40, path);
    return option;
}

/* On Redis, with the key of a file, and an old one unless that is NULL. */
static dnnl_cache_store_handle_t *open_redis(
        const char *file, const char *old_file)
{
    char option[path_size];
    char old_option[path_size] = "timeout_ms=5000";
    option_of(option, "encryption_key_file", file);
    if (old_file != NULL)
        option_of(old_option, "old_encryption_key_file", old_file);
    return remote_open("unix://%s?timeout_ms=5000&%s%s%s", redis.socket, option,
            old_file != NULL ? "&" : "", old_file != NULL ? old_option : "");
}

static dnnl_cache_store_handle_t *open_plain(void)
{
    return remote_open("unix://%s?timeout_ms=5000&insecure=1", redis.socket);
}

/* The object that says whose key is used. */
static void forget_marker(void)
{
    static const char text[] = "dnnl_cache encryption key";
    unsigned char digest[32];
    char name[65];
    crypto_generichash(digest, sizeof digest, (const unsigned char *)text,
            sizeof text - 1, NULL, 0);
    sodium_bin2hex(name, sizeof name, digest, sizeof digest);
    EXPECT_EQ(1, redis_number(&redis, "DEL dnnl_cache:%s", name));
}

static unsigned count_of(const char *text, const char *part)
{
    unsigned count = 0;
    while ((text = strstr(text, part)) != NULL) {
        text += strlen(part);
        count++;
    }
    return count;
}

/* ---- What nobody shall see ----------------------------------------------- */

/* All of it may be in an ID or a blob. */
static const char *const secrets[] = {"__kernel", "very_secret_kernel",
        "-DSECRET_OPTION", "Secret Device 9000", "confidential_name",
        "dnnlcrem", "dnnl-cache wset"};
static const char a_source[] =
        "__kernel void very_secret_kernel(global float *x) { x[0] = 1; }";

enum { secret_entries = 5, blob_size = 5000 };

static size_t make_id(char id[256], unsigned number)
{
    return (size_t)snprintf(id, 256,
            "%s|-DSECRET_OPTION=%u|Secret Device 9000|confidential_name",
            a_source, number);
}

static void make_blob(char blob[blob_size], unsigned number)
{
    memset(blob, (int)('a' + number), blob_size);
    snprintf(blob + 100, 256, "ELF %s -DSECRET_OPTION Secret Device 9000",
            a_source);
}

/* All that hosts do with a server: misses, leases, puts, hits, many at once, a
 * working set, lists. */
static void use(const char *url, bool can_list)
{
    dnnl_cache_store_handle_t *store = remote_open("%s", url);
    dnnl_cache_store_handle_t *other = remote_open("%s", url);
    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(store);
    struct dnnl_cache_store_working_set_options options =
            DNNL_CACHE_STORE_WORKING_SET_OPTIONS_INIT;
    struct dnnl_cache_store_working_set *set = NULL;
    const dnnl_cache_store_metadata_t metadata = {
            .struct_size = sizeof metadata,
            .kind = dnnl_cache_blob_kind_program,
            .compile_ns = 300000000};
    options.store = s;
    options.application = "confidential_name";
    options.device_id_size = 18;
    options.device_id = (const uint8_t *)"Secret Device 9000";
    ASSERT_OK(dnnl_cache_store_working_set_open(&set, &options));
    const dnnl_cache_store_t *w = dnnl_cache_store_working_set_callbacks(set);
    for (unsigned i = 0; i < secret_entries; i++) {
        char id[256];
        char blob[blob_size];
        size_t size = 0;
        const uint8_t *found = NULL;
        const size_t id_size = make_id(id, i);
        const uint8_t *bytes = (const uint8_t *)id;
        make_blob(blob, i);
        EXPECT_STATUS(dnnl_cache_miss,
                w->get(w->user, id_size, bytes, &size, &found));
        if (w->acquire_lease != NULL)
            EXPECT_STATUS(dnnl_cache_miss,
                    w->acquire_lease(w->user, id_size, bytes, &size, &found));
        /* One lease ends without an entry. */
        if (w->acquire_lease != NULL && i == 0)
            w->release_lease(w->user, id_size, bytes);
        EXPECT_OK(w->put(w->user, id_size, bytes, blob_size,
                (const uint8_t *)blob, &metadata));
        remote_flush(store);
        const dnnl_cache_store_t *o = dnnl_cache_store_get_callbacks(other);
        ASSERT_OK(o->get(o->user, id_size, bytes, &size, &found));
        EXPECT_BYTES_EQ(blob, blob_size, found, size);
        o->release(o->user, size, found);
    }
    EXPECT_OK(dnnl_cache_store_working_set_save(set));
    remote_flush(store);
    dnnl_cache_store_working_set_close(set);
    /* The next start brings all at once. */
    struct dnnl_cache_store_working_set_statistics statistics =
            DNNL_CACHE_STORE_WORKING_SET_STATISTICS_INIT;
    options.store = dnnl_cache_store_get_callbacks(other);
    ASSERT_OK(dnnl_cache_store_working_set_open(&set, &options));
    EXPECT_OK(dnnl_cache_store_working_set_get_statistics(set, &statistics));
    EXPECT_EQ(secret_entries, statistics.brought);
    dnnl_cache_store_working_set_close(set);
    if (can_list) EXPECT_EQ(secret_entries + 1, count_entries(other));
    EXPECT_EQ(0, remote_of(store).errors);
    EXPECT_EQ(0, remote_of(other).errors);
    dnnl_cache_store_close(store);
    dnnl_cache_store_close(other);
}

static bool has(const char *bytes, size_t size, const void *part, size_t length)
{
    return memmem(bytes, size, part, length) != NULL;
}

/* No secret, no part of an ID or blob, and no name that can be made without the
 * key. */
static void expect_nothing(const char *bytes, size_t size)
{
    for (size_t i = 0; i < COUNT(secrets); i++)
        if (has(bytes, size, secrets[i], strlen(secrets[i])))
            test_fail(__FILE__, __LINE__, "%s", secrets[i]);
    for (unsigned i = 0; i < secret_entries; i++) {
        char id[256];
        char blob[blob_size];
        char name[65];
        unsigned char digest[32];
        const size_t id_size = make_id(id, i);
        make_blob(blob, i);
        for (size_t at = 0; at + 8 <= id_size; at++)
            EXPECT_FALSE(has(bytes, size, id + at, 8));
        EXPECT_FALSE(has(bytes, size, blob, 8));
        crypto_generichash(digest, sizeof digest, (const unsigned char *)id,
                id_size, NULL, 0);
        sodium_bin2hex(name, sizeof name, digest, sizeof digest);
        EXPECT_FALSE(has(bytes, size, name, 64));
        EXPECT_FALSE(has(bytes, size, digest, 8));
    }
}

/* Is it a test at all: without a key all of it is seen. */
static void expect_all(const char *bytes, size_t size)
{
    for (size_t i = 0; i < COUNT(secrets); i++)
        if (!has(bytes, size, secrets[i], strlen(secrets[i])))
            test_fail(__FILE__, __LINE__, "%s", secrets[i]);
}

/* ---- On Redis ------------------------------------------------------------ */

static void add(char **all, size_t *size, const char *bytes, size_t more)
{
    *all = realloc(*all, *size + more + 1);
    memcpy(*all + *size, bytes, more);
    *size += more;
    (*all)[(*size)++] = '\n';
}

/* All keys and their values. */
static char *read_redis(size_t *size)
{
    char *all = NULL;
    char key[512] = "";
    *size = 0;
    for (long long left = redis_number(&redis, "DBSIZE"); left > 0; left--) {
        size_t value_size = 0;
        (void)redis_text(&redis, key, sizeof key, "RANDOMKEY");
        char *value = redis_bytes(&redis, &value_size, "GET %s", key);
        add(&all, size, key, strlen(key));
        if (value != NULL) add(&all, size, value, value_size);
        free(value);
        (void)redis_number(&redis, "DEL %s", key);
    }
    return all;
}

static void use_redis(const char *option, void (*expect)(const char *, size_t))
{
    struct slow_proxy proxy;
    char url[2 * path_size];
    size_t size = 0;
    slow_proxy_record(&proxy, redis.socket, 0);
    snprintf(url, sizeof url, "redis://127.0.0.1:%u?timeout_ms=5000&%s",
            proxy.port, option);
    use(url, true);
    slow_proxy_stop(&proxy);
    EXPECT_LE(3 * secret_entries * blob_size, proxy.record_size);
    expect(proxy.record, proxy.record_size);
    slow_proxy_free(&proxy);
    char *at_rest = read_redis(&size);
    EXPECT_LE(secret_entries * blob_size, size);
    expect(at_rest, size);
    free(at_rest);
}

static void redis_begin(void)
{
    if (redis_is_there()) redis_start(&redis, test_directory(), NULL);
}

#define TEST_ON_REDIS(name)                           \
    TEST_BETWEEN(EncryptedStore, name, redis_begin(); \
                 if (redis.pid == 0) return, redis_kill(&redis))

TEST_ON_REDIS(ShowsRedisNothing)
{
    char option[path_size];
    use_redis(option_of(option, "encryption_key_file", "key"), expect_nothing);
}

TEST_ON_REDIS(WithoutAKeyShowsRedisAll)
{
    use_redis("insecure=1", expect_all);
}

TEST_ON_REDIS(KeepsWhatIsPutForOtherHosts)
{
    bool has_it = false;
    dnnl_cache_store_handle_t *one = open_redis("key", NULL);
    dnnl_cache_store_handle_t *other = open_redis("key", NULL);
    struct dnnl_cache_store_check check = DNNL_CACHE_STORE_CHECK_INIT;
    EXPECT_OK(put_number(one, 1, 3000));
    EXPECT_OK(put_number(one, 2, 3000000));
    remote_flush(one);
    EXPECT_OK(get_number(other, 1, 3000));
    EXPECT_OK(get_number(other, 2, 3000000));
    EXPECT_OK(dnnl_cache_store_remote_has(
            other, 4, (const uint8_t *)"id 1", &has_it));
    EXPECT_TRUE(has_it);
    EXPECT_EQ(2, count_entries(other));
    EXPECT_OK(dnnl_cache_store_verify(one, false, NULL, NULL, &check));
    EXPECT_EQ(2, check.intact);
    EXPECT_EQ(0, check.damaged);
    EXPECT_OK(remove_id(other, "id 1"));
    EXPECT_STATUS(dnnl_cache_miss, get_number(one, 1, 3000));
    EXPECT_EQ(1, count_entries(one));
    EXPECT_EQ(0, remote_of(one).errors);
    dnnl_cache_store_close(one);
    EXPECT_STR_EQ("", remote_messages());
    dnnl_cache_store_close(other);
    expect_many(open_redis("key", NULL));
}

/* ---- Hosts with other keys ----------------------------------------------- */

/* Until a message comes: what it is told by is not waited for. */
static void await_message(dnnl_cache_store_handle_t *store, const char *part)
{
    for (int i = 0; i < 6000 && strstr(remote_messages(), part) == NULL; i++) {
        (void)get_number(store, 1000, 10);
        (void)usleep(10000);
    }
    EXPECT_EQ(1, count_of(remote_messages(), part));
    for (unsigned i = 0; i < 5; i++)
        EXPECT_STATUS(dnnl_cache_miss, get_number(store, i, 300));
    EXPECT_EQ(1, count_of(remote_messages(), part));
    EXPECT_EQ(0, count_of(remote_messages(), "damaged"));
    EXPECT_EQ(0, statistics_of(store).damaged);
}

static void put_some(dnnl_cache_store_handle_t *store)
{
    for (unsigned i = 0; i < 5; i++)
        EXPECT_OK(put_number(store, i, 300));
    remote_flush(store);
    dnnl_cache_store_close(store);
}

TEST_ON_REDIS(TellsOnceOfAnotherKey)
{
    put_some(open_redis("key", NULL));
    dnnl_cache_store_handle_t *store = open_redis("another", NULL);
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 1, 300));
    await_message(store, "of another key");
    /* What lists all says so of each, and logs it once. */
    struct dnnl_cache_store_check check = DNNL_CACHE_STORE_CHECK_INIT;
    EXPECT_EQ(0, count_entries(store));
    EXPECT_OK(dnnl_cache_store_verify(store, true, NULL, NULL, &check));
    EXPECT_EQ(5, check.damaged);
    EXPECT_EQ(0, check.repaired);
    EXPECT_EQ(1, count_of(remote_messages(), "of another key"));
    EXPECT_EQ(0, statistics_of(store).damaged);
    dnnl_cache_store_close(store);
    store = open_redis("key", NULL);
    EXPECT_OK(get_number(store, 1, 300));
    dnnl_cache_store_close(store);
}

/* The first message of one that has just been opened, and lists. */
TEST_ON_REDIS(TellsOnceWhatAListShows)
{
    put_some(open_redis("key", NULL));
    dnnl_cache_store_handle_t *store = open_redis("another", NULL);
    EXPECT_EQ(0, count_entries(store));
    EXPECT_EQ(1, count_of(remote_messages(), "of another key"));
    dnnl_cache_store_close(store);
    store = open_plain();
    EXPECT_EQ(0, count_entries(store));
    EXPECT_EQ(1, count_of(remote_messages(),
                         "encrypted: encryption_key_file is not given"));
    EXPECT_EQ(0, count_of(remote_messages(), "damaged"));
    dnnl_cache_store_close(store);
}

TEST_ON_REDIS(TellsAHostWithoutAKeyOnce)
{
    put_some(open_redis("key", NULL));
    dnnl_cache_store_handle_t *store = open_plain();
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 1, 300));
    EXPECT_OK(put_number(store, 2000, 300));
    remote_flush(store);
    EXPECT_OK(put_number(store, 2001, 300));
    await_message(store, "entries there are encrypted");
    dnnl_cache_store_close(store);
}

static dnnl_cache_store_handle_t *open_to_remove(const char *key_option_text)
{
    dnnl_cache_store_handle_t *store = NULL;
    char url[2 * path_size];
    struct dnnl_cache_store_remote_options options =
            DNNL_CACHE_STORE_REMOTE_OPTIONS_INIT;
    (void)snprintf(url, sizeof url, "unix://%s?timeout_ms=5000&%s",
            redis.socket, key_option_text);
    options.url = url;
    options.repairs_unsigned = true;
    EXPECT_OK(dnnl_cache_store_open_remote(&store, &options));
    return store;
}

static void repair(dnnl_cache_store_handle_t *store, uint64_t removed)
{
    struct dnnl_cache_store_check check = DNNL_CACHE_STORE_CHECK_INIT;
    EXPECT_OK(dnnl_cache_store_verify(store, true, NULL, NULL, &check));
    EXPECT_EQ(removed, check.repaired);
    dnnl_cache_store_close(store);
}

/* Who removes all that is encrypted, and has no key, has turned it off: later
 * hosts are told nothing of it. Who has one leaves the object, and so does a
 * plain repair. */
TEST_ON_REDIS(ForgetsEncryptionThatIsTurnedOff)
{
    char option[path_size];
    put_some(open_redis("key", NULL));
    EXPECT_EQ(6, redis_number(&redis, "DBSIZE"));
    repair(open_plain(), 0);
    option_of(option, "encryption_key_file", "key");
    repair(open_to_remove(option), 0);
    EXPECT_EQ(6, redis_number(&redis, "DBSIZE"));
    repair(open_to_remove("insecure=1"), 5);
    EXPECT_EQ(0, redis_number(&redis, "DBSIZE"));
    dnnl_cache_store_handle_t *store = open_plain();
    EXPECT_OK(put_number(store, 2000, 300));
    remote_flush(store);
    EXPECT_OK(put_number(store, 2001, 300));
    remote_flush(store);
    EXPECT_OK(put_number(store, 2002, 300));
    EXPECT_EQ(0, count_of(remote_messages(), "encrypted"));
    dnnl_cache_store_close(store);
}

/* Of the tests' numbers: the name in Redis of an entry that is put alone. */
static char *key_of(const char *file, unsigned number, char key[512])
{
    dnnl_cache_store_handle_t *store = open_redis(file, NULL);
    EXPECT_OK(put_number(store, number, 300));
    remote_flush(store);
    dnnl_cache_store_close(store);
    forget_marker();
    EXPECT_EQ(1, redis_number(&redis, "DBSIZE"));
    return (char *)(uintptr_t)redis_text(&redis, key, 512, "RANDOMKEY");
}

static void set(const char *key, const char *value, size_t size)
{
    char text[16];
    EXPECT_STR_EQ("OK", redis_text(&redis, text, sizeof text, "SET %s %b", key,
                                value, size));
}

/* The server gives one entry in place of another, of another key, or one that
 * is not encrypted. */
TEST_ON_REDIS(RefusesWhatIsPutInItsPlace)
{
    char one[512];
    char other[512];
    char foreign[512];
    char plain[512];
    size_t sizes[3];
    char *values[3];
    key_of("key", 1, one);
    values[0] = redis_bytes(&redis, &sizes[0], "GET %s", one);
    EXPECT_EQ(1, redis_number(&redis, "DEL %s", one));
    key_of("key", 2, other);
    values[1] = redis_bytes(&redis, &sizes[1], "GET %s", other);
    EXPECT_EQ(1, redis_number(&redis, "DEL %s", other));
    key_of("another", 1, foreign);
    values[2] = redis_bytes(&redis, &sizes[2], "GET %s", foreign);
    EXPECT_EQ(1, redis_number(&redis, "DEL %s", foreign));
    EXPECT_NE(0, strcmp(one, foreign));

    dnnl_cache_store_handle_t *store = open_redis("key", NULL);
    set(one, values[0], sizes[0]);
    EXPECT_OK(get_number(store, 1, 300));
    /* Swapped. */
    set(one, values[1], sizes[1]);
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 1, 300));
    EXPECT_EQ(1, statistics_of(store).damaged);
    EXPECT_EQ(1, count_of(remote_messages(), ": damaged"));
    /* Cut. */
    set(one, values[0], sizes[0] - 1);
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 1, 300));
    EXPECT_EQ(2, statistics_of(store).damaged);
    dnnl_cache_store_close(store);

    store = open_redis("key", NULL);
    set(one, values[2], sizes[2]);
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 1, 300));
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 1, 300));
    EXPECT_EQ(1, count_of(remote_messages(), "of another key"));
    EXPECT_EQ(0, count_of(remote_messages(), "damaged"));
    EXPECT_EQ(0, statistics_of(store).damaged);
    EXPECT_EQ(2, statistics_of(store).misses);
    dnnl_cache_store_close(store);

    (void)redis_number(&redis, "DEL %s", one);
    store = open_plain();
    EXPECT_OK(put_number(store, 1, 300));
    remote_flush(store);
    (void)redis_text(&redis, plain, sizeof plain, "RANDOMKEY");
    free(values[1]);
    values[1] = redis_bytes(&redis, &sizes[1], "GET %s", plain);
    /* An encrypted one is none for a host without a key. */
    set(plain, values[0], sizes[0]);
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 1, 300));
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 1, 300));
    EXPECT_EQ(1, count_of(remote_messages(), "encrypted: "));
    EXPECT_EQ(0, count_of(remote_messages(), "damaged"));
    dnnl_cache_store_close(store);
    store = open_redis("key", NULL);
    set(one, values[1], sizes[1]);
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 1, 300));
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 1, 300));
    EXPECT_EQ(1, count_of(remote_messages(), "not encrypted"));
    EXPECT_EQ(0, count_of(remote_messages(), "damaged"));
    dnnl_cache_store_close(store);
    for (size_t i = 0; i < COUNT(values); i++)
        free(values[i]);
}

TEST_ON_REDIS(ReadsWithTwoKeysAndWritesWithTheFirst)
{
    bool has_it = false;
    put_some(open_redis("old", NULL));
    dnnl_cache_store_handle_t *both = open_redis("new", "old");
    for (unsigned i = 0; i < 5; i++)
        EXPECT_OK(get_number(both, i, 300));
    EXPECT_OK(dnnl_cache_store_remote_has(
            both, 4, (const uint8_t *)"id 1", &has_it));
    EXPECT_TRUE(has_it);
    EXPECT_STATUS(dnnl_cache_miss, get_number(both, 9, 300));
    EXPECT_EQ(1, statistics_of(both).misses);
    EXPECT_EQ(5, statistics_of(both).hits);
    EXPECT_EQ(0, remote_of(both).gets_failed);
    EXPECT_OK(put_number(both, 9, 300));
    EXPECT_OK(put_number(both, 1, 300)); /* under both names now */
    remote_flush(both);
    EXPECT_EQ(7, count_entries(both));
    EXPECT_OK(get_number(both, 1, 300));
    EXPECT_EQ(6, statistics_of(both).hits);
    EXPECT_STR_EQ("", remote_messages());
    dnnl_cache_store_handle_t *fresh = open_redis("new", NULL);
    EXPECT_OK(get_number(fresh, 9, 300));
    EXPECT_OK(get_number(fresh, 1, 300));
    EXPECT_STATUS(dnnl_cache_miss, get_number(fresh, 2, 300));
    dnnl_cache_store_close(fresh);
    EXPECT_OK(remove_id(both, "id 1"));
    EXPECT_OK(remove_id(both, "id 2"));
    EXPECT_STATUS(dnnl_cache_miss, get_number(both, 1, 300));
    EXPECT_EQ(4, count_entries(both));
    dnnl_cache_store_close(both);
    dnnl_cache_store_handle_t *stale = open_redis("old", NULL);
    EXPECT_OK(get_number(stale, 3, 300));
    EXPECT_STATUS(dnnl_cache_miss, get_number(stale, 2, 300));
    dnnl_cache_store_close(stale);
    (void)redis_number(&redis, "FLUSHALL");
    expect_many(open_redis("new", "old"));
}

/* ---- On nginx ------------------------------------------------------------ */

/* Names and bytes of all objects. */
static char *read_www(size_t *size)
{
    char path[path_size];
    char *all = NULL;
    *size = 0;
    (void)path_in_test(path, "www/fleet");
    DIR *folder = opendir(path);
    for (struct dirent *entry;
            folder != NULL && (entry = readdir(folder)) != NULL;) {
        char file[2 * path_size];
        size_t file_size = 0;
        if (entry->d_name[0] == '.') continue;
        snprintf(file, sizeof file, "%s/%s", path, entry->d_name);
        uint8_t *bytes = read_whole(file, &file_size);
        add(&all, size, entry->d_name, strlen(entry->d_name));
        add(&all, size, (const char *)bytes, file_size);
        free(bytes);
    }
    if (folder != NULL) (void)closedir(folder);
    return all;
}

static void use_nginx(const char *option, void (*expect)(const char *, size_t))
{
    struct slow_proxy proxy;
    char url[2 * path_size];
    size_t size = 0;
    slow_proxy_record(&proxy, NULL, nginx.port);
    snprintf(url, sizeof url, "http://127.0.0.1:%u/fleet?timeout_ms=5000&%s",
            proxy.port, option);
    use(url, false);
    slow_proxy_stop(&proxy);
    EXPECT_LE(3 * secret_entries * blob_size, proxy.record_size);
    expect(proxy.record, proxy.record_size);
    slow_proxy_free(&proxy);
    char *at_rest = read_www(&size);
    EXPECT_LE(secret_entries * blob_size, size);
    expect(at_rest, size);
    free(at_rest);
}

static void nginx_begin(void)
{
    if (nginx_is_there()) nginx_start(&nginx, NULL);
}

#define TEST_ON_NGINX(name)                           \
    TEST_BETWEEN(EncryptedStore, name, nginx_begin(); \
                 if (nginx.pid == 0) return, nginx_kill(&nginx))

TEST_ON_NGINX(ShowsNginxNothing)
{
    char option[path_size];
    use_nginx(option_of(option, "encryption_key_file", "key"), expect_nothing);
}

TEST_ON_NGINX(WithoutAKeyShowsNginxAll)
{
    use_nginx("insecure=1", expect_all);
}

TEST_ON_NGINX(TellsOnceOfAnotherKeyOverHttp)
{
    char option[path_size];
    option_of(option, "encryption_key_file", "key");
    put_some(remote_open("http://127.0.0.1:%u/fleet?timeout_ms=5000&%s",
            nginx.port, option));
    option_of(option, "encryption_key_file", "another");
    dnnl_cache_store_handle_t *store = remote_open(
            "http://127.0.0.1:%u/fleet?timeout_ms=5000&%s", nginx.port, option);
    await_message(store, "of another key");
    dnnl_cache_store_close(store);
}
