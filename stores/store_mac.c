/* SPDX-License-Identifier: Apache-2.0 */
#include "store_mac.h"

#include "store_bytes.h"
#include "store_fs.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { least_secret = 16, most_secret = 4096, new_secret = 32 };

struct store_mac_key {
    unsigned char bytes[crypto_generichash_KEYBYTES];
};

/* ---- Keys ---------------------------------------------------------------- */

static const char *find_danger(const struct stat *st)
{
    if (!S_ISREG(st->st_mode)) return "not a regular file";
    if (st->st_uid != geteuid()) return "it belongs to another user";
    if ((st->st_mode & 077) != 0) return "others may use it (chmod 600)";
    if (st->st_size < least_secret || st->st_size > most_secret)
        return "a secret has 16 to 4096 bytes";
    return NULL;
}

static int read_secret(
        int fd, unsigned char *secret, size_t *size, const char **why)
{
    struct stat st;
    if (fstat(fd, &st) != 0) return errno;
    const char *danger = find_danger(&st);
    if (danger != NULL) {
        *why = danger;
        return EPERM;
    }
    *size = (size_t)st.st_size;
    return store_fs_read_at(fd, secret, *size, 0);
}

int store_mac_key_read(
        struct store_mac_key **key, const char *path, const char **why)
{
    unsigned char secret[most_secret];
    size_t size = 0;
    *why = "the key cannot be read";
    if (sodium_init() < 0) return EIO;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0) {
        const int error = errno;
        *why = strerror(error);
        return error;
    }
    int error = read_secret(fd, secret, &size, why);
    close(fd);
    if (error != 0) return error;
    struct store_mac_key *made = malloc(sizeof *made);
    if (made != NULL) {
        crypto_generichash(
                made->bytes, sizeof made->bytes, secret, size, NULL, 0);
        *key = made;
    }
    sodium_memzero(secret, sizeof secret);
    return made != NULL ? 0 : ENOMEM;
}

void store_mac_key_destroy(struct store_mac_key *key)
{
    if (key == NULL) return;
    sodium_memzero(key, sizeof *key);
    free(key);
}

dnnl_status_t dnnl_cache_store_key_file_make(const char *path)
{
    unsigned char secret[new_secret];
    if (path == NULL) return dnnl_invalid_arguments;
    if (sodium_init() < 0) return dnnl_runtime_error;
    const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0) return dnnl_runtime_error;
    randombytes_buf(secret, sizeof secret);
    int error = store_fs_write_at(fd, secret, sizeof secret, 0);
    sodium_memzero(secret, sizeof secret);
    if (error == 0 && fsync(fd) != 0) error = errno;
    close(fd);
    if (error == 0) return dnnl_success;
    unlink(path);
    errno = error;
    return dnnl_runtime_error;
}

/* ---- Checksums ----------------------------------------------------------- */

static void update(
        crypto_generichash_state *state, size_t size, const void *data)
{
    uint8_t length[8];
    store_put_u64(length, size);
    crypto_generichash_update(state, length, sizeof length);
    crypto_generichash_update(state, data, size);
}

void store_mac_make(uint8_t mac[store_mac_size],
        const struct store_mac_key *key, size_t id_size, const void *id,
        size_t blob_size, const void *blob, size_t head_size, const void *head)
{
    crypto_generichash_state state;
    crypto_generichash_init(
            &state, key->bytes, sizeof key->bytes, store_mac_size);
    update(&state, id_size, id);
    update(&state, blob_size, blob);
    update(&state, head_size, head);
    crypto_generichash_final(&state, mac, store_mac_size);
}

bool store_mac_matches(const uint8_t mac[store_mac_size],
        const struct store_mac_key *key, size_t id_size, const void *id,
        size_t blob_size, const void *blob, size_t head_size, const void *head)
{
    uint8_t right[store_mac_size];
    store_mac_make(right, key, id_size, id, blob_size, blob, head_size, head);
    return sodium_memcmp(right, mac, sizeof right) == 0;
}
