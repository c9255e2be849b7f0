/* SPDX-License-Identifier: Apache-2.0 */
#include "stores/files/store_file.h"

#include <errno.h>
#include <string.h>

int store_make_folder(int folder, const char *name,
        const struct dnnl_cache_store_options *options)
{
    return folder_make(
            folder, name, store_folder_mode(options), store_is_shared(options));
}

int store_make_folders(
        const char *path, const struct dnnl_cache_store_options *options)
{
    return folder_make_all(
            path, store_folder_mode(options), store_is_shared(options));
}

/* ---- Reading ------------------------------------------------------------- */

int store_read_file(uint8_t **data, size_t *size, int folder, const char *path,
        uint64_t most)
{
    int fd;
    int error = file_open(&fd, folder, path, store_file_beneath, 0);
    if (error != 0) return error;
    error = file_read_open(data, size, fd, most);
    (void)file_close(fd);
    return error;
}

static int compare_contents(int fd, const char *expected, size_t size)
{
    int error = 0;
    for (size_t at = 0; at < size && error == 0;) {
        char chunk[4096];
        const size_t n = size - at < sizeof chunk ? size - at : sizeof chunk;
        error = file_read_at(fd, chunk, n, at);
        if (error == 0 && memcmp(chunk, expected + at, n) != 0) error = ENOMSG;
        at += n;
    }
    return error;
}

/* In one reading, which a file of that size fits with a byte to spare. */
static bool has_just(int fd, const void *data, size_t size)
{
    char bytes[4096];
    size_t n;
    return size > 0 && size < sizeof bytes
           && file_read_some_at(&n, fd, bytes, size + 1, 0) == 0 && n == size
           && memcmp(bytes, data, size) == 0;
}

int store_compare_file(
        int folder, const char *path, const void *data, size_t size)
{
    struct file_facts facts;
    int fd;
    int error = file_open(&fd, folder, path, store_file_beneath, 0);
    if (error != 0) return error;
    if (!has_just(fd, data, size)) {
        error = file_facts(&facts, fd);
        if (error == 0 && facts.kind != file_is_plain) error = ELOOP;
        if (error == 0 && facts.size != size) error = ENOMSG;
        if (error == 0) error = compare_contents(fd, data, size);
    }
    (void)file_close(fd);
    return error;
}

int store_classify(int error)
{
    switch (error) {
    case ELOOP:
    case EISDIR:
    case ENXIO:
    case EACCES:
    case EPERM:
    case ENAMETOOLONG:
    case EFBIG:
        return EBADMSG;
    case ENOTDIR:
        return ENOENT;
    default:
        return error;
    }
}

/* ---- Writing ------------------------------------------------------------- */

static enum file_durability durability_of(
        const struct dnnl_cache_store_options *options)
{
    return options->durability >= dnnl_cache_store_durability_data
                   ? file_durability_data
                   : file_durability_none;
}

int store_write_file(int folder, const char *name,
        const struct file_part *parts, size_t count,
        const struct dnnl_cache_store_options *options)
{
    return file_write_new(folder, name, parts, count, store_file_mode(options),
            store_is_shared(options), durability_of(options));
}

int store_replace_file(int scratch, int folder, const char *name,
        const struct file_part *parts, size_t count,
        const struct dnnl_cache_store_options *options)
{
    return file_replace(scratch, folder, name, parts, count,
            store_file_mode(options), store_is_shared(options),
            durability_of(options));
}

int store_sync_data(int fd, const struct dnnl_cache_store_options *options)
{
    return durability_of(options) == file_durability_data ? file_sync_data(fd)
                                                          : 0;
}

int store_sync_folder(int fd, const struct dnnl_cache_store_options *options)
{
    return options->durability >= dnnl_cache_store_durability_data_and_directory
                   ? folder_sync(fd)
                   : 0;
}
