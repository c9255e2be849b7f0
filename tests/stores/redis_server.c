/* SPDX-License-Identifier: Apache-2.0 */
#include "redis_server.h"

#include "server_process.h"
#include "test.h"

#include <hiredis/hiredis.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef REDIS_SERVER
#define REDIS_SERVER "/usr/bin/redis-server"
#endif

enum { most_arguments = 40 };

bool redis_is_there(void)
{
    if (access(REDIS_SERVER, X_OK) == 0) return true;
    test_skip(__FILE__, __LINE__, "no redis-server");
    return false;
}

static redisContext *try_connect(const struct redis_process *server)
{
    redisContext *c = redisConnectUnix(server->socket);
    if (c != NULL && c->err == 0) return c;
    if (c != NULL) redisFree(c);
    return NULL;
}

static bool answers(const void *server)
{
    redisContext *c = try_connect(server);
    if (c == NULL) return false;
    redisReply *reply = redisCommand(c, "PING");
    /* With a password it answers, too. */
    const bool is_up = reply != NULL
                       && (reply->type == REDIS_REPLY_STATUS
                               || strncmp(reply->str, "NOAUTH", 6) == 0);
    if (reply != NULL) freeReplyObject(reply);
    redisFree(c);
    return is_up;
}

void redis_start(struct redis_process *server, const char *directory,
        const char *const *arguments)
{
    const char *all[most_arguments] = {REDIS_SERVER, "--port", "0",
            "--unixsocket", server->socket, "--dir", directory, "--save", "",
            "--appendonly", "no", "--daemonize", "no", "--logfile",
            "redis.log"};
    size_t count = 0;
    char socket[sizeof server->socket];
    while (all[count] != NULL)
        count++;
    for (; arguments != NULL && *arguments != NULL; arguments++)
        if (count + 1 < most_arguments) all[count++] = *arguments;
    snprintf(socket, sizeof socket, "%s/redis.sock", directory);
    /* Started again it has the same one, which other threads may read. */
    if (strcmp(server->socket, socket) != 0)
        memcpy(server->socket, socket, sizeof socket);
    (void)unlink(server->socket);
    server->pid = server_spawn(all, 0);
    if (server_await(server->pid, answers, server)) return;
    test_fail(__FILE__, __LINE__, "redis-server does not answer");
    server->pid = 0;
}

void redis_kill(struct redis_process *server)
{
    server_kill(&server->pid);
}

static redisReply *command(
        const struct redis_process *server, const char *format, va_list list)
{
    redisContext *c = try_connect(server);
    if (c == NULL) {
        test_fail(__FILE__, __LINE__, "redis-server cannot be reached");
        return NULL;
    }
    redisReply *reply = redisvCommand(c, format, list);
    redisFree(c);
    return reply;
}

long long redis_number(
        const struct redis_process *server, const char *format, ...)
{
    va_list list;
    long long number = -1;
    va_start(list, format);
    redisReply *reply = command(server, format, list);
    va_end(list);
    if (reply != NULL && reply->type == REDIS_REPLY_INTEGER)
        number = reply->integer;
    if (reply != NULL) freeReplyObject(reply);
    return number;
}

const char *redis_text(const struct redis_process *server, char *text,
        size_t capacity, const char *format, ...)
{
    va_list list;
    text[0] = '\0';
    va_start(list, format);
    redisReply *reply = command(server, format, list);
    va_end(list);
    if (reply != NULL && reply->str != NULL)
        snprintf(text, capacity, "%s", reply->str);
    if (reply != NULL) freeReplyObject(reply);
    return text;
}

char *redis_bytes(const struct redis_process *server, size_t *size,
        const char *format, ...)
{
    va_list list;
    char *bytes = NULL;
    va_start(list, format);
    redisReply *reply = command(server, format, list);
    va_end(list);
    if (reply != NULL && reply->str != NULL) {
        bytes = malloc(reply->len + 1);
        if (bytes != NULL) memcpy(bytes, reply->str, reply->len + 1);
        *size = reply->len;
    }
    if (reply != NULL) freeReplyObject(reply);
    return bytes;
}

/* A number of the server's INFO, behind this text; 0 if that is not there. */
static long long info_number(const struct redis_process *server,
        const char *section, const char *text)
{
    char all[16384];
    (void)redis_text(server, all, sizeof all, "INFO %s", section);
    const char *found = strstr(all, text);
    return found != NULL ? strtoll(found + strlen(text), NULL, 10) : 0;
}

long long redis_calls(const struct redis_process *server, const char *name)
{
    char wanted[64];
    snprintf(wanted, sizeof wanted, "cmdstat_%s:calls=", name);
    return info_number(server, "commandstats", wanted);
}

long long redis_gets(const struct redis_process *server)
{
    return redis_calls(server, "get") + redis_calls(server, "mget");
}

long long redis_reads(const struct redis_process *server)
{
    return info_number(server, "stats", "total_reads_processed:");
}
