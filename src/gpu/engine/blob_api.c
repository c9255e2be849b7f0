/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Looking into blobs and IDs.
 */
#include "src/binaries/binary_form.h"
#include "src/binaries/describe.h"
#include "src/blob/codec.h"
#include "src/blob/id.h"
#include "src/blob/reader.h"
#include "src/common/log.h"
#include "src/gpu/engine/blob_match.h"
#include "src/gpu/engine/engine.h"
#include "src/gpu/engine/output.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_NAMES = 128 };

/* Reads a blob that somebody wants to look into; why it is none is for those
 * who listen. */
static dnnl_status_t look(struct blob_view *view, const uint8_t *cache_blob,
        size_t size, const char *what)
{
    struct blob_reason reason = {""};
    dnnl_status_t st = blob_read(view, cache_blob, size, &reason);
    if (st != dnnl_success)
        log_message(dnnl_cache_log_info, "blob", "%s: %s", what, reason.text);
    return st;
}

dnnl_status_t dnnl_cache_blob_inspect(
        size_t size, const uint8_t *cache_blob, dnnl_cache_blob_info_t *info)
{
    if (size == 0 || cache_blob == NULL || info == NULL)
        return dnnl_invalid_arguments;
    struct blob_view view;
    dnnl_status_t st = look(&view, cache_blob, size, "inspect");
    if (st != dnnl_success) return st;
    dnnl_cache_blob_info_t now = {.struct_size = sizeof now,
            .kind = (dnnl_cache_blob_kind_t)view.kind,
            .format_version = view.format_version,
            .total_size = view.size,
            .section_count = view.section_count,
            .program_count = view.program_count,
            .kernel_count = view.kernel_count,
            .binary_bytes = view.binary_bytes,
            .stored_bytes = view.stored_bytes,
            .id_size = view.id_size,
            .id = view.id,
            .user_data_size = view.user_data_size,
            .user_data = view.user_data,
            .finalised_count = view.finalised_count,
            .finalised_bytes = view.finalised_bytes};
    struct blob_program program;
    if (view.program_count > 0
            && blob_view_program(&view, 0, &program) == dnnl_success) {
        now.build_log = program.log;
        now.build_log_size = program.log_size;
        now.binary_size = program.binary_size;
        now.binary = program.binary;
        now.binary_compression = (dnnl_cache_compression_t)program.codec;
    }
    return output_struct(&now, sizeof now, info);
}

dnnl_status_t dnnl_cache_blob_describe(size_t size, const uint8_t *cache_blob,
        dnnl_cache_blob_part_callback_t callback, void *user)
{
    if (size == 0 || cache_blob == NULL || callback == NULL)
        return dnnl_invalid_arguments;
    struct blob_view view;
    dnnl_status_t st = look(&view, cache_blob, size, "describe");
    return st == dnnl_success ? blob_describe(&view, callback, user) : st;
}

dnnl_status_t dnnl_cache_blob_get_binary_text(size_t size,
        const uint8_t *cache_blob, uint32_t index,
        char text[DNNL_CACHE_BINARY_TEXT_SIZE])
{
    if (size == 0 || cache_blob == NULL || text == NULL)
        return dnnl_invalid_arguments;
    struct blob_view view;
    struct blob_program program;
    dnnl_status_t st = look(&view, cache_blob, size, "binary");
    if (st == dnnl_success) st = blob_view_program(&view, index, &program);
    if (st == dnnl_success) binary_form_describe(&program, text);
    return st;
}

/* Decodes to memory of its own first: a call that fails writes nothing. */
static dnnl_status_t give_decoded(
        const struct blob_program *program, size_t *size, uint8_t *out)
{
    size_t raw_size = (size_t)program->raw_size;
    if (out == NULL || *size < raw_size)
        return output_bytes(NULL, raw_size, size, out);
    uint8_t *decoded = malloc(raw_size);
    if (decoded == NULL) return dnnl_out_of_memory;
    dnnl_status_t st = codec_decode((enum blob_codec)program->codec,
            program->binary, program->binary_size, decoded, raw_size);
    if (st == dnnl_success) st = output_bytes(decoded, raw_size, size, out);
    free(decoded);
    return st;
}

dnnl_status_t dnnl_cache_blob_get_program_binary(size_t size,
        const uint8_t *cache_blob, uint32_t index, size_t *binary_size,
        uint8_t *binary)
{
    if (size == 0 || cache_blob == NULL || binary_size == NULL)
        return dnnl_invalid_arguments;
    struct blob_view view;
    struct blob_program program;
    dnnl_status_t st = look(&view, cache_blob, size, "binary");
    if (st == dnnl_success) st = blob_view_program(&view, index, &program);
    if (st != dnnl_success) return st;
    if (program.codec == blob_codec_none)
        return output_bytes(
                program.binary, program.binary_size, binary_size, binary);
    return give_decoded(&program, binary_size, binary);
}

/* The fields of an ID that speak of library, platform, device and driver: they
 * come first, in the order of their tags. */
static bool is_device_field(uint16_t tag)
{
    return tag < id_engine_facts;
}

/* Writes an engine ID made of the device's fields of any ID. */
static dnnl_status_t device_part(
        const uint8_t *id, size_t size, struct id_builder *out)
{
    struct id_reader reader;
    struct id_field field;
    dnnl_status_t st = id_reader_init(&reader, id, size);
    if (st != dnnl_success) return st;
    id_builder_init(out, blob_kind_engine);
    while (id_reader_next(&reader, &field))
        if (is_device_field(field.tag))
            id_put(out, (enum id_tag)field.tag, field.value, field.size);
    return id_builder_status(out);
}

dnnl_status_t dnnl_cache_blob_check(
        dnnl_engine_t engine, size_t size, const uint8_t *cache_blob)
{
    if (engine == NULL || size == 0 || cache_blob == NULL
            || engine->kind != dnnl_gpu)
        return dnnl_invalid_arguments;
    struct blob_view view;
    struct blob_reason reason = {""};
    const struct device_identity *identity;
    struct id_builder theirs = {{NULL, 0, 0, false}, false};
    struct id_builder ours = {{NULL, 0, 0, false}, false};
    dnnl_status_t st = blob_read(&view, cache_blob, size, &reason);
    if (st != dnnl_success) {
        blob_reject(st, reason.text, NULL);
        return st;
    }
    st = engine_identity(engine, &identity);
    if (st != dnnl_success) return st;
    const struct buffer *fields =
            device_fields_of(identity, view.id, view.id_size);
    st = device_part(view.id, view.id_size, &theirs);
    if (st == dnnl_success && fields->size > 0) {
        id_builder_init(&ours, blob_kind_engine);
        id_put_fields(&ours, fields->data, fields->size);
        st = id_builder_status(&ours);
    }
    if (st == dnnl_success) {
        view.id = theirs.bytes.data;
        view.id_size = theirs.bytes.size;
        st = blob_match_id(&view, ours.bytes.data, ours.bytes.size, NULL);
    }
    id_builder_fini(&theirs);
    id_builder_fini(&ours);
    return st;
}

static dnnl_status_t give_field(
        const struct id_field *read, dnnl_cache_id_field_t *field)
{
    const dnnl_cache_id_field_t now = {.struct_size = sizeof now,
            .tag = read->tag,
            .name = id_field_name(read->tag),
            .size = read->size,
            .value = read->value,
            .is_text = id_field_is_text(read->tag) ? 1 : 0};
    return output_struct(&now, sizeof now, field);
}

dnnl_status_t dnnl_cache_id_get_field(size_t size, const uint8_t *id,
        size_t index, dnnl_cache_id_field_t *field)
{
    if (size == 0 || id == NULL || field == NULL) return dnnl_invalid_arguments;
    struct id_reader reader;
    struct id_field read;
    dnnl_status_t st = id_reader_init(&reader, id, size);
    if (st != dnnl_success) return st;
    do
        if (!id_reader_next(&reader, &read)) return dnnl_not_required;
    while (index-- > 0);
    return give_field(&read, field);
}

dnnl_status_t dnnl_cache_id_next_field(size_t size, const uint8_t *id,
        size_t *position, dnnl_cache_id_field_t *field)
{
    if (size == 0 || id == NULL || position == NULL || field == NULL)
        return dnnl_invalid_arguments;
    struct id_reader reader;
    struct id_field read;
    dnnl_status_t st = id_reader_init_at(&reader, id, size, *position);
    if (st != dnnl_success) return st;
    if (!id_reader_next(&reader, &read)) return dnnl_not_required;
    st = give_field(&read, field);
    if (st == dnnl_success) *position = (size_t)(reader.cursor - id);
    return st;
}

dnnl_status_t dnnl_cache_id_diff(size_t size_a, const uint8_t *id_a,
        size_t size_b, const uint8_t *id_b, size_t *size, char *names)
{
    if (size_a == 0 || id_a == NULL || size_b == 0 || id_b == NULL
            || size == NULL)
        return dnnl_invalid_arguments;
    struct id_reader reader;
    if (id_reader_init(&reader, id_a, size_a) != dnnl_success
            || id_reader_init(&reader, id_b, size_b) != dnnl_success)
        return dnnl_cache_blob_corrupt;
    const char *list[MAX_NAMES];
    struct buffer text = {NULL, 0, 0, false};
    size_t count = id_diff(id_a, size_a, id_b, size_b, list, MAX_NAMES);
    for (size_t i = 0; i < count && i < MAX_NAMES; i++) {
        if (i > 0) buffer_append(&text, ", ", 2);
        buffer_append(&text, list[i], strlen(list[i]));
    }
    buffer_append_u8(&text, 0);
    dnnl_status_t st = buffer_status(&text);
    if (st == dnnl_success)
        st = output_bytes(text.data, text.size, size, names);
    buffer_fini(&text);
    return st;
}
