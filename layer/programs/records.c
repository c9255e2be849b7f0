/* SPDX-License-Identifier: Apache-2.0 */
#include "layer/programs/records.h"

#include "layer/driver/next_layer.h"
#include "layer/programs/moved_headers.h"
#include "layer/programs/notes.h"
#include "layer/settings/print.h"
#include "layer/settings/settings.h"
#include "layer/storage/opening.h"

#include <dnnl_cache/journal.h>
#include <dnnl_cache/recording.h>

#include <stdlib.h>
#include <string.h>

bool records_are_on(void)
{
    return layer_settings()->record;
}

static void hear(dnnl_cache_log_level_t level, const char *text, void *unused)
{
    (void)level;
    (void)unused;
    print_warning("%s", text);
}

static bool add(const dnnl_cache_note_t *note)
{
    dnnl_cache_store_handle_t *record =
            dnnl_cache_recording_of_process(hear, NULL);
    if (record == NULL) return false;
    (void)dnnl_cache_store_journal_set_limit(
            record, opening_journal_limit(layer_settings()));
    return dnnl_cache_recording_add(record, note) == dnnl_success;
}

/* With what is in its folders: where a record is replayed they are not. */
static bool add_build(const dnnl_cache_note_t *note, const struct build *build)
{
    dnnl_cache_note_t copy = *note;
    struct moved_headers headers;
    if (!moved_headers_init(&headers, build)) return false;
    copy.header_count = headers.count;
    copy.headers = headers.list;
    const bool is_added = add(&copy);
    moved_headers_fini(&headers);
    return is_added;
}

void records_add_build(struct layer_program *program, struct build *build,
        const struct link_inputs *inputs)
{
    if (records_are_on() && build->devices[0].id != NULL)
        (void)notes_give_build(program, build, inputs, add_build);
}

/* ---- Arguments ----------------------------------------------------------- */

static char letter_of(cl_kernel kernel, cl_uint index)
{
    cl_kernel_arg_address_qualifier address = 0;
    cl_kernel_arg_access_qualifier access = CL_KERNEL_ARG_ACCESS_NONE;
    char type[32] = "";
    if (next_layer->clGetKernelArgInfo(kernel, index,
                CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof address, &address, NULL)
            != CL_SUCCESS)
        return '?';
    (void)next_layer->clGetKernelArgInfo(kernel, index,
            CL_KERNEL_ARG_ACCESS_QUALIFIER, sizeof access, &access, NULL);
    if (access != CL_KERNEL_ARG_ACCESS_NONE) return 'i';
    switch (address) {
    case CL_KERNEL_ARG_ADDRESS_GLOBAL:
        return 'g';
    case CL_KERNEL_ARG_ADDRESS_CONSTANT:
        return 'c';
    case CL_KERNEL_ARG_ADDRESS_LOCAL:
        return 'l';
    default:
        break;
    }
    return next_layer->clGetKernelArgInfo(kernel, index,
                   CL_KERNEL_ARG_TYPE_NAME, sizeof type, type,
                   NULL) == CL_SUCCESS
                           && strcmp(type, "sampler_t") == 0
                   ? 's'
                   : 'v';
}

enum { most_arguments = 255 };

static void read_arguments(char letters[most_arguments + 1], cl_kernel kernel)
{
    cl_uint count = 0;
    if (next_layer->clGetKernelInfo(
                kernel, CL_KERNEL_NUM_ARGS, sizeof count, &count, NULL)
                    != CL_SUCCESS
            || count > most_arguments)
        count = 0;
    for (cl_uint i = 0; i < count; i++)
        letters[i] = letter_of(kernel, i);
    letters[count] = '\0';
}

/* ---- Kernels ------------------------------------------------------------- */

static dnnl_cache_note_t new_note(dnnl_cache_note_kind_t kind,
        const struct built_device *d, const char *kernel)
{
    dnnl_cache_note_t note = DNNL_CACHE_NOTE_INIT;
    note.kind = kind;
    note.origin = dnnl_cache_note_layer;
    note.id_size = d->id_size;
    note.id = d->id;
    note.kernel = kernel;
    return note;
}

void records_add_kernel(
        const struct build *build, cl_kernel kernel, const char *name)
{
    char own_name[512] = "";
    char letters[most_arguments + 1];
    if (!records_are_on() || build == NULL || build->devices[0].id == NULL)
        return;
    if (name[0] == '\0'
            && next_layer->clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME,
                       sizeof own_name, own_name, NULL)
                       != CL_SUCCESS)
        return;
    dnnl_cache_note_t note = new_note(dnnl_cache_note_kernel,
            &build->devices[0], name[0] != '\0' ? name : own_name);
    read_arguments(letters, kernel);
    note.arguments = letters;
    (void)add(&note);
}

void records_add_launch(const struct built_device *d, const char *kernel,
        uint32_t dimensions, const struct launch_class *class)
{
    dnnl_cache_note_t note = new_note(dnnl_cache_note_launch, d, kernel);
    launch_class_put(&note, class, dimensions);
    (void)add(&note);
}
