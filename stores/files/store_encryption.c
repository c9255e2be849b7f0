/* SPDX-License-Identifier: Apache-2.0 */
#include "stores/files/store_encryption.h"

#include "dnnl_cache/store.h"
#include "stores/files/store_secret.h"

#include <errno.h>
#include <sodium.h>

static const char title[] = "dnnl_cache-encryption-key 1 ";

int store_encryption_read(unsigned char key[store_key_line_size],
        const char *path, const char **why)
{
    unsigned char text[store_secret_most];
    size_t size = 0;
    int error = store_secret_read(text, &size, path, why);
    if (error == 0 && !store_key_line_read(key, title, text, size)) {
        *why = "not a key of dnnl-cache key make-encryption: keys of "
               "signatures and checksums do not encrypt";
        error = EINVAL;
    }
    sodium_memzero(text, sizeof text);
    return error;
}

bool store_encryption_is_key_text(const unsigned char *text, size_t size)
{
    return store_key_line_has(text, size, "dnnl_cache-encryption-key");
}

dnnl_status_t dnnl_cache_store_encryption_key_make(const char *path)
{
    unsigned char key[store_key_line_size];
    if (path == NULL) return dnnl_invalid_arguments;
    if (sodium_init() < 0) return dnnl_runtime_error;
    randombytes_buf(key, sizeof key);
    const int error = store_key_line_write(path, title, key, false);
    sodium_memzero(key, sizeof key);
    if (error == 0) return dnnl_success;
    errno = error;
    return dnnl_runtime_error;
}
