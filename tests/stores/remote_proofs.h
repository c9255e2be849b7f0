/* SPDX-License-Identifier: Apache-2.0 */
/*
 * remote_proofs.h: what the stores on disk have to prove, on servers: damage to
 * every byte and of every length, entries of others, many threads and
 * processes, death.
 */
#ifndef DNNL_CACHE_TESTS_REMOTE_PROOFS_H
#define DNNL_CACHE_TESTS_REMOTE_PROOFS_H

#include "remote_helpers.h"

/* A kind of server; the running test's is started and ended by the proof. */
struct remote_proof_server {
    bool (*is_there)(void);
    void (*start)(void);
    void (*kill)(void);
    /* A store with more options: keys. */
    dnnl_cache_store_handle_t *(*open)(const char *options);
    /* Objects, behind the store's back. The caller frees what read() gives,
     * which is NULL if there is none. */
    char *(*read)(const char *name, size_t *size);
    void (*write)(const char *name, const void *bytes, size_t size);
};

void remote_prove_damage(const struct remote_proof_server *server,
        const char *keys); /* "insecure=1", or key_option()'s */
void remote_prove_others(const struct remote_proof_server *server);
void remote_prove_many(const struct remote_proof_server *server);
void remote_prove_death(const struct remote_proof_server *server);

/* Defines the tests of one kind. */
#define REMOTE_PROOFS(suite, server)                               \
    TEST_C(suite, EveryByteAndLengthOfAnEntry)                     \
    {                                                              \
        remote_prove_damage(&(server), "insecure=1");              \
    }                                                              \
    TEST_C(suite, EveryByteAndLengthOfASignedEntry)                \
    {                                                              \
        char option[path_size];                                    \
        remote_prove_damage(&(server), key_option(option, "key")); \
    }                                                              \
    TEST_C(suite, EntriesOfOthersAreNotTaken)                      \
    {                                                              \
        remote_prove_others(&(server));                            \
    }                                                              \
    TEST_C(suite, ManyProcessesOfManyThreads)                      \
    {                                                              \
        remote_prove_many(&(server));                              \
    }                                                              \
    TEST_C(suite, DeathAtARandomMoment)                            \
    {                                                              \
        remote_prove_death(&(server));                             \
    }

#endif /* DNNL_CACHE_TESTS_REMOTE_PROOFS_H */
