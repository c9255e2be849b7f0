/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes that were allocated, and files that hold them.
 */
#ifndef BENCH_BYTES_H
#define BENCH_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bytes {
    uint8_t *data; /* owned, NULL if empty */
    size_t size;
};

/* Makes room for size bytes; what was there is gone. False: no memory. */
bool bytes_resize(struct bytes *bytes, size_t size);
bool bytes_copy(struct bytes *bytes, const void *data, size_t size);
void bytes_fini(struct bytes *bytes);

/* Files in a folder; a failure notes the file's name (failure.h). */
bool bytes_read(struct bytes *bytes, const char *dir, const char *name);
bool bytes_write(
        const void *data, size_t size, const char *dir, const char *name);

#endif /* BENCH_BYTES_H */
