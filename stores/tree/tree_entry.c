/* SPDX-License-Identifier: Apache-2.0 */
#include "stores/tree/tree_entry.h"

#include "src/platform/clock.h"
#include "stores/core/store_put.h"
#include "stores/core/store_trailer.h"
#include "stores/files/store_size.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const endings[tree_files] = {
        ".src", ".bin", "_access_time.txt"};

void tree_entry_name(
        char name[tree_name_size], uint32_t number, enum tree_file file)
{
    strcpy(store_fs_put_decimal(name, number), endings[file]);
}

bool tree_entry_parse_name(
        uint32_t *number, enum tree_file *file, const char *name)
{
    char digits[11];
    uint64_t value;
    const size_t length = strspn(name, "0123456789");
    if (length >= sizeof digits) return false;
    memcpy(digits, name, length);
    digits[length] = '\0';
    if (!store_fs_parse_decimal(digits, &value) || value > UINT32_MAX)
        return false;
    for (int i = 0; i < tree_files; i++) {
        if (strcmp(name + length, endings[i]) != 0) continue;
        *number = (uint32_t)value;
        *file = (enum tree_file)i;
        return true;
    }
    return false;
}

/* ---- Reading ------------------------------------------------------------- */

int tree_entry_compare_id(
        int fd, uint32_t number, size_t id_size, const uint8_t *id)
{
    char name[tree_name_size];
    tree_entry_name(name, number, tree_file_src);
    return store_fs_classify(store_fs_compare_file(fd, name, id, id_size));
}

int tree_entry_read_blob(uint8_t **blob, size_t *size,
        const struct dnnl_cache_store_handle *store, int fd, uint32_t number,
        size_t id_size, const uint8_t *id, enum store_depth depth)
{
    char name[tree_name_size];
    tree_entry_name(name, number, tree_file_bin);
    return store_tail_read_blob(
            blob, size, store, fd, name, id_size, id, depth);
}

int tree_entry_read_id(uint8_t **id, size_t *id_size, int fd, uint32_t number)
{
    char name[tree_name_size];
    tree_entry_name(name, number, tree_file_src);
    return store_tail_read_id(id, id_size, fd, name);
}

int tree_entry_check(size_t *size, const struct dnnl_cache_store_handle *store,
        int fd, uint32_t number)
{
    uint8_t *id = NULL;
    uint8_t *blob = NULL;
    size_t id_size;
    size_t blob_size = 0;
    int error = tree_entry_read_id(&id, &id_size, fd, number);
    if (error == 0)
        error = tree_entry_read_blob(&blob, &blob_size, store, fd, number,
                id_size, id, store_depth_whole);
    free(id);
    free(blob);
    if (error == 0 && size != NULL) *size = blob_size;
    return error;
}

static int read_trailer(
        struct store_trailer *trailer, struct stat *st, int fd, uint32_t number)
{
    char name[tree_name_size];
    tree_entry_name(name, number, tree_file_bin);
    return store_trailer_read(trailer, st, fd, name);
}

/* ---- Times --------------------------------------------------------------- */

void tree_entry_format_time(char text[tree_time_size + 1], uint64_t ns)
{
    snprintf(text, tree_time_size + 1, "%0*" PRIu64, tree_time_size, ns);
}

/* 0 if the file has none. */
static uint64_t read_time(int fd, uint32_t number)
{
    char name[tree_name_size];
    char text[tree_time_size + 1];
    uint64_t size;
    uint64_t ns = 0;
    int file;
    tree_entry_name(name, number, tree_file_time);
    if (store_fs_open_file(&file, &size, fd, name) != 0) return 0;
    if (size == tree_time_size
            && store_fs_read_at(file, text, tree_time_size, 0) == 0) {
        text[tree_time_size] = '\0';
        if (!store_fs_parse_decimal(text, &ns)) ns = 0;
    }
    close(file);
    return ns;
}

static bool write_time(int fd, uint32_t number, uint64_t ns)
{
    char name[tree_name_size];
    char text[tree_time_size + 1];
    struct stat st;
    int file;
    tree_entry_name(name, number, tree_file_time);
    if (store_fs_open_beneath(&file, fd, name, O_WRONLY | O_NONBLOCK | O_NOCTTY)
            != 0)
        return false;
    tree_entry_format_time(text, ns);
    /* With a second name it is somebody's copy of the store, too. */
    const bool done = fstat(file, &st) == 0 && S_ISREG(st.st_mode)
                      && st.st_nlink == 1 && st.st_size == tree_time_size
                      && store_fs_write_at(file, text, tree_time_size, 0) == 0;
    close(file);
    return done;
}

void tree_entry_note_use(int fd, uint32_t number)
{
    char name[tree_name_size];
    if (write_time(fd, number, clock_epoch_ns())) return;
    tree_entry_name(name, number, tree_file_bin);
    (void)utimensat(fd, name, NULL, AT_SYMLINK_NOFOLLOW);
}

/* The later of both, but one in the future only if there is no other. */
static uint64_t used_ns(int fd, uint32_t number, const struct stat *bin)
{
    const uint64_t now = clock_epoch_ns();
    const uint64_t noted = read_time(fd, number);
    const uint64_t changed = (uint64_t)bin->st_mtim.tv_sec * 1000000000u
                             + (uint64_t)bin->st_mtim.tv_nsec;
    if (noted == 0) return changed;
    if (changed > now) return noted;
    return noted > now || changed > noted ? changed : noted;
}

/* ---- Without reading the blob -------------------------------------------- */

static struct dnnl_cache_store_item describe(
        const struct dnnl_cache_store_handle *store,
        const struct store_trailer *trailer, int fd, uint32_t number,
        const struct stat *bin)
{
    return (struct dnnl_cache_store_item){
            .blob_size = trailer->blob_size,
            .created_ns = trailer->created_ns,
            .used_ns = store_notes_use(&store->options)
                               ? used_ns(fd, number, bin)
                               : trailer->created_ns,
            .compile_ns = trailer->compile_ns,
            .kind = trailer->kind,
    };
}

int tree_entry_read_item(struct dnnl_cache_store_item *item, uint8_t **id,
        const struct dnnl_cache_store_handle *store, int fd, uint32_t number)
{
    struct store_trailer trailer;
    struct stat bin;
    uint8_t *bytes;
    size_t size;
    int error = read_trailer(&trailer, &bin, fd, number);
    if (error == 0) error = tree_entry_read_id(&bytes, &size, fd, number);
    if (error != 0) return error;
    if (size != trailer.key_size) {
        free(bytes);
        return EBADMSG;
    }
    *item = describe(store, &trailer, fd, number, &bin);
    item->id_size = size;
    item->id = bytes;
    *id = bytes;
    return 0;
}

int tree_entry_measure(struct directory_entry *entry,
        const struct dnnl_cache_store_handle *store, int fd, uint32_t number)
{
    struct store_trailer trailer = {0};
    struct stat st[tree_files];
    bool plain[tree_files];
    bool any = false;
    entry->bytes = 0;
    for (int i = 0; i < tree_files; i++) {
        char name[tree_name_size];
        tree_entry_name(name, number, (enum tree_file)i);
        const bool there = fstatat(fd, name, &st[i], AT_SYMLINK_NOFOLLOW) == 0;
        if (!there && errno != ENOENT) return errno;
        any = any || there;
        plain[i] = there && S_ISREG(st[i].st_mode);
        if (plain[i])
            entry->bytes =
                    store_size_add(entry->bytes, (uint64_t)st[i].st_size);
    }
    if (!any) return ENOENT;
    entry->complete = plain[tree_file_src] && plain[tree_file_bin]
                      && st[tree_file_src].st_size > 0
                      && st[tree_file_bin].st_size > store_trailer_size;
    entry->item = (struct dnnl_cache_store_item){0};
    if (!entry->complete) return 0;
    /* For LRU the time is all that is needed. */
    if (store->options.policy != dnnl_cache_store_policy_lru) {
        const int error =
                read_trailer(&trailer, &st[tree_file_bin], fd, number);
        if (error != 0 && error != EBADMSG && error != ENOENT) return error;
        entry->complete = error == 0;
    }
    entry->item = describe(store, &trailer, fd, number, &st[tree_file_bin]);
    return 0;
}
