/* SPDX-License-Identifier: Apache-2.0 */
/* flat_size.h: config.file of a flat store; flat_store.h has the bytes. Only
 * the holder of its lock writes it. Functions return 0 or an errno value. */
#ifndef DNNL_CACHE_STORES_FLAT_FLAT_SIZE_H
#define DNNL_CACHE_STORES_FLAT_FLAT_SIZE_H

#include "stores/files/store_names.h"

#include <stdint.h>

/* EBADMSG if it does not tell the size: it is new, cut, damaged, marked, or
 * the directory was changed behind its back. */
int flat_size_read(uint64_t *bytes, int fd, int root_fd);

/* Marks it: somebody is at work. */
int flat_size_mark(int fd);

/* Writes the size, without the mark. The directory must not be changed after
 * that. */
int flat_size_write(uint64_t bytes, int fd, int root_fd);

#endif /* DNNL_CACHE_STORES_FLAT_FLAT_SIZE_H */
