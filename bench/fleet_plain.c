/* SPDX-License-Identifier: Apache-2.0 */
#include "fleet_plain.h"

#include "failure.h"
#include "src/platform/clock.h"

#include <hiredis/hiredis.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

bool fleet_plain_fill(
        struct fleet_server *server, const struct fleet_options *options)
{
    char *bytes = calloc(1, options->blob_bytes);
    bool is_good = bytes != NULL;
    for (unsigned i = 0; i < options->programs && is_good; i++) {
        redisReply *reply = redisCommand(server->connection, "SET plain_%u %b",
                i, bytes, (size_t)options->blob_bytes);
        is_good = reply != NULL && reply->type == REDIS_REPLY_STATUS;
        if (reply != NULL) freeReplyObject(reply);
    }
    free(bytes);
    if (!is_good) failure_set("hiredis: SET failed");
    return is_good;
}

void fleet_plain_init(struct fleet_plain *plain, const char *socket,
        const struct fleet_options *options)
{
    *plain = (struct fleet_plain){.options = options};
    plain->connection = redisConnectUnix(socket);
    plain->failed = plain->connection == NULL || plain->connection->err != 0;
}

void fleet_plain_fini(struct fleet_plain *plain)
{
    if (plain->connection != NULL) redisFree(plain->connection);
    plain->connection = NULL;
}

static void sleep_until(uint64_t until_ns)
{
    const uint64_t now = clock_ns();
    if (now >= until_ns) return;
    const struct timespec pause = {
            .tv_sec = (time_t)((until_ns - now) / 1000000000u),
            .tv_nsec = (long)((until_ns - now) % 1000000000u)};
    (void)nanosleep(&pause, NULL);
}

static void get(struct fleet_plain *plain, unsigned program)
{
    const uint64_t start = clock_ns();
    redisReply *reply =
            redisCommand(plain->connection, "GET plain_%u", program);
    const uint64_t took = clock_ns() - start;
    plain->failed += reply == NULL || reply->type != REDIS_REPLY_STRING
                     || reply->len != plain->options->blob_bytes;
    if (reply != NULL) freeReplyObject(reply);
    if (took > plain->longest_ns) plain->longest_ns = took;
}

void fleet_plain_start(struct fleet_plain *plain, uint64_t began_ns)
{
    const uint64_t each_ns = (uint64_t)plain->options->compile_ms * 1000000u;
    if (plain->failed > 0) return;
    for (unsigned i = 0; i < plain->options->programs; i++) {
        sleep_until(began_ns + (i + 1) * each_ns);
        get(plain, i);
    }
}
