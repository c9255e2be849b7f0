/* SPDX-License-Identifier: Apache-2.0 */
#include "src/binaries/describe.h"

#include "src/binaries/binary_form.h"
#include "src/blob/included.h"

/* Public values and those of the format are converted by assignment. */
_Static_assert(
        (int)blob_codec_none == (int)dnnl_cache_compression_none
                && (int)blob_codec_zstd == (int)dnnl_cache_compression_zstd,
        "codecs are told as dnnl_cache_compression_t");

static dnnl_cache_blob_part_t part_of(
        dnnl_cache_blob_part_kind_t kind, uint32_t index, const char *name)
{
    dnnl_cache_blob_part_t part = {.struct_size = sizeof part,
            .kind = kind,
            .index = index,
            .name = name};
    return part;
}

static dnnl_status_t tell_section(const struct blob_view *view, uint32_t index,
        dnnl_cache_blob_part_callback_t callback, void *user)
{
    struct blob_section section;
    dnnl_status_t st = blob_view_section(view, index, &section);
    if (st != dnnl_success) return st;
    dnnl_cache_blob_part_t part =
            part_of(dnnl_cache_blob_part_section, index, section.name);
    part.tag = section.tag;
    part.bytes = section.size;
    part.stored_bytes = section.size;
    return callback(&part, user);
}

static dnnl_status_t tell_program(const struct blob_view *view, uint32_t index,
        dnnl_cache_blob_part_callback_t callback, void *user)
{
    struct blob_program program;
    dnnl_status_t st = blob_view_program(view, index, &program);
    if (st != dnnl_success) return st;
    dnnl_cache_blob_part_t part =
            part_of(dnnl_cache_blob_part_program, index, "");
    part.program = index;
    part.bytes = program.raw_size;
    part.stored_bytes = program.binary_size;
    part.compression = (dnnl_cache_compression_t)program.codec;
    part.id_size = program.id_size;
    part.id = program.id;
    part.build_log_size = program.log_size;
    part.build_log = program.log;
    part.finaliser = program.finaliser;
    part.finaliser_size = program.finaliser_size;
    part.finalised_bytes = program.final_raw_size;
    part.finalised_stored_bytes = program.final_size;
    return callback(&part, user);
}

static dnnl_status_t tell_kernel(const struct blob_view *view, uint32_t index,
        dnnl_cache_blob_part_callback_t callback, void *user)
{
    struct blob_kernel kernel;
    dnnl_status_t st = blob_view_kernel(view, index, &kernel);
    if (st != dnnl_success) return st;
    dnnl_cache_blob_part_t part =
            part_of(dnnl_cache_blob_part_kernel, index, kernel.name);
    part.program = kernel.program;
    part.bytes = kernel.facts_size;
    part.stored_bytes = kernel.facts_size;
    /* Those of a primitive's blob are its own. */
    if (view->kind == blob_kind_program && kernel.facts_size > 0
            && kernel.facts[kernel.facts_size - 1] == 0)
        part.launches = (const char *)kernel.facts;
    return callback(&part, user);
}

static dnnl_status_t tell_files(const struct blob_view *view,
        dnnl_cache_blob_part_callback_t callback, void *user)
{
    struct included_file file;
    dnnl_status_t st = dnnl_success;
    size_t at = 0;
    for (uint32_t i = 0;
            st == dnnl_success
            && included_next(&file, &at, view->included, view->included_size);
            i++) {
        dnnl_cache_blob_part_t part =
                part_of(dnnl_cache_blob_part_file, i, file.name);
        part.id_size = included_digest_size;
        part.id = file.digest;
        st = callback(&part, user);
    }
    return st;
}

dnnl_status_t blob_describe(const struct blob_view *view,
        dnnl_cache_blob_part_callback_t callback, void *user)
{
    dnnl_status_t st = dnnl_success;
    for (uint32_t i = 0; st == dnnl_success && i < view->section_count; i++)
        st = tell_section(view, i, callback, user);
    for (uint32_t i = 0; st == dnnl_success && i < view->program_count; i++)
        st = tell_program(view, i, callback, user);
    for (uint32_t i = 0; st == dnnl_success && i < view->kernel_count; i++)
        st = tell_kernel(view, i, callback, user);
    return st == dnnl_success ? tell_files(view, callback, user) : st;
}
