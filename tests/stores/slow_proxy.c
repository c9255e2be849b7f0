/* SPDX-License-Identifier: Apache-2.0 */
#include "slow_proxy.h"

#include "test.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static void wait_ms(unsigned ms)
{
    const struct timespec pause = {
            .tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000};
    if (ms > 0) (void)nanosleep(&pause, NULL);
}

static void note(struct slow_proxy *proxy, const char *bytes, size_t size)
{
    if (!proxy->records) return;
    pthread_mutex_lock(&proxy->lock);
    if (size > proxy->record_capacity - proxy->record_size) {
        const size_t capacity = 2 * (proxy->record_size + size);
        char *longer = realloc(proxy->record, capacity);
        if (longer == NULL) abort();
        proxy->record = longer;
        proxy->record_capacity = capacity;
    }
    memcpy(proxy->record + proxy->record_size, bytes, size);
    proxy->record_size += size;
    pthread_mutex_unlock(&proxy->lock);
}

/* Until one of them ends, which ends the other. */
static void pass_on(
        struct slow_proxy *proxy, int from, int to, const atomic_uint *delay_ms)
{
    char bytes[65536];
    ssize_t n;
    while ((n = recv(from, bytes, sizeof bytes, 0)) > 0) {
        note(proxy, bytes, (size_t)n);
        if (delay_ms != NULL) wait_ms(atomic_load(delay_ms));
        for (ssize_t sent = 0; sent < n;) {
            const ssize_t m =
                    send(to, bytes + sent, (size_t)(n - sent), MSG_NOSIGNAL);
            if (m <= 0) break;
            sent += m;
        }
    }
    (void)shutdown(from, SHUT_RDWR);
    (void)shutdown(to, SHUT_RDWR);
}

static void *pass_up(void *user)
{
    const struct proxied *p = user;
    pass_on(p->proxy, p->client, p->server, NULL);
    return NULL;
}

static void *pass_down(void *user)
{
    const struct proxied *p = user;
    pass_on(p->proxy, p->server, p->client, &p->proxy->delay_ms);
    return NULL;
}

static int connect_to(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    (void)memcpy(address.sun_path, path, strlen(path) + 1);
    if (connect(fd, (struct sockaddr *)&address, sizeof address) == 0)
        return fd;
    (void)close(fd);
    return -1;
}

static int connect_to_port(unsigned port)
{
    const struct sockaddr_in address = {.sin_family = AF_INET,
            .sin_port = htons((uint16_t)port),
            .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connect(fd, (const struct sockaddr *)&address, sizeof address) == 0)
        return fd;
    (void)close(fd);
    return -1;
}

static void *accept_all(void *user)
{
    struct slow_proxy *proxy = user;
    while (proxy->count < proxy_most_connections) {
        const int on = 1;
        struct proxied *p = &proxy->connections[proxy->count];
        p->proxy = proxy;
        p->client = accept(proxy->listener, NULL, NULL);
        if (p->client < 0) break;
        p->server = proxy->socket != NULL ? connect_to(proxy->socket)
                                          : connect_to_port(proxy->port_behind);
        if (p->server < 0) {
            (void)close(p->client);
            continue;
        }
        (void)setsockopt(p->client, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        (void)pthread_create(&p->up, NULL, pass_up, p);
        (void)pthread_create(&p->down, NULL, pass_down, p);
        proxy->count++;
    }
    return NULL;
}

static int listen_on_loopback(unsigned *port)
{
    struct sockaddr_in address = {
            .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    EXPECT_TRUE(fd >= 0 && bind(fd, (struct sockaddr *)&address, size) == 0
                && listen(fd, 16) == 0
                && getsockname(fd, (struct sockaddr *)&address, &size) == 0);
    *port = ntohs(address.sin_port);
    return fd;
}

unsigned free_port(void)
{
    unsigned port = 0;
    (void)close(listen_on_loopback(&port));
    return port;
}

static void start(struct slow_proxy *proxy)
{
    proxy->listener = listen_on_loopback(&proxy->port);
    ASSERT_EQ(0, pthread_create(&proxy->thread, NULL, accept_all, proxy));
}

void slow_proxy_start(
        struct slow_proxy *proxy, const char *socket, unsigned delay_ms)
{
    *proxy = (struct slow_proxy){.socket = socket};
    atomic_init(&proxy->delay_ms, delay_ms);
    start(proxy);
}

void slow_proxy_record(
        struct slow_proxy *proxy, const char *socket, unsigned port_behind)
{
    *proxy = (struct slow_proxy){.socket = socket,
            .port_behind = port_behind,
            .records = true,
            .lock = PTHREAD_MUTEX_INITIALIZER};
    atomic_init(&proxy->delay_ms, 0);
    start(proxy);
}

void slow_proxy_free(struct slow_proxy *proxy)
{
    free(proxy->record);
    proxy->record = NULL;
}

void slow_proxy_stop(struct slow_proxy *proxy)
{
    (void)shutdown(proxy->listener, SHUT_RDWR);
    (void)pthread_join(proxy->thread, NULL);
    (void)close(proxy->listener);
    for (unsigned i = 0; i < proxy->count; i++) {
        struct proxied *p = &proxy->connections[i];
        (void)shutdown(p->client, SHUT_RDWR);
        (void)shutdown(p->server, SHUT_RDWR);
        (void)pthread_join(p->up, NULL);
        (void)pthread_join(p->down, NULL);
        (void)close(p->client);
        (void)close(p->server);
    }
}
