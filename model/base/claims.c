/* SPDX-License-Identifier: Apache-2.0 */
#include "model/base/claims.h"

#include "src/platform/clock.h"
#include "src/platform/file.h"

#include <stdio.h>

enum { path_size = 4096, pause_ms = 10 };

void claims_open(struct claims *claims, const char *folder)
{
    char path[path_size];
    const int n = snprintf(path, sizeof path, "%s/compiling.lock", folder);
    claims->file = file_none;
    if (n < 0 || (size_t)n >= sizeof path) return;
    (void)file_open(&claims->file, file_here, path,
            file_for_reading | file_for_writing | file_made_if_missing
                    | file_no_link | file_no_wait,
            0600);
}

/* The byte that stands for a program; the file has none of them. */
static uint64_t byte_of(uint64_t hash)
{
    return hash >> 2;
}

bool claims_take(const struct claims *claims, uint64_t hash)
{
    return file_lock_byte(claims->file, byte_of(hash));
}

void claims_wait(const struct claims *claims, uint64_t hash, int limit_ms)
{
    for (int ms = 0; ms < limit_ms && !claims_take(claims, hash);
            ms += pause_ms)
        clock_sleep_ns(pause_ms * 1000000u);
}

void claims_drop(const struct claims *claims, uint64_t hash)
{
    file_unlock_byte(claims->file, byte_of(hash));
}

void claims_close(struct claims *claims)
{
    (void)file_close(claims->file);
    claims->file = file_none;
}
