/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Folders for what the drivers and the benchmark write.
 */
#ifndef BENCH_SCRATCH_H
#define BENCH_SCRATCH_H

#include <stdbool.h>
#include <stddef.h>

/* A new folder below TMPDIR (/tmp), its path into dir. */
bool scratch_create(char *dir, size_t capacity);

/* Removes a folder with all that is in it. */
void scratch_remove(const char *dir);

#endif /* BENCH_SCRATCH_H */
