/* SPDX-License-Identifier: Apache-2.0 */
#include "refresh_classes.h"

#include "drivers/launch_choice.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char variable[] = "POCL_BINARY_SPECIALIZE_WG";

/* ---- One launch ---------------------------------------------------------- */

/* What the driver's choice depends on, as it tells of this kernel. */
static bool read_limits(struct launch_limits *limits, cl_device_id device,
        cl_program program, const char *name)
{
    cl_int error;
    cl_uint units = 0;
    cl_kernel kernel = clCreateKernel(program, name, &error);
    if (error != CL_SUCCESS) return false;
    const bool is_read =
            clGetDeviceInfo(device, CL_DEVICE_MAX_WORK_ITEM_SIZES,
                    sizeof limits->items, limits->items, NULL)
                    == CL_SUCCESS
            && clGetDeviceInfo(device, CL_DEVICE_MAX_WORK_GROUP_SIZE,
                       sizeof limits->group, &limits->group, NULL)
                       == CL_SUCCESS
            && clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS,
                       sizeof units, &units, NULL)
                       == CL_SUCCESS
            && clGetKernelWorkGroupInfo(kernel, device,
                       CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE,
                       sizeof limits->multiple, &limits->multiple, NULL)
                       == CL_SUCCESS;
    limits->units = units;
    clReleaseKernel(kernel);
    return is_read;
}

/* False: the local size is not known. */
static bool find_class(struct launch_class *class, cl_device_id device,
        cl_program program, const dnnl_cache_note_t *note)
{
    struct launch_limits limits;
    if (!launch_class_of_note(class, note)) return false;
    if (class->is_auto && read_limits(&limits, device, program, note->kernel))
        launch_class_choose(class, &limits);
    return !class->is_auto;
}

/* ---- All of them --------------------------------------------------------- */

/* Is it an element of a list with commas? */
static bool has_class(const char *list, const struct launch_class *class)
{
    struct launch_class other;
    while (*list != '\0' && launch_class_read_next(&other, &list))
        if (launch_class_is_same(&other, class)) return true;
    return false;
}

/* The classes of all launches, each once. NULL: out of memory. */
static char *list_classes(const struct refresh_device *device,
        cl_program program, const struct dnnl_cache_store_journal_list *list,
        size_t id_size, const uint8_t *id)
{
    char *text = calloc(list->count + 1, launch_class_text_size + 1);
    char *at = text;
    for (size_t i = 0; text != NULL && i < list->count; i++) {
        const dnnl_cache_note_t *note = &list->items[i].note;
        struct launch_class class;
        if (note->kind != dnnl_cache_note_launch || note->id_size != id_size
                || memcmp(note->id, id, id_size) != 0
                || !find_class(&class, device->id, program, note)
                || has_class(text, &class))
            continue;
        if (at != text) *at++ = ',';
        launch_class_write(at, &class);
        at += strlen(at);
    }
    return text;
}

static bool make_binary(cl_program program)
{
    size_t size = 0;
    return clGetProgramInfo(
                   program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL)
                   == CL_SUCCESS
           && size > 0;
}

bool refresh_classes_compile(const struct refresh_device *device,
        cl_program program, const struct dnnl_cache_store_journal_list *list,
        size_t id_size, const uint8_t *id)
{
    if (!device->is_pocl) return true;
    const char *set = getenv(variable);
    char *before = set != NULL ? strdup(set) : NULL;
    char *classes = list_classes(device, program, list, id_size, id);
    bool is_done = classes != NULL && (set == NULL || before != NULL);
    if (is_done && classes[0] != '\0') {
        is_done = setenv(variable, classes, 1) == 0 && make_binary(program);
        if (before != NULL)
            (void)setenv(variable, before, 1);
        else
            (void)unsetenv(variable);
    }
    free(before);
    free(classes);
    return is_done;
}
