/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/device/loaded_objects.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

size_t loaded_build_id_of_notes(
        const unsigned char *notes, size_t size, unsigned char *out)
{
    while (size >= sizeof(ElfW(Nhdr))) {
        ElfW(Nhdr) header;
        memcpy(&header, notes, sizeof header);
        size_t name = ((size_t)header.n_namesz + 3) & ~(size_t)3;
        size_t description = ((size_t)header.n_descsz + 3) & ~(size_t)3;
        size_t left = size - sizeof header;
        if (name > left || description > left - name) return 0;
        const unsigned char *body = notes + sizeof header;
        if (header.n_type == NT_GNU_BUILD_ID && header.n_namesz == 4
                && memcmp(body, "GNU", 4) == 0 && header.n_descsz > 0
                && header.n_descsz <= LOADED_BUILD_ID_MAX) {
            memcpy(out, body + name, header.n_descsz);
            return header.n_descsz;
        }
        notes = body + name + description;
        size = left - name - description;
    }
    return 0;
}

/* A pointer of a loaded object's dynamic section: relocated already by most
 * dynamic linkers, an offset with some. */
static const char *dynamic_pointer(
        const struct loaded_object *o, ElfW(Addr) value)
{
    if (value < o->base) value += o->base;
    return (const char *)value; /* NOLINT(performance-no-int-to-ptr) */
}

static const char *dynamic_strings(const struct loaded_object *o)
{
    if (o->dynamic == NULL) return NULL;
    for (const ElfW(Dyn) *d = o->dynamic; d->d_tag != DT_NULL; d++)
        if (d->d_tag == DT_STRTAB) return dynamic_pointer(o, d->d_un.d_ptr);
    return NULL;
}

static const char *dynamic_soname(const struct loaded_object *o)
{
    const char *strings = dynamic_strings(o);
    if (strings == NULL) return NULL;
    for (const ElfW(Dyn) *d = o->dynamic; d->d_tag != DT_NULL; d++)
        if (d->d_tag == DT_SONAME) return strings + d->d_un.d_val;
    return NULL;
}

const char *loaded_object_name(const struct loaded_object *object)
{
    return object->soname != NULL ? object->soname : base_name(object->path);
}

/* ---- Which are there ----------------------------------------------------- */

static struct loaded_object *add_object(struct loaded_objects *objects)
{
    if (objects->count == objects->capacity) {
        const size_t capacity =
                objects->capacity > 0 ? 2 * objects->capacity : 128;
        struct loaded_object *list =
                realloc(objects->list, capacity * sizeof *list);
        if (list == NULL) return NULL;
        objects->list = list;
        objects->capacity = capacity;
    }
    struct loaded_object *o = &objects->list[objects->count++];
    memset(o, 0, sizeof *o);
    return o;
}

static int collect_object(struct dl_phdr_info *info, size_t size, void *arg)
{
    (void)size;
    struct loaded_objects *objects = arg;
    if (info->dlpi_name == NULL || info->dlpi_name[0] == '\0') return 0;
    struct loaded_object *o = add_object(objects);
    if (o == NULL) return 1;
    /* Of a path that is too long the end, which has the name. */
    const size_t length = strlen(info->dlpi_name);
    o->path_is_cut = length >= sizeof o->path;
    strcpy(o->path,
            info->dlpi_name
                    + (o->path_is_cut ? length + 1 - sizeof o->path : 0));
    o->base = info->dlpi_addr;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        /* NOLINTNEXTLINE(performance-no-int-to-ptr) */
        const void *at = (const void *)(info->dlpi_addr + p->p_vaddr);
        if (p->p_type == PT_DYNAMIC) o->dynamic = at;
        if (p->p_type == PT_NOTE && o->build_id_size == 0)
            o->build_id_size =
                    loaded_build_id_of_notes(at, p->p_memsz, o->build_id);
    }
    o->soname = dynamic_soname(o);
    return 0;
}

bool loaded_objects_init(struct loaded_objects *objects)
{
    *objects = (struct loaded_objects){NULL, 0, 0};
    if (dl_iterate_phdr(collect_object, objects) == 0) return true;
    loaded_objects_fini(objects);
    return false;
}

void loaded_objects_fini(struct loaded_objects *objects)
{
    free(objects->list);
    *objects = (struct loaded_objects){NULL, 0, 0};
}

/* ---- Which are wanted ---------------------------------------------------- */

static struct loaded_object *find_needed(
        struct loaded_objects *objects, const char *needed)
{
    for (size_t i = 0; i < objects->count; i++)
        if (strcmp(loaded_object_name(&objects->list[i]), base_name(needed))
                == 0)
            return &objects->list[i];
    return NULL;
}

void loaded_objects_want(struct loaded_objects *objects,
        struct loaded_object *object,
        void (*absent)(void *user, const char *name), void *user)
{
    struct loaded_object *waiting = object;
    if (object->wanted) return;
    object->wanted = true;
    while (waiting != NULL) {
        const struct loaded_object *top = waiting;
        const char *strings = dynamic_strings(top);
        waiting = top->waiting;
        if (strings == NULL) continue;
        for (const ElfW(Dyn) *d = top->dynamic; d->d_tag != DT_NULL; d++) {
            if (d->d_tag != DT_NEEDED) continue;
            const char *needed = strings + d->d_un.d_val;
            struct loaded_object *other = find_needed(objects, needed);
            if (other == NULL) absent(user, base_name(needed));
            if (other == NULL || other->wanted) continue;
            other->wanted = true;
            other->waiting = waiting;
            waiting = other;
        }
    }
}

struct loaded_object *loaded_objects_at(
        struct loaded_objects *objects, const void *address)
{
    Dl_info info;
    if (dladdr(address, &info) == 0 || info.dli_fname == NULL) return NULL;
    for (size_t i = 0; i < objects->count; i++)
        if (objects->list[i].base == (ElfW(Addr))info.dli_fbase)
            return &objects->list[i];
    return NULL;
}

const struct loaded_object *loaded_objects_find_file(
        const struct loaded_objects *objects, const char *name)
{
    for (size_t i = 0; i < objects->count; i++)
        if (strcmp(base_name(objects->list[i].path), name) == 0)
            return &objects->list[i];
    return NULL;
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
 * where the object was loaded? Some file systems tell another device here than
 * in stat(), which says nothing then. */
static bool is_other(const struct mapping *m, const struct stat *st)
{
    return major(st->st_dev) == m->device_major
           && minor(st->st_dev) == m->device_minor && st->st_ino != m->inode;
}

/* 0 or an errno value. */
static int open_mapping(int *fd, const struct mapping *m, const char *path)
{
    static const char deleted[] = " (deleted)";
    const size_t length = strlen(path);
    struct stat st;
    if (path[0] != '/') return ENOENT;
    if (length >= LOADED_PATH_SIZE) return ENAMETOOLONG;
    if (length >= sizeof deleted
            && strcmp(path + length + 1 - sizeof deleted, deleted) == 0)
        return ESTALE; /* what is there now is not what was loaded */
    do
        *fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    while (*fd < 0 && errno == EINTR);
    if (*fd < 0) return errno;
    int error = 0;
    if (fstat(*fd, &st) != 0)
        error = errno;
    else if (!S_ISREG(st.st_mode) || is_other(m, &st))
        error = ESTALE;
    if (error != 0) close(*fd);
    return error;
}

int loaded_object_open(int *fd, char path[LOADED_PATH_SIZE],
        const struct loaded_object *object)
{
    const unsigned long at = (unsigned long)object->dynamic;
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
