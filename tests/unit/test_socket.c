/* SPDX-License-Identifier: Apache-2.0 */
#include "src/platform/socket.h"

#include "src/platform/clock.h"
#include "src/platform/thread.h"
#include "test.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static const uint64_t ms_ns = 1000000;

/* ---- Waiting ------------------------------------------------------------- */

TEST_C(Socket, AWaitEndsAtItsDeadline)
{
    struct kept_descriptor waker;
    ASSERT_EQ(0, socket_make_waker(&waker));
    struct socket_wait waits[] = {{.fd = file_none, .asked = socket_can_read},
            {.fd = waker.fd, .asked = socket_can_read}};
    const uint64_t start = clock_ns();
    EXPECT_FALSE(socket_await(waits, 2, 0));
    EXPECT_FALSE(socket_await(waits, 2, start)); /* over */
    EXPECT_FALSE(socket_await(waits, 2, start + 30 * ms_ns));
    EXPECT_GE(clock_ns(), start + 30 * ms_ns);
    EXPECT_EQ(0, waits[0].found);
    EXPECT_EQ(0, waits[1].found);
    EXPECT_EQ(0, kept_descriptor_close(&waker));
}

static void *wake_later(void *waker)
{
    clock_sleep_ns(20 * ms_ns);
    socket_wake(waker);
    return NULL;
}

TEST_C(Socket, AWaitIsEndedOnceByAnotherThread)
{
    struct kept_descriptor waker;
    pthread_t thread;
    ASSERT_EQ(0, socket_make_waker(&waker));
    struct socket_wait wait = {.fd = waker.fd, .asked = socket_can_read};
    EXPECT_FALSE(socket_was_woken(&waker));
    ASSERT_TRUE(thread_start(&thread, wake_later, &waker));
    EXPECT_TRUE(socket_await(&wait, 1, clock_ns() + 60000 * ms_ns));
    EXPECT_EQ(socket_can_read, wait.found);
    EXPECT_EQ(0, pthread_join(thread, NULL));
    EXPECT_TRUE(socket_was_woken(&waker));
    EXPECT_FALSE(socket_was_woken(&waker));
    EXPECT_FALSE(socket_await(&wait, 1, 0));
    EXPECT_EQ(0, kept_descriptor_close(&waker));
    socket_wake(&waker); /* of one that is closed: nothing */
    EXPECT_FALSE(socket_was_woken(&waker));
}

/* ---- A server that is a file --------------------------------------------- */

struct server {
    char path[socket_path_size];
    int fd; /* listens */
};

static bool listen_at(struct server *s)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if ((size_t)snprintf(s->path, sizeof s->path, "%s/socket", test_directory())
            >= sizeof s->path)
        return false;
    strcpy(address.sun_path, s->path);
    s->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    return s->fd >= 0
           && bind(s->fd, (const struct sockaddr *)&address, sizeof address)
                      == 0
           && listen(s->fd, 8) == 0;
}

TEST_C(Socket, SendsPartsAndReceivesIntoRooms)
{
    struct server s;
    struct kept_descriptor kept;
    const struct file_part parts[] = {{"one ", 4}, {"two", 3}};
    char first[2];
    char second[16] = "";
    const struct socket_room rooms[] = {
            {first, sizeof first}, {second, sizeof second}};
    size_t size = 0;
    if (!listen_at(&s)) SKIP_TEST("no socket in the test's folder");
    ASSERT_EQ(0, socket_connect_file(&kept, s.path));
    const int peer = accept(s.fd, NULL, NULL);
    ASSERT_TRUE(peer >= 0);
    EXPECT_EQ(0, socket_connected(&kept));
    EXPECT_EQ(EAGAIN, socket_receive(&size, &kept, rooms, 2));
    EXPECT_FALSE(socket_is_stale(&kept));
    EXPECT_EQ(0, socket_send(&size, &kept, parts, 2));
    EXPECT_EQ(7, size);
    char got[16];
    EXPECT_EQ(7, read(peer, got, sizeof got));
    EXPECT_EQ(0, memcmp(got, "one two", 7));
    EXPECT_EQ(7, write(peer, got, 7));
    EXPECT_EQ(0, socket_receive(&size, &kept, rooms, 2));
    EXPECT_EQ(7, size);
    EXPECT_EQ(0, memcmp(first, "on", 2));
    EXPECT_EQ(0, memcmp(second, "e two", 5));
    EXPECT_EQ(0, close(peer));
    struct socket_wait wait = {.fd = kept.fd};
    EXPECT_TRUE(socket_await(&wait, 1, clock_ns() + 60000 * ms_ns));
    EXPECT_EQ(socket_has_ended, wait.found); /* without being asked for */
    EXPECT_TRUE(socket_is_stale(&kept));
    EXPECT_EQ(ECONNRESET, socket_receive(&size, &kept, rooms, 2));
    /* No SIGPIPE. */
    EXPECT_EQ(EPIPE, socket_send(&size, &kept, parts, 2));
    EXPECT_EQ(0, kept_descriptor_close(&kept));
    EXPECT_EQ(EBADF, socket_send(&size, &kept, parts, 2));
    EXPECT_EQ(EBADF, socket_connected(&kept));
    EXPECT_EQ(0, close(s.fd));
}

/* ---- Connecting ---------------------------------------------------------- */

TEST_C(Socket, OfAHostEachAddressIsTriedOnce)
{
    struct socket_addresses *addresses = NULL;
    struct kept_descriptor kept = KEPT_DESCRIPTOR_NONE;
    EXPECT_EQ(ENOENT, socket_connect(&kept, NULL));
    /* Nobody listens there: begun, or refused at once. */
    ASSERT_EQ(0, socket_resolve(&addresses, "127.0.0.1", 1));
    const int error = socket_connect(&kept, addresses);
    EXPECT_TRUE(error == EINPROGRESS || error == ECONNREFUSED);
    if (error == EINPROGRESS) {
        struct socket_wait wait = {.fd = kept.fd, .asked = socket_can_write};
        EXPECT_TRUE(socket_await(&wait, 1, clock_ns() + 60000 * ms_ns));
        EXPECT_EQ(ECONNREFUSED, socket_connected(&kept));
        EXPECT_EQ(0, kept_descriptor_close(&kept));
    }
    EXPECT_EQ(ENOENT, socket_connect(&kept, addresses)); /* none is left */
    socket_addresses_free(addresses);
}

TEST_C(Socket, APathThatIsTooLongIsNoServers)
{
    char path[socket_path_size + 1];
    struct kept_descriptor kept = KEPT_DESCRIPTOR_NONE;
    memset(path, 'a', sizeof path);
    path[socket_path_size] = '\0';
    EXPECT_EQ(ENAMETOOLONG, socket_connect_file(&kept, path));
    path[socket_path_size - 1] = '\0';
    EXPECT_EQ(ENOENT, socket_connect_file(&kept, path));
}
