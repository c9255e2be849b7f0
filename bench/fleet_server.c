/* SPDX-License-Identifier: Apache-2.0 */
#include "fleet_server.h"

#include "failure.h"

#include <errno.h>
#include <hiredis/hiredis.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static void run_server(
        const char *program, const char *socket, const char *folder)
{
    const char *const arguments[] = {program, "--port", "0", "--unixsocket",
            socket, "--dir", folder, "--save", "", "--appendonly", "no",
            "--daemonize", "no", "--maxclients", "40000", "--tcp-backlog",
            "4096", "--logfile", "redis.log", NULL};
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    (void)execvp(program, (char *const *)(uintptr_t)arguments);
    _exit(127);
}

static bool try_connect(struct fleet_server *server)
{
    redisContext *c = redisConnectUnix(server->socket);
    redisReply *reply =
            c != NULL && c->err == 0 ? redisCommand(c, "PING") : NULL;
    const bool is_up = reply != NULL && reply->type == REDIS_REPLY_STATUS;
    if (reply != NULL) freeReplyObject(reply);
    if (is_up)
        server->connection = c;
    else if (c != NULL)
        redisFree(c);
    return is_up;
}

bool fleet_server_start(
        struct fleet_server *server, const char *program, const char *folder)
{
    enum { limit_ms = 20000, pause_ms = 10 };
    *server = (struct fleet_server){.pid = 0};
    const int size = snprintf(
            server->socket, sizeof server->socket, "%s/redis.sock", folder);
    if (size < 0 || (size_t)size >= sizeof server->socket) {
        failure_set("%s: too long for a socket", folder);
        return false;
    }
    server->pid = fork();
    if (server->pid == 0) run_server(program, server->socket, folder);
    for (int waited = 0; waited < limit_ms; waited += pause_ms) {
        if (try_connect(server)) return true;
        if (waitpid(server->pid, NULL, WNOHANG) == server->pid) break;
        (void)poll(NULL, 0, pause_ms);
    }
    failure_set("%s does not answer", program);
    return false;
}

void fleet_server_end(struct fleet_server *server)
{
    if (server->connection != NULL) redisFree(server->connection);
    if (server->pid > 0) {
        (void)kill(server->pid, SIGKILL);
        while (waitpid(server->pid, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    *server = (struct fleet_server){.pid = 0};
}

/* Of INFO; 0: not there. */
static double number_of(struct fleet_server *server, const char *name)
{
    double value = 0;
    redisReply *reply = redisCommand(server->connection, "INFO");
    const char *at = reply != NULL && reply->type == REDIS_REPLY_STRING
                             ? strstr(reply->str, name)
                             : NULL;
    if (at != NULL && at[strlen(name)] == ':')
        value = strtod(at + strlen(name) + 1, NULL);
    if (reply != NULL) freeReplyObject(reply);
    return value;
}

uint64_t fleet_server_info(struct fleet_server *server, const char *name)
{
    return (uint64_t)number_of(server, name);
}

double fleet_server_cpu_ns(struct fleet_server *server)
{
    return 1e9
           * (number_of(server, "used_cpu_sys")
                   + number_of(server, "used_cpu_user"));
}

bool fleet_server_clear(struct fleet_server *server)
{
    enum { limit_ms = 60000, pause_ms = 20, few = 10 };
    for (int waited = 0;
            waited < limit_ms
            && fleet_server_info(server, "connected_clients") > few;
            waited += pause_ms)
        (void)poll(NULL, 0, pause_ms);
    redisReply *reply = redisCommand(server->connection, "FLUSHALL");
    const bool is_done = reply != NULL && reply->type == REDIS_REPLY_STATUS;
    if (reply != NULL) freeReplyObject(reply);
    if (!is_done) failure_set("FLUSHALL failed");
    return is_done;
}
