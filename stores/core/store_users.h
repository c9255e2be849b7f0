/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store_users.h: who has used a store: machines, images that they boot, mount
 * namespaces (src/platform/machine.h).
 *
 * What is installed on one of them says nothing about the others. So whoever
 * judges entries by what is installed here has to know that nobody else uses
 * the store. A user that has not been seen for three months is forgotten.
 */
#ifndef DNNL_CACHE_STORES_CORE_STORE_USERS_H
#define DNNL_CACHE_STORES_CORE_STORE_USERS_H

#include <stdint.h>

enum { store_users_most = 4 };

struct store_user {
    uint64_t who;     /* 0: a free place */
    uint64_t seen_ns; /* since the epoch */
};

struct store_users {
    uint64_t since_ns; /* noted since then; 0: never */
    struct store_user list[store_users_most];
};

/* This process's user; 0: the system does not tell. */
uint64_t store_users_find_own(void);

/* The store is used now. Without effect for a user that is not known. */
void store_users_note(struct store_users *users, uint64_t who, uint64_t now_ns);

/* How many others have used it; one that is not known is not alone. */
uint64_t store_users_count_others(
        const struct store_users *users, uint64_t who, uint64_t now_ns);

#endif /* DNNL_CACHE_STORES_CORE_STORE_USERS_H */
