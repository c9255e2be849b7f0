/* SPDX-License-Identifier: Apache-2.0 */
#include "src/platform/random.h"

#include "src/platform/clock.h"
#include "src/platform/file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

int random_bytes(void *data, size_t size)
{
    uint8_t *at = data;
    while (size > 0) {
        const ssize_t n = getrandom(at, size, 0);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return n < 0 ? errno : EIO;
        at += n;
        size -= (size_t)n;
    }
    return 0;
}

uint64_t random_number(void)
{
    uint64_t number;
    if (getrandom(&number, sizeof number, GRND_NONBLOCK)
            == (ssize_t)sizeof number)
        return number;
    return clock_epoch_ns() ^ (uint64_t)(uintptr_t)&number;
}

void secret_clear(void *data, size_t size)
{
    explicit_bzero(data, size);
}

void file_unique_name(char name[file_unique_size], const char *prefix)
{
    (void)snprintf(name, file_unique_size, "%.16s%ld-%016" PRIx64, prefix,
            (long)getpid(), random_number());
}
