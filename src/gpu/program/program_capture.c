/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu/program/program_capture.h"

#include "blob/codec.h"
#include "common/clock.h"
#include "gpu/device/capture_cost.h"
#include "gpu/program/finalised_form.h"
#include "gpu/program/program_binary.h"

#include <stdlib.h>
#include <string.h>

enum { ZSTD_LEVEL = 3 };

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

static dnnl_status_t read_binary(struct program *p,
        const struct buffer *kernels, unsigned char **binary, size_t *size)
{
    const uint64_t start = clock_ns();
    dnnl_status_t st =
            program_binary_read(p->cl, p->device, kernels, binary, size);
    if (st == dnnl_success)
        capture_cost_measured(p->device, clock_ns() - start, p->compile_ns);
    return st;
}

/* What a capture reads, before it is the program's. */
struct captured {
    unsigned char *binary; /* malloc'ed */
    size_t size;
    struct finalised_form form;
    struct buffer encoded;
    struct buffer encoded_form;
    struct buffer log;
    struct buffer kernels;
    uint32_t kernel_count;
    struct buffer facts;
};

/* The options that the driver built it with; "" if it does not tell. */
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
    return options;
}

static dnnl_status_t finalise(const struct program *p, struct captured *c)
{
    struct finaliser_source source = {.device = p->device,
            .binary = c->binary,
            .size = c->size,
            .kernels = (const char *)c->kernels.data,
            .kernel_count = c->kernel_count,
            .is_warm = p->is_warm};
    if (atomic_load(&p->has_no_form) || finaliser_of(p->device) == NULL)
        return dnnl_success;
    if (clGetProgramInfo(p->cl, CL_PROGRAM_CONTEXT, sizeof source.context,
                &source.context, NULL)
            != CL_SUCCESS)
        return dnnl_success;
    char *options = read_options(p);
    if (options == NULL) return dnnl_out_of_memory;
    source.options = options;
    dnnl_status_t st = finalised_form_make(p->cl, &source, &c->form);
    free(options);
    return st;
}

static dnnl_status_t read_all(
        struct program *p, enum blob_codec codec, struct captured *c)
{
    const struct finalised_form *form = &c->form;
    dnnl_status_t st = program_read_log(p, &c->log);
    if (st == dnnl_success)
        st = program_binary_kernels(
                p->cl, p->device, &c->kernels, &c->kernel_count);
    if (st == dnnl_success)
        st = read_binary(p, &c->kernels, &c->binary, &c->size);
    if (st == dnnl_success)
        st = make_facts(
                p, &c->kernels, c->kernel_count, c->binary, c->size, &c->facts);
    if (st == dnnl_success) st = finalise(p, c);
    if (st == dnnl_success)
        st = form->replaces ? codec_encode(codec, ZSTD_LEVEL, form->binary.data,
                     form->binary.size, &c->encoded)
                            : codec_encode(codec, ZSTD_LEVEL, c->binary,
                                    c->size, &c->encoded);
    if (st == dnnl_success && form->finaliser[0] != '\0' && !form->replaces)
        st = codec_encode(codec, ZSTD_LEVEL, form->binary.data,
                form->binary.size, &c->encoded_form);
    return st;
}

dnnl_status_t program_read_capture(struct program *p)
{
    struct captured c = {.binary = NULL};
    enum blob_codec codec = p->compression == dnnl_cache_compression_zstd
                                    ? blob_codec_zstd
                                    : blob_codec_none;
    dnnl_status_t st = read_all(p, codec, &c);
    if (st == dnnl_success) {
        p->binary = c.encoded;
        p->raw_size = c.form.replaces ? c.form.binary.size : c.size;
        p->codec = codec;
        p->form = c.encoded_form;
        if (c.encoded_form.size > 0) {
            p->form_raw_size = c.form.binary.size;
            p->form_codec = codec;
        }
        memcpy(p->finaliser, c.form.finaliser, sizeof p->finaliser);
        p->log = c.log;
        p->kernels = c.kernels;
        p->kernel_count = c.kernel_count;
        p->facts = c.facts;
    } else {
        buffer_fini(&c.encoded);
        buffer_fini(&c.encoded_form);
        buffer_fini(&c.log);
        buffer_fini(&c.kernels);
        buffer_fini(&c.facts);
    }
    free(c.binary);
    finalised_form_fini(&c.form);
    return st;
}

void program_drop_capture(struct program *p)
{
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
