/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/program/object/program_folder.h"

#include "src/common/log.h"
#include "src/drivers/pocl_stand_in_file.h"
#include "src/drivers/pocl_stand_ins.h"
#include "src/gpu/device/driver_name.h"
#include "src/gpu/program/describe/program_binary.h"
#include "src/platform/loaded_libraries.h"

#include <stdlib.h>
#include <string.h>

/* ---- Found --------------------------------------------------------------- */

static bool is_no_layer_of_ours(void *user, const struct library_facts *library)
{
    (void)user;
    return strstr(library->path, "dnnl_cache_layer") == NULL;
}

/* The OpenCL layer between would keep what the driver answers. */
static bool is_below_a_layer(void)
{
    return !libraries_each(is_no_layer_of_ours, NULL);
}

static bool takes_stand_ins(cl_device_id device)
{
    cl_platform_id platform = NULL;
    char version[256];
    return driver_is(device, POCL_PLATFORM_NAME)
           && clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof platform,
                      &platform, NULL)
                      == CL_SUCCESS
           && clGetPlatformInfo(platform, CL_PLATFORM_VERSION, sizeof version,
                      version, NULL)
                      == CL_SUCCESS
           && pocl_stand_ins_are_tested(version);
}

/* The driver asks all devices at once, each in its folder. */
static bool is_for_one_device(cl_program cl)
{
    cl_uint count = 0;
    return clGetProgramInfo(
                   cl, CL_PROGRAM_NUM_DEVICES, sizeof count, &count, NULL)
                   == CL_SUCCESS
           && count == 1;
}

struct search {
    const struct program *program;
    struct buffer names; /* of its kernels, each with a NUL */
};

static bool is_of_program(void *user, const char *folder, const char *kernel)
{
    const struct search *search = user;
    return program_names_have(
                   (const char *)search->names.data, search->names.size, kernel)
           && pocl_folder_is_of_time(folder, search->program->began_ns,
                   search->program->built_ns);
}

/* To be freed; NULL: none is found, or none is of use. */
static char *find_folder(const struct program *p)
{
    struct search search = {.program = p};
    uint32_t count;
    char path[path_size];
    char *found = NULL;
    if (p->built_ns == 0 || !pocl_stand_ins_suit_process() || is_below_a_layer()
            || !takes_stand_ins(p->device) || !is_for_one_device(p->cl))
        return NULL;
    if (program_binary_kernels(p->cl, p->device, &search.names, &count)
                    == dnnl_success
            && search.names.size > 0
            && pocl_folder_find(path, is_of_program, &search))
        found = strdup(path);
    buffer_fini(&search.names);
    return found;
}

void program_find_folder(struct program *p)
{
    if (atomic_load(&p->folder) != NULL) return;
    program_remember_folder(p);
    atomic_store(&p->folder, p->likely_folder);
    p->likely_folder = NULL;
}

void program_remember_folder(struct program *p)
{
    if (atomic_load(&p->folder) == NULL && p->likely_folder == NULL)
        p->likely_folder = find_folder(p);
}

/* ---- Asked --------------------------------------------------------------- */

static bool place(struct pocl_stand_ins *stand_ins, const struct program *p,
        const struct buffer *kernels)
{
    const char *folder = atomic_load(&p->folder);
    return folder != NULL && pocl_stand_ins_suit_process()
           && pocl_stand_ins_place(stand_ins, folder,
                   (const char *)kernels->data, kernels->size);
}

dnnl_status_t program_ask_binary(struct program *p,
        const struct buffer *kernels, unsigned char **binary, size_t *size)
{
    struct pocl_stand_ins stand_ins;
    const bool is_placed = place(&stand_ins, p, kernels);
    const dnnl_status_t st =
            program_binary_read(p->cl, p->device, kernels, binary, size);
    if (!is_placed) return st;
    pocl_stand_ins_clear(&stand_ins);
    if (st == dnnl_success
            && !pocl_stand_ins_are_of(&stand_ins, *binary, *size))
        log_message(dnnl_cache_log_warning, "program",
                "PoCL has the program in another folder than in %s",
                stand_ins.folder);
    return st;
}

size_t program_ask_size(const struct program *p)
{
    struct pocl_stand_ins stand_ins;
    struct buffer names = {NULL, 0, 0, false};
    uint32_t count;
    const bool is_placed =
            atomic_load(&p->folder) != NULL
            && program_binary_kernels(p->cl, p->device, &names, &count)
                       == dnnl_success
            && place(&stand_ins, p, &names);
    const size_t size = program_binary_size(p->cl, p->device);
    if (is_placed) pocl_stand_ins_clear(&stand_ins);
    buffer_fini(&names);
    return size;
}
