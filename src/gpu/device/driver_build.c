/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Start from the shared object that implements the device, follow what it
 * links (DT_NEEDED) among the objects loaded in this process, and add what is
 * known to be opened later by name: plugins, compilers, bitcode libraries.
 * Loaded objects are read in memory, the others from their files. Times and
 * directories never count, so that equal installations have equal identities.
 */
#include "src/gpu/device/driver_build.h"

#include "src/blob/id.h"
#include "src/common/buffer.h"
#include "src/common/hash.h"
#include "src/gpu/device/cl_status.h"
#include "src/gpu/device/compiler_files.h"
#include "src/gpu/device/file_digest.h"
#include "src/gpu/device/identity_watch.h"
#include "src/gpu/device/kernel_library.h"
#include "src/gpu/device/loaded_objects.h"
#include "src/gpu/device/uncounted_parts.h"
#include "src/platform/folder.h"
#include "src/platform/library.h"

#include <CL/cl_icd.h>

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_LINES = 256, LINE_SIZE = 256, PATH_SIZE = LOADED_PATH_SIZE };

/* Where an ELF file's build-id is, if it has one. */
enum { HEAD_SIZE = 1 << 14 };

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

/* What is known of one object or file. */
struct line {
    char text[LINE_SIZE];  /* name, how it is identified, digest */
    const char *uncounted; /* why its build is not in the ID; NULL: it is */
    int64_t bytes;         /* of the file, -1: not known */
    char *path;            /* for descriptions; NULL: not known */
    bool has_digest;       /* of the whole file, as it was then: */
    struct file_facts facts;
    struct digest256 digest;
};

struct lines {
    struct line *list;
    size_t count;
    bool is_description;   /* with sizes, paths and what is missing */
    struct buffer missing; /* paths with a NUL each, for a description */
    /* An errno value: the driver cannot be identified, because of this. */
    int error;
    char culprit[64];
    unsigned char *piece; /* FILE_PIECE_SIZE bytes, of one file at a time */
    struct identity_watch *watch; /* NULL: what is found is only described */
};

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

/* An ID without a part of the driver would be another one, which other drivers
 * may have as well. Only what is certainly not there is no part of it. */
static void fail(struct lines *lines, const char *name, int error)
{
    if (lines->error != 0) return;
    lines->error = error;
    snprintf(lines->culprit, sizeof lines->culprit, "%.60s", name);
}

static struct line *add_line(struct lines *lines, const char *name,
        const char *how, const unsigned char *digest, size_t digest_size)
{
    if (lines->count == MAX_LINES) {
        fail(lines, name, E2BIG);
        return NULL;
    }
    struct line *line = &lines->list[lines->count];
    char *text = line->text;
    int used = snprintf(text, LINE_SIZE, "%.96s %s ", name, how);
    for (size_t i = 0; i < digest_size; i++)
        used += snprintf(
                text + used, LINE_SIZE - (size_t)used, "%02x", digest[i]);
    line->bytes = -1;
    line->has_digest = false;
    lines->count++;
    return line;
}

static void set_bytes(struct line *line, uint64_t bytes)
{
    if (line != NULL) line->bytes = (int64_t)bytes;
}

/* Of what was added since there were `before` lines. */
static void set_path(struct lines *lines, size_t before, const char *path)
{
    if (!lines->is_description || lines->count == before) return;
    struct line *line = &lines->list[before];
    line->path = path_absolute(path);
    if (line->path == NULL) line->path = strdup(path);
    if (line->path == NULL) fail(lines, "a path", ENOMEM);
}

/* ---- Files --------------------------------------------------------------- */

/* Is the file that was opened what the object was loaded from? It need not be
 * while a package is updated. */
static int compare_loaded(const struct loaded_object *loaded, const uint8_t *id,
        size_t id_size, const struct file_facts *facts)
{
    const struct library_facts *library = &loaded->library;
    if (id_size > 0 && library->build_id_size > 0)
        return id_size == library->build_id_size
                               && memcmp(id, library->build_id, id_size) == 0
                       ? 0
                       : ESTALE;
    int fd;
    char path[path_size];
    struct file_facts of_loaded;
    int error = library_open_file(&fd, path, library);
    if (error != 0) return error;
    error = file_facts(&of_loaded, fd);
    (void)file_close(fd);
    if (error != 0) return error;
    return file_is_same(&of_loaded, facts) ? 0 : ESTALE;
}

static void watch_file(
        struct lines *lines, const char *path, const struct file_facts *facts)
{
    if (lines->watch != NULL)
        identity_watch_add_file(lines->watch, path, facts);
}

/* Of a file that has several names, which count each, once; lines->piece has
 * its first bytes. 0 or an errno value. */
static int digest_once(struct digest256 *out, struct lines *lines, int fd,
        const struct file_facts *facts, const char *path, size_t there)
{
    for (size_t i = 0; i < lines->count; i++) {
        const struct line *line = &lines->list[i];
        if (!line->has_digest || !file_is_unchanged(&line->facts, facts))
            continue;
        *out = line->digest;
        return 0;
    }
    return file_digest(out, fd, facts, path, lines->piece, there);
}

/* Adds an open plain file, whose settled facts these are: by its build-id,
 * which is near the beginning of a library's file, or by a digest of its
 * contents. loaded: the object that has its name in this process; NULL: none.
 */
static int add_open_file(struct lines *lines, int fd,
        const struct file_facts *facts, const char *path, const char *name,
        const struct loaded_object *loaded)
{
    uint8_t id[library_build_id_most];
    struct digest256 digest;
    const size_t head =
            facts->size < HEAD_SIZE ? (size_t)facts->size : HEAD_SIZE;
    int error = file_read_at(fd, lines->piece, head, 0);
    if (error != 0) return error == EBADMSG ? ESTALE : error;
    size_t id_size = library_build_id_of_file(lines->piece, head, id);
    if (loaded != NULL) error = compare_loaded(loaded, id, id_size, facts);
    if (error != 0) return error;
    watch_file(lines, path, facts);
    if (id_size > 0) {
        set_bytes(add_line(lines, name, "build-id", id, id_size), facts->size);
        return 0;
    }
    error = digest_once(&digest, lines, fd, facts, path, head);
    if (error != 0) return error;
    struct line *line =
            add_line(lines, name, "content", digest.bytes, sizeof digest.bytes);
    set_bytes(line, facts->size);
    if (line != NULL) {
        line->has_digest = true;
        line->facts = *facts;
        line->digest = digest;
    }
    return 0;
}

/* A link that leads nowhere has nothing for the driver either; a name that is
 * gone by now had something a moment ago. */
static bool is_dangling(const char *path, int error)
{
    struct file_facts facts;
    return (error == ENOENT || error == ENOTDIR || error == ELOOP)
           && file_facts_of_link(&facts, file_here, path) == 0
           && facts.kind == file_is_link;
}

/* The object that was loaded from a file with this path, whatever file has the
 * path now; NULL: none. */
static const struct loaded_object *find_loaded(
        const struct loaded_objects *objects, const char *name,
        const struct file_facts *facts)
{
    struct file_facts now;
    const struct loaded_object *o = loaded_objects_find_file(objects, name);
    return o != NULL && file_facts_at(&now, file_here, o->path) == 0
                           && file_is_same(&now, facts)
                   ? o
                   : NULL;
}

static void watch_absent(struct lines *lines, const char *path)
{
    if (lines->watch != NULL) identity_watch_add_absent(lines->watch, path);
}

static void add_file(struct lines *lines, const struct loaded_objects *objects,
        const char *path, const char *name)
{
    const size_t before = lines->count;
    struct file_facts facts;
    int fd;
    int error =
            file_open(&fd, file_here, path, file_for_reading | file_no_wait, 0);
    if (error != 0) {
        if (is_dangling(path, error)) {
            add_line(lines, name, "dangling", NULL, 0);
            watch_absent(lines, path);
        } else {
            fail(lines, name, error);
        }
        return;
    }
    error = file_facts_settled(&facts, fd, NULL);
    if (error == 0 && facts.kind == file_is_plain)
        error = add_open_file(lines, fd, &facts, path, name,
                find_loaded(objects, base_name(path), &facts));
    (void)file_close(fd);
    set_path(lines, before, path);
    if (error != 0) fail(lines, name, error);
}

/* The code in memory is that of the build-id, whatever file has the path by
 * now; but processes that the driver starts take the file. */
static void watch_loaded(struct lines *lines, const struct loaded_object *o)
{
    struct file_facts facts;
    if (o->path[0] != '/' || o->path_is_cut) return;
    if (file_facts_settled(&facts, file_none, o->path) == 0)
        watch_file(lines, o->path, &facts);
    else
        watch_absent(lines, o->path);
}

/* By its build-id, which is in memory, else by the file it was loaded from. */
static void add_loaded(struct lines *lines, const struct loaded_object *o)
{
    const char *name = loaded_object_name(o);
    const struct library_facts *library = &o->library;
    char path[path_size];
    struct file_facts facts;
    int fd;
    if (library->build_id_size > 0) {
        struct line *line = add_line(lines, name, "build-id", library->build_id,
                library->build_id_size);
        if (lines->is_description
                && file_facts_at(&facts, file_here, o->path) == 0)
            set_bytes(line, facts.size);
        watch_loaded(lines, o);
        return;
    }
    int error = library_open_file(&fd, path, library);
    if (error == 0) {
        error = file_facts_settled(&facts, fd, NULL);
        if (error == 0)
            error = add_open_file(lines, fd, &facts, path, name, NULL);
        (void)file_close(fd);
    }
    if (error != 0) fail(lines, name, error);
}

static void add_absent(void *user, const char *name)
{
    add_line(user, name, "absent", NULL, 0);
}

/* ---- Directories --------------------------------------------------------- */

/* Where and what companions are looked for. */
struct companion_search {
    const struct loaded_objects *objects;
    const char *driver_directory;
    const char *kernel_library; /* the one that is taken; NULL: not known */
};

/* Without the one that is taken, another one may be. */
static bool has_kernel_library(const struct companion_search *search, int fd)
{
    struct file_facts facts;
    return search->kernel_library != NULL
           && file_facts_at(&facts, fd, search->kernel_library) == 0
           && facts.kind == file_is_plain;
}

/* One that is not taken is not read, and only its name counts. */
static bool add_uncounted(struct lines *lines, const char *path,
        const char *name, const char *kernel_library)
{
    const size_t before = lines->count;
    const char *why = kernel_library_uncounted(name, kernel_library);
    if (why == NULL) return false;
    if (add_line(lines, name, "name", NULL, 0) != NULL)
        lines->list[before].uncounted = why;
    set_path(lines, before, path);
    return true;
}

/* A folder whose names with the prefix are companions. */
struct listing {
    struct lines *lines;
    const struct companion_search *search;
    const char *directory;
    const char *prefix;
    bool is_chosen; /* it has the kernel library that is taken */
    struct folder_names names;
};

static int add_entry(void *user, const char *name)
{
    struct listing *l = user;
    struct lines *lines = l->lines;
    char path[PATH_SIZE + path_name_size + 1];
    if (name[0] == '.' || strncmp(name, l->prefix, strlen(l->prefix)) != 0)
        return 0;
    folder_names_add(&l->names, name);
    snprintf(path, sizeof path, "%s/%s", l->directory, name);
    if (!l->is_chosen
            || !add_uncounted(lines, path, name, l->search->kernel_library))
        add_file(lines, l->search->objects, path, name);
    return 0;
}

/* The folder's facts come first: a name that is added later changes them. */
static void add_folder(struct listing *l, int fd)
{
    struct lines *lines = l->lines;
    struct file_facts facts;
    int error = file_facts_settled(&facts, fd, NULL);
    if (error == 0) {
        l->is_chosen = has_kernel_library(l->search, fd);
        error = folder_each(fd, add_entry, l);
    }
    if (error != 0)
        fail(lines, l->directory, error);
    else if (lines->watch != NULL)
        identity_watch_add_folder(
                lines->watch, l->directory, l->prefix, &facts, &l->names);
}

static void add_companions(struct lines *lines,
        const struct companion_search *search, const struct companion *c)
{
    char directory[PATH_SIZE];
    int fd;
    int n = snprintf(directory, sizeof directory, "%s/%s",
            search->driver_directory, c->directory);
    /* A relative one would be another after chdir(). */
    if (n < 0 || (size_t)n >= sizeof directory || directory[0] != '/') {
        fail(lines, search->driver_directory, ENAMETOOLONG);
        return;
    }
    const int error = file_open(&fd, file_here, directory,
            file_for_reading | file_must_be_folder, 0);
    if (error == 0) {
        struct listing listing = {.lines = lines,
                .search = search,
                .directory = directory,
                .prefix = c->prefix};
        add_folder(&listing, fd);
        (void)file_close(fd);
    } else if (error == ENOENT || error == ENOTDIR) {
        watch_absent(lines, directory);
    } else {
        fail(lines, directory, error);
    }
}

/* ---- What compilers and linkers read --------------------------------------
 */

/* A search of compiler_files.h. */
struct finding {
    struct lines *lines;
    const struct loaded_objects *objects;
    bool has_uncounted;
};

/* A part that does not count for the driver does not count for a program that
 * the driver starts: the proof is over both. */
static void add_found(void *user, const char *path, const char *label)
{
    const struct finding *finding = user;
    struct lines *lines = finding->lines;
    const size_t before = lines->count;
    add_file(lines, finding->objects, path, label);
    if (finding->has_uncounted && lines->count > before)
        lines->list[before].uncounted = uncounted_part(label);
}

static void add_missing(void *user, const char *path)
{
    struct lines *lines = ((const struct finding *)user)->lines;
    watch_absent(lines, path);
    if (lines->is_description)
        buffer_append(&lines->missing, path, strlen(path) + 1);
}

static void add_listed(void *user, const char *path, const char *prefix)
{
    static const char any[] = "/*";
    struct lines *lines = ((const struct finding *)user)->lines;
    if (lines->watch != NULL)
        identity_watch_list_folder(lines->watch, path, prefix);
    if (!lines->is_description) return;
    buffer_append(&lines->missing, path, strlen(path));
    buffer_append(&lines->missing, any, sizeof any);
}

static void note_failure(void *user, const char *name, int error)
{
    fail(((const struct finding *)user)->lines, name, error);
}

static void add_compiler_files(struct lines *lines,
        const struct driver_facts *facts, bool has_uncounted)
{
    struct finding finding = {lines, facts->objects, has_uncounted};
    const struct file_search search = {.user = &finding,
            .found = add_found,
            .missing = add_missing,
            .listed = add_listed,
            .failed = note_failure};
    compiler_files_find(&search, facts->objects, facts->driver);
}

/* ---- All of it ------------------------------------------------------------
 */

static int compare_lines(const void *a, const void *b)
{
    const struct line *left = a;
    const struct line *right = b;
    return strcmp(left->text, right->text);
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

bool driver_folder(
        cl_platform_id platform, cl_device_id device, char *folder, size_t size)
{
    struct loaded_objects objects = {NULL, 0};
    const void *address = NULL;
    char *path = NULL;
    if (loaded_objects_init(&objects)
            && driver_address(platform, device, &address) == dnnl_success) {
        const struct loaded_object *driver =
                loaded_objects_at(&objects, address);
        if (driver != NULL && driver->path[0] == '/' && !driver->path_is_cut)
            path = path_absolute(driver->path);
    }
    loaded_objects_fini(&objects);
    if (path == NULL) return false;
    const size_t length = (size_t)(strrchr(path, '/') - path);
    const bool fits = length < size;
    if (fits) {
        memcpy(folder, path, length);
        folder[length] = '\0';
    }
    free(path);
    return fits;
}

static void add_driver(struct loaded_objects *objects,
        struct loaded_object *driver, struct driver_facts *facts,
        struct lines *lines)
{
    const char *name = loaded_object_name(driver);
    char directory[PATH_SIZE];
    char kernel_library[KERNEL_LIBRARY_NAME_SIZE];
    strcpy(directory, driver->path_is_cut ? "." : driver->path);
    char *slash = strrchr(directory, '/');
    if (slash != NULL)
        *slash = '\0';
    else
        strcpy(directory, ".");

    loaded_objects_want(objects, driver, add_absent, lines);
    facts->objects = objects;
    facts->driver = driver;
    const bool has_uncounted = uncounted_parts_are_known(facts);
    for (size_t i = 0; i < objects->count; i++) {
        const struct loaded_object *o = &objects->list[i];
        const size_t before = lines->count;
        /* The loader belongs to the application's side. */
        if (!o->wanted
                || strncmp(loaded_object_name(o), "libOpenCL.so", 12) == 0)
            continue;
        add_loaded(lines, o);
        set_path(lines, before, o->path);
        if (has_uncounted && lines->count > before)
            lines->list[before].uncounted =
                    uncounted_part(loaded_object_name(o));
    }
    const struct companion_search found = {objects, directory,
            kernel_library_of(kernel_library, facts) ? kernel_library : NULL};
    for (size_t i = 0; i < sizeof companions / sizeof companions[0]; i++) {
        const struct companion *c = &companions[i];
        if (strncmp(name, c->driver, strlen(c->driver)) == 0)
            add_companions(lines, &found, c);
    }
    add_compiler_files(lines, facts, has_uncounted);
}

/* Of a part that does not count only that it is there. */
static void put_line(struct digest256_state *state, const struct line *line)
{
    static const char no_digest[] = "not counted";
    const char *text = line->text;
    if (line->uncounted != NULL) {
        digest256_update(state, text, strcspn(text, " ") + 1);
        text = no_digest;
    }
    digest256_update(state, text, strlen(text) + 1);
}

static bool is_repeated(const struct lines *lines, size_t i)
{
    const struct line *line = &lines->list[i];
    return i > 0 && strcmp(line[-1].text, line->text) == 0
           && line[-1].uncounted == line->uncounted;
}

/* Two fields: the driver's own object as text, and one digest over all lines;
 * the lines themselves are for the log, where a difference can be found. */
static void put_lines(const struct lines *lines, const char *driver,
        struct id_builder *id, struct buffer *components)
{
    static const char ignored[] = " (does not count)";
    struct digest256_state state;
    digest256_init(&state);
    for (size_t i = 0; i < lines->count; i++) {
        const struct line *line = &lines->list[i];
        const char *text = line->text;
        if (is_repeated(lines, i)) continue;
        put_line(&state, line);
        buffer_append(components, text, strlen(text));
        if (line->uncounted != NULL)
            buffer_append(components, ignored, strlen(ignored));
        buffer_append(components, "", 1);
        if (strncmp(text, driver, strlen(driver)) == 0
                && text[strlen(driver)] == ' ')
            id_put_string(id, id_driver_build, text);
    }
    struct digest256 digest = digest256_final(&state);
    id_put(id, id_driver_components, digest.bytes, sizeof digest.bytes);
}

/* A name may have blanks; how it is identified and the digest have none. */
static void describe_line(struct buffer *out, const struct line *line)
{
    char size[24] = "-";
    const char *digest = strrchr(line->text, ' ');
    const char *how = digest;
    while (how > line->text && how[-1] != ' ')
        how--;
    if (line->bytes >= 0) snprintf(size, sizeof size, "%" PRId64, line->bytes);
    buffer_append(out, line->text, (size_t)(how - 1 - line->text));
    buffer_append(out, "\t", 1);
    buffer_append(out, how, (size_t)(digest - how));
    buffer_append(out, "\t", 1);
    buffer_append(out, digest + 1, strlen(digest + 1));
    buffer_append(out, "\t", 1);
    buffer_append(out, size, strlen(size));
    buffer_append(out, "\t", 1);
    if (line->uncounted != NULL)
        buffer_append(out, line->uncounted, strlen(line->uncounted));
    buffer_append(out, "\t", 1);
    if (line->path != NULL) buffer_append(out, line->path, strlen(line->path));
    buffer_append(out, "\n", 1);
}

static void describe_missing(struct buffer *out, const char *path)
{
    static const char how[] = "\tmissing\t\t-\t\t";
    buffer_append(out, base_name(path), strlen(base_name(path)));
    buffer_append(out, how, strlen(how));
    buffer_append(out, path, strlen(path));
    buffer_append(out, "\n", 1);
}

/* Equal files in several places are one part, and each place is told. */
static bool is_described(const struct lines *lines, size_t i)
{
    const char *path = lines->list[i].path;
    return is_repeated(lines, i)
           && (path == NULL || lines->list[i - 1].path == NULL
                   || strcmp(path, lines->list[i - 1].path) == 0);
}

static void describe_lines(struct buffer *out, const struct lines *lines)
{
    const char *missing = (const char *)lines->missing.data;
    const char *end = missing + lines->missing.size;
    for (size_t i = 0; i < lines->count; i++)
        if (!is_described(lines, i)) describe_line(out, &lines->list[i]);
    for (; missing < end; missing += strlen(missing) + 1)
        describe_missing(out, missing);
}

/* All parts of a driver, in order; *out is its own object, among objects. The
 * caller calls free_lines(), whatever the status. */
static dnnl_status_t find_lines(struct lines *lines,
        struct loaded_objects *objects, const struct loaded_object **out,
        cl_platform_id platform, cl_device_id device, char *reason, size_t size)
{
    lines->list = calloc(MAX_LINES, sizeof *lines->list);
    lines->piece = malloc(FILE_PIECE_SIZE);
    if (lines->list == NULL || lines->piece == NULL
            || !loaded_objects_init(objects))
        return dnnl_out_of_memory;

    const void *address = NULL;
    dnnl_status_t st = driver_address(platform, device, &address);
    if (st == dnnl_out_of_memory) return st;
    struct loaded_object *driver =
            st == dnnl_success ? loaded_objects_at(objects, address) : NULL;
    if (driver == NULL) {
        snprintf(reason, size, "the driver's shared object was not found");
        return dnnl_runtime_error;
    }
    char *platform_version = NULL;
    char *device_version = NULL;
    st = platform_string(platform, CL_PLATFORM_VERSION, &platform_version);
    if (st == dnnl_success)
        st = device_string(device, CL_DEVICE_VERSION, &device_version);
    if (st == dnnl_success) {
        struct driver_facts facts = {.platform_version = platform_version,
                .device_version = device_version};
        add_driver(objects, driver, &facts, lines);
    } else if (st != dnnl_out_of_memory) {
        snprintf(reason, size, "the driver's version could not be read");
    }
    free(platform_version);
    free(device_version);
    if (st != dnnl_success) return st;
    if (lines->error == ENOMEM) return dnnl_out_of_memory;
    if (lines->error != 0) {
        snprintf(reason, size, "the build of %.40s: %s: %.50s",
                base_name(driver->path), lines->culprit,
                lines->error == ESTALE ? "changed while it was in use"
                                       : strerror(lines->error));
        return dnnl_runtime_error;
    }
    qsort(lines->list, lines->count, sizeof *lines->list, compare_lines);
    *out = driver;
    return dnnl_success;
}

static void free_lines(struct lines *lines, struct loaded_objects *objects)
{
    for (size_t i = 0; i < lines->count; i++)
        free(lines->list[i].path);
    file_digests_flush();
    free(lines->piece);
    free(lines->list);
    buffer_fini(&lines->missing);
    loaded_objects_fini(objects);
}

dnnl_status_t driver_build_put_id(cl_platform_id platform, cl_device_id device,
        struct id_builder *id, struct buffer *components,
        struct digest256 *stamp, char *reason, size_t size)
{
    struct loaded_objects objects = {NULL, 0};
    struct identity_watch watch = {.list = NULL};
    struct lines lines = {.watch = &watch};
    const struct loaded_object *driver = NULL;
    buffer_init(&lines.missing);
    dnnl_status_t st = find_lines(
            &lines, &objects, &driver, platform, device, reason, size);
    if (st == dnnl_success) *stamp = identity_watch_stamp(&watch);
    if (st == dnnl_success && !identity_watch_begin(&watch, platform))
        st = dnnl_out_of_memory;
    if (st == dnnl_success)
        put_lines(&lines, loaded_object_name(driver), id, components);
    identity_watch_fini(&watch);
    free_lines(&lines, &objects);
    return st;
}

dnnl_status_t driver_build_describe(cl_platform_id platform,
        cl_device_id device, struct buffer *out, char *reason, size_t size)
{
    struct loaded_objects objects = {NULL, 0};
    struct lines lines = {.is_description = true};
    const struct loaded_object *driver = NULL;
    buffer_init(&lines.missing);
    dnnl_status_t st = find_lines(
            &lines, &objects, &driver, platform, device, reason, size);
    if (st == dnnl_success) st = buffer_status(&lines.missing);
    if (st == dnnl_success) describe_lines(out, &lines);
    if (st == dnnl_success) st = buffer_status(out);
    free_lines(&lines, &objects);
    return st;
}
