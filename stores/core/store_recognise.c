/* SPDX-License-Identifier: Apache-2.0 */
#include "stores/core/store_recognise.h"

#include "src/platform/file.h"
#include "src/platform/folder.h"
#include "stores/core/journal_state.h"
#include "stores/core/store_place.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* ---- Folders and files --------------------------------------------------- */

/* Are these bytes in a file, so many before its end, or at its beginning? */
static bool has_bytes(
        int folder, const char *name, const char *bytes, uint64_t before_end)
{
    struct file_facts facts;
    char read[16];
    int fd;
    const size_t size = strlen(bytes);
    if (file_open_plain(&fd, &facts, folder, name, 0, 0) != 0) return false;
    const uint64_t at = before_end > 0 ? facts.size - before_end : 0;
    const bool found = size <= sizeof read && before_end <= facts.size
                       && file_read_at(fd, read, size, at) == 0
                       && memcmp(read, bytes, size) == 0;
    (void)file_close(fd);
    return found;
}

enum { name_found = -1 }; /* no errno value */

struct search {
    int folder;
    bool (*is)(int folder, const char *name, int depth);
    int depth;
};

static int try_name(void *user, const char *name)
{
    const struct search *s = user;
    return s->is(s->folder, name, s->depth) ? name_found : 0;
}

/* Is there a name in the folder of which that is true? */
static bool has_name(int folder,
        bool (*is)(int folder, const char *name, int depth), int depth)
{
    struct search search = {folder, is, depth};
    return folder_each(folder, try_name, &search) == name_found;
}

/* The same of a folder in the folder. */
static bool has_name_below(int folder, const char *name,
        bool (*is)(int folder, const char *name, int depth), int depth)
{
    int fd;
    if (folder_open_beneath(&fd, folder, name) != 0) return false;
    const bool found = has_name(fd, is, depth);
    (void)file_close(fd);
    return found;
}

static bool is_folder(int folder, const char *name)
{
    struct file_facts facts;
    return file_facts_of_link(&facts, folder, name) == 0
           && facts.kind == file_is_folder;
}

/* What stands beside entries in a directory of ours. */
static bool is_beside_entries(int folder, const char *name)
{
    return strcmp(name, ".tmp") == 0 /* store_tmp.c */
           || (strcmp(name, STORE_LAYER_FOLDER) == 0 && is_folder(folder, name))
           || strcmp(name, STORE_JOURNAL_FILE) == 0
           || strcmp(name, STORE_JOURNAL_FILE JOURNAL_NEW_SUFFIX) == 0
           || strcmp(name, STORE_JOURNAL_FILE JOURNAL_LOCK_SUFFIX) == 0;
}

static bool is_something(int folder, const char *name, int depth)
{
    (void)depth;
    return !is_beside_entries(folder, name)
           || (strcmp(name, STORE_JOURNAL_FILE) == 0
                   && !has_bytes(folder, name, JOURNAL_MAGIC, 0));
}

bool store_recognise_totals(int fd)
{
    return has_bytes(fd, STORE_TOTALS_FILE, "dnnlctot", 0);
}

bool dnnl_cache_store_is_empty_place(int fd)
{
    struct file_facts facts;
    if (file_facts(&facts, fd) != 0) return false;
    if (facts.kind == file_is_folder) return !has_name(fd, is_something, 0);
    return facts.kind == file_is_plain && facts.size == 0;
}

/* ---- Bucket: <number>/<number>/key.bin ----------------------------------- */

static bool is_number(const char *name)
{
    const size_t digits = strspn(name, "0123456789");
    return digits > 0 && digits <= 20 && name[digits] == '\0'
           && (name[0] != '0' || digits == 1);
}

static bool is_bucket_part(int folder, const char *name, int depth)
{
    if (depth < 2)
        return is_number(name)
               && has_name_below(folder, name, is_bucket_part, depth + 1);
    return strcmp(name, "key.bin") == 0 || strcmp(name, "kernel.bin") == 0;
}

enum dnnl_cache_store_trace store_recognise_bucket(int fd)
{
    struct file_facts facts;
    if (has_name(fd, is_bucket_part, 0)) return dnnl_cache_store_trace_entries;
    /* Empty: a writer has just made it, or died while it made it anew. */
    const bool is_new = file_facts_of_link(&facts, fd, STORE_BUCKET_FILE) == 0
                        && facts.kind == file_is_plain && facts.size == 0;
    return is_new || has_bytes(fd, STORE_BUCKET_FILE, "dnnlcidx", 0)
                   ? dnnl_cache_store_trace_size
                   : dnnl_cache_store_trace_none;
}

/* ---- Flat: <hash>.cl_cache ----------------------------------------------- */

enum { hash_digits = 16, trailer_size = 64 };

static bool begins_with_hash(const char *name)
{
    return strspn(name, "0123456789abcdef") == hash_digits;
}

/* Intel's driver has files of such names, too: ours have a trailer. */
static bool is_flat_entry(int folder, const char *name, int depth)
{
    (void)depth;
    return begins_with_hash(name)
           && (strcmp(name + hash_digits, ".cl_cache") == 0
                   || strcmp(name + hash_digits, ".l0_cache") == 0)
           && has_bytes(folder, name, "dnnlcent", trailer_size);
}

enum dnnl_cache_store_trace store_recognise_flat(int fd)
{
    if (has_name(fd, is_flat_entry, 0)) return dnnl_cache_store_trace_entries;
    return has_bytes(fd, STORE_FLAT_FILE, "dnnlccfg", 0)
                   ? dnnl_cache_store_trace_size
                   : dnnl_cache_store_trace_none;
}

/* ---- Tree: <hash>/<hash>/<hash>/<hash>/<number>.src ---------------------- */

static const char tree_size_file[] = "cache_size.txt";

static bool is_tree_part(int folder, const char *name, int depth)
{
    if (depth < 4)
        return begins_with_hash(name) && name[hash_digits] == '\0'
               && has_name_below(folder, name, is_tree_part, depth + 1);
    const size_t digits = strspn(name, "0123456789");
    return digits > 0
           && (strcmp(name + digits, ".src") == 0
                   || strcmp(name + digits, ".bin") == 0);
}

static bool is_no_part_of_a_tree(int folder, const char *name, int depth)
{
    (void)depth;
    return !is_beside_entries(folder, name) && strcmp(name, tree_size_file) != 0
           && strcmp(name, STORE_TOTALS_FILE) != 0
           && !(begins_with_hash(name) && name[hash_digits] == '\0');
}

/* The size file is but a number, such as SYCL's own cache has in a file of this
 * name: so our totals must be beside it, or nothing that is not ours. */
static bool has_tree_size_file(int folder)
{
    char text[24];
    struct file_facts facts;
    size_t n;
    int fd;
    if (file_open_plain(&fd, &facts, folder, tree_size_file, 0, 0) != 0)
        return false;
    const int error = file_read_some_at(&n, fd, text, sizeof text - 1, 0);
    (void)file_close(fd);
    if (error != 0 || n != facts.size) return false;
    text[n] = '\0';
    /* A writer is, or was, at work; empty: has just made it. */
    const size_t mark = text[0] == '?';
    return strspn(text + mark, "0123456789") + mark == n;
}

enum dnnl_cache_store_trace store_recognise_tree(int fd)
{
    if (has_name(fd, is_tree_part, 0)) return dnnl_cache_store_trace_entries;
    return has_tree_size_file(fd)
                           && (store_recognise_totals(fd)
                                   || !has_name(fd, is_no_part_of_a_tree, 0))
                   ? dnnl_cache_store_trace_size
                   : dnnl_cache_store_trace_none;
}

/* ---- Pack: a file -------------------------------------------------------- */

enum dnnl_cache_store_trace store_recognise_pack(int fd)
{
    static const char magic[16] = "SQLite format 3";
    static const char table[] = "dnnl_cache_entry";
    enum { at_application = 68, at_tables = 100, least_page = 512 };
    char head[8192];
    struct file_facts facts;
    size_t n;
    if (file_facts(&facts, fd) != 0 || facts.kind != file_is_plain
            || file_read_some_at(&n, fd, head, sizeof head, 0) != 0
            || n < least_page)
        return dnnl_cache_store_trace_none;
    const bool names_us = memcmp(head + at_application, "dnc", 3) == 0
                          || memmem(head, n, table, sizeof table - 1) != NULL;
    const bool has_magic = memcmp(head, magic, sizeof magic) == 0;
    /* A leaf without a table: a pack that was emptied, for it was damaged. */
    if (has_magic && head[at_tables] == 0x0d && head[at_tables + 3] == 0
            && head[at_tables + 4] == 0)
        return dnnl_cache_store_trace_size;
    /* With its magic damaged it still has whole pages, and is no text. */
    const bool is_database =
            has_magic
            || (facts.size % least_page == 0 && memchr(head, '\0', n) != NULL);
    return names_us && is_database ? dnnl_cache_store_trace_entries
                                   : dnnl_cache_store_trace_none;
}
