/* SPDX-License-Identifier: Apache-2.0 */
#include "fleet_rows.h"

#include "failure.h"
#include "rounds.h"
#include "src/platform/clock.h"
#include <dnnl_cache/remote_store.h>

#include <hiredis/hiredis.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { blob_bytes = 90000, many = 50, id_size = 400 };

const struct row fleet_rows[] = {
        {"redis_hit", 1.3, "ns",
                "get of 90 KB from Redis by the store / GET of the same bytes "
                "by hiredis"},
        {"redis_prefetch", 1.5, "ns",
                "50 blobs of 90 KB in one get_many / one GET of all their "
                "bytes by hiredis"},
        {"http_hit", 1.3, "ns",
                "get of 90 KB from nginx by the store / GET of the same bytes "
                "by a libcurl handle that is used again"},
        {"http_prefetch", 1.5, "ns",
                "50 blobs of 90 KB in one get_many / one GET of all their "
                "bytes by such a handle"},
        {"redis_hit_p99", 2, "ns",
                "the same as redis_hit: 99th percentile / 99th percentile"},
        {"http_hit_p99", 2, "ns",
                "the same as http_hit: 99th percentile / 99th percentile"},
        {"redis_hit_encrypted", 0, "ns",
                "get of 90 KB from Redis with encryption / without"},
        {"redis_prefetch_encrypted", 0, "ns",
                "50 blobs of 90 KB in one get_many from Redis with encryption "
                "/ without"},
        {"http_hit_encrypted", 0, "ns",
                "get of 90 KB from nginx with encryption / without"},
};
const size_t fleet_row_count = sizeof fleet_rows / sizeof *fleet_rows;

static void make_id(uint8_t id[id_size], unsigned number)
{
    memset(id, 0, id_size);
    snprintf((char *)id, id_size, "row %u", number);
}

static bool fill(dnnl_cache_store_handle_t **store, const char *url)
{
    struct dnnl_cache_store_remote_options options =
            DNNL_CACHE_STORE_REMOTE_OPTIONS_INIT;
    uint8_t id[id_size];
    options.url = url;
    if (!succeeded(dnnl_cache_store_open_remote(store, &options),
                "dnnl_cache_store_open_remote"))
        return false;
    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(*store);
    uint8_t *blob = malloc(blob_bytes);
    bool is_good = blob != NULL;
    for (unsigned i = 0; i < many && is_good; i++) {
        for (unsigned k = 0; k < blob_bytes; k++)
            blob[k] = (uint8_t)((k + i) * 2654435761u >> 24);
        make_id(id, i);
        is_good = s->put(s->user, id_size, id, blob_bytes, blob, NULL)
                  == dnnl_success;
    }
    free(blob);
    return is_good
           && succeeded(dnnl_cache_store_remote_flush(*store, 20000),
                   "dnnl_cache_store_remote_flush");
}

/* The same two with a key. */
static bool fill_encrypted(struct fleet_rows *rows)
{
    char key[256];
    char url[1024];
    snprintf(key, sizeof key, "%s/encryption.key", rows->folder);
    if (!succeeded(dnnl_cache_store_encryption_key_make(key),
                "dnnl_cache_store_encryption_key_make"))
        return false;
    snprintf(url, sizeof url,
            "unix://%s?encryption_key_file=%s&timeout_ms=20000",
            rows->server->socket, key);
    if (!fill(&rows->secret_store, url)) return false;
    snprintf(url, sizeof url,
            "http://127.0.0.1:%u/store?encryption_key_file=%s&timeout_ms=20000",
            rows->http->port, key);
    return fill(&rows->secret_http_store, url);
}

bool fleet_rows_begin(struct fleet_rows *rows)
{
    char url[512];
    snprintf(url, sizeof url, "unix://%s?insecure=1&timeout_ms=20000",
            rows->server->socket);
    if (!fill(&rows->store, url)) return false;
    snprintf(url, sizeof url,
            "http://127.0.0.1:%u/store?insecure=1&timeout_ms=20000",
            rows->http->port);
    return fill(&rows->http_store, url) && fill_encrypted(rows);
}

void fleet_rows_end(struct fleet_rows *rows)
{
    dnnl_cache_store_close(rows->store);
    dnnl_cache_store_close(rows->http_store);
    dnnl_cache_store_close(rows->secret_store);
    dnnl_cache_store_close(rows->secret_http_store);
}

static bool get_one(void *user, double *value)
{
    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(user);
    uint8_t id[id_size];
    size_t size = 0;
    const uint8_t *blob;
    make_id(id, 1);
    const uint64_t start = clock_ns();
    if (!succeeded(s->get(s->user, id_size, id, &size, &blob), "get"))
        return false;
    s->release(s->user, size, blob);
    *value = (double)(clock_ns() - start);
    return true;
}

static bool get_all(void *user, double *value)
{
    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(user);
    uint8_t ids[many][id_size];
    const uint8_t *list[many];
    size_t id_sizes[many];
    size_t sizes[many] = {0};
    const uint8_t *blobs[many] = {NULL};
    for (unsigned i = 0; i < many; i++) {
        make_id(ids[i], i);
        list[i] = ids[i];
        id_sizes[i] = id_size;
    }
    const uint64_t start = clock_ns();
    if (!succeeded(s->get_many(s->user, many, id_sizes, list, sizes, blobs),
                "get_many"))
        return false;
    bool has_all = true;
    for (unsigned i = 0; i < many; i++) {
        has_all &= sizes[i] == blob_bytes;
        if (blobs[i] != NULL) s->release(s->user, sizes[i], blobs[i]);
    }
    *value = (double)(clock_ns() - start);
    if (!has_all) failure_set("get_many did not find all");
    return has_all;
}

/* A GET of a key that has as many bytes. */
static bool get_plain(
        const struct fleet_rows *rows, const char *key, double *value)
{
    const uint64_t start = clock_ns();
    redisReply *reply = redisCommand(rows->server->connection, "GET %s", key);
    const bool is_good = reply != NULL && reply->type == REDIS_REPLY_STRING;
    if (reply != NULL) freeReplyObject(reply);
    *value = (double)(clock_ns() - start);
    if (!is_good) failure_set("hiredis: GET failed");
    return is_good;
}

static bool get_plain_one(void *user, double *value)
{
    return get_plain(user, "plain_one", value);
}

static bool get_plain_all(void *user, double *value)
{
    return get_plain(user, "plain_all", value);
}

static bool put_plain(
        const struct fleet_rows *rows, const char *key, size_t size)
{
    char *bytes = malloc(size);
    if (bytes == NULL) return false;
    for (size_t i = 0; i < size; i++)
        bytes[i] = (char)(i * 2654435761u >> 24);
    redisReply *reply = redisCommand(
            rows->server->connection, "SET %s %b", key, bytes, size);
    const bool is_good = reply != NULL && reply->type == REDIS_REPLY_STATUS;
    if (reply != NULL) freeReplyObject(reply);
    free(bytes);
    if (!is_good) failure_set("hiredis: SET failed");
    return is_good;
}

static bool get_file_one(void *user, double *value)
{
    const struct fleet_rows *rows = user;
    return fleet_http_get(rows->http, "plain_one", value);
}

static bool get_file_all(void *user, double *value)
{
    const struct fleet_rows *rows = user;
    return fleet_http_get(rows->http, "plain_all", value);
}

/* The slow ones: those of one side are not in the same pairs as the other's. */
static bool measure_slow(const struct side sides[2], size_t repeat,
        const char *name, struct result *result)
{
    enum { usual = 3000 };
    struct rounds rounds;
    if (!rounds_measure(&rounds, sides, 2, repeat > 0 ? repeat : usual, name))
        return false;
    const bool is_good = rounds_compare_at(result, &rounds, 0, 1, 0.99);
    rounds_fini(&rounds);
    return is_good;
}

static bool measure_encryption(struct fleet_rows *rows, size_t row,
        bool is_redis, bool is_one, struct result *result)
{
    const struct row *of = &fleet_rows[row];
    bool (*const get)(void *user, double *value) = is_one ? get_one : get_all;
    const struct side encrypted = {
            get, is_redis ? rows->secret_store : rows->secret_http_store};
    const struct side plain = {get, is_redis ? rows->store : rows->http_store};
    return measure_pairs(encrypted, plain, effort_of(rows->repeat, 101, 1001),
            of->target, of->name, result);
}

bool fleet_row_measure(
        struct fleet_rows *rows, size_t row, struct result *result)
{
    const char *row_name = fleet_rows[row].name;
    const bool is_redis = strncmp(row_name, "redis", 5) == 0;
    const bool is_one = strstr(row_name, "_hit") != NULL;
    const bool is_slow = strstr(row_name, "_p99") != NULL;
    if (strstr(row_name, "_encrypted") != NULL)
        return measure_encryption(rows, row, is_redis, is_one, result);
    const char *name = is_one ? "plain_one" : "plain_all";
    const size_t size = is_one ? blob_bytes : (size_t)many * blob_bytes;
    const struct side ours = {is_one ? get_one : get_all,
            is_redis ? rows->store : rows->http_store};
    const struct side redis = {is_one ? get_plain_one : get_plain_all, rows};
    const struct side http = {is_one ? get_file_one : get_file_all, rows};
    const struct side sides[] = {ours, is_redis ? redis : http};
    if (!(is_redis ? put_plain(rows, name, size)
                   : fleet_http_write(rows->http, name, size)))
        return false;
    return is_slow ? measure_slow(sides, rows->repeat, row_name, result)
                   : measure_pairs(sides[0], sides[1],
                           effort_of(rows->repeat, 101, 1001),
                           fleet_rows[row].target, row_name, result);
}
