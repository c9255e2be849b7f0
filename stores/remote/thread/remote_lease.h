/* SPDX-License-Identifier: Apache-2.0 */
/*
 * remote_lease.h: entries that this process compiles while other hosts wait.
 *
 * A store that got the lead of an entry (remote_verb_lease) keeps its name here
 * until the entry is put or the caller stops. A put takes the name along: the
 * transport is told once the put has ended, whatever became of it.
 *
 *   who dies                        what follows
 *   the holder, before its put      its lease ends by itself; another host
 * leads
 *   ... after its put, before the   waiting hosts look for the entry now and
 *   others are told                 then, and find it
 *   a waiting host                  nothing
 *   the server                      waiting hosts compile at once
 *
 * What a holder puts late, after another host took the lease, does no harm:
 * both entries are of the same ID, and every entry is verified.
 */
#ifndef DNNL_CACHE_STORES_REMOTE_THREAD_REMOTE_LEASE_H
#define DNNL_CACHE_STORES_REMOTE_THREAD_REMOTE_LEASE_H

#include "stores/remote/thread/remote_thread.h"

struct remote_leases;

/* With a reference to the thread that has the leases. NULL: out of memory. */
struct remote_leases *remote_leases_make(struct remote_thread *gets);
void remote_leases_retain(struct remote_leases *leases);
/* NULL is fine. */
void remote_leases_release(struct remote_leases *leases);

/* False: out of memory. */
bool remote_leases_add(struct remote_leases *leases, const char *name);
/* True: it was there, and the caller calls remote_leases_end() for it. */
bool remote_leases_take(struct remote_leases *leases, const char *name);
/* Tells the transport what became of the entry: built, stop or fail. */
void remote_leases_end(
        struct remote_leases *leases, const char *name, enum remote_verb how);

#endif /* DNNL_CACHE_STORES_REMOTE_THREAD_REMOTE_LEASE_H */
