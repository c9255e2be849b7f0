/* SPDX-License-Identifier: Apache-2.0 */
#include "stores/tree/tree_entry.h"

#include "src/platform/clock.h"
#include "stores/core/store_put.h"
#include "stores/core/store_trailer.h"
#include "stores/files/store_size.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const endings[tree_files] = {
        ".src", ".bin", "_access_time.txt"};

void tree_entry_name(
        char name[tree_name_size], uint32_t number, enum tree_file file)
{
    strcpy(store_name_put_decimal(name, number), endings[file]);
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
    if (!store_name_parse_decimal(digits, &value) || value > UINT32_MAX)
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
    return store_classify(store_compare_file(fd, name, id, id_size));
}

int tree_entry_read_blob(uint8_t **blob, size_t *size,
        const dnnl_cache_store_handle_t *store, int fd, uint32_t number,
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

int tree_entry_check(size_t *size, const dnnl_cache_store_handle_t *store,
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

static int read_trailer(struct store_trailer *trailer, struct file_facts *facts,
        int fd, uint32_t number)
{
    char name[tree_name_size];
    tree_entry_name(name, number, tree_file_bin);
    return store_trailer_read(trailer, facts, fd, name);
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
    struct file_facts facts;
    uint64_t ns = 0;
    int file;
    tree_entry_name(name, number, tree_file_time);
    if (file_open_plain(&file, &facts, fd, name, file_beneath, 0) != 0)
        return 0;
    if (facts.size == tree_time_size
            && file_read_at(file, text, tree_time_size, 0) == 0) {
        text[tree_time_size] = '\0';
        if (!store_name_parse_decimal(text, &ns)) ns = 0;
    }
    (void)file_close(file);
    return ns;
}

static bool write_time(int fd, uint32_t number, uint64_t ns)
{
    char name[tree_name_size];
    char text[tree_time_size + 1];
    struct file_facts facts;
    int file;
    tree_entry_name(name, number, tree_file_time);
    if (file_open(&file, fd, name,
                file_for_writing | file_beneath | file_no_wait, 0)
            != 0)
        return false;
    tree_entry_format_time(text, ns);
    /* With a second name it is somebody's copy of the store, too. */
    const bool done = file_facts(&facts, file) == 0
                      && facts.kind == file_is_plain && facts.links == 1
                      && facts.size == tree_time_size
                      && file_write_at(file, text, tree_time_size, 0) == 0;
    (void)file_close(file);
    return done;
}

void tree_entry_note_use(int fd, uint32_t number)
{
    char name[tree_name_size];
    if (write_time(fd, number, clock_epoch_ns())) return;
    tree_entry_name(name, number, tree_file_bin);
    (void)file_touch(fd, name);
}

int tree_entry_set_use(int fd, uint32_t number, uint64_t time_ns)
{
    char name[tree_name_size];
    /* The later of both counts. */
    (void)write_time(fd, number, time_ns);
    tree_entry_name(name, number, tree_file_bin);
    return file_set_time(fd, name, time_ns);
}

/* The later of both, but one in the future only if there is no other. */
static uint64_t used_ns(int fd, uint32_t number, uint64_t changed)
{
    const uint64_t now = clock_epoch_ns();
    const uint64_t noted = read_time(fd, number);
    if (noted == 0) return changed;
    if (changed > now) return noted;
    return noted > now || changed > noted ? changed : noted;
}

/* ---- Without reading the blob -------------------------------------------- */

static struct dnnl_cache_store_entry describe(
        const dnnl_cache_store_handle_t *store,
        const struct store_trailer *trailer, int fd, uint32_t number,
        const struct file_facts *bin)
{
    return (struct dnnl_cache_store_entry){
            .struct_size = sizeof(struct dnnl_cache_store_entry),
            .blob_size = trailer->blob_size,
            .created_ns = trailer->created_ns,
            .used_ns = store_notes_use(&store->options)
                               ? used_ns(fd, number, bin->modified_ns)
                               : trailer->created_ns,
            .compile_ns = trailer->compile_ns,
            .kind = trailer->kind,
    };
}

int tree_entry_read_item(struct dnnl_cache_store_entry *item, uint8_t **id,
        const dnnl_cache_store_handle_t *store, int fd, uint32_t number)
{
    struct store_trailer trailer;
    struct file_facts bin;
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
        const dnnl_cache_store_handle_t *store, int fd, uint32_t number)
{
    struct store_trailer trailer = {0};
    struct file_facts facts[tree_files];
    bool any = false;
    entry->bytes = 0;
    for (int i = 0; i < tree_files; i++) {
        char name[tree_name_size];
        tree_entry_name(name, number, (enum tree_file)i);
        const int error = file_facts_of_link(&facts[i], fd, name);
        if (error != 0 && error != ENOENT) return error;
        any = any || error == 0;
        if (facts[i].kind == file_is_plain)
            entry->bytes = store_size_add(entry->bytes, facts[i].size);
    }
    if (!any) return ENOENT;
    const struct file_facts *src = &facts[tree_file_src];
    struct file_facts *bin = &facts[tree_file_bin];
    entry->complete = src->kind == file_is_plain && src->size > 0
                      && bin->kind == file_is_plain
                      && bin->size > store_trailer_size;
    entry->item = (struct dnnl_cache_store_entry){0};
    if (!entry->complete) return 0;
    /* For LRU the time is all that is needed. */
    if (store->options.policy != dnnl_cache_store_policy_lru) {
        const int error = read_trailer(&trailer, bin, fd, number);
        if (error != 0 && error != EBADMSG && error != ENOENT) return error;
        entry->complete = error == 0;
    }
    entry->item = describe(store, &trailer, fd, number, bin);
    return 0;
}
