/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Start from the shared object that implements the device, follow what it
 * links (DT_NEEDED) among the objects loaded in this process, and add what is
 * known to be opened later by name: plugins, compilers, bitcode libraries.
 * Loaded objects are read in memory, the others from their files. Times and
 * directories never count, so that equal installations have equal identities.
 */
#include "gpu/driver_build.h"

#include "blob/id.h"
#include "common/hash.h"
#include "gpu/cl_status.h"

#include <CL/cl_icd.h>

#include <dirent.h>
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    BUILD_ID_MAX = 64,
    MAX_OBJECTS = 512,
    MAX_LINES = 256,
    LINE_SIZE = 256,
    PATH_SIZE = 1024
};

/* Larger data files are sampled: their size, both ends and pages spread evenly
 * over them. PoCL's bitcode libraries are 80 MB together; reading all of that
 * would cost every process more than it saves. */
enum {
    WHOLE_FILE_SIZE = 1 << 20,
    END_SIZE = 1 << 14,
    PAGE_COUNT = 24,
    PAGE_SIZE = 4096,
    SAMPLE_SIZE = 2 * END_SIZE + PAGE_COUNT * PAGE_SIZE
};

/* What a driver opens by name, beyond what it links. Directories are relative
 * to the driver's own; every file there whose name starts with the prefix
 * counts. */
struct companion {
    const char *driver; /* prefix of the driver object's name */
    const char *directory;
    const char *prefix;
};

static const struct companion companions[] = {
        {"libpocl", "pocl", "libpocl-devices-"},
        {"libpocl", "../../share/pocl", ""},
        {"libpocl", "../../share/pocl/include", ""},
        {"libpocl", "../share/pocl", ""},
        {"libpocl", "../share/pocl/include", ""},
        {"libRusticlOpenCL", "gallium-pipe", "pipe_"},
        {"libRusticlOpenCL", "../clc", "spirv"},
        {"libRusticlOpenCL", "../../share/clc", "spirv"},
        {"libMesaOpenCL", "gallium-pipe", "pipe_"},
        {"libMesaOpenCL", "../clc", ""},
        {"libnvidia-opencl", ".", "libnvidia-nvvm"},
        {"libnvidia-opencl", ".", "libnvidia-ptxjitcompiler.so.1"},
        {"libnvidia-opencl", ".", "libnvidia-gpucomp.so"},
        {"libnvidia-opencl", ".", "libcuda.so.1"},
        {"libigdrcl", ".", "libigc.so"},
        {"libigdrcl", "..", "libigc.so"},
        {"libigdrcl", ".", "libigdfcl.so"},
        {"libigdrcl", "..", "libigdfcl.so"},
        {"libigdrcl", ".", "libopencl-clang.so"},
        {"libigdrcl", "..", "libopencl-clang.so"},
        {"libintelocl", ".", "libcommon_clang.so"},
        {"libintelocl", ".", "clbltfn"},
        {"libintelocl", ".", "cllibrary"},
        {"libintelocl", ".", "libocl_svml_"},
        {"libintelocl", ".", "cl.cfg"},
        {"libamdocl", ".", "libamd_comgr.so"},
        {"libamdocl", "../amdgcn/bitcode", ""},
};

/* An object loaded in this process. */
struct object {
    char path[PATH_SIZE];
    ElfW(Addr) base;
    const ElfW(Dyn) * dynamic;
    const char *soname; /* in the object's string table */
    unsigned char build_id[BUILD_ID_MAX];
    size_t build_id_size; /* 0: none */
    bool wanted;
};

struct objects {
    struct object *list;
    size_t count;
};

struct lines {
    char (*text)[LINE_SIZE];
    size_t count;
    bool failed;  /* more than MAX_LINES, or no identity for the driver */
    bool lacking; /* a file was not looked at: see note_lack() */
    unsigned char *file; /* WHOLE_FILE_SIZE bytes, for one file at a time */
};

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

/* Finds NT_GNU_BUILD_ID in a note segment; 0 if there is none. */
static size_t build_id_of_notes(
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
                && header.n_descsz <= BUILD_ID_MAX) {
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
static const char *dynamic_pointer(const struct object *o, ElfW(Addr) value)
{
    if (value < o->base) value += o->base;
    return (const char *)value; /* NOLINT(performance-no-int-to-ptr) */
}

static const char *dynamic_strings(const struct object *o)
{
    if (o->dynamic == NULL) return NULL;
    for (const ElfW(Dyn) *d = o->dynamic; d->d_tag != DT_NULL; d++)
        if (d->d_tag == DT_STRTAB) return dynamic_pointer(o, d->d_un.d_ptr);
    return NULL;
}

static const char *dynamic_soname(const struct object *o)
{
    const char *strings = dynamic_strings(o);
    if (strings == NULL) return NULL;
    for (const ElfW(Dyn) *d = o->dynamic; d->d_tag != DT_NULL; d++)
        if (d->d_tag == DT_SONAME) return strings + d->d_un.d_val;
    return NULL;
}

static const char *object_name(const struct object *o)
{
    return o->soname != NULL ? o->soname : base_name(o->path);
}

static int collect_object(struct dl_phdr_info *info, size_t size, void *arg)
{
    (void)size;
    struct objects *objects = arg;
    if (objects->count == MAX_OBJECTS) return 0;
    if (info->dlpi_name == NULL || info->dlpi_name[0] == '\0') return 0;
    struct object *o = &objects->list[objects->count];
    memset(o, 0, sizeof *o);
    if (strlen(info->dlpi_name) >= sizeof o->path) return 0;
    strcpy(o->path, info->dlpi_name);
    o->base = info->dlpi_addr;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        /* NOLINTNEXTLINE(performance-no-int-to-ptr) */
        const void *at = (const void *)(info->dlpi_addr + p->p_vaddr);
        if (p->p_type == PT_DYNAMIC) o->dynamic = at;
        if (p->p_type == PT_NOTE && o->build_id_size == 0)
            o->build_id_size = build_id_of_notes(at, p->p_memsz, o->build_id);
    }
    o->soname = dynamic_soname(o);
    objects->count++;
    return 0;
}

/* Marks the loaded object of that name and all it links. */
static void want(struct objects *objects, struct object *o)
{
    struct object *stack[MAX_OBJECTS];
    size_t depth = 0;
    if (o->wanted) return;
    o->wanted = true;
    stack[depth++] = o;
    while (depth > 0) {
        const struct object *top = stack[--depth];
        const char *strings = dynamic_strings(top);
        if (strings == NULL) continue;
        for (const ElfW(Dyn) *d = top->dynamic; d->d_tag != DT_NULL; d++) {
            if (d->d_tag != DT_NEEDED) continue;
            const char *needed = strings + d->d_un.d_val;
            for (size_t i = 0; i < objects->count; i++) {
                struct object *other = &objects->list[i];
                if (other->wanted) continue;
                if (strcmp(object_name(other), base_name(needed)) != 0)
                    continue;
                other->wanted = true;
                stack[depth++] = other;
            }
        }
    }
}

static struct object *object_of(struct objects *objects, const void *address)
{
    Dl_info info;
    if (dladdr(address, &info) == 0 || info.dli_fname == NULL) return NULL;
    for (size_t i = 0; i < objects->count; i++)
        if (objects->list[i].base == (ElfW(Addr))info.dli_fbase)
            return &objects->list[i];
    return NULL;
}

static void add_line(struct lines *lines, const char *name, const char *how,
        const unsigned char *digest, size_t digest_size)
{
    if (lines->count == MAX_LINES) {
        lines->failed = true;
        return;
    }
    char *text = lines->text[lines->count];
    int used = snprintf(text, LINE_SIZE, "%.96s %s ", name, how);
    for (size_t i = 0; i < digest_size; i++)
        used += snprintf(
                text + used, LINE_SIZE - (size_t)used, "%02x", digest[i]);
    lines->count++;
}

static bool read_at(int fd, unsigned char *out, size_t size, off_t offset)
{
    while (size > 0) {
        ssize_t n = pread(fd, out, size, offset);
        if (n <= 0) return false;
        out += n;
        size -= (size_t)n;
        offset += n;
    }
    return true;
}

/* Reads a small file whole, of a larger one its samples. */
static bool read_samples(
        int fd, off_t size, unsigned char *out, size_t *out_size)
{
    if (size <= WHOLE_FILE_SIZE) {
        *out_size = (size_t)size;
        return read_at(fd, out, (size_t)size, 0);
    }
    bool ok = read_at(fd, out, END_SIZE, 0)
              && read_at(fd, out + END_SIZE, END_SIZE, size - END_SIZE);
    unsigned char *page = out + 2 * (size_t)END_SIZE;
    off_t step = (size - PAGE_SIZE) / PAGE_COUNT;
    for (off_t i = 0; i < PAGE_COUNT && ok; i++, page += PAGE_SIZE)
        ok = read_at(fd, page, PAGE_SIZE, i * step);
    *out_size = SAMPLE_SIZE;
    return ok;
}

/* The build-id of an ELF file's contents, 0 if there is none. */
static size_t build_id_of_file(
        const unsigned char *file, size_t size, unsigned char *out)
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
        size_t n = build_id_of_notes(file + p.p_offset, p.p_filesz, out);
        if (n > 0) return n;
    }
    return 0;
}

/* Adds an open regular file: by its build-id, which is near the beginning of
 * an ELF file, or by a digest of its contents. */
static bool add_open_file(
        struct lines *lines, int fd, off_t size, const char *name)
{
    unsigned char id[BUILD_ID_MAX];
    size_t head = size < END_SIZE ? (size_t)size : END_SIZE;
    if (!read_at(fd, lines->file, head, 0)) return false;
    size_t id_size = build_id_of_file(lines->file, head, id);
    if (id_size > 0) {
        add_line(lines, name, "build-id", id, id_size);
        return true;
    }
    size_t read_size;
    uint64_t file_size = (uint64_t)size;
    if (!read_samples(fd, size, lines->file, &read_size)) return false;
    const struct hash_part parts[] = {
            {&file_size, sizeof file_size}, {lines->file, read_size}};
    struct digest128 digest = hash128_parts(parts, 2);
    add_line(lines, name, "content", digest.bytes, sizeof digest.bytes);
    return true;
}

/* A file that cannot be opened is none of the driver's, which could not open
 * it either; but memory and descriptors it may have at another time. */
static void note_lack(struct lines *lines)
{
    if (errno == ENOMEM || errno == EMFILE || errno == ENFILE)
        lines->lacking = true;
}

static bool add_file(struct lines *lines, const char *path, const char *name)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
        note_lack(lines);
        return false;
    }
    struct stat status;
    bool ok = fstat(fd, &status) == 0 && S_ISREG(status.st_mode)
              && add_open_file(lines, fd, status.st_size, name);
    close(fd);
    return ok;
}

static void add_companions(struct lines *lines, const struct companion *c,
        const char *driver_directory)
{
    char directory[PATH_SIZE];
    char path[PATH_SIZE + NAME_MAX + 2];
    int n = snprintf(directory, sizeof directory, "%s/%s", driver_directory,
            c->directory);
    if (n < 0 || (size_t)n >= sizeof directory) return;
    DIR *dir = opendir(directory);
    if (dir == NULL) {
        note_lack(lines);
        return;
    }
    const struct dirent *entry;
    while ((entry = readdir(dir)) != NULL) {
        if (entry->d_name[0] == '.') continue;
        if (strncmp(entry->d_name, c->prefix, strlen(c->prefix)) != 0) continue;
        snprintf(path, sizeof path, "%s/%s", directory, entry->d_name);
        add_file(lines, path, entry->d_name);
    }
    closedir(dir);
}

static int compare_lines(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* The address of a function of the driver itself: through the ICD dispatch
 * table that every object of an ICD starts with, or, without an ICD loader,
 * of the library that was linked. */
static dnnl_status_t driver_address(
        cl_platform_id platform, cl_device_id device, const void **address)
{
    char *extensions;
    dnnl_status_t st =
            platform_string(platform, CL_PLATFORM_EXTENSIONS, &extensions);
    if (st != dnnl_success) return st;
    if (strstr(extensions, "cl_khr_icd") != NULL) {
        const cl_icd_dispatch *dispatch;
        memcpy(&dispatch, device, sizeof dispatch);
        memcpy(address, &dispatch->clBuildProgram, sizeof *address);
    } else {
        cl_int(CL_API_CALL * build)(cl_program, cl_uint, const cl_device_id *,
                const char *, void(CL_CALLBACK *)(cl_program, void *), void *) =
                clBuildProgram;
        memcpy(address, &build, sizeof *address);
    }
    free(extensions);
    return dnnl_success;
}

static void add_driver(
        struct objects *objects, struct object *driver, struct lines *lines)
{
    char directory[PATH_SIZE];
    strcpy(directory, driver->path);
    char *slash = strrchr(directory, '/');
    if (slash != NULL)
        *slash = '\0';
    else
        strcpy(directory, ".");

    want(objects, driver);
    for (size_t i = 0; i < objects->count; i++) {
        const struct object *o = &objects->list[i];
        /* The loader belongs to the application's side. */
        if (!o->wanted || strncmp(object_name(o), "libOpenCL.so", 12) == 0)
            continue;
        if (o->build_id_size > 0)
            add_line(lines, object_name(o), "build-id", o->build_id,
                    o->build_id_size);
        else if (!add_file(lines, o->path, object_name(o)) && o == driver)
            lines->failed = true;
    }
    for (size_t i = 0; i < sizeof companions / sizeof companions[0]; i++) {
        const struct companion *c = &companions[i];
        if (strncmp(object_name(driver), c->driver, strlen(c->driver)) == 0)
            add_companions(lines, c, directory);
    }
}

/* Two fields: the driver's own object as text, and one digest over all lines;
 * the lines themselves are for the log, where a difference can be found. */
static void put_lines(const struct lines *lines, const char *driver,
        struct id_builder *id, struct buffer *components)
{
    struct digest256_state state;
    digest256_init(&state);
    for (size_t i = 0; i < lines->count; i++) {
        const char *line = lines->text[i];
        if (i > 0 && strcmp(lines->text[i - 1], line) == 0) continue;
        digest256_update(&state, line, strlen(line) + 1);
        buffer_append(components, line, strlen(line) + 1);
        if (strncmp(line, driver, strlen(driver)) == 0
                && line[strlen(driver)] == ' ')
            id_put_string(id, id_driver_build, line);
    }
    struct digest256 digest = digest256_final(&state);
    id_put(id, id_driver_components, digest.bytes, sizeof digest.bytes);
}

dnnl_status_t driver_build_put_id(cl_platform_id platform, cl_device_id device,
        struct id_builder *id, struct buffer *components, char *reason,
        size_t size)
{
    dnnl_status_t st = dnnl_out_of_memory;
    struct objects objects = {NULL, 0};
    struct lines lines = {NULL, 0, false, false, NULL};
    objects.list = calloc(MAX_OBJECTS, sizeof *objects.list);
    lines.text = calloc(MAX_LINES, LINE_SIZE);
    lines.file = malloc(WHOLE_FILE_SIZE);
    if (objects.list == NULL || lines.text == NULL || lines.file == NULL)
        goto out;

    dl_iterate_phdr(collect_object, &objects);
    const void *address = NULL;
    st = driver_address(platform, device, &address);
    if (st == dnnl_out_of_memory) goto out;
    struct object *driver =
            st == dnnl_success ? object_of(&objects, address) : NULL;
    st = dnnl_runtime_error;
    if (driver == NULL) {
        snprintf(reason, size, "the driver's shared object was not found");
        goto out;
    }
    add_driver(&objects, driver, &lines);
    if (lines.lacking) {
        st = dnnl_out_of_memory;
        goto out;
    }
    if (lines.failed) {
        snprintf(reason, size, "the build of %.80s could not be identified",
                base_name(driver->path));
        goto out;
    }
    qsort(lines.text, lines.count, LINE_SIZE, compare_lines);
    put_lines(&lines, object_name(driver), id, components);
    st = dnnl_success;
out:
    free(lines.file);
    free(lines.text);
    free(objects.list);
    return st;
}
