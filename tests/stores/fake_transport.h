/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fake_transport.h: a server in this process, with gates. One server, for all
 * transports of the running test.
 */
#ifndef DNNL_CACHE_TESTS_FAKE_TRANSPORT_H
#define DNNL_CACHE_TESTS_FAKE_TRANSPORT_H

#include "stores/remote/remote_internal.h"

enum fake_mode {
    fake_answers,      /* at once, from the objects that it has */
    fake_holds,        /* nothing is answered until the mode changes */
    fake_holds_absent, /* nor is what it does not have */
    fake_fails,
    fake_refuses,
    fake_stuck /* drive() does not return, nor does it look at deadlines */
};

/* Forgets its objects and counts, and answers. */
void fake_begin(void);
/* What is held is answered by the new mode. */
void fake_set(enum fake_mode mode);
/* Waits until so many requests of a verb were submitted since fake_begin(). */
void fake_await(enum remote_verb verb, unsigned count);
unsigned fake_submitted(enum remote_verb verb);
size_t fake_objects(void);
unsigned fake_created(void);
/* May callers drive its transports from now on? Not after fake_begin(). */
void fake_lend(bool may);
/* How often one was lent, and was given back. */
unsigned fake_lent(void);
unsigned fake_given_back(void);
/* The threads that submitted, and drove, last. */
bool fake_is_submitter(pthread_t thread);
bool fake_is_driver(pthread_t thread);
/* Waits until all transports are destroyed. */
void fake_await_end(void);

/* A store at it: http://fake?insecure=1 and more options. NULL: failed. The
 * breakers' clock is *now_ns, if it is not NULL. */
dnnl_cache_store_handle_t *fake_open(
        const struct dnnl_cache_store_remote_options *options, const char *more,
        atomic_uint_fast64_t *now_ns);

#endif /* DNNL_CACHE_TESTS_FAKE_TRANSPORT_H */
