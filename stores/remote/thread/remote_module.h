/* SPDX-License-Identifier: Apache-2.0 */
/* remote_module.h: finds the modules that speak with servers. */
#ifndef DNNL_CACHE_STORES_REMOTE_THREAD_REMOTE_MODULE_H
#define DNNL_CACHE_STORES_REMOTE_THREAD_REMOTE_MODULE_H

#include "stores/remote/thread/remote_transport.h"
#include "stores/remote/thread/remote_url.h"

/* The transport for a scheme, from its module. 0 or an errno value with why in
 * words. The module stays loaded for ever. */
int remote_module_find(const struct remote_transport_calls **transport,
        enum remote_scheme scheme, char why[remote_why_size]);

#endif /* DNNL_CACHE_STORES_REMOTE_THREAD_REMOTE_MODULE_H */
