/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store_names.h: the file by which a directory is known to be a store of a
 * type. Writers lock it (lock_file of struct directory_layout).
 */
#ifndef DNNL_CACHE_STORES_FILES_STORE_NAMES_H
#define DNNL_CACHE_STORES_FILES_STORE_NAMES_H

#define STORE_BUCKET_FILE "index.bin"
#define STORE_BUCKET_SIZE_FILE "size.txt" /* beside it */
#define STORE_FLAT_FILE "config.file"
enum { flat_size_bytes = 40 }; /* of it */
#define STORE_TREE_FILE "cache_size.txt"

#endif /* DNNL_CACHE_STORES_FILES_STORE_NAMES_H */
