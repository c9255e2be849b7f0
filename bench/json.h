/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Results as JSON: a list with one object for each row.
 */
#ifndef BENCH_JSON_H
#define BENCH_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Writes "key": "text". */
void json_put_text(FILE *file, const char *key, const char *text);

/* Writes a file with a list of count objects, each by put(). False: failure.h.
 */
bool json_write_list(const char *path, size_t count,
        void (*put)(FILE *file, size_t index, const void *user),
        const void *user);

#endif /* BENCH_JSON_H */
