/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The same blobs as plain files of one directory: what a store is compared
 * with.
 */
#ifndef BENCH_SCALE_FILES_H
#define BENCH_SCALE_FILES_H

#include <stdbool.h>

struct scale_files {
    char folder[4096];
    unsigned entries;
    unsigned large;  /* read last */
    unsigned next;   /* to be written */
    unsigned oldest; /* to be removed */
};

/* Makes the directory and all files. False: failure.h says why, as below. */
bool scale_files_make(
        struct scale_files *files, const char *folder, unsigned entries);

/* Small files take the large ones' place, which makes all of one size. */
bool scale_files_make_small(struct scale_files *files);

/* Sides of a measurement; arg is a struct scale_files. Open, read and close of
 * a large file; write and rename of a small one, and unlink of the oldest. */
bool scale_files_read(void *arg, double *value);
bool scale_files_replace(void *arg, double *value);

#endif /* BENCH_SCALE_FILES_H */
