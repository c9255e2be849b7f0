/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/dnnl_cache/jobs/refresh_stand_in.h"

#include "tools/dnnl_cache/jobs/refresh_driver.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The last bytes of the file: src/binaries/pocl_stand_in.c looks for them. */
static const char mark[] = "dnnl_cache: no code is here";

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
    char mark[sizeof mark];
};

/* Without what may be behind the mark in memory. */
static const size_t object_size = offsetof(struct object, mark) + sizeof mark;

/* Of this process's own program: the machine's and its loader's. */
static bool read_own_head(ElfW(Ehdr) * head)
{
    const int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    const bool is_read =
            fd >= 0 && read(fd, head, sizeof *head) == (ssize_t)sizeof *head
            && memcmp(head->e_ident, ELFMAG, SELFMAG) == 0
            && head->e_ident[EI_CLASS]
                       == (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32);
    if (fd >= 0) close(fd);
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
    memcpy(o->mark, mark, sizeof mark);
    return true;
}

static bool write_object(int folder_fd, const char *path, const char *symbol)
{
    struct object object;
    if (!make_object(&object, symbol)) return false;
    const int fd = openat(
            folder_fd, path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700);
    if (fd < 0) return false;
    const bool is_written =
            write(fd, &object, object_size) == (ssize_t)object_size;
    close(fd);
    if (!is_written) (void)unlinkat(folder_fd, path, 0);
    return is_written;
}

/* Does this process's loader take one? PoCL ends the process if not. */
static bool can_be_loaded(const char *folder)
{
    static const char symbol[] = "dnnl_cache_stand_in";
    char path[PATH_MAX];
    if ((size_t)snprintf(path, sizeof path, "%s/stand_in.so", folder)
                    >= sizeof path
            || !write_object(AT_FDCWD, path, symbol))
        return false;
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const bool is_loaded = handle != NULL && dlsym(handle, symbol) != NULL;
    if (handle != NULL) dlclose(handle);
    (void)unlink(path);
    return is_loaded;
}

/* ---- Where they are ------------------------------------------------------ */

/* Those in which folders and symbols were looked at. */
static bool is_tested(const struct refresh_device *device)
{
    static const char tested[] = "PoCL 3.1";
    char version[256] = "";
    cl_platform_id platform;
    if (!device->is_pocl
            || clGetDeviceInfo(device->id, CL_DEVICE_PLATFORM, sizeof platform,
                       &platform, NULL)
                       != CL_SUCCESS
            || clGetPlatformInfo(platform, CL_PLATFORM_VERSION, sizeof version,
                       version, NULL)
                       != CL_SUCCESS)
        return false;
    const char *at = strstr(version, tested);
    return at != NULL
           && (at[sizeof tested - 1] < '0' || at[sizeof tested - 1] > '9');
}

static bool has_folders(int folder_fd)
{
    const struct dirent *entry;
    struct stat st;
    bool has = false;
    const int fd = openat(folder_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
    if (dir == NULL && fd >= 0) close(fd);
    while (dir != NULL && !has && (entry = readdir(dir)) != NULL)
        has = strcmp(entry->d_name, ".") != 0
              && strcmp(entry->d_name, "..") != 0
              && fstatat(fd, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0
              && S_ISDIR(st.st_mode);
    if (dir != NULL) closedir(dir);
    return has;
}

/* The folder of a program of which nothing was compiled for a launch, with
 * PoCL's cache off; -1: there is none, or more than one. */
static int open_new_folder(const char *parent)
{
    static const char prefix[] = "_UNCACHED_";
    const struct dirent *entry;
    int found = -1;
    bool is_only = true;
    DIR *dir = opendir(parent);
    if (dir == NULL) return -1;
    while (is_only && (entry = readdir(dir)) != NULL) {
        if (strncmp(entry->d_name, prefix, sizeof prefix - 1) != 0) continue;
        const int fd = openat(dirfd(dir), entry->d_name,
                O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (fd >= 0 && !has_folders(fd) && found < 0) {
            found = fd;
            continue;
        }
        is_only = fd >= 0 && has_folders(fd);
        if (fd >= 0) close(fd);
    }
    closedir(dir);
    if (is_only) return found;
    if (found >= 0) close(found);
    return -1;
}

void refresh_stand_ins_open(struct refresh_stand_ins *stand_ins,
        const struct refresh_device *device)
{
    const char *cache = getenv("POCL_KERNEL_CACHE");
    char folder[PATH_MAX];
    /* Without classes all launches are of the function for all launches. */
    const char *has_classes = getenv("POCL_WORK_GROUP_SPECIALIZATION");
    stand_ins->folder_fd = -1;
    if (is_tested(device) && cache != NULL && strcmp(cache, "0") == 0
            && (has_classes == NULL || strcmp(has_classes, "1") == 0)
            && refresh_driver_find_pocl(folder) && can_be_loaded(folder))
        stand_ins->folder_fd = open_new_folder(folder);
}

void refresh_stand_ins_close(struct refresh_stand_ins *stand_ins)
{
    if (stand_ins->folder_fd >= 0) close(stand_ins->folder_fd);
    stand_ins->folder_fd = -1;
}

static bool make_folder(int folder_fd, const char *path)
{
    return mkdirat(folder_fd, path, 0700) == 0 || errno == EEXIST;
}

/* Names of kernels come from notes, and are parts of paths here. */
static bool is_name(const char *kernel)
{
    const size_t size = strlen(kernel);
    return size > 0 && size <= most_name && kernel[0] != '.'
           && strchr(kernel, '/') == NULL;
}

enum { most_path = 2 * most_name + 128 };

/* Where the driver looks for a kernel's code; false: it has no such place. */
static bool make_place(char path[most_path],
        const struct refresh_stand_ins *stand_ins, const char *kernel,
        const char *class)
{
    const int fd = stand_ins->folder_fd;
    if (fd < 0 || !is_name(kernel)) return false;
    snprintf(path, most_path, "%s/%s", kernel, class);
    if (!make_folder(fd, kernel) || !make_folder(fd, path)) return false;
    snprintf(path, most_path, "%s/%s/%s.so", kernel, class, kernel);
    return true;
}

void refresh_stand_ins_put(const struct refresh_stand_ins *stand_ins,
        const char *kernel, const char *class)
{
    char symbol[most_name + 32];
    char path[most_path];
    if (!make_place(path, stand_ins, kernel, class)) return;
    snprintf(symbol, sizeof symbol, "_pocl_kernel_%s_workgroup", kernel);
    (void)write_object(stand_ins->folder_fd, path, symbol);
}

static bool name_kept(char path[PATH_MAX], const char *folder,
        const char *kernel, const char *class)
{
    return (size_t)snprintf(path, PATH_MAX, "%s/%s,%s", folder, kernel, class)
           < PATH_MAX;
}

bool refresh_stand_ins_keep(const struct refresh_stand_ins *stand_ins,
        const char *kernel, const char *class, const char *folder)
{
    char kept[PATH_MAX];
    char path[most_path];
    return make_place(path, stand_ins, kernel, class)
           && name_kept(kept, folder, kernel, class)
           && make_folder(AT_FDCWD, folder)
           && linkat(stand_ins->folder_fd, path, AT_FDCWD, kept, 0) == 0;
}

bool refresh_stand_ins_put_back(const struct refresh_stand_ins *stand_ins,
        const char *kernel, const char *class, const char *folder)
{
    char kept[PATH_MAX];
    char path[most_path];
    return is_name(kernel) && name_kept(kept, folder, kernel, class)
           && access(kept, F_OK) == 0
           && make_place(path, stand_ins, kernel, class)
           && linkat(AT_FDCWD, kept, stand_ins->folder_fd, path, 0) == 0;
}

bool refresh_stand_ins_are_in(size_t blob_size, const uint8_t *blob)
{
    size_t size = 0;
    if (dnnl_cache_blob_get_program_binary(blob_size, blob, 0, &size, NULL)
            != dnnl_success)
        return false; /* it has no binary */
    uint8_t *binary = malloc(size + 1);
    const bool are_in = binary == NULL
                        || dnnl_cache_blob_get_program_binary(
                                   blob_size, blob, 0, &size, binary)
                                   != dnnl_success
                        || memmem(binary, size, mark, sizeof mark) != NULL;
    free(binary);
    return are_in;
}
