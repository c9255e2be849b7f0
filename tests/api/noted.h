/* SPDX-License-Identifier: Apache-2.0 */
/* noted.h: a store with a journal, for captures that are left to it. */
#ifndef DNNL_CACHE_TESTS_NOTED_H
#define DNNL_CACHE_TESTS_NOTED_H

#include "programs.h"
#include "stored.h"

#include <stddef.h>

enum { most_notes = 32 };

struct noted {
    struct stored x;
    dnnl_cache_store_t callbacks;
    dnnl_status_t fail_note;
    dnnl_status_t can_put;
    size_t count;
    /* "build -DA", "launch scale 64-1-1 of 0-0-0 small" */
    char notes[most_notes][96];
};

void noted_open(struct noted *x);
void noted_attach(struct noted *x); /* the store as its callbacks now are */
/* Another process; nothing is noted yet. */
void noted_restart(struct noted *x);
/* Releases a program and ends the process; so many blobs are in the store. */
void noted_expect_blobs(
        struct noted *x, dnnl_cache_program_t program, unsigned expected);

dnnl_cache_program_t build_scale(struct noted *x);
/* One with the work-group of so many items in a row; 0: as the driver likes. */
void launch(dnnl_cache_program_t program, const char *name, size_t local);

/* How often the driver was asked for anything of a program. */
unsigned long queries(void);
unsigned blobs(struct noted *x);
/* The launches that the store's only program blob has code for. */
void expect_launches(struct noted *x, const char *expected);

/* A test that has one, opened before and closed after it: TEST_WITH(). */
#define TEST_NOTED(suite, name) \
    TEST_WITH(suite, name, struct noted, x, noted_open(x), stored_close(&x->x))

#endif /* DNNL_CACHE_TESTS_NOTED_H */
