/* SPDX-License-Identifier: Apache-2.0 */
/* tree_size.h: cache_size.txt of a tree store, a decimal number changed in
 * place, and read by store_size_read(). Only the holder of its lock writes it.
 * Functions return 0 or an errno value. */
#ifndef DNNL_CACHE_STORES_TREE_TREE_SIZE_H
#define DNNL_CACHE_STORES_TREE_TREE_SIZE_H

#include <stdint.h>

/* Marks it: somebody is at work. */
int tree_size_mark(int fd);

/* Writes the number, which takes the mark away. root_fd is not used. */
int tree_size_write(uint64_t bytes, int fd, int root_fd);

#endif /* DNNL_CACHE_STORES_TREE_TREE_SIZE_H */
