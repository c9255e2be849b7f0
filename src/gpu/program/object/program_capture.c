/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/program/object/program_capture.h"

#include "src/blob/codec.h"
#include "src/common/log.h"
#include "src/drivers/build_marks.h"
#include "src/gpu/device/capture_cost.h"
#include "src/gpu/program/describe/program_binary.h"
#include "src/gpu/program/object/finalised_form.h"
#include "src/gpu/program/object/form_job.h"
#include "src/gpu/program/object/program_folder.h"
#include "src/platform/clock.h"

#include <stdlib.h>
#include <string.h>

dnnl_status_t program_read_log(const struct program *p, struct buffer *log)
{
    buffer_append(log, p->first_log.data, p->first_log.size);
    return program_binary_log(p->cl, p->device, log);
}

/* The launches that the binary has code for, of each kernel. */
static dnnl_status_t make_facts(struct program *p, const struct buffer *kernels,
        uint32_t count, const uint8_t *binary, size_t size,
        struct buffer *facts)
{
    const char *name = (const char *)kernels->data;
    for (uint32_t i = 0; i < count; i++) {
        struct buffer one = {NULL, 0, 0, false};
        program_use_facts(&p->use, name, binary, size, &one);
        if (buffer_status(&one) == dnnl_success && one.size > 0)
            buffer_append(facts, one.data, one.size);
        else
            buffer_append_u8(facts, 0);
        buffer_fini(&one);
        name += strlen(name) + 1;
    }
    return buffer_status(facts);
}

/* What a capture costs is work. A thread that had to wait for a processor of a
 * busy machine has not worked; other threads, whose work counts, too, cannot
 * have made it last longer than it did. */
static dnnl_status_t read_binary(struct program *p,
        const struct buffer *kernels, unsigned char **binary, size_t *size)
{
    const uint64_t start = clock_ns();
    const uint64_t start_spent = clock_process_ns();
    dnnl_status_t st = program_ask_binary(p, kernels, binary, size);
    const uint64_t spent = clock_process_ns() - start_spent;
    const uint64_t took = clock_ns() - start;
    if (st == dnnl_success)
        capture_cost_measured(
                p->device, spent < took ? spent : took, p->compile_ns);
    return st;
}

/* What a capture reads, before it is the program's. */
struct program_reading {
    unsigned char *binary; /* malloc'ed */
    size_t size;
    struct buffer log;
    struct buffer kernels;
    uint32_t kernel_count;
    struct buffer facts;
    /* What the finalised form is made with; options NULL: there is none. */
    char *options; /* malloc'ed */
    cl_context context;
    struct finalised_kernel *finalised; /* malloc'ed; NULL: not to be had */
};

static void reading_free(struct program_reading *r)
{
    if (r == NULL) return;
    free(r->binary);
    free(r->options);
    free(r->finalised);
    buffer_fini(&r->log);
    buffer_fini(&r->kernels);
    buffer_fini(&r->facts);
    free(r);
}

/* The options that the driver built it with, but for a mark of ours; "" if it
 * does not tell. */
static char *read_options(const struct program *p)
{
    size_t size = 0;
    char *options = NULL;
    if (clGetProgramBuildInfo(
                p->cl, p->device, CL_PROGRAM_BUILD_OPTIONS, 0, NULL, &size)
            != CL_SUCCESS)
        size = 0;
    options = calloc(size + 1, 1);
    if (options != NULL && size > 0
            && clGetProgramBuildInfo(p->cl, p->device, CL_PROGRAM_BUILD_OPTIONS,
                       size, options, NULL)
                       != CL_SUCCESS)
        options[0] = '\0';
    if (options != NULL) build_marks_remove(options);
    return options;
}

static dnnl_status_t read_for_form(
        const struct program *p, struct program_reading *r)
{
    const struct finaliser *finaliser = finaliser_of(p->device);
    if (atomic_load(&p->form_wish) == 0 || finaliser == NULL
            || clGetProgramInfo(p->cl, CL_PROGRAM_CONTEXT, sizeof r->context,
                       &r->context, NULL)
                       != CL_SUCCESS)
        return dnnl_success;
    r->options = read_options(p);
    if (r->options == NULL) return dnnl_out_of_memory;
    return finaliser->replaces ? dnnl_success
                               : finalised_form_read_kernels(p->cl, p->device,
                                       (const char *)r->kernels.data,
                                       r->kernel_count, &r->finalised);
}

static dnnl_status_t read_all(struct program *p, struct program_reading *r)
{
    dnnl_status_t st = program_read_log(p, &r->log);
    if (st == dnnl_success)
        st = program_binary_kernels(
                p->cl, p->device, &r->kernels, &r->kernel_count);
    if (st == dnnl_success) program_use_tell_unknown(&p->use, &r->kernels);
    if (st == dnnl_success)
        st = read_binary(p, &r->kernels, &r->binary, &r->size);
    if (st == dnnl_success)
        st = make_facts(
                p, &r->kernels, r->kernel_count, r->binary, r->size, &r->facts);
    return st == dnnl_success ? read_for_form(p, r) : st;
}

dnnl_status_t program_read(struct program *p)
{
    if (p->reading != NULL) return dnnl_success;
    struct program_reading *r = calloc(1, sizeof *r);
    if (r == NULL) return dnnl_out_of_memory;
    const dnnl_status_t st = read_all(p, r);
    if (st == dnnl_success)
        p->reading = r;
    else
        reading_free(r);
    return st;
}

void program_read_drop(struct program *p)
{
    reading_free(p->reading);
    p->reading = NULL;
}

dnnl_status_t program_read_add(struct program *p, const struct pocl_code *code)
{
    struct program_reading *r = p->reading;
    struct buffer binary = {NULL, 0, 0, false};
    struct buffer facts = {NULL, 0, 0, false};
    if (r == NULL) return dnnl_invalid_arguments;
    dnnl_status_t st = pocl_add_code(r->binary, r->size, code, &binary);
    if (st == dnnl_success)
        st = make_facts(p, &r->kernels, r->kernel_count, binary.data,
                binary.size, &facts);
    if (st != dnnl_success) {
        buffer_fini(&binary);
        buffer_fini(&facts);
        return st;
    }
    free(r->binary);
    r->binary = binary.data; /* moved */
    r->size = binary.size;
    buffer_fini(&r->facts);
    r->facts = facts;
    return dnnl_success;
}

/* ---- Made of what was read ----------------------------------------------- */

static dnnl_status_t finalise(const struct program *p,
        const struct program_reading *r, struct finalised_form *form)
{
    const int wish = atomic_load(&p->form_wish);
    const struct finaliser_source source = {.context = r->context,
            .device = p->device,
            .options = r->options,
            .binary = r->binary,
            .size = r->size,
            .kernels = (const char *)r->kernels.data,
            .kernel_count = r->kernel_count,
            .is_alone = p->is_warm || wish > 1,
            .has_known_launches = p->is_warm};
    if (r->options == NULL || wish == 0) return dnnl_success;
    return finalised_form_make(&source, r->finalised, form);
}

/* Puts marks into the log in place of the program's folders. Whether one of
 * them is named in what the blob has besides, or may be. */
static dnnl_status_t hide_folders(struct program *p, struct program_reading *r,
        const struct finalised_form *form)
{
    const struct option_folders *folders = &p->folders;
    const struct buffer *const others[] = {
            &form->binary, &r->kernels, &r->facts, &p->user_data};
    if (folders->count == 0) return dnnl_success;
    p->names_folder =
            option_folders_are_in(folders, (const char *)r->binary, r->size);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        p->names_folder =
                p->names_folder
                || option_folders_are_in(folders, (const char *)others[i]->data,
                        others[i]->size);
    size_t size = r->log.size - 1;
    char *log = p->names_folder ? NULL
                                : option_folders_hide(folders,
                                        (const char *)r->log.data, &size);
    if (log == NULL && !p->names_folder
            && option_folders_can_hide((const char *)r->log.data, size))
        return dnnl_out_of_memory;
    if (log == NULL) {
        p->names_folder = true;
        log_message(dnnl_cache_log_info, "program",
                "not kept: a folder of its includes is named in the binary");
        return dnnl_success;
    }
    struct buffer hidden = {NULL, 0, 0, false};
    buffer_append(&hidden, log, size + 1);
    free(log);
    if (buffer_status(&hidden) != dnnl_success) return dnnl_out_of_memory;
    buffer_fini(&r->log);
    r->log = hidden;
    return dnnl_success;
}

/* What the blob has of the form and of the binary. */
static dnnl_status_t encode(struct program *p, const struct program_reading *r,
        const struct finalised_form *form)
{
    const enum blob_codec codec = p->compression == dnnl_cache_compression_zstd
                                          ? blob_codec_zstd
                                          : blob_codec_none;
    const uint8_t *binary = form->replaces ? form->binary.data : r->binary;
    const size_t size = form->replaces ? form->binary.size : r->size;
    struct buffer encoded = {NULL, 0, 0, false};
    struct buffer encoded_form = {NULL, 0, 0, false};
    dnnl_status_t st =
            codec_encode(codec, codec_usual_level, binary, size, &encoded);
    if (st == dnnl_success && form->finaliser[0] != '\0' && !form->replaces)
        st = codec_encode(codec, codec_usual_level, form->binary.data,
                form->binary.size, &encoded_form);
    if (st != dnnl_success) {
        buffer_fini(&encoded);
        buffer_fini(&encoded_form);
        return st;
    }
    p->binary = encoded;
    p->raw_size = size;
    p->codec = codec;
    p->form = encoded_form;
    if (encoded_form.size > 0) {
        p->form_raw_size = form->binary.size;
        p->form_codec = codec;
    }
    memcpy(p->finaliser, form->finaliser, sizeof p->finaliser);
    return dnnl_success;
}

dnnl_status_t program_read_capture(struct program *p, bool with_form)
{
    struct finalised_form form = {.finaliser = ""};
    dnnl_status_t st = program_read(p);
    struct program_reading *r = p->reading;
    if (st == dnnl_success && with_form) st = finalise(p, r, &form);
    if (st == dnnl_success) st = hide_folders(p, r, &form);
    if (st == dnnl_success) st = encode(p, r, &form);
    if (st == dnnl_success && !with_form) {
        p->form_options = r->options;
        p->form_kernels = r->finalised;
        r->options = NULL;
        r->finalised = NULL;
    }
    if (st == dnnl_success) {
        p->log = r->log;
        p->kernels = r->kernels;
        p->kernel_count = r->kernel_count;
        p->facts = r->facts;
        r->log = r->kernels = r->facts = (struct buffer){NULL, 0, 0, false};
    }
    program_read_drop(p);
    finalised_form_fini(&form);
    return st;
}

dnnl_status_t program_make_form(struct program *p)
{
    struct encoded_form form;
    const struct blob_program record = {.binary = p->binary.data,
            .binary_size = p->binary.size,
            .raw_size = p->raw_size,
            .codec = p->codec};
    const struct form_request request = {.context = p->context,
            .device = p->device,
            .options = p->form_options,
            .kernels = p->form_kernels,
            .record = &record,
            .names = (const char *)p->kernels.data,
            .kernel_count = p->kernel_count};
    const dnnl_status_t st = form_make_encoded(&request, &form);
    if (st != dnnl_success) {
        buffer_fini(&form.bytes);
        return st;
    }
    p->form = form.bytes; /* moved */
    p->form_raw_size = form.raw_size;
    p->form_codec = p->codec;
    memcpy(p->finaliser, form.finaliser, sizeof p->finaliser);
    return st;
}

void program_drop_capture(struct program *p)
{
    free(p->form_options);
    free(p->form_kernels);
    p->form_options = NULL;
    p->form_kernels = NULL;
    struct buffer *const read[] = {
            &p->binary, &p->form, &p->log, &p->kernels, &p->facts};
    for (size_t i = 0; i < sizeof read / sizeof *read; i++) {
        buffer_fini(read[i]);
        *read[i] = (struct buffer){NULL, 0, 0, false};
    }
    p->kernel_count = 0;
    p->form_raw_size = 0;
    p->finaliser[0] = '\0';
}
