/* SPDX-License-Identifier: Apache-2.0 */
#include "remote_helpers.h"

#include "own_descriptors.h"
#include "test.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

/* ---- Stores -------------------------------------------------------------- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the messages */
static char messages[8192];

const char *remote_messages(void)
{
    return messages;
}

static void note_message(
        dnnl_cache_log_level_t level, const char *text, void *user)
{
    (void)level;
    (void)user;
    printf("[   LOG    ] %s\n", text);
    pthread_mutex_lock(&lock);
    const size_t used = strlen(messages);
    snprintf(messages + used, sizeof messages - used, "%s\n", text);
    pthread_mutex_unlock(&lock);
}

dnnl_status_t remote_try_open(
        dnnl_cache_store_handle_t **store, const char *url)
{
    struct dnnl_cache_store_remote_options options =
            DNNL_CACHE_STORE_REMOTE_OPTIONS_INIT;
    options.url = url;
    options.log = note_message;
    messages[0] = '\0';
    return dnnl_cache_store_open_remote(store, &options);
}

dnnl_cache_store_handle_t *remote_open(const char *format, ...)
{
    dnnl_cache_store_handle_t *store = NULL;
    char url[4 * path_size];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(url, sizeof url, format, arguments);
    va_end(arguments);
    EXPECT_OK(remote_try_open(&store, url));
    return store;
}

void remote_flush(dnnl_cache_store_handle_t *store)
{
    EXPECT_OK(dnnl_cache_store_remote_flush(store, 60000));
}

struct dnnl_cache_store_remote_statistics remote_of(
        const dnnl_cache_store_handle_t *store)
{
    struct dnnl_cache_store_remote_statistics statistics =
            DNNL_CACHE_STORE_REMOTE_STATISTICS_INIT;
    EXPECT_OK(dnnl_cache_store_remote_get_statistics(store, &statistics));
    return statistics;
}

void expect_many(dnnl_cache_store_handle_t *store)
{
    enum { many = many_entries, many_size = 2000 };
    static char ids[many][16];
    size_t id_sizes[many];
    const uint8_t *list[many];
    size_t sizes[many] = {0};
    const uint8_t *blobs[many] = {NULL};
    for (unsigned i = 0; i < many; i++) {
        id_sizes[i] = (size_t)snprintf(ids[i], sizeof ids[i], "id %u", i);
        list[i] = (const uint8_t *)ids[i];
        if (i != 7) EXPECT_OK(put_number(store, i, many_size));
    }
    remote_flush(store);
    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(store);
    EXPECT_OK(s->get_many(s->user, many, id_sizes, list, sizes, blobs));
    for (unsigned i = 0; i < many; i++) {
        EXPECT_EQ(i == 7 ? 0 : many_size, sizes[i]);
        if (blobs[i] != NULL) s->release(s->user, sizes[i], blobs[i]);
    }
    EXPECT_EQ(0, remote_of(store).errors);
    EXPECT_EQ(1, statistics_of(store).misses);
    dnnl_cache_store_close(store);
}

void write_secret(const char *path, const char *text, mode_t mode)
{
    write_whole(path, text, strlen(text));
    EXPECT_EQ(0, chmod(path, mode));
}

const char *key_option(char option[path_size], const char *name)
{
    char path[path_size];
    (void)path_in_test(path, name);
    if (access(path, F_OK) != 0)
        EXPECT_OK(dnnl_cache_store_key_file_make(path));
    snprintf(option, path_size, "key_file=%.*s", path_size - 16, path);
    return option;
}

/* ---- An application that closes descriptors ------------------------------ */

static int lose_descriptors(void *user)
{
    const char *url = user;
    dnnl_cache_store_handle_t *store = NULL;
    int failures = 0;
    if (remote_try_open(&store, url) != dnnl_success) return 100;
    failures += get_number_quietly(store, 1, 3000) != dnnl_success;
    for (unsigned i = 0; i < 3; i++) {
        failures += !own_descriptors_take(test_directory(), 90);
        failures += get_number_quietly(store, 1, 3000) != dnnl_success;
        failures += put_number(store, 10 + i, 3000) != dnnl_success;
        remote_flush(store);
        failures += get_number_quietly(store, 10 + i, 3000) != dnnl_success;
        failures += !own_descriptors_are_untouched();
    }
    failures += !own_descriptors_take(test_directory(), 90);
    dnnl_cache_store_close(store);
    failures += !own_descriptors_are_untouched();
    if (failures > 0) fprintf(stderr, "%s\n", remote_messages());
    return failures;
}

void remote_expect_descriptors_alone(const char *url)
{
    EXPECT_EQ(0, in_child(lose_descriptors, (void *)(uintptr_t)url));
}

/* ---- Load ---------------------------------------------------------------- */

void *remote_put_and_get(void *user)
{
    struct remote_load *load = user;
    for (unsigned i = 0; !atomic_load(&load->is_over); i++) {
        const uint64_t start = now_ms();
        if (put_number(load->store, i % 20, 5000) != dnnl_success)
            load->wrong++;
        const int st = get_number_quietly(load->store, (i + 7) % 20, 5000);
        const uint64_t took = now_ms() - start;
        if (took > load->longest_ms) load->longest_ms = took;
        if (st == dnnl_success)
            atomic_fetch_add(&load->hits, 1);
        else if (st != dnnl_cache_miss)
            load->wrong++;
    }
    return NULL;
}

void remote_load_over_restarts(dnnl_cache_store_handle_t *store,
        void (*kill_server)(void), void (*start_server)(void))
{
    enum { threads = 4, rounds = 3 };
    struct remote_load loads[threads];
    pthread_t ids[threads];
    for (int i = 0; i < threads; i++) {
        loads[i] = (struct remote_load){.store = store};
        ASSERT_EQ(0,
                pthread_create(&ids[i], NULL, remote_put_and_get, &loads[i]));
    }
    const uint64_t end = now_ms() + 60000;
    for (int i = 0; i < threads; i++)
        while (atomic_load(&loads[i].hits) == 0 && now_ms() < end)
            (void)usleep(1000);
    for (int i = 0; i < rounds; i++) {
        kill_server();
        (void)usleep(50000);
        start_server();
        (void)usleep(100000);
    }
    for (int i = 0; i < threads; i++)
        atomic_store(&loads[i].is_over, true);
    for (int i = 0; i < threads; i++) {
        (void)pthread_join(ids[i], NULL);
        EXPECT_EQ(0, loads[i].wrong);
        EXPECT_TRUE(atomic_load(&loads[i].hits) > 0);
        /* The time-out, and what a busy machine adds. */
        EXPECT_LT(loads[i].longest_ms, 30000);
    }
}

/* Puts a blob and gets it. A busy machine may take longer than the time-out,
 * and is asked again. */
static void await_hit(dnnl_cache_store_handle_t *store)
{
    const uint64_t end = now_ms() + 60000;
    dnnl_status_t st = dnnl_cache_miss;
    while (st == dnnl_cache_miss && now_ms() < end) {
        EXPECT_OK(put_number(store, 1, 1000));
        remote_flush(store);
        st = get_number(store, 1, 1000);
        if (st == dnnl_cache_miss) (void)usleep(10000);
    }
    EXPECT_OK(st);
}

void remote_expect_no_wait_for_paused(
        dnnl_cache_store_handle_t *store, pid_t server)
{
    await_hit(store);
    EXPECT_EQ(0, kill(server, SIGSTOP));
    const uint64_t start = now_ms();
    for (int i = 0; i < 1000; i++)
        EXPECT_STATUS(dnnl_cache_miss, get_number(store, 1, 1000));
    /* The first waits; what all wait for together is limited, too. */
    EXPECT_LT(now_ms() - start, 5000);
    EXPECT_TRUE(remote_of(store).gets_skipped > 900);
    EXPECT_OK(put_number(store, 2, 1000));
    const uint64_t close_start = now_ms();
    dnnl_cache_store_close(store);
    EXPECT_LT(now_ms() - close_start, 10000);
    EXPECT_EQ(0, kill(server, SIGCONT));
}

/* ---- Servers that are none ----------------------------------------------- */

/* False: the liar shall end, or the other side has closed. */
static bool await(const struct liar *liar, int fd, unsigned most_ms)
{
    struct pollfd poll_fd = {.fd = fd, .events = POLLIN};
    const uint64_t until = now_ms() + most_ms;
    while (!atomic_load(&liar->is_over) && now_ms() < until)
        if (poll(&poll_fd, 1, 5) > 0) return true;
    return false;
}

static void wait_ms(const struct liar *liar, unsigned ms)
{
    const uint64_t until = now_ms() + ms;
    while (!atomic_load(&liar->is_over) && now_ms() < until)
        (void)poll(NULL, 0, 5);
}

static void answer_one(struct liar *liar, int fd)
{
    enum { long_ms = 60000, read_on_ms = 20, repeated = 64 };
    char asked[65536];
    if (!await(liar, fd, long_ms) || recv(fd, asked, sizeof asked, 0) <= 0)
        return;
    atomic_fetch_add(&liar->asked, 1);
    wait_ms(liar, liar->answer_after_ms);
    (void)!send(fd, liar->answer, liar->size, MSG_NOSIGNAL);
    while (liar->is_endless && !atomic_load(&liar->is_over)
            && send(fd, liar->answer + liar->size - repeated, repeated,
                       MSG_NOSIGNAL)
                       > 0)
        ;
    if (!liar->keeps_open) (void)shutdown(fd, SHUT_WR);
    const unsigned most_ms = liar->keeps_open ? long_ms : read_on_ms;
    while (await(liar, fd, most_ms) && recv(fd, asked, sizeof asked, 0) > 0)
        ;
}

static void *lie(void *user)
{
    enum { most_silent = 256 };
    struct liar *liar = user;
    int silent[most_silent];
    size_t silent_count = 0;
    while (!atomic_load(&liar->is_over)) {
        if (!await(liar, liar->listener, 1000)) continue;
        const int fd = accept4(liar->listener, NULL, NULL, SOCK_CLOEXEC);
        if (fd < 0) continue;
        if (liar->is_silent && silent_count < most_silent) {
            silent[silent_count++] = fd;
            continue;
        }
        const struct timeval timeout = {.tv_usec = 10000};
        (void)setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof timeout);
        answer_one(liar, fd);
        (void)close(fd);
    }
    while (silent_count > 0)
        (void)close(silent[--silent_count]);
    return NULL;
}

static bool bind_unix(const struct liar *liar)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s", liar->path);
    (void)unlink(liar->path);
    return bind(liar->listener, (struct sockaddr *)&address, sizeof address)
           == 0;
}

static bool bind_port(struct liar *liar)
{
    struct sockaddr_in address = {
            .sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof address;
    if (bind(liar->listener, (struct sockaddr *)&address, size) != 0
            || getsockname(liar->listener, (struct sockaddr *)&address, &size)
                       != 0)
        return false;
    liar->port = ntohs(address.sin_port);
    return true;
}

void liar_begin(struct liar *liar)
{
    const int family = liar->path != NULL ? AF_UNIX : AF_INET;
    atomic_init(&liar->is_over, false);
    atomic_init(&liar->asked, 0);
    liar->listener = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    ASSERT_TRUE(liar->listener >= 0);
    ASSERT_TRUE(liar->path != NULL ? bind_unix(liar) : bind_port(liar));
    ASSERT_EQ(0, listen(liar->listener, 64));
    ASSERT_EQ(0, pthread_create(&liar->thread, NULL, lie, liar));
}

void liar_end(struct liar *liar)
{
    atomic_store(&liar->is_over, true);
    (void)pthread_join(liar->thread, NULL);
    (void)close(liar->listener);
}

void full_backlog_begin(struct full_backlog *full)
{
    struct sockaddr_in address = {
            .sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof address;
    full->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    ASSERT_EQ(0, bind(full->listener, (struct sockaddr *)&address, size));
    ASSERT_EQ(
            0, getsockname(full->listener, (struct sockaddr *)&address, &size));
    ASSERT_EQ(0, listen(full->listener, 0));
    full->port = ntohs(address.sin_port);
    for (size_t i = 0; i < COUNT(full->fillers); i++) {
        full->fillers[i] =
                socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        (void)connect(full->fillers[i], (struct sockaddr *)&address, size);
    }
}

void full_backlog_end(struct full_backlog *full)
{
    for (size_t i = 0; i < COUNT(full->fillers); i++)
        (void)close(full->fillers[i]);
    (void)close(full->listener);
}
