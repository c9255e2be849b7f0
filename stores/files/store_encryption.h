/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store_encryption.h: the files of encryption keys, one line of text each:
 *
 *     dnnl_cache-encryption-key 1 <64 hexadecimal digits>
 *
 * dnnl_cache_store_encryption_key_make() makes one. A key is for encryption
 * alone: its title keeps its file from being used as a secret of checksums or
 * signatures, and their files from being used here.
 */
#ifndef DNNL_CACHE_STORES_FILES_STORE_ENCRYPTION_H
#define DNNL_CACHE_STORES_FILES_STORE_ENCRYPTION_H

#include "stores/files/store_key_line.h"

/* Reads a key: a regular file that belongs to this user and that nobody else
 * may use. 0, or an errno value and *why (static): EINVAL if the file has no
 * encryption key. The caller clears the key. */
int store_encryption_read(unsigned char key[store_key_line_size],
        const char *path, const char **why);

/* Whether a text says that it is such a key, also one that was damaged. */
bool store_encryption_is_key_text(const unsigned char *text, size_t size);

#endif /* DNNL_CACHE_STORES_FILES_STORE_ENCRYPTION_H */
