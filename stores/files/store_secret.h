/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store_secret.h: files with keys.
 *
 * A secret is its owner's alone: a user that can read it can forge entries. A
 * public key may be read by everybody, and written by this user and root only:
 * a user that can replace it can forge entries, too.
 */
#ifndef DNNL_CACHE_STORES_FILES_STORE_SECRET_H
#define DNNL_CACHE_STORES_FILES_STORE_SECRET_H

#include <stdbool.h>
#include <stddef.h>

enum { store_secret_least = 16, store_secret_most = 4096 };

/* Reads a secret: a regular file of store_secret_least to store_secret_most
 * bytes that belongs to this user and that nobody else may use. 0, or an errno
 * value and *why in words (static). The caller clears the bytes. */
int store_secret_read(unsigned char bytes[store_secret_most], size_t *size,
        const char *path, const char **why);

/* The same for a public key: nobody but this user and root may write to it. */
int store_secret_read_public(unsigned char bytes[store_secret_most],
        size_t *size, const char *path, const char **why);

/* Creates a file with these bytes, and with mode 0600 or, if everybody may read
 * it, 0644. A file that is there is left unchanged. 0 or an errno value. */
int store_secret_write(
        const char *path, const void *bytes, size_t size, bool is_public);

#endif /* DNNL_CACHE_STORES_FILES_STORE_SECRET_H */
