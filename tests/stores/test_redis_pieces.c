/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies that come in pieces, whole and not: they are received where they stay.
 */
#include "dnnl_cache/remote_store.h"
#include "store_helpers.h"
#include "stores/remote/remote_entry.h"
#include "test.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { count = 3 };

/* Texts are received in place from 4 KiB on: that is between these. The last
 * one is longer than what is received at once, or hiredis could have all of it.
 */
static const size_t blob_sizes[count] = {20000, 3000, 200000};

/* ---- A server ------------------------------------------------------------ */

/* Takes one connection, on which it waits for one MGET of all bodies. */
struct piecewise {
    int listener;
    unsigned port;
    pthread_t thread;
    uint8_t *answers; /* to all of them */
    size_t size;
    size_t piece;
};

/* "*4", and "$N" and a word for each of four words. */
static bool is_whole(const char *text)
{
    unsigned lines = 0;
    while ((text = strstr(text, "\r\n")) != NULL) {
        lines++;
        text++;
    }
    return lines == 1 + 2 * (1 + count);
}

static bool hear_command(int fd)
{
    char text[8192];
    size_t size = 0;
    do {
        const ssize_t n = recv(fd, text + size, sizeof text - 1 - size, 0);
        if (n <= 0) return false;
        size += (size_t)n;
        text[size] = '\0';
    } while (!is_whole(text));
    return strstr(text, "\r\nMGET\r\n") != NULL;
}

static void *serve(void *user)
{
    const struct piecewise *server = user;
    const int on = 1;
    const int fd = accept(server->listener, NULL, NULL);
    if (fd < 0) return NULL;
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    bool is_heard = hear_command(fd);
    for (size_t at = 0; is_heard && at < server->size; at += server->piece) {
        const size_t left = server->size - at;
        const size_t size = left < server->piece ? left : server->piece;
        is_heard = send(fd, server->answers + at, size, MSG_NOSIGNAL)
                   == (ssize_t)size;
    }
    (void)close(fd);
    return NULL;
}

static void begin(struct piecewise *server)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t size = sizeof address;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    server->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    ASSERT_EQ(0, bind(server->listener, (struct sockaddr *)&address,
                         sizeof address));
    ASSERT_EQ(0, listen(server->listener, 1));
    ASSERT_EQ(0,
            getsockname(server->listener, (struct sockaddr *)&address, &size));
    server->port = ntohs(address.sin_port);
    ASSERT_EQ(0, pthread_create(&server->thread, NULL, serve, server));
}

static void end(struct piecewise *server)
{
    (void)shutdown(server->listener, SHUT_RDWR);
    (void)pthread_join(server->thread, NULL);
    (void)close(server->listener);
    free(server->answers);
}

/* ---- What it answers ----------------------------------------------------- */

static uint8_t *blob_of(size_t i)
{
    uint8_t *blob = malloc(blob_sizes[i]);
    for (size_t k = 0; blob != NULL && k < blob_sizes[i]; k++)
        blob[k] = (uint8_t)((k + i) * 2654435761u >> 24);
    return blob;
}

static size_t id_of(char id[32], size_t i)
{
    return (size_t)snprintf(id, 32, "piece %zu", i);
}

static void add(struct piecewise *server, const void *bytes, size_t size)
{
    uint8_t *grown = realloc(server->answers, server->size + size);
    ASSERT_TRUE(grown != NULL);
    memcpy(grown + server->size, bytes, size);
    server->answers = grown;
    server->size += size;
}

/* An array with this head; returns where the last body begins. */
static size_t make_answers_behind(struct piecewise *server, const char *head)
{
    static const struct remote_key_files no_files = {.insecure = true};
    char why[remote_why_size];
    struct remote_keys *keys = NULL;
    size_t last = 0;
    *server = (struct piecewise){.piece = 1 << 20};
    EXPECT_EQ(0, remote_keys_open(&keys, &no_files, why));
    add(server, head, strlen(head));
    for (size_t i = 0; i < count; i++) {
        uint8_t *bytes = NULL;
        size_t size = 0;
        char id[32];
        char length[32];
        const size_t id_size = id_of(id, i);
        uint8_t *blob = blob_of(i);
        const struct remote_entry entry = {
                .item = {.id_size = id_size,
                        .id = (const uint8_t *)id,
                        .blob_size = blob_sizes[i],
                        .kind = dnnl_cache_blob_kind_program},
                .blob = blob};
        EXPECT_EQ(0, remote_entry_encode(&bytes, &size, &entry, keys));
        add(server, length,
                (size_t)snprintf(length, sizeof length, "$%zu\r\n", size));
        last = server->size;
        add(server, bytes, size);
        add(server, "\r\n", 2);
        free(bytes);
        free(blob);
    }
    remote_keys_close(keys);
    return last;
}

static size_t make_answers(struct piecewise *server)
{
    return make_answers_behind(server, "*3\r\n");
}

/* Asks for all, of which so many are found. */
static void expect_found(struct piecewise *server, size_t found)
{
    char ids[count][32];
    const uint8_t *list[count];
    size_t id_sizes[count];
    size_t sizes[count] = {0};
    const uint8_t *blobs[count] = {NULL};
    char url[128];
    dnnl_cache_store_handle_t *store = NULL;
    struct dnnl_cache_store_remote_options options =
            DNNL_CACHE_STORE_REMOTE_OPTIONS_INIT;
    begin(server);
    snprintf(url, sizeof url,
            "redis://127.0.0.1:%u?insecure=1&timeout_ms=60000", server->port);
    options.url = url;
    EXPECT_OK(dnnl_cache_store_open_remote(&store, &options));
    for (size_t i = 0; i < count; i++) {
        id_sizes[i] = id_of(ids[i], i);
        list[i] = (const uint8_t *)ids[i];
    }
    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(store);
    EXPECT_STATUS(found > 0 ? dnnl_success : dnnl_cache_miss,
            s->get_many(s->user, count, id_sizes, list, sizes, blobs));
    for (size_t i = 0; i < count; i++) {
        EXPECT_EQ(i < found, blobs[i] != NULL);
        if (blobs[i] == NULL) continue;
        uint8_t *blob = blob_of(i);
        EXPECT_EQ(blob_sizes[i], sizes[i]);
        EXPECT_EQ(0, memcmp(blob, blobs[i], blob_sizes[i]));
        s->release(s->user, sizes[i], blobs[i]);
        free(blob);
    }
    struct dnnl_cache_store_remote_statistics statistics =
            DNNL_CACHE_STORE_REMOTE_STATISTICS_INIT;
    EXPECT_OK(dnnl_cache_store_remote_get_statistics(store, &statistics));
    EXPECT_EQ(count - found, statistics.gets_failed);
    dnnl_cache_store_close(store);
    end(server);
}

TEST_C(RedisPieces, BodiesInPiecesOfAnySize)
{
    static const size_t pieces[] = {7, 4096, 4097, 65536, 1 << 20};
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        struct piecewise server;
        (void)make_answers(&server);
        server.piece = pieces[i];
        expect_found(&server, count);
    }
}

/* What was complete before is found. */
TEST_C(RedisPieces, ABodyThatIsCutIsMissed)
{
    static const size_t left[] = {0, 1, 4096, 50000, 99999};
    for (size_t i = 0; i < sizeof left / sizeof *left; i++) {
        struct piecewise server;
        const size_t last = make_answers(&server);
        server.size = last + left[i];
        server.piece = 5000;
        expect_found(&server, count - 1);
    }
    /* All of it, but for what ends it. */
    for (size_t cut = 1; cut <= 2; cut++) {
        struct piecewise server;
        (void)make_answers(&server);
        server.size -= cut;
        expect_found(&server, count - 1);
    }
}

TEST_C(RedisPieces, ABodyThatDoesNotEndWhereItShouldIsMissed)
{
    static const size_t pieces[] = {4096, 1 << 20};
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        struct piecewise server;
        (void)make_answers(&server);
        server.answers[server.size - 2] = 'X';
        server.piece = pieces[i];
        expect_found(&server, count - 1);
    }
}

/* With less or more elements than were asked for, or without any, whose is what
 * is not known. */
TEST_C(RedisPieces, AnArrayOfAnotherLengthIsNone)
{
    static const char *const heads[] = {"*2\r\n", "*4\r\n", "*0\r\n", "*-1\r\n",
            "*3x\r\n", "*99999999999999999999\r\n", "*\r\n", "*3\n",
            "*3\r\n*3\r\n"};
    static const size_t pieces[] = {1, 1 << 20};
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        for (size_t k = 0; k < 2; k++) {
            struct piecewise server;
            (void)make_answers_behind(&server, heads[i]);
            server.piece = pieces[k];
            if (k == 0) server.size = strlen(heads[i]) + 2000;
            expect_found(&server, 0);
        }
}
