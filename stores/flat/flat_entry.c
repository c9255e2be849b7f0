/* SPDX-License-Identifier: Apache-2.0 */
#include "stores/flat/flat_entry.h"

#include "src/common/byte_order.h"
#include "src/platform/file.h"
#include "stores/core/store_put.h"
#include "stores/core/store_trailer.h"
#include "stores/files/store_size.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- Names --------------------------------------------------------------- */

static const char *const extensions[] = {".cl_cache", ".l0_cache"};

enum { hash_digits = 16, apis = 2 };

void flat_entry_path(
        char path[directory_path_size], const struct directory_slot *slot)
{
    strcpy(store_name_put_hash(path, slot->group[0]), extensions[slot->number]);
}

bool flat_entry_parse_name(struct directory_slot *slot, const char *name)
{
    if (strspn(name, "0123456789abcdef") != hash_digits) return false;
    for (uint32_t api = 0; api < apis; api++) {
        if (strcmp(name + hash_digits, extensions[api]) != 0) continue;
        *slot = (struct directory_slot){
                .group = {strtoull(name, NULL, 16)}, .number = api};
        return true;
    }
    return false;
}

/* ---- The whole file ------------------------------------------------------ */

/* The file has the ID in it, which the trailer does not count as the blob's. */
static int decode(struct store_trailer *trailer,
        const uint8_t bytes[store_trailer_size], uint64_t file_size)
{
    /* Where the key's size is in it: see store_trailer.h. */
    const uint64_t id_size = load_le64(bytes + 16);
    if (id_size == 0 || id_size > STORE_MAX_ID_BYTES
            || id_size > file_size - store_trailer_size)
        return EBADMSG;
    const int error = store_trailer_decode(trailer, bytes, file_size - id_size);
    if (error == 0 && trailer->blob_size == 0) return EBADMSG;
    return error;
}

/* Reads the whole file and checks it; the caller frees *file: the blob is at
 * its beginning, the ID behind that. */
static int read_checked(uint8_t **file, struct store_trailer *trailer,
        const struct directory_store *store, const struct directory_slot *slot,
        enum store_depth depth)
{
    char path[directory_path_size];
    uint8_t *bytes = NULL;
    size_t size;
    flat_entry_path(path, slot);
    const uint64_t most = store_size_add(store->base->options.max_blob_bytes,
            STORE_MAX_ID_BYTES + store_tail_max);
    int error = store_classify(
            store_tail_read_file(&bytes, &size, store->root_fd, path, most));
    if (error != 0) return error;
    const uint8_t *end = bytes + size;
    error = size <= store_trailer_size
                    ? EBADMSG
                    : decode(trailer, end - store_trailer_size, size);
    if (error == 0)
        error = store_trailer_match(trailer, end - store_trailer_size,
                bytes + trailer->blob_size, bytes, store->base->mac, depth);
    if (error != 0) {
        free(bytes);
        return error;
    }
    *file = bytes;
    return 0;
}

int flat_entry_read_blob(uint8_t **blob, size_t *size,
        const struct directory_store *store, const struct directory_slot *slot,
        size_t id_size, const uint8_t *id, enum store_depth depth)
{
    struct store_trailer trailer;
    uint8_t *file;
    const int error = read_checked(&file, &trailer, store, slot, depth);
    if (error != 0) return error;
    if (trailer.key_size != id_size
            || memcmp(file + trailer.blob_size, id, id_size) != 0) {
        free(file);
        return ENOMSG;
    }
    *blob = file;
    *size = (size_t)trailer.blob_size;
    return 0;
}

int flat_entry_check(size_t *size, const struct directory_store *store,
        const struct directory_slot *slot)
{
    struct store_trailer trailer;
    uint8_t *file;
    const int error =
            read_checked(&file, &trailer, store, slot, store_depth_whole);
    if (error != 0) return error;
    free(file);
    *size = (size_t)trailer.blob_size;
    return 0;
}

/* ---- Without reading the blob -------------------------------------------- */

/* The time of the last use is the file's; without LRU nobody notes it. */
static struct dnnl_cache_store_entry describe(
        const struct directory_store *store,
        const struct store_trailer *trailer, const struct file_facts *facts)
{
    return (struct dnnl_cache_store_entry){
            .struct_size = sizeof(struct dnnl_cache_store_entry),
            .blob_size = trailer->blob_size,
            .created_ns = trailer->created_ns,
            .used_ns = store_notes_use(&store->base->options)
                               ? facts->modified_ns
                               : trailer->created_ns,
            .compile_ns = trailer->compile_ns,
            .kind = trailer->kind,
    };
}

static int open_entry(int *fd, struct file_facts *facts,
        struct store_trailer *trailer, const struct directory_store *store,
        const struct directory_slot *slot)
{
    char path[directory_path_size];
    uint8_t bytes[store_trailer_size];
    flat_entry_path(path, slot);
    int error = store_classify(
            store_trailer_open(bytes, facts, fd, store->root_fd, path));
    if (error != 0) return error;
    error = decode(trailer, bytes, facts->size);
    if (error != 0) (void)file_close(*fd);
    return error;
}

int flat_entry_read_item(struct dnnl_cache_store_entry *item, uint8_t **id,
        const struct directory_store *store, const struct directory_slot *slot)
{
    struct store_trailer trailer;
    struct file_facts facts;
    int fd;
    if (slot->number != store->variant) return ENOENT;
    int error = open_entry(&fd, &facts, &trailer, store, slot);
    if (error != 0) return error;
    uint8_t *bytes = malloc((size_t)trailer.key_size);
    error = bytes == NULL ? ENOMEM
                          : file_read_at(fd, bytes, (size_t)trailer.key_size,
                                  trailer.blob_size);
    (void)file_close(fd);
    if (error != 0) {
        free(bytes);
        return error;
    }
    *item = describe(store, &trailer, &facts);
    item->id_size = (size_t)trailer.key_size;
    item->id = bytes;
    *id = bytes;
    return 0;
}

int flat_entry_measure(struct directory_entry *entry,
        const struct directory_store *store, const struct directory_slot *slot)
{
    char path[directory_path_size];
    struct store_trailer trailer = {0};
    struct file_facts facts;
    int fd;
    entry->slot = *slot;
    flat_entry_path(path, slot);
    int error = file_facts_of_link(&facts, store->root_fd, path);
    if (error != 0) return error;
    const bool is_plain = facts.kind == file_is_plain;
    entry->bytes = is_plain ? facts.size : 0;
    entry->complete = is_plain && facts.size > store_trailer_size;
    /* For LRU the file's time is all that is needed. */
    if (entry->complete
            && store->base->options.policy != dnnl_cache_store_policy_lru) {
        error = open_entry(&fd, &facts, &trailer, store, slot);
        if (error != 0 && error != EBADMSG) return error;
        if (error == 0) (void)file_close(fd);
        entry->complete = error == 0;
    }
    entry->item = describe(store, &trailer, &facts);
    return 0;
}
