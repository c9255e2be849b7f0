/* SPDX-License-Identifier: Apache-2.0 */
#include "src/drivers/pocl_made.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { most_name = 200, most_bytes = 64 << 20 };

/* ---- The environment ----------------------------------------------------- */

bool pocl_made_suits_environment(void)
{
    const char *cache = getenv("POCL_KERNEL_CACHE");
    const char *has_classes = getenv("POCL_WORK_GROUP_SPECIALIZATION");
    const char *named = getenv("POCL_BINARY_SPECIALIZE_WG");
    return (cache == NULL || strcmp(cache, "1") == 0)
           && (has_classes == NULL || strcmp(has_classes, "1") == 0)
           && (named == NULL || named[0] == '\0');
}

/* Without HOME it is in /tmp. */
bool pocl_made_find_cache(char path[PATH_MAX])
{
    static const struct {
        const char *variable;
        const char *below;
    } places[] = {{"POCL_CACHE_DIR", ""}, {"XDG_CACHE_HOME", "/pocl/kcache"},
            {"HOME", "/.cache/pocl/kcache"}};
    char given[PATH_MAX];
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const char *value = getenv(places[i].variable);
        if (value == NULL || value[0] == '\0') continue;
        return value[0] == '/'
               && (size_t)snprintf(
                          given, sizeof given, "%s%s", value, places[i].below)
                          < sizeof given
               && realpath(given, path) != NULL;
    }
    return false;
}

bool pocl_made_is_name(const char *name, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (name[i] < 'A' || name[i] > 'P') return false;
    return name[size] == '\0';
}

/* ---- Folders and files --------------------------------------------------- */

/* In a folder of all users, others can make entries, and not replace ours. */
static bool is_safe_folder(const struct stat *st)
{
    const bool is_written = (st->st_mode & (S_IWGRP | S_IWOTH)) != 0;
    return S_ISDIR(st->st_mode) && (st->st_uid == geteuid() || st->st_uid == 0)
           && (!is_written
                   || (st->st_uid == 0 && (st->st_mode & S_ISVTX) != 0));
}

/* Closes folder_fd. */
static int step_into(int folder_fd, const char *name)
{
    struct stat st;
    const int fd = openat(
            folder_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    close(folder_fd);
    if (fd < 0 || (fstat(fd, &st) == 0 && is_safe_folder(&st))) return fd;
    close(fd);
    return -1;
}

/* The next part of a path; *path is behind it. False: no part, or not one that
 * leads on. */
static bool next_part(char part[NAME_MAX + 1], const char **path)
{
    const size_t size = strcspn(*path, "/");
    if (size == 0 || size > NAME_MAX) return false;
    memcpy(part, *path, size);
    part[size] = '\0';
    *path += size;
    while (**path == '/')
        ++*path;
    return strcmp(part, ".") != 0 && strcmp(part, "..") != 0;
}

int pocl_made_open_folder(const char *path)
{
    char part[NAME_MAX + 1];
    if (path[0] != '/') return -1;
    while (*path == '/')
        path++;
    int fd = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    while (fd >= 0 && *path != '\0') {
        if (!next_part(part, &path)) {
            close(fd);
            return -1;
        }
        fd = step_into(fd, part);
    }
    return fd;
}

/* "program.bc", or "KERNEL/CLASS/KERNEL.so". *kernel: its size; 0: none. */
static bool is_path_of_file(const char *path, size_t *kernel)
{
    *kernel = 0;
    if (strlen(path) >= pocl_made_path_size) return false;
    if (strcmp(path, POCL_MADE_PROGRAM) == 0) return true;
    const size_t size = strcspn(path, "/");
    const char *class = path + size + (path[size] == '/');
    const size_t class_size = strcspn(class, "/");
    const char *file = class + class_size + (class[class_size] == '/');
    *kernel = size;
    return size > 0 && size <= most_name && path[0] != '.' && class_size > 0
           && class_size <= most_name && class[0] != '.'
           && strlen(file) == size + 3 && strncmp(file, path, size) == 0
           && strcmp(file + size, ".so") == 0;
}

static bool is_safe_file(const struct stat *st)
{
    return S_ISREG(st->st_mode) && st->st_uid == geteuid()
           && (st->st_mode & (S_IWGRP | S_IWOTH)) == 0 && st->st_size > 0
           && st->st_size <= most_bytes;
}

int pocl_made_open_file(int folder_fd, const char *path, struct stat *st)
{
    char part[NAME_MAX + 1];
    size_t kernel;
    if (!is_path_of_file(path, &kernel)) return -1;
    int at = fcntl(folder_fd, F_DUPFD_CLOEXEC, 0);
    while (at >= 0 && strchr(path, '/') != NULL) {
        if (!next_part(part, &path)) {
            close(at);
            return -1;
        }
        at = step_into(at, part);
    }
    if (at < 0) return -1;
    const int fd =
            openat(at, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    close(at);
    if (fd < 0 || (fstat(fd, st) == 0 && is_safe_file(st))) return fd;
    close(fd);
    return -1;
}

static void put_number(uint8_t *at, uint64_t number)
{
    for (int i = 0; i < 8; i++)
        at[i] = (uint8_t)(number >> 8 * i);
}

void pocl_made_stamp(uint8_t stamp[pocl_made_stamp_size], const struct stat *st)
{
    put_number(stamp, (uint64_t)st->st_dev);
    put_number(stamp + 8, (uint64_t)st->st_ino);
    put_number(stamp + 16, (uint64_t)st->st_ctim.tv_sec);
    put_number(stamp + 24, (uint64_t)st->st_ctim.tv_nsec);
}

/* ---- Contents ------------------------------------------------------------ */

static bool is_within(uint64_t at, uint64_t bytes, uint64_t size)
{
    return at <= size && bytes <= size - at;
}

/* A section's header, which has what it names within the file. */
static bool read_section(
        ElfW(Shdr) * section, const uint8_t *data, size_t size, size_t index)
{
    ElfW(Ehdr) head;
    memcpy(&head, data, sizeof head);
    if (index >= head.e_shnum) return false;
    memcpy(section, data + head.e_shoff + index * sizeof *section,
            sizeof *section);
    return section->sh_type == SHT_NOBITS
           || is_within(section->sh_offset, section->sh_size, size);
}

static bool has_symbol(const uint8_t *data, size_t size,
        const ElfW(Shdr) * symbols, const char *wanted)
{
    ElfW(Shdr) names;
    const size_t wanted_size = strlen(wanted) + 1;
    if (!read_section(&names, data, size, symbols->sh_link)
            || names.sh_type != SHT_STRTAB)
        return false;
    for (uint64_t at = 0; is_within(at, sizeof(ElfW(Sym)), symbols->sh_size);
            at += sizeof(ElfW(Sym))) {
        ElfW(Sym) symbol;
        memcpy(&symbol, data + symbols->sh_offset + at, sizeof symbol);
        if (symbol.st_shndx != SHN_UNDEF
                && is_within(symbol.st_name, wanted_size, names.sh_size)
                && memcmp(data + names.sh_offset + symbol.st_name, wanted,
                           wanted_size)
                           == 0)
            return true;
    }
    return false;
}

/* A linker writes the table of sections last: with it a file is whole. */
static bool is_object_of(
        const uint8_t *data, size_t size, const char *path, size_t kernel)
{
    char symbol[most_name + 32];
    ElfW(Ehdr) head;
    ElfW(Shdr) section;
    bool has = false;
    if (size < sizeof head) return false;
    memcpy(&head, data, sizeof head);
    if (memcmp(head.e_ident, ELFMAG, SELFMAG) != 0
            || head.e_ident[EI_CLASS]
                       != (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32)
            || head.e_type != ET_DYN || head.e_shnum == 0
            || head.e_shentsize != sizeof section
            || !is_within(head.e_shoff, head.e_shnum * sizeof section, size))
        return false;
    snprintf(symbol, sizeof symbol, "_pocl_kernel_%.*s_workgroup", (int)kernel,
            path);
    for (size_t i = 0; i < head.e_shnum; i++) {
        if (!read_section(&section, data, size, i)) return false;
        has = has
              || (section.sh_type == SHT_DYNSYM
                      && has_symbol(data, size, &section, symbol));
    }
    return has;
}

static bool is_bitcode(const uint8_t *data, size_t size)
{
    static const uint8_t magic[] = {'B', 'C', 0xc0, 0xde};
    return size > sizeof magic && memcmp(data, magic, sizeof magic) == 0;
}

static uint8_t *read_all(int fd, size_t size)
{
    uint8_t *data = malloc(size);
    size_t at = 0;
    while (data != NULL && at < size) {
        const ssize_t n = pread(fd, data + at, size - at, (off_t)at);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) break;
        at += (size_t)n;
    }
    if (at == size) return data;
    free(data);
    return NULL;
}

static bool is_stamped(
        int fd, const uint8_t stamp[pocl_made_stamp_size], size_t size)
{
    uint8_t now[pocl_made_stamp_size];
    struct stat st;
    if (fstat(fd, &st) != 0 || (size_t)st.st_size != size) return false;
    pocl_made_stamp(now, &st);
    return memcmp(now, stamp, sizeof now) == 0;
}

uint8_t *pocl_made_read(int folder_fd, const char *path,
        const uint8_t stamp[pocl_made_stamp_size], size_t *size)
{
    struct stat st;
    size_t kernel;
    uint8_t *data = NULL;
    const int fd = pocl_made_open_file(folder_fd, path, &st);
    if (fd < 0) return NULL;
    *size = (size_t)st.st_size;
    if (is_stamped(fd, stamp, *size)) data = read_all(fd, *size);
    const bool is_good =
            data != NULL && is_stamped(fd, stamp, *size)
            && is_path_of_file(path, &kernel)
            && (kernel == 0 ? is_bitcode(data, *size)
                            : is_object_of(data, *size, path, kernel));
    close(fd);
    if (is_good) return data;
    free(data);
    return NULL;
}
