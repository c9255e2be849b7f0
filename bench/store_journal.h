/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a start pays for a journal: its first note, which is known already.
 */
#ifndef BENCH_STORE_JOURNAL_H
#define BENCH_STORE_JOURNAL_H

#include <stdbool.h>

/* A store whose journal has 22 MiB, and one whose journal has a note. */
struct store_journal_bench;

enum store_journal { store_journal_short, store_journal_long };

/* Makes them in a folder. False: failure.h says why. */
bool store_journal_open(struct store_journal_bench **bench, const char *folder);
/* NULL is fine. */
void store_journal_close(struct store_journal_bench *bench);

/* Opens the store, appends a note that it has, and closes it. */
bool store_journal_start(struct store_journal_bench *bench,
        enum store_journal which, double *value);

/* The same of one of 100 000 small notes, which is made at the first call. */
bool store_journal_start_many(struct store_journal_bench *bench, double *value);

/* The same of the long one, as if nobody had read all of it for a day. */
bool store_journal_start_old(struct store_journal_bench *bench, double *value);

#endif /* BENCH_STORE_JOURNAL_H */
