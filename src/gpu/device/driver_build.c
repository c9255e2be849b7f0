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
#include "src/common/hash.h"
#include "src/gpu/device/cl_status.h"
#include "src/gpu/device/compiler_files.h"
#include "src/gpu/device/driver_companions.h"
#include "src/gpu/device/kernel_library.h"
#include "src/gpu/device/uncounted_parts.h"

#include <CL/cl_icd.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- What compilers and linkers read ------------------------------------- */

/* A search of compiler_files.h. */
struct finding {
    struct driver_lines *lines;
    const struct loaded_objects *objects;
    bool has_uncounted;
};

/* A part that does not count for the driver does not count for a program that
 * the driver starts: the proof is over both. */
static void add_found(void *user, const char *path, const char *label)
{
    const struct finding *finding = user;
    struct driver_lines *lines = finding->lines;
    const size_t before = lines->count;
    driver_lines_add_file(lines, finding->objects, path, label);
    if (finding->has_uncounted && lines->count > before)
        lines->list[before].uncounted = uncounted_part(label);
}

static int find_file(
        void *user, const char *path, const char *label, struct file_head *head)
{
    const struct finding *finding = user;
    struct driver_lines *lines = finding->lines;
    const size_t before = lines->count;
    const int error =
            driver_lines_find_file(lines, finding->objects, path, label, head);
    if (finding->has_uncounted && lines->count > before)
        lines->list[before].uncounted = uncounted_part(label);
    return error;
}

static void add_open(void *user, const struct file_opened *opened,
        const char *path, const char *label)
{
    const struct finding *finding = user;
    struct driver_lines *lines = finding->lines;
    const size_t before = lines->count;
    driver_lines_add_opened(lines, finding->objects, opened, path, label);
    if (finding->has_uncounted && lines->count > before)
        lines->list[before].uncounted = uncounted_part(label);
}

static void add_missing(void *user, const char *path)
{
    struct driver_lines *lines = ((const struct finding *)user)->lines;
    driver_lines_watch_absent(lines, path);
    if (lines->is_description)
        buffer_append(&lines->missing, path, strlen(path) + 1);
}

static void add_unfit(void *user, const char *path)
{
    driver_lines_watch_unfit(((const struct finding *)user)->lines, path);
}

static void add_listed(void *user, const struct file_listing *listing)
{
    static const char any[] = "/*";
    struct driver_lines *lines = ((const struct finding *)user)->lines;
    struct folder_names names = {0, 0};
    folder_names_add_all(
            &names, listing->names, listing->size, listing->prefix);
    if (lines->watch != NULL)
        identity_watch_add_folder(lines->watch, listing->path, listing->prefix,
                &listing->facts, &names);
    if (!lines->is_description) return;
    buffer_append(&lines->missing, listing->path, strlen(listing->path));
    buffer_append(&lines->missing, any, sizeof any);
}

static void note_failure(void *user, const char *name, int error)
{
    driver_lines_fail(((const struct finding *)user)->lines, name, error);
}

static void add_compiler_files(struct driver_lines *lines,
        const struct driver_facts *facts, bool has_uncounted)
{
    struct finding finding = {lines, facts->objects, has_uncounted};
    const struct file_search search = {.user = &finding,
            .found = add_found,
            .find = find_file,
            .found_open = add_open,
            .missing = add_missing,
            .unfit = add_unfit,
            .listed = add_listed,
            .failed = note_failure};
    compiler_files_find(&search, facts->objects, facts->driver);
}

/* ---- All of it ----------------------------------------------------------- */

static void add_absent(void *user, const char *name)
{
    driver_lines_add(user, name, "absent", NULL, 0);
}

static int compare_lines(const void *a, const void *b)
{
    const struct driver_line *left = a;
    const struct driver_line *right = b;
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
        struct driver_lines *lines)
{
    const char *name = loaded_object_name(driver);
    char directory[LOADED_PATH_SIZE];
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
        driver_lines_add_loaded(lines, o);
        driver_lines_set_path(lines, before, o->path);
        if (has_uncounted && lines->count > before)
            lines->list[before].uncounted =
                    uncounted_part(loaded_object_name(o));
    }
    const struct companion_search found = {objects, directory,
            kernel_library_of(kernel_library, facts) ? kernel_library : NULL};
    driver_companions_add(lines, &found, name);
    add_compiler_files(lines, facts, has_uncounted);
}

/* Of a part that does not count only that it is there. */
static void put_line(
        struct digest256_state *state, const struct driver_line *line)
{
    static const char no_digest[] = "not counted";
    const char *text = line->text;
    if (line->uncounted != NULL) {
        digest256_update(state, text, strcspn(text, " ") + 1);
        text = no_digest;
    }
    digest256_update(state, text, strlen(text) + 1);
}

static bool is_repeated(const struct driver_lines *lines, size_t i)
{
    const struct driver_line *line = &lines->list[i];
    return i > 0 && strcmp(line[-1].text, line->text) == 0
           && line[-1].uncounted == line->uncounted;
}

/* Two fields: the driver's own object as text, and one digest over all lines;
 * the lines themselves are for the log, where a difference can be found. */
static void put_lines(const struct driver_lines *lines, const char *driver,
        struct id_builder *id, struct buffer *components)
{
    static const char ignored[] = " (does not count)";
    struct digest256_state state;
    digest256_init(&state);
    for (size_t i = 0; i < lines->count; i++) {
        const struct driver_line *line = &lines->list[i];
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
static void describe_line(struct buffer *out, const struct driver_line *line)
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
    buffer_append(out, loaded_base_name(path), strlen(loaded_base_name(path)));
    buffer_append(out, how, strlen(how));
    buffer_append(out, path, strlen(path));
    buffer_append(out, "\n", 1);
}

/* Equal files in several places are one part, and each place is told. */
static bool is_described(const struct driver_lines *lines, size_t i)
{
    const char *path = lines->list[i].path;
    return is_repeated(lines, i)
           && (path == NULL || lines->list[i - 1].path == NULL
                   || strcmp(path, lines->list[i - 1].path) == 0);
}

static void describe_lines(struct buffer *out, const struct driver_lines *lines)
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
static dnnl_status_t find_lines(struct driver_lines *lines,
        struct loaded_objects *objects, const struct loaded_object **out,
        cl_platform_id platform, cl_device_id device, char *reason, size_t size)
{
    lines->list = calloc(MAX_LINES, sizeof *lines->list);
    if (lines->list == NULL || !loaded_objects_init(objects))
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
                loaded_base_name(driver->path), lines->culprit,
                lines->error == ESTALE ? "changed while it was in use"
                                       : strerror(lines->error));
        return dnnl_runtime_error;
    }
    qsort(lines->list, lines->count, sizeof *lines->list, compare_lines);
    *out = driver;
    return dnnl_success;
}

static void free_lines(
        struct driver_lines *lines, struct loaded_objects *objects)
{
    driver_lines_fini(lines);
    file_digests_flush();
    loaded_objects_fini(objects);
}

dnnl_status_t driver_build_put_id(cl_platform_id platform, cl_device_id device,
        struct id_builder *id, struct buffer *components,
        struct identity_files **files, char *reason, size_t size)
{
    struct loaded_objects objects = {NULL, 0};
    struct identity_watch watch = {.list = NULL};
    struct driver_lines lines = {.watch = &watch};
    const struct loaded_object *driver = NULL;
    buffer_init(&lines.missing);
    dnnl_status_t st = find_lines(
            &lines, &objects, &driver, platform, device, reason, size);
    if (st == dnnl_success
            && (*files = identity_watch_begin(&watch, platform)) == NULL)
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
    struct driver_lines lines = {.is_description = true};
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
