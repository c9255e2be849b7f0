/* SPDX-License-Identifier: Apache-2.0 */
#include "src/drivers/pocl_stand_in_file.h"

#include "src/platform/elf_of_process.h"
#include "src/platform/file.h"
#include "src/platform/folder.h"
#include "src/platform/library.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* src/binaries/pocl_stand_in.c looks for it. */
const char pocl_stand_in_mark[pocl_stand_in_mark_size] =
        "dnnl_cache: no code is here";

enum { most_name = 200, segments = 3, entries = 6 };

/* ---- The shared object --------------------------------------------------- */

/* A whole file. A symbol for which there is no code: to call it ends the
 * process. */
struct object {
    ElfW(Ehdr) head;
    ElfW(Phdr) segments[segments];
    ElfW(Dyn) entries[entries];
    ElfW(Sym) symbols[2]; /* the first is none */
    ElfW(Word) hash[5];   /* one bucket of two */
    char names[1 + most_name + 32];
    char mark[pocl_stand_in_mark_size];
};

/* Without what may be behind the mark in memory. */
static const size_t object_size =
        offsetof(struct object, mark) + pocl_stand_in_mark_size;

/* Of this process's own program: the machine's and its loader's. */
static bool read_own_head(ElfW(Ehdr) * head)
{
    int fd;
    const bool is_read = program_open(&fd) == 0
                         && file_read_at(fd, head, sizeof *head, 0) == 0
                         && memcmp(head->e_ident, ELFMAG, SELFMAG) == 0
                         && head->e_ident[EI_CLASS] == ELF_CLASS_OF_PROCESS;
    (void)file_close(fd);
    return is_read;
}

static void set_entry(ElfW(Dyn) * entry, int tag, size_t value)
{
    entry->d_tag = tag;
    entry->d_un.d_val = value;
}

static bool make_object(struct object *o, const char *symbol)
{
    memset(o, 0, sizeof *o);
    if (strlen(symbol) + 2 > sizeof o->names || !read_own_head(&o->head))
        return false;
    o->head.e_type = ET_DYN;
    o->head.e_entry = 0;
    o->head.e_phoff = offsetof(struct object, segments);
    o->head.e_phentsize = sizeof *o->segments;
    o->head.e_phnum = segments;
    o->head.e_shoff = 0;
    o->head.e_shnum = 0;
    o->head.e_shstrndx = 0;
    /* A loader writes addresses into the entries. */
    o->segments[0] = (ElfW(Phdr)){.p_type = PT_LOAD,
            .p_flags = PF_R | PF_W,
            .p_filesz = object_size,
            .p_memsz = object_size,
            .p_align = 65536};
    o->segments[1] = (ElfW(Phdr)){.p_type = PT_DYNAMIC,
            .p_flags = PF_R | PF_W,
            .p_offset = offsetof(struct object, entries),
            .p_vaddr = offsetof(struct object, entries),
            .p_paddr = offsetof(struct object, entries),
            .p_filesz = sizeof o->entries,
            .p_memsz = sizeof o->entries,
            .p_align = sizeof(size_t)};
    /* Without it a loader makes all stacks executable. */
    o->segments[2] = (ElfW(Phdr)){
            .p_type = PT_GNU_STACK, .p_flags = PF_R | PF_W, .p_align = 16};
    set_entry(&o->entries[0], DT_HASH, offsetof(struct object, hash));
    set_entry(&o->entries[1], DT_SYMTAB, offsetof(struct object, symbols));
    set_entry(&o->entries[2], DT_STRTAB, offsetof(struct object, names));
    set_entry(&o->entries[3], DT_STRSZ, sizeof o->names);
    set_entry(&o->entries[4], DT_SYMENT, sizeof *o->symbols);
    o->symbols[1].st_name = 1;
    o->symbols[1].st_info = (STB_GLOBAL << 4) | STT_OBJECT;
    o->symbols[1].st_shndx = 1;
    o->symbols[1].st_value = offsetof(struct object, mark);
    o->symbols[1].st_size = sizeof o->mark;
    o->hash[0] = 1; /* buckets */
    o->hash[1] = 2; /* symbols */
    o->hash[2] = 1; /* the first of the only bucket */
    strcpy(o->names + 1, symbol);
    memcpy(o->mark, pocl_stand_in_mark, sizeof o->mark);
    return true;
}

static int write_object(int folder, const char *path, const char *symbol)
{
    struct object object;
    int fd;
    if (!make_object(&object, symbol)) return EINVAL;
    int error = file_open(&fd, folder, path,
            file_for_writing | file_made_if_missing | file_must_be_new, 0700);
    if (error != 0) return error;
    error = file_write_all(fd, &object, object_size);
    (void)file_close(fd);
    if (error != 0) (void)file_remove(folder, path);
    return error;
}

/* ---- Where they may be --------------------------------------------------- */

/* Is it this release, or a distribution's build of it ("3.1+debian")? What
 * comes before a release ("7.1-pre", "7.1-rc2") may have other folders. */
static bool is_release(const char *version, const char *release)
{
    const size_t size = strlen(release);
    if (strncmp(version, release, size) != 0) return false;
    version += size;
    if (*version == '.') version += strspn(version, ".0123456789");
    return *version == '\0' || *version == ' ' || *version == '+';
}

/* Those in which folders and symbols were looked at. */
bool pocl_stand_ins_are_tested(const char *platform_version)
{
    static const char *const tested[] = {"PoCL 3.1", "PoCL 6.0", "PoCL 7.1"};
    const char *at = strstr(platform_version, "PoCL ");
    for (size_t i = 0; at != NULL && i < sizeof tested / sizeof *tested; i++)
        if (is_release(at, tested[i])) return true;
    return false;
}

/* Without classes all launches are of the function for all launches. */
bool pocl_stand_ins_suit_classes(void)
{
    const char *has_classes = getenv("POCL_WORK_GROUP_SPECIALIZATION");
    return has_classes == NULL || strcmp(has_classes, "1") == 0;
}

bool pocl_stand_ins_suit_environment(void)
{
    const char *cache = getenv("POCL_KERNEL_CACHE");
    return cache != NULL && strcmp(cache, "0") == 0
           && pocl_stand_ins_suit_classes();
}

bool pocl_stand_in_is_loadable(const char *folder)
{
    static const char symbol[] = "dnnl_cache_stand_in";
    char path[path_size];
    if ((size_t)snprintf(path, sizeof path, "%s/stand_in.so", folder)
                    >= sizeof path
            || write_object(file_here, path, symbol) != 0)
        return false;
    const void *address;
    struct library *library = library_open(path, false, NULL);
    const bool is_loaded =
            library != NULL && library_find(library, symbol, &address);
    library_close(library);
    (void)file_remove(file_here, path);
    return is_loaded;
}

/* ---- In a program's folder ----------------------------------------------- */

static bool make_folder(int folder_fd, const char *path)
{
    const int error = folder_make(folder_fd, path, 0700, false);
    return error == 0 || error == EEXIST;
}

static bool is_name(const char *kernel)
{
    const size_t size = strlen(kernel);
    return size > 0 && size <= most_name && kernel[0] != '.'
           && strchr(kernel, '/') == NULL;
}

bool pocl_stand_in_make_place(char path[pocl_stand_in_path_size], int folder_fd,
        const char *kernel, const char *class)
{
    if (folder_fd < 0 || !is_name(kernel) || strlen(class) > most_name)
        return false;
    snprintf(path, pocl_stand_in_path_size, "%s/%s", kernel, class);
    if (!make_folder(folder_fd, kernel) || !make_folder(folder_fd, path))
        return false;
    snprintf(path, pocl_stand_in_path_size, "%s/%s/%s.so", kernel, class,
            kernel);
    return true;
}

/* Those that have something stay. */
static void remove_folders(int folder_fd, const char *kernel, const char *class)
{
    char path[pocl_stand_in_path_size];
    if (folder_fd < 0 || !is_name(kernel) || strlen(class) > most_name) return;
    snprintf(path, sizeof path, "%s/%s", kernel, class);
    (void)folder_remove(folder_fd, path);
    (void)folder_remove(folder_fd, kernel);
}

bool pocl_stand_in_write(int folder_fd, const char *kernel, const char *class)
{
    char symbol[most_name + 32];
    char path[pocl_stand_in_path_size];
    int error = EINVAL;
    if (pocl_stand_in_make_place(path, folder_fd, kernel, class)) {
        snprintf(symbol, sizeof symbol, "_pocl_kernel_%s_workgroup", kernel);
        error = write_object(folder_fd, path, symbol);
    }
    if (error != 0) remove_folders(folder_fd, kernel, class);
    errno = error;
    return error == 0;
}

static bool is_stand_in(int folder_fd, const char *path)
{
    char end[pocl_stand_in_mark_size] = "";
    struct file_facts facts;
    int fd;
    if (file_open_plain(&fd, &facts, folder_fd, path, 0, 0) != 0) return false;
    const bool is =
            facts.size == object_size
            && file_read_at(fd, end, sizeof end, object_size - sizeof end) == 0
            && memcmp(end, pocl_stand_in_mark, sizeof end) == 0;
    (void)file_close(fd);
    return is;
}

void pocl_stand_in_remove(int folder_fd, const char *kernel, const char *class)
{
    char path[pocl_stand_in_path_size];
    if (folder_fd < 0 || !is_name(kernel) || strlen(class) > most_name) return;
    snprintf(path, sizeof path, "%s/%s/%s.so", kernel, class, kernel);
    if (is_stand_in(folder_fd, path)) (void)file_remove(folder_fd, path);
    remove_folders(folder_fd, kernel, class);
}
