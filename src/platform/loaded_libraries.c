/* SPDX-License-Identifier: Apache-2.0 */
#include "src/platform/loaded_libraries.h"

#include "src/platform/file.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

/* ---- What is loaded ------------------------------------------------------ */

size_t library_build_id_of_notes(
        const uint8_t *notes, size_t size, uint8_t id[library_build_id_most])
{
    while (size >= sizeof(ElfW(Nhdr))) {
        ElfW(Nhdr) header;
        memcpy(&header, notes, sizeof header);
        size_t name = ((size_t)header.n_namesz + 3) & ~(size_t)3;
        size_t description = ((size_t)header.n_descsz + 3) & ~(size_t)3;
        size_t left = size - sizeof header;
        if (name > left || description > left - name) return 0;
        const uint8_t *body = notes + sizeof header;
        if (header.n_type == NT_GNU_BUILD_ID && header.n_namesz == 4
                && memcmp(body, "GNU", 4) == 0 && header.n_descsz > 0
                && header.n_descsz <= library_build_id_most) {
            memcpy(id, body + name, header.n_descsz);
            return header.n_descsz;
        }
        notes = body + name + description;
        size = left - name - description;
    }
    return 0;
}

size_t library_build_id_of_file(
        const uint8_t *file, size_t size, uint8_t id[library_build_id_most])
{
    ElfW(Ehdr) header;
    if (size < sizeof header) return 0;
    memcpy(&header, file, sizeof header);
    if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return 0;
    if (header.e_phentsize != sizeof(ElfW(Phdr))) return 0;
    for (size_t i = 0; i < header.e_phnum; i++) {
        ElfW(Phdr) p;
        size_t at = i * sizeof p;
        if (header.e_phoff > size || at > size - header.e_phoff
                || sizeof p > size - header.e_phoff - at)
            return 0;
        memcpy(&p, file + header.e_phoff + at, sizeof p);
        if (p.p_type != PT_NOTE) continue;
        if (p.p_offset > size || p.p_filesz > size - p.p_offset) return 0;
        size_t n = library_build_id_of_notes(file + p.p_offset, p.p_filesz, id);
        if (n > 0) return n;
    }
    return 0;
}

/* A pointer of a loaded library's dynamic section: relocated already by most
 * dynamic linkers, an offset with some. */
static const char *dynamic_pointer(
        const struct library_facts *library, ElfW(Addr) value)
{
    if (value < library->base) value += library->base;
    return (const char *)value; /* NOLINT(performance-no-int-to-ptr) */
}

static const char *dynamic_strings(const struct library_facts *library)
{
    const ElfW(Dyn) *d = library->table;
    for (; d != NULL && d->d_tag != DT_NULL; d++)
        if (d->d_tag == DT_STRTAB)
            return dynamic_pointer(library, d->d_un.d_ptr);
    return NULL;
}

/* The next text with that tag, from the entry *at on, which is moved. */
static const char *next_text(
        const struct library_facts *library, ElfW(Sxword) tag, size_t *at)
{
    const char *strings = dynamic_strings(library);
    const ElfW(Dyn) *table = library->table;
    if (strings == NULL) return NULL;
    while (table[*at].d_tag != DT_NULL) {
        const ElfW(Dyn) *entry = &table[(*at)++];
        if (entry->d_tag == tag) return strings + entry->d_un.d_val;
    }
    return NULL;
}

const char *library_next_linked(const struct library_facts *library, size_t *at)
{
    return next_text(library, DT_NEEDED, at);
}

struct visit {
    bool (*visit)(void *user, const struct library_facts *library);
    void *user;
};

static int visit_one(struct dl_phdr_info *info, size_t size, void *arg)
{
    const struct visit *visit = arg;
    struct library_facts library = {
            .path = info->dlpi_name, .base = info->dlpi_addr};
    size_t first = 0;
    (void)size;
    if (info->dlpi_name == NULL || info->dlpi_name[0] == '\0') return 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        /* NOLINTNEXTLINE(performance-no-int-to-ptr) */
        const void *at = (const void *)(info->dlpi_addr + p->p_vaddr);
        if (p->p_type == PT_DYNAMIC) library.table = at;
        if (p->p_type == PT_NOTE && library.build_id_size == 0)
            library.build_id_size =
                    library_build_id_of_notes(at, p->p_memsz, library.build_id);
    }
    library.name = next_text(&library, DT_SONAME, &first);
    return visit->visit(visit->user, &library) ? 0 : 1;
}

bool libraries_each(
        bool (*visit)(void *user, const struct library_facts *library),
        void *user)
{
    struct visit all = {visit, user};
    return dl_iterate_phdr(visit_one, &all) == 0;
}

uintptr_t library_base_of(const void *address)
{
    Dl_info info;
    return dladdr(address, &info) != 0 && info.dli_fname != NULL
                   ? (uintptr_t)info.dli_fbase
                   : 0;
}

/* ---- The file of one ----------------------------------------------------- */

/* A line of /proc/self/maps. */
struct mapping {
    unsigned long begin, end, inode;
    unsigned device_major, device_minor;
    int path_at; /* in the line */
};

static bool parse_mapping(struct mapping *m, const char *line)
{
    m->path_at = 0;
    return sscanf(line, "%lx-%lx %*s %*s %x:%x %lu %n", &m->begin, &m->end,
                   &m->device_major, &m->device_minor, &m->inode, &m->path_at)
                   == 5
           && m->path_at > 0;
}

/* Is it another file, as a name is in a root directory that is not the one
 * where the library was loaded? Some file systems tell another device here than
 * in stat(), which says nothing then. */
static bool is_other(const struct mapping *m, const struct file_facts *facts)
{
    return major(facts->device) == m->device_major
           && minor(facts->device) == m->device_minor
           && facts->number != m->inode;
}

static int open_mapping(int *fd, const struct mapping *m, const char *path)
{
    static const char deleted[] = " (deleted)";
    const size_t length = strlen(path);
    struct file_facts facts;
    if (path[0] != '/') return ENOENT;
    if (length >= path_size) return ENAMETOOLONG;
    if (length >= sizeof deleted
            && strcmp(path + length + 1 - sizeof deleted, deleted) == 0)
        return ESTALE; /* what is there now is not what was loaded */
    int error =
            file_open(fd, file_here, path, file_for_reading | file_no_wait, 0);
    if (error != 0) return error;
    error = file_facts(&facts, *fd);
    if (error == 0 && (facts.kind != file_is_plain || is_other(m, &facts)))
        error = ESTALE;
    if (error != 0) (void)file_close(*fd);
    return error;
}

int library_open_file(
        int *fd, char path[path_size], const struct library_facts *library)
{
    const unsigned long at = (unsigned long)library->table;
    struct mapping m;
    char *line = NULL;
    size_t capacity = 0;
    int error = ENOENT;
    FILE *maps;
    if (at == 0) return ENOENT;
    do
        maps = fopen("/proc/self/maps", "re");
    while (maps == NULL && errno == EINTR);
    if (maps == NULL) return errno;
    while (getline(&line, &capacity, maps) > 0) {
        if (!parse_mapping(&m, line) || at < m.begin || at >= m.end) continue;
        line[strcspn(line, "\n")] = '\0';
        error = open_mapping(fd, &m, line + m.path_at);
        if (error == 0) strcpy(path, line + m.path_at);
        break;
    }
    free(line);
    (void)fclose(maps);
    return error;
}
