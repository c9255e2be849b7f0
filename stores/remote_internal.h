/* SPDX-License-Identifier: Apache-2.0 */
/*
 * remote_internal.h: what the parts of a remote store know of each other.
 *
 * remote_store.c opens it and has its callbacks, remote_call.c is how a caller
 * waits, remote_thread.c the thread that has a transport, remote_breaker.c
 * decides whether to ask and how long to wait, remote_puts.c is the queue,
 * remote_module.c finds the module.
 */
#ifndef DNNL_CACHE_STORES_REMOTE_INTERNAL_H
#define DNNL_CACHE_STORES_REMOTE_INTERNAL_H

#include "remote_store.h"
#include "remote_transport.h"
#include "store_internal.h"

/* Opens a store with a given transport, which a test makes itself. Takes over
 * *url, also if it fails. */
dnnl_status_t remote_store_open(struct dnnl_cache_store_handle **store,
        const struct dnnl_cache_store_remote_options *options,
        struct remote_url *url, const struct remote_transport_class *transport);

/* The transport for a scheme, from its module. 0 or an errno value with why in
 * words. The module stays loaded for ever. */
int remote_module_find(const struct remote_transport_class **transport,
        enum remote_scheme scheme, char why[remote_why_size]);

#endif /* DNNL_CACHE_STORES_REMOTE_INTERNAL_H */
