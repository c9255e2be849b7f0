/* SPDX-License-Identifier: Apache-2.0 */
/* IDs as another process has them, with an environment of its own. */
#ifndef DNNL_CACHE_TESTS_API_IDENTITY_PROCESS_H
#define DNNL_CACHE_TESTS_API_IDENTITY_PROCESS_H

#include "bytes.h"

struct identity {
    struct bytes engine;
    struct bytes program;
    struct bytes primitive; /* empty where primitives are left out */
    char *output;           /* everything print_ids wrote */
};

/* Runs print_ids with this environment besides the test's own ("NAME=value",
 * ended by NULL) and these arguments (the same; NULL: none). Its failure is
 * noted as the test's. Pair with identity_fini(). */
void identity_init(struct identity *identity, const char *const *environment,
        const char *const *arguments);
void identity_fini(struct identity *identity);
/* The same of another program of print_ids.c. */
void identity_init_of(const char *program, struct identity *identity,
        const char *const *environment, const char *const *arguments);

/* The value of a line of its output, up to the line's end, as malloc'ed text;
 * NULL if there is no such line. */
char *identity_value(const struct identity *identity, const char *key);

/* True if a line "key=value" has the part in its value. */
bool identity_says(
        const struct identity *identity, const char *key, const char *part);

#endif /* DNNL_CACHE_TESTS_API_IDENTITY_PROCESS_H */
