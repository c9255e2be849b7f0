/* SPDX-License-Identifier: Apache-2.0 */
/*
 * As ld.so(8) looks for shared objects: DT_RPATH without DT_RUNPATH,
 * LD_LIBRARY_PATH, DT_RUNPATH, /etc/ld.so.cache, the usual folders. The first
 * file with the same class and machine is taken. Of the cache all entries of a
 * name count, since which of them fits the processor is not decided here.
 */
#include "src/gpu/device/program_files.h"

#include "src/platform/elf_of_process.h"
#include "src/platform/file.h"
#include "src/platform/library.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    most_objects = 64,
    most_entries = 1024, /* of a dynamic section */
    most_headers = 64,
    name_size = 256
};

static const char cache_path[] = "/etc/ld.so.cache";
/* Of glibc, then of musl. */
static const char usual_folders[] =
        "/lib64:/usr/lib64:/lib:/usr/lib:/usr/local/lib";

/* ---- A file that is no part of this process -------------------------------
 */

struct elf {
    const struct file_search *search;
    const char *path;
    int fd;
    ElfW(Ehdr) header;
    ElfW(Phdr) segments[most_headers];
    ElfW(Dyn) dynamic[most_entries];
    size_t dynamic_count;
    /* The file's beginning, where most of what is asked for is. */
    unsigned char head[1 << 14];
    size_t head_size;
};

/* All of it, or nothing that can be used. */
static bool read_whole(
        const struct elf *elf, void *out, size_t size, uint64_t offset)
{
    size_t there;
    if (offset <= elf->head_size && size <= elf->head_size - offset) {
        memcpy(out, elf->head + offset, size);
        return true;
    }
    return file_search_read(
                   elf->search, elf->fd, elf->path, out, size, offset, &there)
           && there == size;
}

static const ElfW(Phdr) * segment_of(const struct elf *elf, uint32_t type)
{
    for (size_t i = 0; i < elf->header.e_phnum; i++)
        if (elf->segments[i].p_type == type) return &elf->segments[i];
    return NULL;
}

/* False: it is no ELF file of this process's class. One without a dynamic
 * section has no entries. */
static bool elf_open(
        struct elf *elf, const struct file_search *search, const char *path)
{
    elf->dynamic_count = 0;
    elf->search = search;
    elf->path = path;
    elf->fd = file_search_open(search, path);
    if (elf->fd < 0) return false;
    ElfW(Ehdr) *h = &elf->header;
    if (!file_search_read(search, elf->fd, path, elf->head, sizeof elf->head, 0,
                &elf->head_size)
            || !read_whole(elf, h, sizeof *h, 0)
            || memcmp(h->e_ident, ELFMAG, SELFMAG) != 0
            || h->e_ident[EI_CLASS] != ELF_CLASS_OF_PROCESS
            || h->e_phentsize != sizeof(ElfW(Phdr)) || h->e_phnum > most_headers
            || !read_whole(elf, elf->segments, h->e_phnum * sizeof(ElfW(Phdr)),
                    h->e_phoff)) {
        (void)file_close(elf->fd);
        return false;
    }
    const ElfW(Phdr) *p = segment_of(elf, PT_DYNAMIC);
    if (p == NULL) return true;
    const size_t count = p->p_filesz / sizeof(ElfW(Dyn));
    elf->dynamic_count = count < most_entries ? count : most_entries;
    if (!read_whole(elf, elf->dynamic, elf->dynamic_count * sizeof(ElfW(Dyn)),
                p->p_offset))
        elf->dynamic_count = 0;
    return true;
}

/* Where an address is in the file; 0: nowhere. */
static uint64_t offset_of(const struct elf *elf, uint64_t address)
{
    for (size_t i = 0; i < elf->header.e_phnum; i++) {
        const ElfW(Phdr) *p = &elf->segments[i];
        if (p->p_type == PT_LOAD && address >= p->p_vaddr
                && address - p->p_vaddr < p->p_filesz)
            return p->p_offset + (address - p->p_vaddr);
    }
    return 0;
}

static const ElfW(Dyn)
        * next_entry(const struct elf *elf, const ElfW(Dyn) * after,
                ElfW(Sxword) tag)
{
    const ElfW(Dyn) *end = elf->dynamic + elf->dynamic_count;
    for (const ElfW(Dyn) *d = after != NULL ? after + 1 : elf->dynamic;
            d < end && d->d_tag != DT_NULL; d++)
        if (d->d_tag == tag) return d;
    return NULL;
}

/* The text that an entry names; "" if it cannot be read or is too long. */
static void entry_text(
        const struct elf *elf, const ElfW(Dyn) * entry, char *text, size_t size)
{
    const ElfW(Dyn) *strings = next_entry(elf, NULL, DT_STRTAB);
    const ElfW(Dyn) *strings_size = next_entry(elf, NULL, DT_STRSZ);
    text[0] = '\0';
    if (entry == NULL || strings == NULL || strings_size == NULL) return;
    const uint64_t at = entry->d_un.d_val;
    const uint64_t end = strings_size->d_un.d_val;
    const uint64_t from = offset_of(elf, strings->d_un.d_ptr);
    if (from == 0 || at >= end) return;
    const size_t there = end - at < size ? (size_t)(end - at) : size;
    if (!read_whole(elf, text, there, from + at)
            || memchr(text, '\0', there) == NULL)
        text[0] = '\0';
}

/* ---- The objects that are to be looked at ---------------------------------
 */

struct walk {
    const struct file_search *search;
    struct elf elf;   /* the object that links what is looked for now */
    const char *of;   /* its path */
    const char *name; /* what is looked for */
    bool is_found;
    size_t count;
    size_t next;
    char paths[most_objects][FILE_SEARCH_PATH_SIZE];
    /* Looked for in the same places already, for another object. */
    size_t known_count;
    char known[most_objects][name_size];
};

static void add_object(struct walk *walk, const char *path)
{
    for (size_t i = 0; i < walk->count; i++)
        if (strcmp(walk->paths[i], path) == 0) return;
    if (walk->count == most_objects) {
        walk->search->failed(walk->search->user, path, E2BIG);
        return;
    }
    snprintf(walk->paths[walk->count++], FILE_SEARCH_PATH_SIZE, "%s", path);
}

enum fit { fit_absent, fit_none, fit_good };

/* Could the dynamic linker load it beside the object that links it? */
static enum fit fit_of(const struct walk *walk, const char *path)
{
    const struct file_search *search = walk->search;
    ElfW(Ehdr) h;
    size_t size = 0;
    int fd;
    int error =
            file_open(&fd, file_here, path, file_for_reading | file_no_wait, 0);
    if (error == EACCES ? !file_is_there(path) : file_search_is_absent(error))
        return fit_absent;
    if (error == 0) error = file_read_up_to(&size, fd, &h, sizeof h, 0);
    (void)file_close(fd);
    if (error != 0 && error != EISDIR && error != ESPIPE)
        search->failed(search->user, path, error);
    return error == 0 && size == sizeof h
                           && memcmp(h.e_ident, walk->elf.header.e_ident,
                                      EI_DATA + 1)
                                      == 0
                           && h.e_machine == walk->elf.header.e_machine
                   ? fit_good
                   : fit_none;
}

static void take(struct walk *walk, const char *folder)
{
    char path[FILE_SEARCH_PATH_SIZE];
    if (!file_search_join(walk->search, path, folder, walk->name)) return;
    switch (fit_of(walk, path)) {
    case fit_absent:
        walk->search->missing(walk->search->user, path);
        return;
    case fit_none:
        return;
    case fit_good:
        break;
    }
    if (!file_search_try(walk->search, folder, walk->name, walk->name)) return;
    walk->is_found = true;
    add_object(walk, path);
}

static void visit_level(const struct file_search *search, const char *folder,
        const char *name, void *user)
{
    char path[FILE_SEARCH_PATH_SIZE];
    if (file_search_join(search, path, folder, name)) take(user, path);
}

/* glibc prefers what is built for the processor. */
static bool look_in(const char *folder, void *user)
{
    struct walk *walk = user;
    char levels[FILE_SEARCH_PATH_SIZE];
    if (!file_search_has_folder(walk->search, folder)) return true;
    if (file_search_join(walk->search, levels, folder, "glibc-hwcaps")
            && file_is_there(levels))
        file_search_entries(walk->search, levels, "", visit_level, walk);
    take(walk, folder);
    return !walk->is_found;
}

/* A folder of DT_RPATH or DT_RUNPATH, with $ORIGIN as the object's own. */
static bool look_in_run_path(const char *folder, void *user)
{
    static const char *const origins[] = {"$ORIGIN", "${ORIGIN}"};
    const struct walk *walk = user;
    char path[FILE_SEARCH_PATH_SIZE];
    for (size_t i = 0; i < 2; i++) {
        const char *at = strstr(folder, origins[i]);
        if (at == NULL) continue;
        const int size = snprintf(path, sizeof path, "%.*s%.*s%s",
                (int)(at - folder), folder,
                (int)(strrchr(walk->elf.path, '/') - walk->elf.path),
                walk->elf.path, at + strlen(origins[i]));
        return size < 0 || (size_t)size >= sizeof path || look_in(path, user);
    }
    return look_in(folder, user);
}

/* ---- /etc/ld.so.cache ------------------------------------------------------
 */

static const char cache_magic[] = "glibc-ld.so.cache1.1";
static const char old_magic[] = "ld.so-1.7.0";

enum {
    cache_header_size = 48,
    cache_count_at = 20,
    cache_entry_size = 24,
    old_header_size = 16,
    old_count_at = 12,
    old_entry_size = 12
};

struct cache {
    unsigned char *bytes;
    size_t size;
    size_t start; /* of the part that offsets count from */
};

static uint32_t cache_number(const struct cache *cache, size_t at)
{
    uint32_t number = 0;
    if (at <= cache->size && cache->size - at >= sizeof number)
        memcpy(&number, cache->bytes + at, sizeof number);
    return number;
}

static bool has_magic(const struct cache *cache, size_t at, const char *magic)
{
    return at <= cache->size && cache->size - at >= strlen(magic)
           && memcmp(cache->bytes + at, magic, strlen(magic)) == 0;
}

/* NULL: outside, or without an end. */
static const char *cache_text(const struct cache *cache, uint32_t offset)
{
    const size_t at = cache->start + offset;
    return at < cache->size
                           && memchr(cache->bytes + at, '\0', cache->size - at)
                                      != NULL
                   ? (const char *)cache->bytes + at
                   : NULL;
}

/* The cache may begin with the form that older systems read. */
static bool cache_read(struct cache *cache, const struct file_search *search)
{
    struct file_facts facts;
    size_t size = 0;
    cache->bytes = NULL;
    cache->start = 0;
    if (!file_is_there(cache_path)) {
        search->missing(search->user, cache_path);
        return false;
    }
    const int fd = file_search_open(search, cache_path);
    if (fd < 0) return false;
    const int error = file_facts(&facts, fd);
    if (error != 0) {
        search->failed(search->user, cache_path, error);
    } else if (facts.size > cache_header_size) {
        cache->size = (size_t)facts.size;
        cache->bytes = malloc(cache->size);
        if (cache->bytes == NULL)
            search->failed(search->user, cache_path, ENOMEM);
    }
    const bool is_read = cache->bytes != NULL
                         && file_search_read(search, fd, cache_path,
                                 cache->bytes, cache->size, 0, &size)
                         && size == cache->size;
    (void)file_close(fd);
    if (is_read && has_magic(cache, 0, old_magic))
        cache->start = (old_header_size
                               + (size_t)cache_number(cache, old_count_at)
                                         * old_entry_size
                               + 7)
                       & ~(size_t)7;
    if (is_read && has_magic(cache, cache->start, cache_magic)) return true;
    free(cache->bytes);
    cache->bytes = NULL;
    return false;
}

static void look_in_cache(struct walk *walk, const struct cache *cache)
{
    const uint32_t count = cache_number(cache, cache->start + cache_count_at);
    size_t at = cache->start + cache_header_size;
    for (uint32_t i = 0; i < count; i++, at += cache_entry_size) {
        if (at > cache->size || cache->size - at < cache_entry_size) return;
        const char *name = cache_text(cache, cache_number(cache, at + 4));
        const char *path = cache_text(cache, cache_number(cache, at + 8));
        if (name == NULL || path == NULL || strcmp(name, walk->name) != 0
                || path[0] != '/' || fit_of(walk, path) != fit_good)
            continue;
        walk->search->found(walk->search->user, path, walk->name);
        walk->is_found = true;
        add_object(walk, path);
    }
}

/* ---- What an object links -------------------------------------------------
 */

static bool is_known(const struct walk *walk, const char *name)
{
    for (size_t i = 0; i < walk->known_count; i++)
        if (strcmp(walk->known[i], name) == 0) return true;
    return false;
}

static void note_known(struct walk *walk, const char *name)
{
    if (walk->known_count < most_objects)
        snprintf(walk->known[walk->known_count++], name_size, "%s", name);
}

static void look_for(
        struct walk *walk, const char *name, const struct cache *cache)
{
    char rpath[FILE_SEARCH_PATH_SIZE];
    char runpath[FILE_SEARCH_PATH_SIZE];
    const ElfW(Dyn) *run = next_entry(&walk->elf, NULL, DT_RUNPATH);
    entry_text(&walk->elf, run, runpath, sizeof runpath);
    entry_text(&walk->elf,
            run == NULL ? next_entry(&walk->elf, NULL, DT_RPATH) : NULL, rpath,
            sizeof rpath);
    walk->name = name;
    walk->is_found = false;
    if (strchr(name, '/') != NULL) {
        walk->search->found(walk->search->user, name, name);
        add_object(walk, name);
        return;
    }
    if (rpath[0] == '\0' && runpath[0] == '\0') {
        if (is_known(walk, name)) return;
        note_known(walk, name);
    }
    file_search_list(rpath, ":", look_in_run_path, walk);
    if (!walk->is_found)
        file_search_list(getenv("LD_LIBRARY_PATH"), ":;", look_in, walk);
    if (!walk->is_found) file_search_list(runpath, ":", look_in_run_path, walk);
    if (!walk->is_found && cache->bytes != NULL) look_in_cache(walk, cache);
    if (!walk->is_found) file_search_list(usual_folders, ":", look_in, walk);
}

static void look_at(
        struct walk *walk, const char *path, const struct cache *cache)
{
    char name[name_size];
    if (!elf_open(&walk->elf, walk->search, path)) return;
    const ElfW(Phdr) *interpreter = segment_of(&walk->elf, PT_INTERP);
    if (interpreter != NULL && interpreter->p_filesz < sizeof name
            && read_whole(&walk->elf, name, interpreter->p_filesz,
                    interpreter->p_offset)) {
        name[interpreter->p_filesz] = '\0';
        const char *slash = strrchr(name, '/');
        if (slash != NULL && file_is_there(name))
            walk->search->found(walk->search->user, name, slash + 1);
    }
    for (const ElfW(Dyn) *d = next_entry(&walk->elf, NULL, DT_NEEDED);
            d != NULL; d = next_entry(&walk->elf, d, DT_NEEDED)) {
        entry_text(&walk->elf, d, name, sizeof name);
        if (name[0] != '\0') look_for(walk, name, cache);
    }
    (void)file_close(walk->elf.fd);
}

void program_files_find_linked(
        const struct file_search *search, const char *path)
{
    struct cache cache;
    struct walk *walk = malloc(sizeof *walk);
    char *real = path_absolute(path); /* where $ORIGIN is */
    if (walk == NULL || real == NULL) {
        search->failed(search->user, path, walk == NULL ? ENOMEM : errno);
        free(walk);
        free(real);
        return;
    }
    walk->search = search;
    walk->count = walk->next = walk->known_count = 0;
    (void)cache_read(&cache, search);
    add_object(walk, real);
    free(real);
    while (walk->next < walk->count)
        look_at(walk, walk->paths[walk->next++], &cache);
    free(cache.bytes);
    free(walk);
}

void program_files_find(
        const struct file_search *search, const char *path, const char *label)
{
    search->found(search->user, path, label);
    program_files_find_linked(search, path);
}
