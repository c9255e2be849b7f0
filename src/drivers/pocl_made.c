/* SPDX-License-Identifier: Apache-2.0 */
#include "src/drivers/pocl_made.h"

#include "src/common/byte_order.h"
#include "src/platform/elf_of_process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECOND_NS ((uint64_t)1000000000u)

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
bool pocl_made_find_cache(char path[path_size])
{
    static const struct {
        const char *variable;
        const char *below;
    } places[] = {{"POCL_CACHE_DIR", ""}, {"XDG_CACHE_HOME", "/pocl/kcache"},
            {"HOME", "/.cache/pocl/kcache"}};
    char given[path_size];
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const char *value = getenv(places[i].variable);
        if (value == NULL || value[0] == '\0') continue;
        return value[0] == '/'
               && (size_t)snprintf(
                          given, sizeof given, "%s%s", value, places[i].below)
                          < sizeof given
               && path_resolve(path, given);
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
static bool is_safe_folder(const struct file_facts *facts)
{
    const bool is_written = (facts->mode & file_others_write) != 0;
    const bool is_of_root = facts->owner == 0;
    return (file_is_own(facts) || is_of_root)
           && (!is_written
                   || (is_of_root
                           && (facts->mode & file_only_owners_rename) != 0));
}

static int step_into(int folder_fd, const char *name)
{
    struct file_facts facts;
    int fd;
    if (file_open(&fd, folder_fd, name,
                file_for_reading | file_must_be_folder | file_no_link, 0)
            != 0)
        return file_none;
    if (file_facts(&facts, fd) == 0 && is_safe_folder(&facts)) return fd;
    (void)file_close(fd);
    return file_none;
}

/* The next part of a path; *path is behind it. False: no part, or not one that
 * leads on. */
static bool next_part(char part[path_name_size], const char **path)
{
    const size_t size = strcspn(*path, "/");
    if (size == 0 || size >= path_name_size) return false;
    memcpy(part, *path, size);
    part[size] = '\0';
    *path += size;
    while (**path == '/')
        ++*path;
    return strcmp(part, ".") != 0 && strcmp(part, "..") != 0;
}

/* Opens the folders of a path up to its end, which *path is behind then.
 * Returns the last one, or from itself, which stays open. */
static int step_to(int from, const char **path, const char *end)
{
    char part[path_name_size];
    int at = from;
    while (*path < end) {
        const int next =
                next_part(part, path) ? step_into(at, part) : file_none;
        if (at != from) (void)file_close(at);
        if (next == file_none) return file_none;
        at = next;
    }
    return at;
}

int pocl_made_open_folder(const char *path)
{
    int root;
    if (path[0] != '/'
            || file_open(&root, file_here, "/",
                       file_for_reading | file_must_be_folder, 0)
                       != 0)
        return file_none;
    while (*path == '/')
        path++;
    const int fd = step_to(root, &path, path + strlen(path));
    if (fd != root) (void)file_close(root);
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

static bool is_safe_file(const struct file_facts *facts)
{
    return file_is_own(facts) && (facts->mode & file_others_write) == 0
           && facts->size > 0 && facts->size <= most_bytes;
}

int pocl_made_open_file(
        int folder_fd, const char *path, struct file_facts *facts)
{
    size_t kernel;
    int fd;
    if (!is_path_of_file(path, &kernel)) return file_none;
    const char *slash = strrchr(path, '/');
    const int at = step_to(folder_fd, &path, slash != NULL ? slash + 1 : path);
    if (at == file_none) return file_none;
    const int error = file_open_plain(&fd, facts, at, path, 0, 0);
    if (at != folder_fd) (void)file_close(at);
    if (error != 0 || is_safe_file(facts)) return fd;
    (void)file_close(fd);
    return file_none;
}

void pocl_made_stamp(
        uint8_t stamp[pocl_made_stamp_size], const struct file_facts *facts)
{
    store_le64(stamp, facts->device);
    store_le64(stamp + 8, facts->number);
    store_le64(stamp + 16, facts->changed_ns / SECOND_NS);
    store_le64(stamp + 24, facts->changed_ns % SECOND_NS);
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
    bool has_table = false;
    bool has = false;
    if (size < sizeof head) return false;
    memcpy(&head, data, sizeof head);
    if (memcmp(head.e_ident, ELFMAG, SELFMAG) != 0
            || head.e_ident[EI_CLASS] != ELF_CLASS_OF_PROCESS
            || head.e_type != ET_DYN || head.e_shnum == 0
            || head.e_shentsize != sizeof section
            || !is_within(head.e_shoff, head.e_shnum * sizeof section, size))
        return false;
    snprintf(symbol, sizeof symbol, "_pocl_kernel_%.*s_workgroup", (int)kernel,
            path);
    for (size_t i = 0; i < head.e_shnum; i++) {
        if (!read_section(&section, data, size, i)) return false;
        if (section.sh_type != SHT_DYNSYM) continue;
        if (has_table) return false; /* an object has one */
        has_table = true;
        has = has_symbol(data, size, &section, symbol);
    }
    return has;
}

static bool is_bitcode(const uint8_t *data, size_t size)
{
    static const uint8_t magic[] = {'B', 'C', 0xc0, 0xde};
    return size > sizeof magic && memcmp(data, magic, sizeof magic) == 0;
}

static bool is_stamped(const struct file_facts *facts,
        const uint8_t stamp[pocl_made_stamp_size])
{
    uint8_t now[pocl_made_stamp_size];
    pocl_made_stamp(now, facts);
    return memcmp(now, stamp, sizeof now) == 0;
}

static bool is_whole(const uint8_t *data, size_t size, const char *path)
{
    size_t kernel;
    return is_path_of_file(path, &kernel)
           && (kernel == 0 ? is_bitcode(data, size)
                           : is_object_of(data, size, path, kernel));
}

uint8_t *pocl_made_read(int folder_fd, const char *path,
        const uint8_t stamp[pocl_made_stamp_size], size_t *size)
{
    struct file_facts facts;
    uint8_t *data = NULL;
    const int fd = pocl_made_open_file(folder_fd, path, &facts);
    if (fd == file_none) return NULL;
    const bool is_good = is_stamped(&facts, stamp)
                         && file_read_open(&data, size, fd, most_bytes) == 0
                         && file_facts(&facts, fd) == 0 && facts.size == *size
                         && is_stamped(&facts, stamp)
                         && is_whole(data, *size, path);
    (void)file_close(fd);
    if (is_good) return data;
    free(data);
    return NULL;
}
