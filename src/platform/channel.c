/* SPDX-License-Identifier: Apache-2.0 */
#include "src/platform/channel.h"

#include "src/platform/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

int channel_open(struct channel *channel, int *other)
{
    int ends[2];
    *channel = CHANNEL_NONE;
    *other = -1;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return errno;
    int error = kept_descriptor_keep(&channel->kept, ends[0]);
    if (error != 0) {
        (void)close(ends[1]);
        return error;
    }
    *other = kept_descriptor_raise(ends[1]);
    if (*other >= 0) return 0;
    error = errno;
    channel_close(channel);
    return error;
}

int channel_take_input(struct channel *channel)
{
    int type;
    socklen_t size = sizeof type;
    *channel = CHANNEL_NONE;
    if (getsockopt(STDIN_FILENO, SOL_SOCKET, SO_TYPE, &type, &size) != 0)
        return errno;
    const int fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (fd < 0) return errno;
    const int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (null >= 0) {
        (void)dup2(null, STDIN_FILENO);
        (void)close(null);
    }
    return kept_descriptor_keep(&channel->kept, fd);
}

bool channel_is_open(const struct channel *channel)
{
    return kept_descriptor_is_ours(&channel->kept);
}

void channel_end(const struct channel *channel)
{
    if (channel_is_open(channel)) (void)shutdown(channel->kept.fd, SHUT_WR);
}

void channel_close(struct channel *channel)
{
    (void)kept_descriptor_close(&channel->kept);
}

/* Waits for the socket. */
static int wait_for(
        const struct channel *channel, short events, uint64_t until_ns)
{
    enum { most_ms = 60000 };
    for (;;) {
        const uint64_t now = clock_ns();
        if (now >= until_ns) return ETIMEDOUT;
        struct pollfd poll_fd = {.fd = channel->kept.fd, .events = events};
        const uint64_t ms = (until_ns - now) / 1000000 + 1;
        const int n = poll(&poll_fd, 1, ms < most_ms ? (int)ms : most_ms);
        if (n < 0 && errno != EINTR) return errno;
        if (!channel_is_open(channel)) return EBADF;
        if (n > 0) return 0;
    }
}

int channel_send(const struct channel *channel, const void *data, size_t size,
        uint64_t until_ns)
{
    const uint8_t *at = data;
    while (size > 0) {
        const int error = wait_for(channel, POLLOUT, until_ns);
        if (error != 0) return error;
        const ssize_t n =
                send(channel->kept.fd, at, size, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n < 0 && errno != EINTR && errno != EAGAIN) return errno;
        if (n <= 0) continue;
        at += n;
        size -= (size_t)n;
    }
    return 0;
}

int channel_receive(const struct channel *channel, void *data, size_t size,
        uint64_t until_ns)
{
    uint8_t *at = data;
    while (size > 0) {
        const int error = wait_for(channel, POLLIN, until_ns);
        if (error != 0) return error;
        const ssize_t n = recv(channel->kept.fd, at, size, MSG_DONTWAIT);
        if (n == 0) return EPIPE;
        if (n < 0 && errno != EINTR && errno != EAGAIN) return errno;
        if (n < 0) continue;
        at += n;
        size -= (size_t)n;
    }
    return 0;
}

bool channel_wait(bool ready[], const struct channel *const channels[],
        size_t count, int also, unsigned timeout_ms)
{
    struct pollfd *waits = calloc(count + 1, sizeof *waits);
    bool is_any = false;
    for (size_t i = 0; i <= count; i++)
        ready[i] = false;
    if (waits == NULL) return false;
    for (size_t i = 0; i < count; i++)
        waits[i] = (struct pollfd){
                channel_is_open(channels[i]) ? channels[i]->kept.fd : -1,
                POLLIN, 0};
    waits[count] = (struct pollfd){also, POLLIN, 0};
    if (poll(waits, count + 1, (int)timeout_ms) > 0)
        for (size_t i = 0; i <= count; i++) {
            ready[i] = waits[i].revents != 0;
            is_any = is_any || ready[i];
        }
    free(waits);
    return is_any;
}
