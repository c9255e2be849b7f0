/* SPDX-License-Identifier: Apache-2.0 */
/*
 * As ld.so(8) looks for shared objects: DT_RPATH without DT_RUNPATH,
 * LD_LIBRARY_PATH, DT_RUNPATH, /etc/ld.so.cache, the usual folders. The first
 * file with the same class and machine is taken. Of the cache all entries of a
 * name count, since which of them fits the processor is not decided here.
 */
#include "src/gpu/device/program_files.h"

#include "src/gpu/device/file_digest.h"
#include "src/gpu/device/loader_cache.h"
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
    struct file_opened opened;
    ElfW(Ehdr) header;
    ElfW(Phdr) segments[most_headers];
    ElfW(Dyn) dynamic[most_entries];
    size_t dynamic_count;
    /* The file's beginning, where most of what is asked for is. */
    unsigned char head[FILE_SEARCH_OPENED_HEAD];
    /* And the texts around the last one: those of one object are together. */
    unsigned char texts[1 << 12];
    uint64_t texts_at;
    size_t texts_size;
};

/* All of it, or nothing that can be used. */
static bool read_whole(
        const struct elf *elf, void *out, size_t size, uint64_t offset)
{
    const struct file_opened *opened = &elf->opened;
    size_t there;
    if (offset <= opened->head_size && size <= opened->head_size - offset) {
        memcpy(out, opened->head + offset, size);
        return true;
    }
    return file_search_read(elf->search, opened->fd, elf->path, out, size,
                   offset, &there)
           && there == size;
}

static const ElfW(Phdr) * segment_of(const struct elf *elf, uint32_t type)
{
    for (size_t i = 0; i < elf->header.e_phnum; i++)
        if (elf->segments[i].p_type == type) return &elf->segments[i];
    return NULL;
}

enum opening { opening_absent, opening_other, opening_done };

/* A plain file: its facts and its beginning. opening_other: what is there
 * cannot be read, which `failed` was told unless it is no plain file. */
static enum opening elf_open(
        struct elf *elf, const struct file_search *search, const char *path)
{
    struct file_opened *opened = &elf->opened;
    *opened = (struct file_opened){.head = elf->head};
    elf->search = search;
    elf->path = path;
    elf->dynamic_count = 0;
    elf->texts_at = 0;
    elf->texts_size = 0;
    memset(&elf->header, 0, sizeof elf->header);
    int error = file_open(
            &opened->fd, file_here, path, file_for_reading | file_no_wait, 0);
    if (file_search_is_absent(error) && !file_is_there(path))
        return opening_absent;
    if (error == 0)
        error = file_facts_settled(&opened->facts, opened->fd, NULL);
    const bool is_plain = opened->facts.kind == file_is_plain;
    if (error == 0 && is_plain)
        error = file_read_up_to(
                &opened->head_size, opened->fd, elf->head, sizeof elf->head, 0);
    if (error == 0 && is_plain && opened->head_size < sizeof elf->head
            && opened->head_size < opened->facts.size)
        error = ESTALE;
    if (opened->head_size >= sizeof elf->header)
        memcpy(&elf->header, elf->head, sizeof elf->header);
    if (error == 0 && is_plain) return opening_done;
    if (error != 0) search->failed(search->user, path, error);
    (void)file_close(opened->fd);
    return opening_other;
}

/* False: it is no ELF file of this process's class. One without a dynamic
 * section has no entries. */
static bool elf_read(struct elf *elf)
{
    const ElfW(Ehdr) *h = &elf->header;
    if (memcmp(h->e_ident, ELFMAG, SELFMAG) != 0
            || h->e_ident[EI_CLASS] != ELF_CLASS_OF_PROCESS
            || h->e_phentsize != sizeof(ElfW(Phdr)) || h->e_phnum > most_headers
            || !read_whole(elf, elf->segments, h->e_phnum * sizeof(ElfW(Phdr)),
                    h->e_phoff))
        return false;
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

/* Of a table of texts that has so many bytes from there on. */
static bool read_text(struct elf *elf, char *text, size_t size, uint64_t offset,
        uint64_t table_rest)
{
    if (offset < elf->texts_at || offset - elf->texts_at > elf->texts_size
            || size > elf->texts_size - (offset - elf->texts_at)) {
        elf->texts_at = offset;
        elf->texts_size = table_rest < sizeof elf->texts ? (size_t)table_rest
                                                         : sizeof elf->texts;
        if (size > elf->texts_size
                || !read_whole(elf, elf->texts, elf->texts_size, offset))
            elf->texts_size = 0;
    }
    if (elf->texts_size == 0) return read_whole(elf, text, size, offset);
    memcpy(text, elf->texts + (offset - elf->texts_at), size);
    return true;
}

/* The text that an entry names; "" if it cannot be read or is too long. */
static void entry_text(
        struct elf *elf, const ElfW(Dyn) * entry, char *text, size_t size)
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
    if (!read_text(elf, text, there, from + at, end - at)
            || memchr(text, '\0', there) == NULL)
        text[0] = '\0';
}

/* ---- The objects that are to be looked at ---------------------------------
 */

/* What one says of what it links. */
struct object {
    char path[FILE_SEARCH_PATH_SIZE];
    unsigned char kind[EI_DATA + 1]; /* of the file and ... */
    ElfW(Half) machine;              /* ... of what it runs on */
    char interpreter[name_size];     /* "": none */
    char rpath[FILE_SEARCH_PATH_SIZE];
    char runpath[FILE_SEARCH_PATH_SIZE];
    char *needed; /* owned, names with a NUL each */
    size_t needed_size;
};

struct walk {
    const struct file_search *search;
    struct elf elf;          /* the file that is open */
    const struct object *of; /* the object that links what is looked for now */
    const char *name;        /* what is looked for */
    bool is_found;
    size_t count;
    size_t next;
    struct object *objects[most_objects]; /* owned */
    /* Looked for in the same places already, for another object. */
    size_t known_count;
    char known[most_objects][name_size];
};

static bool has_object(const struct walk *walk, const char *path)
{
    for (size_t i = 0; i < walk->count; i++)
        if (strcmp(walk->objects[i]->path, path) == 0) return true;
    return false;
}

static bool add_needed(struct object *object, const char *name)
{
    const size_t size = strlen(name) + 1;
    char *more = realloc(object->needed, object->needed_size + size);
    if (more == NULL) return false;
    memcpy(more + object->needed_size, name, size);
    object->needed = more;
    object->needed_size += size;
    return true;
}

/* Of the file that is open. False: memory ran out. */
static bool read_object(struct object *object, struct elf *elf)
{
    char name[name_size];
    if (!elf_read(elf)) return true;
    const ElfW(Phdr) *interpreter = segment_of(elf, PT_INTERP);
    const ElfW(Dyn) *run = next_entry(elf, NULL, DT_RUNPATH);
    if (interpreter != NULL
            && interpreter->p_filesz < sizeof object->interpreter
            && !read_whole(elf, object->interpreter, interpreter->p_filesz,
                    interpreter->p_offset))
        object->interpreter[0] = '\0';
    entry_text(elf, run, object->runpath, sizeof object->runpath);
    entry_text(elf, run == NULL ? next_entry(elf, NULL, DT_RPATH) : NULL,
            object->rpath, sizeof object->rpath);
    for (const ElfW(Dyn) *d = next_entry(elf, NULL, DT_NEEDED); d != NULL;
            d = next_entry(elf, d, DT_NEEDED)) {
        entry_text(elf, d, name, sizeof name);
        if (name[0] != '\0' && !add_needed(object, name)) return false;
    }
    return true;
}

/* Of the file that is open, or of none if it is not. */
static void add_object(struct walk *walk, const char *path, bool is_open)
{
    const struct file_search *search = walk->search;
    if (has_object(walk, path)) return;
    if (walk->count == most_objects) {
        search->failed(search->user, path, E2BIG);
        return;
    }
    struct object *object = calloc(1, sizeof *object);
    if (object != NULL) {
        snprintf(object->path, sizeof object->path, "%s", path);
        memcpy(object->kind, walk->elf.header.e_ident, sizeof object->kind);
        object->machine = walk->elf.header.e_machine;
        walk->objects[walk->count++] = object;
    }
    if (object == NULL || (is_open && !read_object(object, &walk->elf)))
        search->failed(search->user, path, ENOMEM);
}

/* One that is there, or should be. label: how its file is told of; NULL: it is
 * not. */
static void open_object(struct walk *walk, const char *path, const char *label)
{
    const struct file_search *search = walk->search;
    const enum opening opening = elf_open(&walk->elf, search, path);
    if (opening == opening_absent) search->failed(search->user, path, ENOENT);
    if (opening == opening_done && label != NULL)
        search->found_open(search->user, &walk->elf.opened, path, label);
    add_object(walk, path, opening == opening_done);
    if (opening == opening_done) (void)file_close(walk->elf.opened.fd);
}

/* Could the dynamic linker load the file that is open beside the object that
 * links it? */
static bool is_fit(const struct walk *walk)
{
    const ElfW(Ehdr) *h = &walk->elf.header;
    return memcmp(h->e_ident, walk->of->kind, sizeof walk->of->kind) == 0
           && h->e_machine == walk->of->machine;
}

static void tell_found(struct walk *walk, const char *path)
{
    const struct file_search *search = walk->search;
    walk->is_found = true;
    if (path[0] != '/') /* after chdir() another file would have this name */
        search->failed(search->user, path, ESTALE);
    else
        search->found_open(search->user, &walk->elf.opened, path, walk->name);
    add_object(walk, path, true);
}

/* False: there is no such file. */
static bool try_path(struct walk *walk, const char *path)
{
    if (file_search_knows_missing(walk->search, path)) return false;
    switch (elf_open(&walk->elf, walk->search, path)) {
    case opening_absent:
        return false;
    case opening_other:
        return true;
    case opening_done:
        break;
    }
    if (is_fit(walk)) tell_found(walk, path);
    (void)file_close(walk->elf.opened.fd);
    return true;
}

static void take(struct walk *walk, const char *folder)
{
    char path[FILE_SEARCH_PATH_SIZE];
    if (file_search_join(walk->search, path, folder, walk->name)
            && !try_path(walk, path))
        file_search_tell_missing(walk->search, path);
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
            && file_search_has_folder(walk->search, levels))
        file_search_entries(walk->search, levels, "", visit_level, walk);
    take(walk, folder);
    return !walk->is_found;
}

/* Where an object is: of the program, which is the first, whatever links lead
 * there. The caller frees it; NULL: it is not known, which was told. */
static char *origin_of(const struct walk *walk)
{
    const char *path = walk->of->path;
    char *origin =
            walk->of == walk->objects[0] ? path_absolute(path) : strdup(path);
    char *slash = origin != NULL ? strrchr(origin, '/') : NULL;
    if (slash != NULL)
        *slash = '\0';
    else
        walk->search->failed(walk->search->user, path, errno);
    return origin;
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
        char *origin = origin_of(walk);
        const int size = snprintf(path, sizeof path, "%.*s%s%s",
                (int)(at - folder), folder, origin != NULL ? origin : "",
                at + strlen(origins[i]));
        const bool is_known = origin != NULL;
        free(origin);
        return !is_known || size < 0 || (size_t)size >= sizeof path
               || look_in(path, user);
    }
    return look_in(folder, user);
}

/* ---- /etc/ld.so.cache ------------------------------------------------------
 */

/* False: there is none, or it is not one. The caller frees bytes. */
static bool cache_read(
        struct loader_cache *cache, const struct file_search *search)
{
    struct file_facts facts = {.kind = file_is_other};
    unsigned char *bytes = NULL;
    size_t size = 0;
    int fd;
    *cache = (struct loader_cache){.bytes = NULL};
    int error = file_open(
            &fd, file_here, cache_path, file_for_reading | file_no_wait, 0);
    if (file_search_is_absent(error) && !file_is_there(cache_path)) {
        file_search_tell_missing(search, cache_path);
        return false;
    }
    if (error == 0) error = file_facts(&facts, fd);
    if (error != 0) {
        search->failed(search->user, cache_path, error);
    } else if (facts.kind == file_is_plain
               && facts.size > loader_cache_least_size) {
        bytes = malloc((size_t)facts.size);
        if (bytes == NULL) search->failed(search->user, cache_path, ENOMEM);
    }
    const bool is_read = bytes != NULL
                         && file_search_read(search, fd, cache_path, bytes,
                                 (size_t)facts.size, 0, &size)
                         && size == (size_t)facts.size;
    (void)file_close(fd);
    if (is_read && loader_cache_begin(cache, bytes, size)) return true;
    free(bytes);
    *cache = (struct loader_cache){.bytes = NULL};
    return false;
}

static void look_in_cache(struct walk *walk, const struct loader_cache *cache)
{
    uint32_t at = 0;
    const char *path;
    while ((path = loader_cache_next(cache, walk->name, &at)) != NULL)
        if (!try_path(walk, path)) file_search_tell_missing(walk->search, path);
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
        struct walk *walk, const char *name, const struct loader_cache *cache)
{
    const struct object *of = walk->of;
    walk->name = name;
    walk->is_found = false;
    if (strchr(name, '/') != NULL) {
        walk->search->found(walk->search->user, name, name);
        open_object(walk, name, NULL);
        return;
    }
    if (of->rpath[0] == '\0' && of->runpath[0] == '\0') {
        if (is_known(walk, name)) return;
        note_known(walk, name);
    }
    file_search_list(of->rpath, ":", look_in_run_path, walk);
    if (!walk->is_found)
        file_search_list(getenv("LD_LIBRARY_PATH"), ":;", look_in, walk);
    if (!walk->is_found)
        file_search_list(of->runpath, ":", look_in_run_path, walk);
    if (!walk->is_found && cache->bytes != NULL) look_in_cache(walk, cache);
    if (!walk->is_found) file_search_list(usual_folders, ":", look_in, walk);
}

static void look_at(struct walk *walk, const struct object *object,
        const struct loader_cache *cache)
{
    const struct file_search *search = walk->search;
    const char *interpreter = object->interpreter;
    const char *slash = strrchr(interpreter, '/');
    walk->of = object;
    if (interpreter[0] == '/')
        file_search_try_path(search, interpreter, slash + 1);
    else if (slash != NULL && file_is_there(interpreter))
        search->found(search->user, interpreter, slash + 1);
    for (size_t at = 0; at < object->needed_size;
            at += strlen(object->needed + at) + 1)
        look_for(walk, object->needed + at, cache);
}

static void walk_from(struct walk *walk, const char *path, const char *label)
{
    struct loader_cache cache;
    (void)cache_read(&cache, walk->search);
    open_object(walk, path, label);
    while (walk->next < walk->count)
        look_at(walk, walk->objects[walk->next++], &cache);
    free((unsigned char *)(uintptr_t)cache.bytes); /* cache_read() */
    for (size_t i = 0; i < walk->count; i++) {
        free(walk->objects[i]->needed);
        free(walk->objects[i]);
    }
}

void program_files_find(
        const struct file_search *search, const char *path, const char *label)
{
    struct walk *walk = malloc(sizeof *walk);
    if (walk == NULL) {
        search->failed(search->user, path, ENOMEM);
    } else {
        walk->search = search;
        walk->count = walk->next = walk->known_count = 0;
        walk_from(walk, path, label);
    }
    free(walk);
}

void program_files_find_linked(
        const struct file_search *search, const char *path)
{
    program_files_find(search, path, NULL);
}
