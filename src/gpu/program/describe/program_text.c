/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/program/describe/program_text.h"

#include "src/common/byte_order.h"
#include "src/common/hash.h"
#include "src/common/log.h"
#include "src/drivers/build_marks.h"
#include "src/gpu/device/cl_status.h"
#include "src/gpu/device/driver_name.h"
#include "src/gpu/program/describe/program_binary.h"

#include <stdlib.h>
#include <string.h>

static size_t source_length(const struct program_text *text, size_t i)
{
    if (text->lengths != NULL && text->lengths[i] != 0) return text->lengths[i];
    return strlen(text->sources[i]);
}

/* ---- In the ID ----------------------------------------------------------- */

/* One digest over all sources, each with its length before it: two splits of
 * one text differ, as they may for a compiler's line numbers. */
static struct digest256 digest_sources(const struct program_text *text)
{
    struct digest256_state state;
    digest256_init(&state);
    for (size_t i = 0; i < text->source_count; i++) {
        size_t length = source_length(text, i);
        uint8_t size[8];
        store_le64(size, length);
        digest256_update(&state, size, sizeof size);
        digest256_update(&state, text->sources[i], length);
    }
    return digest256_final(&state);
}

static void put_constant(struct id_builder *id, const struct spec_constant *c)
{
    uint8_t field[4 + sizeof c->value];
    store_le32(field, c->id);
    memcpy(field + 4, c->value, c->size);
    id_put(id, id_spec_constant, field, 4 + c->size);
}

/* What the files hold and, of a program that moves, what its folders are to one
 * another. Places without a file are no part of it where no file is asked for.
 */
static void put_includes(const struct program_text *text, struct id_builder *id)
{
    const struct includes *includes = text->includes;
    if (includes == NULL) return;
    if (text->named_options != NULL)
        id_put(id, id_includes, includes->moved_digest,
                sizeof includes->moved_digest);
    else if (includes->count > 0)
        id_put(id, id_includes, includes->digest, sizeof includes->digest);
}

void program_text_put_id(const struct program_text *text, struct id_builder *id)
{
    if (text->il != NULL) {
        id_put_digest(id, id_il, text->il, text->il_size);
        id_put_string(id, id_il_version, text->il_version);
    } else {
        struct digest256 digest = digest_sources(text);
        id_put(id, id_source, digest.bytes, sizeof digest.bytes);
    }
    for (size_t i = 0; text->headers != NULL && i < text->headers->count; i++) {
        const struct header *h = &text->headers->list[i];
        id_put_string(id, id_header_name, h->name);
        id_put_digest(id, id_header, h->text, h->size);
    }
    id_put_string(id, id_build_options,
            text->named_options != NULL ? text->named_options : text->options);
    for (size_t i = 0; i < text->constant_count; i++)
        put_constant(id, &text->constants[i]);
    put_includes(text, id);
}

/* ---- To the compiler ----------------------------------------------------- */

/* The status of a call that compiles or links; the compiler's words are
 * logged, and noted, if they are the reason. */
static dnnl_status_t compiler_status(cl_int error, const char *function,
        cl_program cl, cl_device_id device, struct shared_text **note)
{
    dnnl_status_t st = cl_status(error, function);
    bool has_log = error == CL_BUILD_PROGRAM_FAILURE
                   || error == CL_COMPILE_PROGRAM_FAILURE
                   || error == CL_LINK_PROGRAM_FAILURE;
    if (!has_log || cl == NULL) return st;
    struct buffer log = {NULL, 0, 0, false};
    const char *text = program_binary_log(cl, device, &log) == dnnl_success
                               ? (const char *)log.data
                               : NULL;
    log_message(dnnl_cache_log_error, "program", "build log: %s",
            text != NULL ? text : "(none)");
    if (text != NULL)
        *note = shared_text_create(text); /* a note less is no failure */
    buffer_fini(&log);
    return st;
}

/* Which of the application's programs it was. */
static void name_options(const struct program_text *text)
{
    log_message(dnnl_cache_log_error, "program", "the build options were '%s'",
            text->options);
}

static dnnl_status_t create_from_sources(
        const struct program_text *text, cl_context context, cl_program *out)
{
    cl_int error;
    /* The call wants pointers to non-const arrays of const strings. */
    const char **sources = malloc(text->source_count * sizeof *sources);
    if (sources == NULL) return dnnl_out_of_memory;
    memcpy(sources, text->sources, text->source_count * sizeof *sources);
    cl_program cl = clCreateProgramWithSource(context,
            (cl_uint)text->source_count, sources, text->lengths, &error);
    free(sources);
    dnnl_status_t st = cl_status(error, "clCreateProgramWithSource");
    if (st == dnnl_success) *out = cl;
    return st;
}

static dnnl_status_t create_from_text(
        const char *text, size_t size, cl_context context, cl_program *out)
{
    cl_int error;
    const char *source = size > 0 ? text : "";
    cl_program cl =
            clCreateProgramWithSource(context, 1, &source, &size, &error);
    dnnl_status_t st = cl_status(error, "clCreateProgramWithSource");
    if (st == dnnl_success) *out = cl;
    return st;
}

/* A program object of text whose directives name the headers as the driver
 * gets them. folder NULL: as they are. */
static dnnl_status_t create_rewritten(const struct header_set *headers,
        const char *folder, const char *includer, const char *text, size_t size,
        cl_context context, cl_program *out)
{
    struct buffer rewritten = {NULL, 0, 0, false};
    if (folder == NULL) return create_from_text(text, size, context, out);
    dnnl_status_t st = header_set_rewrite(
            headers, folder, includer, text, size, &rewritten);
    if (st == dnnl_success)
        st = create_from_text(
                (const char *)rewritten.data, rewritten.size, context, out);
    buffer_fini(&rewritten);
    return st;
}

/* Header programs and the names that sources know them by. */
struct header_programs {
    cl_program *programs;
    char **names;
    size_t count;
};

static void header_programs_fini(struct header_programs *h)
{
    for (size_t i = 0; i < h->count; i++) {
        if (h->programs != NULL && h->programs[i] != NULL)
            clReleaseProgram(h->programs[i]);
        if (h->names != NULL) free(h->names[i]);
    }
    free(h->programs);
    free(h->names);
}

/* In the folder, unless that is NULL. */
static char *name_in(const char *folder, const char *name)
{
    size_t folder_size = folder != NULL ? strlen(folder) : 0;
    size_t name_size = strlen(name) + 1;
    char *both = malloc(folder_size + 1 + name_size);
    if (both == NULL) return NULL;
    char *at = both;
    if (folder != NULL) {
        memcpy(at, folder, folder_size);
        at += folder_size;
        *at++ = '/';
    }
    memcpy(at, name, name_size);
    return both;
}

static dnnl_status_t create_headers(const struct header_set *set,
        const char *folder, cl_context context, struct header_programs *out)
{
    dnnl_status_t st = dnnl_success;
    out->count = set->count;
    out->programs = calloc(set->count, sizeof *out->programs);
    out->names = calloc(set->count, sizeof *out->names);
    if (out->programs == NULL || out->names == NULL) return dnnl_out_of_memory;
    for (size_t i = 0; i < set->count && st == dnnl_success; i++) {
        const struct header *h = &set->list[i];
        out->names[i] = name_in(folder, h->name);
        st = out->names[i] != NULL ? create_rewritten(set, folder, h->name,
                     h->text, h->size, context, &out->programs[i])
                                   : dnnl_out_of_memory;
    }
    return st;
}

/* All sources, and what goes behind them, as the one text the compiler sees. */
static dnnl_status_t create_joined(const struct program_text *text,
        const char *behind, const char *folder, cl_context context,
        cl_program *out)
{
    struct buffer joined = {NULL, 0, 0, false};
    for (size_t i = 0; i < text->source_count; i++)
        buffer_append(&joined, text->sources[i], source_length(text, i));
    buffer_append(&joined, behind, strlen(behind));
    dnnl_status_t st = buffer_status(&joined);
    if (st == dnnl_success)
        st = create_rewritten(text->headers, folder, NULL,
                (const char *)joined.data, joined.size, context, out);
    buffer_fini(&joined);
    return st;
}

/* Without its NUL. */
static dnnl_status_t append_log(
        cl_program cl, cl_device_id device, struct buffer *out)
{
    struct buffer log = {NULL, 0, 0, false};
    /* A log less is no failure. */
    if (program_binary_log(cl, device, &log) == dnnl_success)
        buffer_append(out, log.data, log.size - 1);
    buffer_fini(&log);
    return buffer_status(out);
}

/* Headers reach a compiler by clCompileProgram only; options are its. What
 * may be said to the linker concerns libraries. */
static dnnl_status_t compile_and_link(const struct program_text *text,
        const char *options, const char *marks, cl_context context,
        cl_device_id device, struct buffer *first_log,
        struct shared_text **note, cl_program *out)
{
    struct header_programs headers = {NULL, NULL, 0};
    cl_program object = NULL;
    cl_program linked = NULL;
    cl_int error;
    char prefix[HEADER_PREFIX_SIZE];
    char variable[build_mark_variable_size] = "";
    const char *folder = NULL;
    if (marks[0] != '\0' && driver_is(device, POCL_PLATFORM_NAME))
        build_mark_write_variable(variable, marks);
    if (!text->has_plain_headers) {
        header_set_prefix(text->headers, prefix);
        folder = prefix;
    }
    dnnl_status_t st = create_headers(text->headers, folder, context, &headers);
    if (st == dnnl_success)
        st = create_joined(text, variable, folder, context, &object);
    if (st != dnnl_success) goto out;
    error = clCompileProgram(object, 1, &device, options,
            (cl_uint)headers.count, headers.programs,
            (const char **)headers.names, NULL, NULL);
    st = compiler_status(error, "clCompileProgram", object, device, note);
    if (st == dnnl_success) st = append_log(object, device, first_log);
    if (st != dnnl_success) goto out;
    linked = clLinkProgram(
            context, 1, &device, "", 1, &object, NULL, NULL, &error);
    st = compiler_status(error, "clLinkProgram", linked, device, note);
    if (st != dnnl_success) goto out;
    *out = linked;
    linked = NULL;
out:
    if (linked != NULL) clReleaseProgram(linked);
    if (object != NULL) clReleaseProgram(object);
    header_programs_fini(&headers);
    return st;
}

static dnnl_status_t build(const struct program_text *text, const char *options,
        cl_context context, cl_device_id device, struct shared_text **note,
        cl_program *out)
{
    cl_program cl;
    dnnl_status_t st =
            text->il != NULL ? il_create_program(context, device, text->il,
                    text->il_size, text->constants, text->constant_count, &cl)
                             : create_from_sources(text, context, &cl);
    if (st != dnnl_success) return st;
    st = compiler_status(clBuildProgram(cl, 1, &device, options, NULL, NULL),
            "clBuildProgram", cl, device, note);
    if (st == dnnl_success) {
        *out = cl;
    } else {
        name_options(text);
        clReleaseProgram(cl);
    }
    return st;
}

dnnl_status_t program_text_compile(const struct program_text *text,
        const char *marks, cl_context context, cl_device_id device,
        struct buffer *first_log, struct shared_text **note, cl_program *out)
{
    dnnl_status_t st;
    char *marked = NULL;
    const char *options = text->options;
    if (marks[0] != '\0') {
        marked = build_marks_put(marks, options);
        if (marked == NULL) return dnnl_out_of_memory;
        options = marked;
    }
    if (text->headers != NULL && text->headers->count > 0) {
        st = compile_and_link(
                text, options, marks, context, device, first_log, note, out);
        if (st != dnnl_success) name_options(text);
    } else {
        st = build(text, options, context, device, note, out);
    }
    free(marked);
    return st;
}
