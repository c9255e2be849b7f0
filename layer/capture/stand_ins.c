/* SPDX-License-Identifier: Apache-2.0 */
#include "layer/capture/stand_ins.h"

#include "layer/driver/quirks.h"
#include "layer/driver/target.h"
#include "layer/programs/kernel_names.h"
#include "layer/programs/launches.h"
#include "layer/settings/settings.h"
#include "src/drivers/pocl_stand_in_file.h"
#include "src/platform/environment.h"
#include "src/platform/file.h"
#include "src/platform/loaded_libraries.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* All that are compiled when the driver is asked. */
static bool has_named_classes(void)
{
    const char *named = getenv("POCL_BINARY_SPECIALIZE_WG");
    return named != NULL && named[0] != '\0';
}

/* Not where memory is limited: PoCL 3.1 takes 256 MiB to write a binary, and
 * does not look whether it got them. */
bool stand_ins_suit(const struct build *build)
{
    return layer_settings()->harvest_compiled && build->kind == build_executable
           && build->count == 1 && !build->is_part && !build->is_loaded
           && build->lender == NULL && !build->devices[0].is_held
           && !build->devices[0].is_kept && atomic_load(&build->is_noted)
           && !atomic_load(&build->leads)
           && !atomic_load(&build->is_binary_wanted)
           && pocl_stand_ins_suit_environment() && !has_named_classes()
           && quirk_takes_stand_ins(build->devices[0].device)
           && !process_memory_is_limited();
}

/* ---- The folder ---------------------------------------------------------- */

struct search {
    const struct build *build;
    size_t count; /* of folders that were found */
    char path[path_size];
};

/* Cuts off the last part of a path, and returns it; NULL: there is none. */
static char *cut(char *path)
{
    char *at = strrchr(path, '/');
    if (at == NULL) return NULL;
    *at = '\0';
    return at + 1;
}

static bool is_name_of_folder(const char *name)
{
    static const char prefix[] = "_UNCACHED_";
    if (strlen(name) != stand_ins_name_size - 1
            || strncmp(name, prefix, sizeof prefix - 1) != 0)
        return false;
    for (const char *at = name + sizeof prefix - 1; *at != '\0'; at++)
        if (!isalnum((unsigned char)*at)) return false;
    return true;
}

/* Was the program's folder made while the driver compiled the build? Its
 * intermediate code is written once, long after the beginning. No file is
 * stamped later than it is written, so what was written before the build is
 * never taken for its own. */
static bool is_of_time(const char *folder, const struct build *build)
{
    char path[path_size + sizeof "/program.bc"];
    struct file_facts facts;
    (void)snprintf(path, sizeof path, "%s/program.bc", folder);
    return file_facts_of_link(&facts, file_here, path) == 0
           && facts.modified_ns > build->began_ns
           && facts.modified_ns <= build->files_until_ns;
}

/* Programs may have kernels of one name, which are then told apart by their
 * times. */
static bool is_of_build(
        const char *folder, const char *kernel, const struct build *build)
{
    return kernel_names_is_only(build, kernel)
           || (kernel_names_are_apart(build, kernel)
                   && is_of_time(folder, build));
}

/* A mapped file ".../_UNCACHED_123456/KERNEL/CLASS/KERNEL.so" of a kernel of
 * this build, which is there yet. */
static bool read_folder(
        char folder[path_size], const char *path, const struct build *build)
{
    const size_t size = strlen(path);
    if (path[0] != '/' || size < 4 || size >= path_size
            || strcmp(path + size - 3, ".so") != 0)
        return false;
    memcpy(folder, path, size + 1);
    const char *file = cut(folder);
    const char *class = file != NULL ? cut(folder) : NULL;
    const char *kernel = class != NULL ? cut(folder) : NULL;
    const char *name = kernel != NULL ? strrchr(folder, '/') : NULL;
    return name != NULL && is_name_of_folder(name + 1)
           && strlen(kernel) + 3 == strlen(file)
           && strncmp(kernel, file, strlen(kernel)) == 0
           && is_of_build(folder, kernel, build)
           && launches_have_kernel(build, kernel) && file_is_there(path);
}

static bool look(void *user, const struct library_facts *library)
{
    struct search *search = user;
    char folder[path_size];
    if (strstr(library->path, "/_UNCACHED_") == NULL
            || !read_folder(folder, library->path, search->build)
            || (search->count > 0 && strcmp(folder, search->path) == 0))
        return true;
    memcpy(search->path, folder, strlen(folder) + 1);
    return ++search->count <= 1;
}

/* Nobody else's, and nobody else can write there. file_none: it is not. */
static int open_folder(const char *path)
{
    struct file_facts facts;
    int fd;
    if (file_open(&fd, file_here, path,
                file_for_reading | file_must_be_folder | file_no_link,
                0) != 0
            || (file_facts(&facts, fd) == 0 && file_is_own(&facts)
                    && (facts.mode & file_others_write) == 0))
        return fd;
    (void)file_close(fd);
    return file_none;
}

static int find_folder(
        char name[stand_ins_name_size], const struct build *build)
{
    struct search search = {.build = build};
    (void)libraries_each(look, &search);
    const int fd = search.count == 1 ? open_folder(search.path) : file_none;
    if (fd == file_none) return file_none;
    memcpy(name, strrchr(search.path, '/') + 1, stand_ins_name_size);
    if (pocl_stand_in_is_loadable(search.path)) return fd;
    (void)file_close(fd);
    return file_none;
}

/* ---- What is put there --------------------------------------------------- */

/* The driver asks all devices at once, each in its folder. */
static bool is_for_one_device(cl_program handle)
{
    cl_uint count = 0;
    return target->clGetProgramInfo(
                   handle, CL_PROGRAM_NUM_DEVICES, sizeof count, &count, NULL)
                   == CL_SUCCESS
           && count == 1;
}

/* The names, each with a NUL. */
static bool copy_kernels(struct stand_ins *stand_ins, const struct build *build)
{
    if (build->kernel_names == NULL || build->kernel_names[0] == '\0')
        return false;
    stand_ins->kernels = strdup(build->kernel_names);
    if (stand_ins->kernels == NULL) return false;
    stand_ins->kernels_size = strlen(stand_ins->kernels) + 1;
    for (char *at = stand_ins->kernels; *at != '\0'; at++)
        if (*at == ';') *at = '\0';
    return true;
}

static const char *next_kernel(
        const struct stand_ins *stand_ins, const char *name)
{
    if (name == NULL) return stand_ins->kernels;
    name += strlen(name) + 1;
    return name < stand_ins->kernels + stand_ins->kernels_size ? name : NULL;
}

/* What the driver has compiled for all launches stays, and is right. */
static bool put_all(const struct stand_ins *stand_ins)
{
    for (const char *name = NULL;
            (name = next_kernel(stand_ins, name)) != NULL;)
        if (!pocl_stand_in_write(stand_ins->folder_fd, name, POCL_ALL_LAUNCHES)
                && errno != EEXIST)
            return false;
    return true;
}

bool stand_ins_put(struct stand_ins *stand_ins, const struct build *build,
        cl_program handle)
{
    *stand_ins = (struct stand_ins){.folder_fd = file_none};
    if (!stand_ins_suit(build) || !is_for_one_device(handle)
            || !copy_kernels(stand_ins, build))
        return false;
    stand_ins->folder_fd = find_folder(stand_ins->folder, build);
    if (stand_ins->folder_fd != file_none && put_all(stand_ins)) return true;
    stand_ins_remove(stand_ins);
    return false;
}

void stand_ins_remove(struct stand_ins *stand_ins)
{
    const int fd = stand_ins->folder_fd;
    const char *name = NULL;
    while (fd != file_none && stand_ins->kernels != NULL
            && (name = next_kernel(stand_ins, name)) != NULL)
        pocl_stand_in_remove(fd, name, POCL_ALL_LAUNCHES);
    (void)file_close(fd);
    free(stand_ins->kernels);
    stand_ins->folder_fd = file_none;
    stand_ins->kernels = NULL;
}

/* ---- What came of it ----------------------------------------------------- */

/* The folder's name is in the binary's head, which has only numbers before. */
static bool is_named(
        const struct stand_ins *stand_ins, const uint8_t *binary, size_t size)
{
    enum { most_head = 128 };
    return stand_ins->folder[0] != '\0'
           && memmem(binary, size < most_head ? size : most_head,
                      stand_ins->folder, strlen(stand_ins->folder))
                      != NULL;
}

uint8_t *stand_ins_read_binary(const struct stand_ins *stand_ins,
        size_t blob_size, const uint8_t *blob, size_t *size, bool *is_of)
{
    *size = 0;
    *is_of = false;
    if (dnnl_cache_blob_get_program_binary(blob_size, blob, 0, size, NULL)
            != dnnl_success)
        return NULL;
    uint8_t *binary = malloc(*size + 1);
    if (binary == NULL
            || dnnl_cache_blob_get_program_binary(
                       blob_size, blob, 0, size, binary)
                       != dnnl_success) {
        free(binary);
        return NULL;
    }
    *is_of = is_named(stand_ins, binary, *size);
    return binary;
}
