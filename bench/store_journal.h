/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a start pays for a journal: its first note, which is known already.
 */
#ifndef BENCH_STORE_JOURNAL_H
#define BENCH_STORE_JOURNAL_H

#include <stdbool.h>

/* A store whose journal has 22 MiB, and one whose journal has a note. */
struct store_journal_bench;

/* Makes them in a folder. False: failure.h says why. */
bool store_journal_open(struct store_journal_bench **bench, const char *folder);
/* NULL is fine. */
void store_journal_close(struct store_journal_bench *bench);

/* Opens the store, appends a note that it has, and closes it. */
bool store_journal_start(
        struct store_journal_bench *bench, bool is_long, double *value);

#endif /* BENCH_STORE_JOURNAL_H */
