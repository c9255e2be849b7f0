/* SPDX-License-Identifier: Apache-2.0 */
/* plain_server.h: stands in for a server of plain HTTP, which cannot list what
 * it has: what is put stays in memory, for all URLs. */
#ifndef DNNL_CACHE_TESTS_PLAIN_SERVER_H
#define DNNL_CACHE_TESTS_PLAIN_SERVER_H

#include <stddef.h>

/* Forgets all objects. */
void plain_server_clear(void);
/* How many there are. */
size_t plain_server_count(void);

#endif /* DNNL_CACHE_TESTS_PLAIN_SERVER_H */
