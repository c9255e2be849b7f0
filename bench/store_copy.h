/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One set of entries in a store of each type: how many files it takes, how many
 * bytes, and how long, over the same blobs as plain files.
 */
#ifndef BENCH_STORE_COPY_H
#define BENCH_STORE_COPY_H

#include "report.h"

/* Copies the entries of the store at `from` to stores in a folder, and reports
 * the rows of each type. False: failure.h. */
bool store_copy_measure(struct report *report, const char *from,
        const char *folder, size_t repeat);

#endif /* BENCH_STORE_COPY_H */
