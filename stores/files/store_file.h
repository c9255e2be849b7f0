/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store_file.h: files of a directory that others may have tampered with, as a
 * store's options say.
 *
 * Names are relative to a folder's descriptor, links are never followed, and
 * only plain files are read. Functions return 0 or an errno value, as those of
 * file.h.
 */
#ifndef DNNL_CACHE_STORES_FILES_STORE_FILE_H
#define DNNL_CACHE_STORES_FILES_STORE_FILE_H

#include "dnnl_cache/store.h"
#include "src/platform/file.h"
#include "src/platform/folder.h"

/* ---- Who may use them ---------------------------------------------------- */

/* Then modes are set whatever the umask. */
static inline bool store_is_shared(
        const struct dnnl_cache_store_options *options)
{
    return options->sharing != dnnl_cache_store_sharing_private;
}

static inline unsigned store_folder_mode(
        const struct dnnl_cache_store_options *options)
{
    return options->sharing == dnnl_cache_store_sharing_group ? 0770 : 0700;
}

static inline unsigned store_file_mode(
        const struct dnnl_cache_store_options *options)
{
    return options->sharing == dnnl_cache_store_sharing_group ? 0660 : 0600;
}

/* folder_make() and folder_make_all(). */
int store_make_folder(int folder, const char *name,
        const struct dnnl_cache_store_options *options);
int store_make_folders(
        const char *path, const struct dnnl_cache_store_options *options);

/* ---- Reading ------------------------------------------------------------- */

/* What a file is opened with in the call that closes it. */
enum { store_file_beneath = file_for_reading | file_beneath | file_no_wait };

/* All of a plain file of at most `most` bytes (EFBIG), as file_read_whole(), in
 * three calls of the system if it is small. */
int store_read_file(uint8_t **data, size_t *size, int folder, const char *path,
        uint64_t most);

/* 0 if a plain file holds exactly these bytes, ENOMSG if others. */
int store_compare_file(
        int folder, const char *path, const void *data, size_t size);

/* What stands where a file should be, and is none, is damage: links, FIFOs,
 * folders, files that we may not read or that are too large. EBADMSG or ENOENT
 * for such an errno value, any other as it is. */
int store_classify(int error);

/* ---- Writing ------------------------------------------------------------- */

/* file_write_new() and file_replace(). */
int store_write_file(int folder, const char *name,
        const struct file_part *parts, size_t count,
        const struct dnnl_cache_store_options *options);
int store_replace_file(int scratch, int folder, const char *name,
        const struct file_part *parts, size_t count,
        const struct dnnl_cache_store_options *options);

/* To the disk, if the options ask for that. */
int store_sync_data(int fd, const struct dnnl_cache_store_options *options);
int store_sync_folder(int fd, const struct dnnl_cache_store_options *options);

#endif /* DNNL_CACHE_STORES_FILES_STORE_FILE_H */
