/* SPDX-License-Identifier: Apache-2.0 */
/* Servers that do not speak Redis' protocol as Redis does, and ways to a server
 * that are stuck. */
#include "dnnl_cache/remote_store.h"
#include "store_helpers.h"
#include "test.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- Resolving a name ---------------------------------------------------- */

static pthread_mutex_t resolver_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t resolver_changed = PTHREAD_COND_INITIALIZER;
static bool is_resolver_stuck; /* resolver_lock */

static void set_resolver(bool is_stuck)
{
    pthread_mutex_lock(&resolver_lock);
    is_resolver_stuck = is_stuck;
    pthread_cond_broadcast(&resolver_changed);
    pthread_mutex_unlock(&resolver_lock);
}

/* In place of the system's, which the module would call. */
int getaddrinfo(const char *node, const char *service,
        const struct addrinfo *hints, struct addrinfo **result)
{
    int (*real)(const char *, const char *, const struct addrinfo *,
            struct addrinfo **) = NULL;
    pthread_mutex_lock(&resolver_lock);
    while (is_resolver_stuck)
        pthread_cond_wait(&resolver_changed, &resolver_lock);
    pthread_mutex_unlock(&resolver_lock);
    *(void **)(void *)&real = dlsym(RTLD_NEXT, "getaddrinfo");
    return real(node, service, hints, result);
}

/* ---- Servers ------------------------------------------------------------- */

enum { most_connections = 64 };

/* Has a thread for each connection. */
struct hostile {
    /* What is done with a connection until it ends. */
    void (*serve)(struct hostile *hostile, int fd, unsigned number);
    int listener;
    unsigned port;
    pthread_t thread;
    atomic_uint count; /* of connections */
    int fds[most_connections];
    pthread_t threads[most_connections];
    atomic_uint commands; /* that were answered */
    atomic_ullong sent;
    atomic_bool is_over;
};

struct connection {
    struct hostile *hostile;
    int fd;
    unsigned number;
};

static void *serve_one(void *user)
{
    struct connection *c = user;
    c->hostile->serve(c->hostile, c->fd, c->number);
    (void)shutdown(c->fd, SHUT_RDWR);
    free(c);
    return NULL;
}

static void *serve_all(void *user)
{
    struct hostile *hostile = user;
    for (;;) {
        const int fd = accept(hostile->listener, NULL, NULL);
        if (fd < 0 && errno == EMFILE) continue; /* for a moment */
        const unsigned number = atomic_load(&hostile->count);
        struct connection *c = malloc(sizeof *c);
        if (fd < 0 || number == most_connections || c == NULL) {
            if (fd >= 0) (void)close(fd);
            free(c);
            return NULL;
        }
        *c = (struct connection){hostile, fd, number};
        hostile->fds[number] = fd;
        atomic_store(&hostile->count, number + 1);
        if (pthread_create(&hostile->threads[number], NULL, serve_one, c) != 0)
            abort();
    }
}

static void begin_serving(struct hostile *hostile,
        void (*serve)(struct hostile *hostile, int fd, unsigned number))
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t size = sizeof address;
    const int small = 4096;
    *hostile = (struct hostile){.serve = serve};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    hostile->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    /* For its connections, too: what is not read stays with the client. */
    (void)setsockopt(
            hostile->listener, SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
    ASSERT_EQ(0, bind(hostile->listener, (struct sockaddr *)&address,
                         sizeof address));
    ASSERT_EQ(0, listen(hostile->listener, 16));
    ASSERT_EQ(0,
            getsockname(hostile->listener, (struct sockaddr *)&address, &size));
    hostile->port = ntohs(address.sin_port);
    ASSERT_EQ(0, pthread_create(&hostile->thread, NULL, serve_all, hostile));
}

static void end_serving(struct hostile *hostile)
{
    atomic_store(&hostile->is_over, true);
    (void)shutdown(hostile->listener, SHUT_RDWR);
    (void)pthread_join(hostile->thread, NULL);
    for (unsigned i = 0; i < atomic_load(&hostile->count); i++) {
        (void)shutdown(hostile->fds[i], SHUT_RDWR);
        (void)pthread_join(hostile->threads[i], NULL);
        (void)close(hostile->fds[i]);
    }
    (void)close(hostile->listener);
}

static dnnl_cache_store_handle_t *open_with(
        const struct hostile *hostile, const char *more)
{
    dnnl_cache_store_handle_t *store = NULL;
    struct dnnl_cache_store_remote_options options =
            DNNL_CACHE_STORE_REMOTE_OPTIONS_INIT;
    char url[256];
    snprintf(url, sizeof url, "redis://127.0.0.1:%u?insecure=1&%s",
            hostile->port, more);
    options.url = url;
    EXPECT_OK(dnnl_cache_store_open_remote(&store, &options));
    return store;
}

static struct dnnl_cache_store_remote_statistics remote_of(
        const dnnl_cache_store_handle_t *store)
{
    struct dnnl_cache_store_remote_statistics statistics =
            DNNL_CACHE_STORE_REMOTE_STATISTICS_INIT;
    EXPECT_OK(dnnl_cache_store_remote_get_statistics(store, &statistics));
    return statistics;
}

/* Gets until the server has answered so many of them with "none", for a while.
 */
static void get_until_missed(dnnl_cache_store_handle_t *store, size_t most)
{
    const uint64_t start = now_ms();
    while (statistics_of(store).misses < most && now_ms() < start + 20000) {
        EXPECT_STATUS(dnnl_cache_miss, get_number(store, 1, 100));
        (void)usleep(5000);
    }
    EXPECT_EQ(most, statistics_of(store).misses);
}

static bool say(struct hostile *hostile, int fd, const void *bytes, size_t size)
{
    const ssize_t sent = send(fd, bytes, size, MSG_NOSIGNAL);
    if (sent > 0) atomic_fetch_add(&hostile->sent, (unsigned long long)sent);
    return sent == (ssize_t)size;
}

/* What came in at once; "" at the end. Commands of this file are not cut. */
static bool hear(int fd, char text[4096])
{
    const ssize_t size = recv(fd, text, 4095, 0);
    text[size > 0 ? size : 0] = '\0';
    return size > 0;
}

/* ---- A connection that is stuck ------------------------------------------ */

/* One answer for each GET. */
static void answer(struct hostile *hostile, int fd, unsigned number)
{
    char text[4096];
    (void)number;
    while (hear(fd, text) && say(hostile, fd, "$-1\r\n", 5))
        ;
}

/* The first connection has one answer alone. */
static void answer_once(struct hostile *hostile, int fd, unsigned number)
{
    char text[4096];
    if (!hear(fd, text) || !say(hostile, fd, "$-1\r\n", 5)) return;
    if (number > 0) answer(hostile, fd, number);
    while (hear(fd, text))
        ;
}

TEST_C(RedisHostile, AConnectionThatIsStuckIsReplaced)
{
    struct hostile hostile;
    begin_serving(&hostile, answer_once);
    dnnl_cache_store_handle_t *store = open_with(&hostile, "timeout_ms=50");
    get_until_missed(store, 5);
    EXPECT_TRUE(remote_of(store).timeouts > 0);
    dnnl_cache_store_close(store);
    end_serving(&hostile);
}

/* ---- Answers that are none ----------------------------------------------- */

/* To a command of which it has one byte. */
static void answer_early(struct hostile *hostile, int fd, unsigned number)
{
    char text[4096];
    (void)number;
    if (recv(fd, text, 1, 0) != 1 || !say(hostile, fd, "+OK\r\n", 5)) return;
    while (!atomic_load(&hostile->is_over))
        (void)usleep(1000);
}

TEST_C(RedisHostile, AnAnswerBeforeTheEndOfAPutIsNone)
{
    struct hostile hostile;
    begin_serving(&hostile, answer_early);
    dnnl_cache_store_handle_t *store = open_with(&hostile, "timeout_ms=50");
    EXPECT_OK(put_number(store, 1, 16 << 20));
    EXPECT_OK(dnnl_cache_store_remote_flush(store, 9000));
    EXPECT_EQ(0, statistics_of(store).puts);
    EXPECT_EQ(1, statistics_of(store).puts_failed);
    dnnl_cache_store_close(store);
    end_serving(&hostile);
}

/* An array of arrays of numbers, each of which costs memory and none of which
 * is a text. */
static void answer_with_arrays(struct hostile *hostile, int fd, unsigned number)
{
    enum { elements = 50000, most = 64 << 20 };
    char text[4096];
    (void)number;
    char *numbers = malloc(16 + 4 * elements);
    if (numbers == NULL || !hear(fd, text)) {
        free(numbers);
        return;
    }
    const int head = snprintf(numbers, 16, "*%d\r\n", elements);
    for (size_t i = 0; i < elements; i++)
        memcpy(numbers + head + 4 * i, ":1\r\n", 4);
    if (say(hostile, fd, numbers, (size_t)head))
        while (atomic_load(&hostile->sent) < most
                && say(hostile, fd, numbers, (size_t)head + 4 * elements))
            ;
    free(numbers);
}

TEST_C(RedisHostile, ArraysOfArraysAreTooLargeTogether)
{
    struct hostile hostile;
    begin_serving(&hostile, answer_with_arrays);
    dnnl_cache_store_handle_t *store = open_with(&hostile, "timeout_ms=60000");
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 1, 100));
    EXPECT_EQ(1, remote_of(store).too_large);
    EXPECT_TRUE(atomic_load(&hostile.sent) < 32 << 20);
    dnnl_cache_store_close(store);
    end_serving(&hostile);
}

/* Texts in an array, each as long as an entry may be: what nobody asked for is
 * kept no longer than a page of names. */
static void answer_with_texts(struct hostile *hostile, int fd, unsigned number)
{
    enum { most = 64 << 20 };
    static const char head[] = "*2\r\n$20000000\r\n";
    char text[4096];
    char rest[4096];
    (void)number;
    memset(rest, 'x', sizeof rest);
    if (!hear(fd, text) || !say(hostile, fd, head, sizeof head - 1)) return;
    while (atomic_load(&hostile->sent) < most
            && say(hostile, fd, rest, sizeof rest))
        ;
}

TEST_C(RedisHostile, ALongTextInAnArrayIsTooLarge)
{
    struct hostile hostile;
    begin_serving(&hostile, answer_with_texts);
    dnnl_cache_store_handle_t *store = open_with(&hostile, "timeout_ms=60000");
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 1, 100));
    EXPECT_EQ(1, remote_of(store).too_large);
    EXPECT_TRUE(atomic_load(&hostile.sent) < 32 << 20);
    dnnl_cache_store_close(store);
    end_serving(&hostile);
}

/* By itself a text may be as long as an entry. Of one that is no entry the
 * beginning alone is kept. */
static void answer_with_text(struct hostile *hostile, int fd, unsigned number)
{
    enum { length = 20000000 };
    static const char head[] = "$20000000\r\n";
    char text[4096];
    char rest[4096];
    (void)number;
    memset(rest, 'x', sizeof rest);
    while (hear(fd, text) && say(hostile, fd, head, sizeof head - 1)) {
        size_t left = length;
        while (left > 0
                && say(hostile, fd, rest,
                        left < sizeof rest ? left : sizeof rest))
            left -= left < sizeof rest ? left : sizeof rest;
        if (left > 0 || !say(hostile, fd, "\r\n", 2)) break;
    }
}

TEST_C(RedisHostile, ALongTextThatIsNoEntryIsNotKept)
{
    struct hostile hostile;
    begin_serving(&hostile, answer_with_text);
    dnnl_cache_store_handle_t *store = open_with(&hostile, "timeout_ms=60000");
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 1, 100));
    EXPECT_EQ(1, remote_of(store).too_large);
    EXPECT_EQ(1, statistics_of(store).damaged);
    EXPECT_LT(remote_of(store).bytes_received, 1 << 20);
    dnnl_cache_store_close(store);
    end_serving(&hostile);
}

/* The line that says how long a text is never ends; nothing like it may be
 * kept. */
static void answer_without_line_end(
        struct hostile *hostile, int fd, unsigned number)
{
    enum { most = 64 << 20 };
    static const char *const begins[] = {"$6000", "$-", "$", "$6000\r"};
    char text[4096];
    char rest[4096];
    memset(rest, number % 2 == 0 ? 'x' : '0', sizeof rest);
    if (!hear(fd, text)
            || !say(hostile, fd, begins[number % 4],
                    strlen(begins[number % 4])))
        return;
    while (atomic_load(&hostile->sent) < most
            && say(hostile, fd, rest, sizeof rest))
        ;
}

TEST_C(RedisHostile, ALengthWithoutAnEndIsNone)
{
    struct hostile hostile;
    begin_serving(&hostile, answer_without_line_end);
    for (unsigned i = 1; i <= 4; i++) {
        dnnl_cache_store_handle_t *store =
                open_with(&hostile, "timeout_ms=60000");
        EXPECT_STATUS(dnnl_cache_miss, get_number(store, 1, 100));
        EXPECT_EQ(1, remote_of(store).gets_failed);
        EXPECT_EQ(i, atomic_load(&hostile.count));
        dnnl_cache_store_close(store);
    }
    EXPECT_TRUE(atomic_load(&hostile.sent) < 32 << 20);
    end_serving(&hostile);
}

/* Two names, three times, on two pages; each entry is damaged. */
static void list_again(struct hostile *hostile, int fd, unsigned number)
{
    char text[4096];
    char page[1024];
    char names[2][65];
    (void)number;
    for (int i = 0; i < 2; i++) {
        memset(names[i], 'a' + i, 64);
        names[i][64] = '\0';
    }
    const char *a = names[0];
    const char *b = names[1];
    while (hear(fd, text)) {
        const char *reply = "*2\r\n$1\r\nx\r\n$1\r\nx\r\n"; /* MGET */
        if (strstr(text, "SCAN") != NULL) {
            const bool is_last = strstr(text, "$1\r\n7\r\n") != NULL;
            snprintf(page, sizeof page,
                    "*2\r\n$1\r\n%c\r\n*3\r\n$75\r\ndnnl_cache:%s\r\n"
                    "$75\r\ndnnl_cache:%s\r\n$75\r\ndnnl_cache:%s\r\n",
                    is_last ? '0' : '7', a, b, is_last ? b : a);
            reply = page;
        }
        if (!say(hostile, fd, reply, strlen(reply))) break;
    }
}

TEST_C(RedisHostile, ANameThatIsListedAgainIsReadOnce)
{
    struct hostile hostile;
    struct dnnl_cache_store_check result = DNNL_CACHE_STORE_CHECK_INIT;
    begin_serving(&hostile, list_again);
    dnnl_cache_store_handle_t *store = open_with(&hostile, "read_only=1");
    EXPECT_OK(dnnl_cache_store_verify(store, false, NULL, NULL, &result));
    EXPECT_EQ(2, result.damaged);
    dnnl_cache_store_close(store);
    end_serving(&hostile);
}

/* A list that goes on where it was before; or whose last place is the next one,
 * too. A client that goes on and on is left. */
static void list_round(struct hostile *hostile, int fd, unsigned number)
{
    static const char *const places[] = {"5", "6", "7", "8"};
    const unsigned count = number == 0 ? 4 : 1;
    char text[4096];
    char page[64];
    for (unsigned i = 0; i < 1000 && hear(fd, text); i++) {
        snprintf(page, sizeof page, "*2\r\n$1\r\n%s\r\n*0\r\n",
                places[i % count]);
        atomic_fetch_add(&hostile->commands, 1);
        if (!say(hostile, fd, page, strlen(page))) break;
    }
}

TEST_C(RedisHostile, AListThatComesRoundIsAnError)
{
    struct hostile hostile;
    struct dnnl_cache_store_check result = DNNL_CACHE_STORE_CHECK_INIT;
    begin_serving(&hostile, list_round);
    for (unsigned i = 0; i < 2; i++) {
        dnnl_cache_store_handle_t *store = open_with(&hostile, "read_only=1");
        EXPECT_STATUS(dnnl_runtime_error,
                dnnl_cache_store_verify(store, false, NULL, NULL, &result));
        EXPECT_TRUE(atomic_load(&hostile.commands) < 40);
        dnnl_cache_store_close(store);
    }
    end_serving(&hostile);
}

/* ---- Another host that compiles, as the server says ---------------------- */

/* Commands come in pieces, and many at once; each gets one answer. */
struct inbox {
    char bytes[1 << 14];
    size_t size, used;
};

struct command {
    size_t count;
    const char *words[16]; /* valid until the next one is taken */
};

/* Of a line that begins so, at *at, which moves behind it; -1: not all of it is
 * there. */
static long number_in(const struct inbox *in, size_t *at, char first)
{
    const char *line = in->bytes + *at;
    const char *end = memchr(line, '\n', in->size - *at);
    if (end == NULL) return -1;
    if (line[0] != first) abort(); /* our mistake */
    *at = (size_t)(end + 1 - in->bytes);
    return strtol(line + 1, NULL, 10);
}

static bool parse_command(struct inbox *in, struct command *command)
{
    size_t at = in->used;
    const long count = number_in(in, &at, '*');
    if (count < 0 || (size_t)count > COUNT(command->words)) return false;
    for (long i = 0; i < count; i++) {
        const long size = number_in(in, &at, '$');
        if (size < 0 || (size_t)size + 2 > in->size - at) return false;
        command->words[i] = in->bytes + at;
        at += (size_t)size + 2;
        in->bytes[at - 2] = '\0'; /* in place of the line's end */
    }
    command->count = (size_t)count;
    in->used = at;
    return true;
}

/* False: the connection has ended. */
static bool take_command(int fd, struct inbox *in, struct command *command)
{
    while (!parse_command(in, command)) {
        in->size -= in->used;
        memmove(in->bytes, in->bytes + in->used, in->size);
        in->used = 0;
        const ssize_t size =
                recv(fd, in->bytes + in->size, sizeof in->bytes - in->size, 0);
        if (size <= 0) return false;
        in->size += (size_t)size;
    }
    return true;
}

static bool is_verb(const struct command *command, const char *verb)
{
    return strcmp(command->words[0], verb) == 0;
}

/* The script takes a lease from another host, or lets go of one. */
static bool is_script_with(const struct command *command, const char *text)
{
    return is_verb(command, "EVAL") && strstr(command->words[1], text) != NULL;
}

static bool is_of_lease(const struct command *command)
{
    return command->count > 1 && strstr(command->words[1], ":lease") != NULL;
}

/* What a server says whose lease is another host's, for so long. */
static const char *answer_led(const struct command *command, const char *left)
{
    return is_verb(command, "PTTL")                          ? left
           : is_verb(command, "SUBSCRIBE")                   ? "*0\r\n"
           : is_verb(command, "PUBLISH")                     ? ":1\r\n"
           : is_of_lease(command) && is_verb(command, "GET") ? "$5\r\nother\r\n"
                                                             : "$-1\r\n";
}

/* The lease is another's for all time. */
static void say_led(struct hostile *hostile, int fd, unsigned number)
{
    struct inbox in = {.size = 0};
    struct command command;
    (void)number;
    while (take_command(fd, &in, &command)) {
        const char *reply = answer_led(&command, ":9223372036854775807\r\n");
        atomic_fetch_add(&hostile->commands, 1);
        if (!say(hostile, fd, reply, strlen(reply))) break;
    }
}

static dnnl_status_t acquire_lease(dnnl_cache_store_handle_t *store)
{
    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(store);
    size_t size = 0;
    const uint8_t *blob = NULL;
    return s->acquire_lease(s->user, 2, (const uint8_t *)"id", &size, &blob);
}

/* A holder that lives is waited for while it may prolong its lease, ten times
 * its length, and no longer. */
TEST_C(RedisHostile, AnEndlessLeaseIsNotLookedAtAllTheTime)
{
    enum { lease_ms = 100 };
    struct hostile hostile;
    begin_serving(&hostile, say_led);
    dnnl_cache_store_handle_t *store =
            open_with(&hostile, "timeout_ms=10000&lease_ms=100");
    const uint64_t start = now_ms();
    EXPECT_STATUS(dnnl_not_required, acquire_lease(store));
    EXPECT_GE(now_ms() - start, 10 * lease_ms);
    /* A look each length, of six commands. */
    EXPECT_LE(atomic_load(&hostile.commands), 6 * (11 + 4));
    dnnl_cache_store_close(store);
    end_serving(&hostile);
}

enum { led_looks = 3 };
static atomic_uint deposed;

/* The holder prolongs its lease; when it is asked for once more it has ended.
 */
static void say_led_for_a_while(
        struct hostile *hostile, int fd, unsigned number)
{
    struct inbox in = {.size = 0};
    struct command command;
    (void)number;
    while (take_command(fd, &in, &command)) {
        const char *reply = answer_led(&command, ":300\r\n");
        if (is_verb(&command, "SET")
                && atomic_fetch_add(&hostile->commands, 1) >= led_looks)
            reply = "+OK\r\n";
        if (is_script_with(&command, "'set'")) atomic_fetch_add(&deposed, 1);
        if (!say(hostile, fd, reply, strlen(reply))) break;
    }
}

/* By whoever waits, for as long as it prolongs its lease. */
TEST_C(RedisHostile, AHolderThatLivesIsNotDeposed)
{
    struct hostile hostile;
    atomic_store(&deposed, 0);
    begin_serving(&hostile, say_led_for_a_while);
    dnnl_cache_store_handle_t *store =
            open_with(&hostile, "timeout_ms=10000&lease_ms=300");
    EXPECT_STATUS(dnnl_cache_miss, acquire_lease(store));
    EXPECT_EQ(0, atomic_load(&deposed));
    EXPECT_EQ(led_looks + 1, atomic_load(&hostile.commands));
    dnnl_cache_store_close(store);
    end_serving(&hostile);
}

/* Then it takes a while to say that it has. */
static void say_led_and_be_late(
        struct hostile *hostile, int fd, unsigned number)
{
    enum { many_looks = 5, late_ms = 800 };
    struct inbox in = {.size = 0};
    struct command command;
    (void)number;
    while (take_command(fd, &in, &command)) {
        const char *reply = answer_led(&command, ":200\r\n");
        if (is_verb(&command, "SET")
                && atomic_fetch_add(&hostile->commands, 1) >= many_looks) {
            (void)usleep(late_ms * 1000);
            reply = "+OK\r\n";
        }
        if (!say(hostile, fd, reply, strlen(reply))) break;
    }
}

/* A host that has waited for another one does not begin to compile because the
 * answer that ends it is later than a time-out: so many ask at that moment. */
TEST_C(RedisHostile, WhoHasWaitedWaitsAsLongForTheAnswer)
{
    struct hostile hostile;
    begin_serving(&hostile, say_led_and_be_late);
    dnnl_cache_store_handle_t *store =
            open_with(&hostile, "timeout_ms=500&lease_ms=2000");
    EXPECT_STATUS(dnnl_cache_miss, acquire_lease(store));
    EXPECT_EQ(0, remote_of(store).timeouts);
    dnnl_cache_store_close(store);
    end_serving(&hostile);
}

/* Gives the lease to whoever asks, lets nobody subscribe, and ends the first
 * connection on which the lease is let go of. */
static void lose_a_release(struct hostile *hostile, int fd, unsigned number)
{
    struct inbox in = {.size = 0};
    struct command command;
    (void)number;
    while (take_command(fd, &in, &command)) {
        const char *reply =
                is_verb(&command, "SET")   ? "+OK\r\n"
                : is_verb(&command, "GET") ? "$-1\r\n"
                : is_verb(&command, "HELLO") || is_verb(&command, "SUBSCRIBE")
                        ? "-ERR no\r\n"
                        : ":1\r\n";
        if (is_script_with(&command, "'del'")
                && atomic_fetch_add(&hostile->commands, 1) == 0)
            return;
        if (!say(hostile, fd, reply, strlen(reply))) return;
    }
}

TEST_C(RedisHostile, ALeaseIsLetGoOfUntilTheServerSaysSo)
{
    struct hostile hostile;
    begin_serving(&hostile, lose_a_release);
    dnnl_cache_store_handle_t *store =
            open_with(&hostile, "timeout_ms=10000&lease_ms=2000");
    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(store);
    EXPECT_STATUS(dnnl_cache_miss, acquire_lease(store));
    s->release_lease(s->user, 2, (const uint8_t *)"id");
    const uint64_t start = now_ms();
    while (atomic_load(&hostile.commands) < 2 && now_ms() < start + 20000)
        (void)usleep(1000);
    EXPECT_EQ(2, atomic_load(&hostile.commands));
    dnnl_cache_store_close(store);
    end_serving(&hostile);
}

/* The connection for messages is the second one. */
TEST_C(RedisHostile, AResolverThatGetsStuckWhileWaitingIsLeft)
{
    struct hostile hostile;
    begin_serving(&hostile, say_led);
    dnnl_cache_store_handle_t *store =
            open_with(&hostile, "timeout_ms=200&lease_ms=30000");
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 1, 100));
    set_resolver(true);
    const uint64_t start = now_ms();
    EXPECT_STATUS(dnnl_not_required, acquire_lease(store));
    EXPECT_TRUE(now_ms() - start < 10000);
    dnnl_cache_store_close(store);
    EXPECT_TRUE(now_ms() - start < 15000);
    set_resolver(false);
    end_serving(&hostile);
}

TEST_C(RedisHostile, AResolverThatIsStuckCostsOneTimeOut)
{
    struct hostile hostile;
    begin_serving(&hostile, answer);
    dnnl_cache_store_handle_t *store = open_with(&hostile, "timeout_ms=300");
    set_resolver(true);
    const uint64_t start = now_ms();
    for (int i = 0; i < 100; i++)
        EXPECT_STATUS(dnnl_cache_miss, get_number(store, 1, 100));
    const uint64_t took = now_ms() - start;
    EXPECT_LT(took, 5000);
    /* Each second it may be tried once more, which no get waits for. */
    EXPECT_GE(remote_of(store).timeouts, 1);
    EXPECT_LE(remote_of(store).timeouts, 1 + took / 1000);
    dnnl_cache_store_close(store);
    set_resolver(false);
    end_serving(&hostile);
}

/* A caller that drives the connection itself leaves to the thread what may take
 * for ever. */
TEST_C(RedisHostile, WhoDrivesTheConnectionResolvesNoName)
{
    enum { moment_us = 20000 };
    struct hostile hostile;
    begin_serving(&hostile, answer);
    dnnl_cache_store_handle_t *store = open_with(&hostile, "timeout_ms=300");
    get_until_missed(store, 3);
    EXPECT_EQ(1, atomic_load(&hostile.count));
    set_resolver(true);
    EXPECT_EQ(0, shutdown(hostile.fds[0], SHUT_RDWR));
    (void)usleep(moment_us);
    const uint64_t start = now_ms();
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 1, 100));
    EXPECT_LT(now_ms() - start, 10000);
    /* None if the thread has seen the end of the connection before. */
    EXPECT_LE(remote_of(store).timeouts, 1);
    dnnl_cache_store_close(store);
    set_resolver(false);
    end_serving(&hostile);
}

/* ---- The module ---------------------------------------------------------- */

/* Started as a program of the working directory, where a file has the module's
 * name. */
static void start_elsewhere(void)
{
    char program[4096];
    Dl_info info;
    const ssize_t size =
            readlink("/proc/self/exe", program, sizeof program - 1);
    if (size <= 0 || chdir(test_directory()) != 0
            || dladdr((void *)(uintptr_t)malloc, &info) == 0
            || symlink(info.dli_fname, "libdnnl_cache_redis.so") != 0)
        _exit(100);
    program[size] = '\0';
    (void)setenv("DNNL_CACHE_TEST_ELSEWHERE", "1", 1);
    (void)execl(program, "./program",
            "--gtest_filter=RedisHostile.TheModuleIsNotOfTheWorkingDirectory",
            (char *)NULL);
    _exit(101);
}

TEST_C(RedisHostile, TheModuleIsNotOfTheWorkingDirectory)
{
    int status = -1;
    const struct hostile nobody = {.port = 1};
    dnnl_cache_store_handle_t *store = open_with(&nobody, "read_only=1");
    dnnl_cache_store_close(store);
    if (getenv("DNNL_CACHE_TEST_ELSEWHERE") != NULL) return;
    (void)test_directory();
    const pid_t pid = fork();
    if (pid == 0) start_elsewhere();
    EXPECT_EQ(pid, waitpid(pid, &status, 0));
    EXPECT_EQ(0, status);
}

/* ---- What the process has not -------------------------------------------- */

TEST_C(RedisHostile, WithoutADescriptorItIsTriedAgain)
{
    struct hostile hostile;
    struct rlimit all;
    begin_serving(&hostile, answer);
    dnnl_cache_store_handle_t *store = open_with(&hostile, "timeout_ms=10000");
    ASSERT_EQ(0, getrlimit(RLIMIT_NOFILE, &all));
    struct rlimit none = all;
    none.rlim_cur = 0;
    ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &none));
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 1, 100));
    ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &all));
    EXPECT_EQ(1, remote_of(store).errors);
    get_until_missed(store, 1);
    dnnl_cache_store_close(store);
    end_serving(&hostile);
}

/* How many of the standard streams' descriptors are open, and not the server's.
 */
static int count_streams(const struct hostile *hostile)
{
    int open = 0;
    for (int fd = 0; fd <= STDERR_FILENO; fd++) {
        bool is_open = fcntl(fd, F_GETFD) >= 0;
        for (unsigned i = 0; i < atomic_load(&hostile->count); i++)
            if (hostile->fds[i] == fd) is_open = false;
        open += is_open;
    }
    return open;
}

TEST_C(RedisHostile, NoSocketIsAStandardStream)
{
    struct hostile hostile;
    int streams[STDERR_FILENO + 1];
    begin_serving(&hostile, answer);
    (void)fflush(NULL);
    for (int fd = 0; fd <= STDERR_FILENO; fd++) {
        streams[fd] = fcntl(fd, F_DUPFD_CLOEXEC, 100);
        (void)close(fd);
    }
    dnnl_cache_store_handle_t *store = open_with(&hostile, "timeout_ms=10000");
    const dnnl_status_t st = get_number(store, 1, 100);
    const uint64_t misses = statistics_of(store).misses;
    const int open = count_streams(&hostile);
    dnnl_cache_store_close(store);
    end_serving(&hostile);
    for (int fd = 0; fd <= STDERR_FILENO; fd++) {
        (void)dup2(streams[fd], fd);
        (void)close(streams[fd]);
    }
    EXPECT_STATUS(dnnl_cache_miss, st);
    EXPECT_EQ(1, misses);
    EXPECT_EQ(0, open);
}
