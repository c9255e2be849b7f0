/* SPDX-License-Identifier: Apache-2.0 */
#include "layer/capture/stand_ins.h"

#include "layer/driver/next_layer.h"
#include "layer/driver/quirks.h"
#include "layer/programs/kernel_names.h"
#include "layer/programs/launches.h"
#include "layer/settings/settings.h"
#include "src/platform/file.h"

#include <stdlib.h>
#include <string.h>

bool stand_ins_suit(const struct build *build)
{
    return layer_settings()->capture_compiled && build->kind != build_object
           && build->count == 1 && !build->is_part && !build->is_loaded
           && build->lender == NULL && !build->devices[0].is_held
           && !build->devices[0].is_kept && atomic_load(&build->is_noted)
           && !atomic_load(&build->holds_lease)
           && !atomic_load(&build->is_binary_wanted)
           && pocl_stand_ins_suit_process()
           && quirk_takes_stand_ins(build->devices[0].device);
}

/* Programs may have kernels of one name, which are then told apart by their
 * times: the driver writes the intermediate code once, while it compiles. */
static bool is_of_build(void *user, const char *folder, const char *kernel)
{
    const struct build *build = user;
    return (kernel_names_is_only(build, kernel)
                   || (kernel_names_are_apart(build, kernel)
                           && pocl_folder_is_of_time(folder, build->began_ns,
                                   build->files_until_ns)))
           && launches_have_kernel(build, kernel);
}

/* Of a program that was never launched nothing is mapped. */
bool stand_ins_find_folder(char folder[path_size], struct build *build)
{
    if (launches_are_there(build))
        return pocl_folder_find(folder, is_of_build, build);
    return build->files_until_ns != 0 && build->is_clock_kept
           && pocl_folder_find_written(
                   folder, build->files_from_ns, build->files_until_ns);
}

bool stand_ins_wait_for_folder(const struct build *build)
{
    return stand_ins_suit(build) && !launches_are_there(build)
           && !pocl_folder_place_is_known();
}

/* The driver asks all devices at once, each in its folder. */
static bool is_for_one_device(cl_program handle)
{
    cl_uint count = 0;
    return next_layer->clGetProgramInfo(
                   handle, CL_PROGRAM_NUM_DEVICES, sizeof count, &count, NULL)
                   == CL_SUCCESS
           && count == 1;
}

bool stand_ins_put(struct pocl_stand_ins *stand_ins, struct build *build,
        cl_program handle)
{
    char folder[path_size];
    *stand_ins = (struct pocl_stand_ins){.folder_fd = file_none};
    if (!stand_ins_suit(build) || !is_for_one_device(handle)
            || build->kernel_names == NULL
            || !stand_ins_find_folder(folder, build))
        return false;
    char *names = strdup(build->kernel_names);
    const size_t size = names != NULL ? strlen(names) + 1 : 0;
    for (size_t i = 0; i < size; i++)
        if (names[i] == ';') names[i] = '\0';
    const bool is_placed = pocl_stand_ins_place(stand_ins, folder, names, size);
    free(names);
    return is_placed;
}

/* ---- What came of it ----------------------------------------------------- */

uint8_t *stand_ins_read_binary(const struct pocl_stand_ins *stand_ins,
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
    *is_of = pocl_stand_ins_are_of(stand_ins, binary, *size);
    return binary;
}
