/* SPDX-License-Identifier: Apache-2.0 */
/*
 * channel.h: bytes to and from a process, over a pair of sockets.
 *
 * Whole pieces with deadlines (clock_ns(); UINT64_MAX: none). Writing to an end
 * that is gone is an error and sends no signal. An application may close what
 * it does not know, and a channel then belongs to it (kept_descriptor.h).
 * Functions return 0 or an errno value: ETIMEDOUT; EPIPE, the other end is
 * closed; EBADF, the application has closed this one. One thread at a time.
 */
#ifndef DNNL_CACHE_SRC_PLATFORM_CHANNEL_H
#define DNNL_CACHE_SRC_PLATFORM_CHANNEL_H

#include "src/platform/kept_descriptor.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct channel {
    struct kept_descriptor kept;
};

#define CHANNEL_NONE ((struct channel){.kept = {.fd = -1}})

/* A new one, and the other end for a process that is started with it; the
 * caller closes that one (file_close()). */
int channel_open(struct channel *channel, int *other);

/* The channel that this process was started with as its standard input, which
 * is empty from then on: what the process starts does not inherit it. ENOTSOCK:
 * it was started otherwise. */
int channel_take_input(struct channel *channel);

/* It is there, and still ours. */
bool channel_is_open(const struct channel *channel);

/* The other end reads that there is no more; what it says is received. */
void channel_end(const struct channel *channel);

void channel_close(struct channel *channel); /* none is fine */

int channel_send(const struct channel *channel, const void *data, size_t size,
        uint64_t until_ns);
int channel_receive(const struct channel *channel, void *data, size_t size,
        uint64_t until_ns);

/* Waits until one has something to say, its end included, or there is something
 * to read from the file `also` (file_none: none), at most timeout_ms.
 * ready[i] tells, with ready[count] for the file. Channels that are not open
 * never are. False: none. */
bool channel_wait(bool ready[], const struct channel *const channels[],
        size_t count, int also, unsigned timeout_ms);

#endif /* DNNL_CACHE_SRC_PLATFORM_CHANNEL_H */
