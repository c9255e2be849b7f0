/* SPDX-License-Identifier: Apache-2.0 */
/* Counts what the process makes durable. A program that links syncs.c has its
 * fsync() and fdatasync() called by the stores, and by SQLite too: a function
 * of the program comes before that of a library. */
#ifndef DNNL_CACHE_TESTS_STORES_SYNCS_H
#define DNNL_CACHE_TESTS_STORES_SYNCS_H

struct syncs {
    unsigned long files;
    unsigned long directories;
};

struct syncs syncs_so_far(void);

#endif /* DNNL_CACHE_TESTS_STORES_SYNCS_H */
