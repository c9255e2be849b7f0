/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as what a Redis server says to a host that asks for two leases and
 * an entry: replies, and messages of other hosts, on the connections that the
 * host makes, in pieces between which time passes. Each request ends once, with
 * a body that is no longer than it may be; what was heard is within its limit
 * and each of it has an end.
 */
#include "pieces.h"
#include "scratch.h"
#include "src/platform/clock.h"
#include "stores/redis/redis_heard.h"
#include "stores/redis/redis_internal.h"
#include "stores/redis/redis_lease.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { most_body = 4096, most_connections = 8, most_heard = 4096 };

static const uint64_t ms_ns = 1000000u;

/* ---- Time ---------------------------------------------------------------- */

/* Of this process's calls: clock_ns() is inline. */
static uint64_t skew_ns;

/* NOLINTBEGIN(bugprone-reserved-identifier): what the linker calls them */
int __real_clock_gettime(clockid_t clock, struct timespec *time);
/* Visible to a sanitizer's library, which calls it by this name, too. */
__attribute__((visibility("default"))) int __wrap_clock_gettime(
        clockid_t clock, struct timespec *time);

int __wrap_clock_gettime(clockid_t clock, struct timespec *time)
{
    static const uint64_t second_ns = 1000000000u;
    const int result = __real_clock_gettime(clock, time);
    const uint64_t ns = (uint64_t)time->tv_nsec + skew_ns;
    time->tv_sec += (time_t)(ns / second_ns);
    time->tv_nsec = (long)(ns % second_ns);
    return result;
}
/* NOLINTEND(bugprone-reserved-identifier) */

/* ---- The core ------------------------------------------------------------ */

struct asked {
    struct remote_request request;
    bool is_done;
    bool is_announced;
    uint64_t until_ns;
};

static struct asked *asked_of(const struct remote_request *request)
{
    struct asked *asked = request->core_data;
    REQUIRE(!asked->is_done);
    return asked;
}

static bool expect(struct remote_request *request, uint64_t size)
{
    asked_of(request)->is_announced = true;
    return size <= most_body;
}

static bool receive(struct remote_request *request, const void *data,
        size_t size, enum remote_result *result)
{
    (void)asked_of(request);
    touch(data, size);
    *result = remote_result_too_large;
    if (size > most_body - request->body_size) return false;
    request->body_size += size;
    return true;
}

static uint8_t *room(struct remote_request *request, size_t *size)
{
    static uint8_t bytes[256];
    (void)asked_of(request);
    if (*size > sizeof bytes) *size = sizeof bytes;
    return bytes;
}

static void fill(struct remote_request *request, size_t size)
{
    REQUIRE(asked_of(request)->is_announced);
    REQUIRE(size <= most_body - request->body_size);
    request->body_size += size;
}

static void restart(struct remote_request *request)
{
    (void)asked_of(request);
    request->body_size = 0;
}

static void done(struct remote_request *request, enum remote_result result)
{
    asked_of(request)->is_done = true;
    REQUIRE(result != remote_result_none);
    REQUIRE(memchr(request->why, '\0', sizeof request->why) != NULL);
    REQUIRE(!request->holds_lease || result == remote_result_absent);
}

static uint64_t deadline(const struct remote_request *request)
{
    return asked_of(request)->until_ns;
}

static void postpone(struct remote_request *request, uint64_t until_ns)
{
    static const uint64_t more_ns = 200 * 1000000u;
    asked_of(request)->until_ns = until_ns + more_ns;
}

static const struct remote_host host = {
        expect, receive, room, fill, restart, done, deadline, postpone};

/* ---- The server ---------------------------------------------------------- */

static char path[scratch_path_size];

struct server {
    int fds[most_connections];
    size_t count;
};

/* One for all runs. */
static int listen_once(void)
{
    static int listener = -1;
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (listener >= 0) return listener;
    scratch_path(path, "redis");
    REQUIRE(strlen(path) < sizeof address.sun_path);
    strcpy(address.sun_path, path);
    listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    REQUIRE(listener >= 0);
    REQUIRE(bind(listener, (struct sockaddr *)&address, sizeof address) == 0);
    REQUIRE(listen(listener, 2 * most_connections) == 0);
    return listener;
}

static void take_connections(struct server *server)
{
    int fd;
    while ((fd = accept4(
                    listen_once(), NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK))
            >= 0) {
        if (server->count == most_connections)
            (void)close(fd);
        else
            server->fds[server->count++] = fd;
    }
}

static void read_commands(const struct server *server)
{
    char bytes[4096];
    for (size_t i = 0; i < server->count; i++)
        while (recv(server->fds[i], bytes, sizeof bytes, 0) > 0)
            ;
}

/* The newest, or the one before: a host has two at most. */
static size_t choose(const struct server *server, unsigned how)
{
    return server->count - 1 - how % (server->count < 2 ? 1 : 2);
}

static void hang_up(struct server *server, size_t index)
{
    (void)close(server->fds[index]);
    server->fds[index] = server->fds[--server->count];
}

/* ---- A host -------------------------------------------------------------- */

static void check_heard(const struct remote_transport *t)
{
    size_t count = 0;
    for (size_t i = 0; i < redis_heard_buckets; i++)
        for (const struct redis_heard *h = t->heard[i]; h != NULL;
                h = h->next) {
            REQUIRE(memchr(h->name, '\0', sizeof h->name) != NULL);
            REQUIRE(memchr(h->holder, '\0', sizeof h->holder) != NULL);
            REQUIRE(h->has_ended || h->length_ns <= t->lease_ns);
            count++;
        }
    REQUIRE(count == t->heard_count && count <= most_heard);
}

static void submit(struct remote_transport *t, struct asked *asked,
        enum remote_verb verb, const char *name)
{
    *asked = (struct asked){.request = {.verb = verb, .max_bytes = most_body},
            .until_ns = clock_ns() + 200 * ms_ns};
    asked->request.core_data = asked;
    (void)snprintf(asked->request.name, sizeof asked->request.name, "%s", name);
    dnnl_cache_remote_module.transport->submit(t, &asked->request);
}

static void work(struct remote_transport *t, struct server *server)
{
    enum { times = 3 };
    for (unsigned i = 0; i < times; i++) {
        dnnl_cache_remote_module.transport->drive(t, 1);
        take_connections(server);
        read_commands(server);
        check_heard(t);
    }
}

/* Two bits choose a connection, one hangs up, the rest is how long it takes. */
static void say(struct remote_transport *t, struct server *server,
        struct pieces *pieces)
{
    const unsigned how = pieces_byte(pieces);
    struct piece said = pieces_next(pieces);
    if (server->count > 0 && said.size > 0)
        (void)send(server->fds[choose(server, how)], said.data, said.size,
                MSG_NOSIGNAL | MSG_DONTWAIT);
    free(said.data);
    work(t, server);
    if ((how & 4) != 0 && server->count > 0)
        hang_up(server, choose(server, how));
    skew_ns += (uint64_t)(how >> 3) * 10 * ms_ns;
    work(t, server);
}

static void host_with(struct pieces *pieces, const struct remote_url *url)
{
    enum { requests = 4 };
    static const enum remote_verb verbs[requests] = {remote_verb_lease,
            remote_verb_get, remote_verb_lease, remote_verb_lease};
    static const char *const names[requests] = {"a", "a", "b", "a"};
    const struct remote_transport_calls *calls =
            dnnl_cache_remote_module.transport;
    struct remote_transport *t = NULL;
    struct asked asked[requests] = {{.is_done = false}};
    struct server server = {.count = 0};
    REQUIRE(calls->create(&t, url, &host) == 0);
    t->random = 1; /* the same run each time */
    for (size_t i = 0; i + 1 < requests; i++)
        submit(t, &asked[i], verbs[i], names[i]);
    work(t, &server);
    for (unsigned i = 0; i < 32 && pieces->left > 0; i++) {
        say(t, &server, pieces);
        if (i == 4) submit(t, &asked[requests - 1], verbs[3], names[3]);
        if (i == 8)
            redis_lease_end(t, "a",
                    server.count % 2 == 0 ? remote_verb_built
                                          : remote_verb_fail);
    }
    while (server.count > 0)
        hang_up(&server, 0);
    calls->destroy(t);
    for (size_t i = 0; i < requests; i++)
        REQUIRE(asked[i].is_done || asked[i].request.verb == 0);
    take_connections(&server);
    while (server.count > 0)
        hang_up(&server, 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pieces pieces = {data, size};
    struct remote_url url;
    char text[scratch_path_size + 64];
    char why[remote_why_size];
    (void)listen_once();
    (void)snprintf(text, sizeof text,
            "unix://%s?insecure=1&timeout_ms=100&lease_ms=1000", path);
    REQUIRE(remote_url_parse(&url, text, why) == 0);
    skew_ns = 0;
    host_with(&pieces, &url);
    remote_url_fini(&url);
    return 0;
}
