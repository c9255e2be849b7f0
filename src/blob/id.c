/* SPDX-License-Identifier: Apache-2.0 */
#include "src/blob/id.h"

#include "src/common/byte_order.h"
#include "src/common/hash.h"

#include <string.h>

static const uint8_t magic[4] = {'D', 'C', 'I', 'D'};

/* By ascending tag, which is the order id_diff() names differences in. */
static const struct {
    uint16_t tag;
    bool text;
    const char *name;
} known[] = {
        {id_library_version, true, "library_version"},
        {id_library_source_digest, true, "library_source_digest"},
        {id_library_git_hash, true, "library_git_hash"},
        {id_blob_format_version, false, "blob_format_version"},
        {id_capture_version, false, "capture_version"},
        {id_finaliser_version, false, "finaliser_version"},
        {id_identity_version, false, "identity_version"},
        {id_include_scanner_version, false, "include_scanner_version"},
        {id_backend, false, "backend"},
        {id_platform_name, true, "platform_name"},
        {id_platform_vendor, true, "platform_vendor"},
        {id_platform_version, true, "platform_version"},
        {id_platform_profile, true, "platform_profile"},
        {id_device_name, true, "device_name"},
        {id_device_vendor, true, "device_vendor"},
        {id_device_vendor_id, false, "device_vendor_id"},
        {id_device_version, true, "device_version"},
        {id_opencl_c_version, true, "opencl_c_version"},
        {id_device_type, false, "device_type"},
        {id_address_bits, false, "address_bits"},
        {id_byte_order, false, "byte_order"},
        {id_device_extensions, false, "device_extensions"},
        {id_device_limits, false, "device_limits"},
        {id_device_features, false, "device_features"},
        {id_processor, true, "processor"},
        {id_processor_features, false, "processor_features"},
        {id_nv_compute_capability, false, "nv_compute_capability"},
        {id_intel_ip_version, false, "intel_ip_version"},
        {id_intel_device_id, false, "intel_device_id"},
        {id_intel_stepping, false, "intel_stepping"},
        {id_amd_isa_name, true, "amd_isa_name"},
        {id_amd_pcie_id, false, "amd_pcie_id"},
        {id_driver_uuid, false, "driver_uuid"},
        {id_device_ip_version, false, "device_ip_version"},
        {id_driver_version, true, "driver_version"},
        {id_driver_build, true, "driver_build"},
        {id_driver_environment, true, "driver_environment"},
        {id_driver_components, false, "driver_components"},
        {id_finaliser, true, "finaliser"},
        {id_process_bits, false, "process_bits"},
        {id_engine_facts, false, "engine_facts"},
        {id_primitive_kind, false, "primitive_kind"},
        {id_implementation, false, "implementation"},
        {id_implementation_name, true, "implementation_name"},
        {id_op_desc, false, "op_desc"},
        {id_memory_desc, false, "memory_desc"},
        {id_attributes, false, "attributes"},
        {id_post_ops, false, "post_ops"},
        {id_source, false, "source"},
        {id_il, false, "il"},
        {id_il_version, true, "il_version"},
        {id_header_name, true, "header_name"},
        {id_header, false, "header"},
        {id_build_options, true, "build_options"},
        {id_spec_constant, false, "spec_constant"},
        {id_application_key, false, "application_key"},
        {id_includes, false, "includes"},
};

enum { known_count = sizeof known / sizeof known[0] };

/* Index into `known`; known_count if the tag is not in it. */
static size_t find_tag(uint16_t tag)
{
    size_t i = 0;
    while (i < known_count && known[i].tag != tag)
        i++;
    return i;
}

const char *id_field_name(uint16_t tag)
{
    size_t i = find_tag(tag);
    return i < known_count ? known[i].name : "unknown";
}

bool id_field_is_text(uint16_t tag)
{
    size_t i = find_tag(tag);
    return i < known_count && known[i].text;
}

/* ---- Building ------------------------------------------------------------ */

void id_builder_init(struct id_builder *b, enum blob_kind kind)
{
    buffer_init(&b->bytes);
    b->invalid = false;
    buffer_append(&b->bytes, magic, sizeof magic);
    buffer_append_u32(&b->bytes, ID_FORMAT_VERSION);
    buffer_append_u32(&b->bytes, (uint32_t)kind);
}

void id_builder_fini(struct id_builder *b)
{
    if (b != NULL) buffer_fini(&b->bytes);
}

void id_put(
        struct id_builder *b, enum id_tag tag, const void *data, size_t size)
{
    if (size > UINT32_MAX || (data == NULL && size != 0)) {
        b->invalid = true;
        return;
    }
    uint8_t *at = buffer_reserve(&b->bytes, ID_FIELD_HEADER_SIZE + size);
    if (at == NULL) return;
    uint8_t *value = id_field_begin(at, tag);
    if (size > 0) memcpy(value, data, size);
    b->bytes.size += (size_t)(id_field_end(value, value + size) - at);
}

void id_put_u32(struct id_builder *b, enum id_tag tag, uint32_t value)
{
    uint8_t bytes[4];
    store_le32(bytes, value);
    id_put(b, tag, bytes, sizeof bytes);
}

void id_put_u64(struct id_builder *b, enum id_tag tag, uint64_t value)
{
    uint8_t bytes[8];
    store_le64(bytes, value);
    id_put(b, tag, bytes, sizeof bytes);
}

void id_put_string(struct id_builder *b, enum id_tag tag, const char *text)
{
    if (text == NULL)
        b->invalid = true;
    else
        id_put(b, tag, text, strlen(text));
}

void id_put_digest(
        struct id_builder *b, enum id_tag tag, const void *data, size_t size)
{
    if (data == NULL && size != 0) {
        b->invalid = true;
        return;
    }
    struct digest256 digest = digest256_of(data, size);
    id_put(b, tag, digest.bytes, sizeof digest.bytes);
}

/* The size of the field at the cursor, head included; 0 if there is none. */
static size_t frame_size(const uint8_t *cursor, const uint8_t *end)
{
    const size_t left = (size_t)(end - cursor);
    if (left < ID_FIELD_HEADER_SIZE || load_le16(cursor + 2) != 0) return 0;
    const uint32_t size = load_le32(cursor + 4);
    return size <= left - ID_FIELD_HEADER_SIZE ? ID_FIELD_HEADER_SIZE + size
                                               : 0;
}

/* Whether the bytes are whole fields, one after the other. */
static bool fields_are_framed(const uint8_t *cursor, const uint8_t *end)
{
    while (cursor != end) {
        const size_t size = frame_size(cursor, end);
        if (size == 0) return false;
        cursor += size;
    }
    return true;
}

void id_put_fields(struct id_builder *b, const uint8_t *fields, size_t size)
{
    if (size == 0) return;
    if (fields == NULL || !fields_are_framed(fields, fields + size))
        b->invalid = true;
    else
        buffer_append(&b->bytes, fields, size);
}

dnnl_status_t id_builder_status(const struct id_builder *b)
{
    return b->invalid ? dnnl_invalid_arguments : buffer_status(&b->bytes);
}

/* ---- Reading ------------------------------------------------------------- */

/* The head alone; *kind is written on success. */
static dnnl_status_t read_head(
        enum blob_kind *kind, const uint8_t *id, size_t size)
{
    if (id == NULL || size == 0) return dnnl_invalid_arguments;
    if (size < ID_HEADER_SIZE || memcmp(id, magic, sizeof magic) != 0)
        return dnnl_cache_blob_corrupt;
    const uint32_t version = load_le32(id + 4);
    if (version > ID_FORMAT_VERSION) return dnnl_cache_blob_unsupported;
    const uint32_t number = load_le32(id + 8);
    if (version != ID_FORMAT_VERSION || number < blob_kind_engine
            || number > blob_kind_program)
        return dnnl_cache_blob_corrupt;
    *kind = (enum blob_kind)number;
    return dnnl_success;
}

dnnl_status_t id_reader_init(
        struct id_reader *r, const uint8_t *id, size_t size)
{
    enum blob_kind kind;
    if (r == NULL) return dnnl_invalid_arguments;
    dnnl_status_t st = read_head(&kind, id, size);
    if (st != dnnl_success) return st;
    if (!fields_are_framed(id + ID_HEADER_SIZE, id + size))
        return dnnl_cache_blob_corrupt;
    *r = (struct id_reader){kind, id + ID_HEADER_SIZE, id + size};
    return dnnl_success;
}

dnnl_status_t id_reader_init_at(
        struct id_reader *r, const uint8_t *id, size_t size, size_t at)
{
    enum blob_kind kind;
    if (at == 0) return id_reader_init(r, id, size);
    if (r == NULL) return dnnl_invalid_arguments;
    dnnl_status_t st = read_head(&kind, id, size);
    if (st != dnnl_success) return st;
    if (at < ID_HEADER_SIZE || at > size
            || (at < size && frame_size(id + at, id + size) == 0))
        return dnnl_invalid_arguments;
    *r = (struct id_reader){kind, id + at, id + size};
    return dnnl_success;
}

bool id_reader_next(struct id_reader *r, struct id_field *field)
{
    if (r->cursor == r->end) return false;
    field->tag = load_le16(r->cursor);
    field->size = load_le32(r->cursor + 4);
    field->value = r->cursor + ID_FIELD_HEADER_SIZE;
    r->cursor = field->value + field->size;
    return true;
}

dnnl_status_t id_fields(const uint8_t *id, size_t size, const uint8_t **fields,
        size_t *fields_size)
{
    if (fields == NULL || fields_size == NULL) return dnnl_invalid_arguments;
    struct id_reader reader;
    dnnl_status_t st = id_reader_init(&reader, id, size);
    if (st != dnnl_success) return st;
    *fields = reader.cursor;
    *fields_size = (size_t)(reader.end - reader.cursor);
    return dnnl_success;
}

/* ---- Comparing ----------------------------------------------------------- */

/* Whether a tag is known[wanted]'s or, for known_count, not known at all. */
static bool is_wanted(uint16_t tag, size_t wanted)
{
    if (wanted < known_count) return tag == known[wanted].tag;
    return find_tag(tag) == known_count;
}

/* Steps to the next field that is wanted. */
static bool next_wanted(
        struct id_reader *r, size_t wanted, struct id_field *field)
{
    while (id_reader_next(r, field))
        if (is_wanted(field->tag, wanted)) return true;
    return false;
}

/* Whether both IDs hold the same list of wanted fields. */
static bool same_fields(struct id_reader a, struct id_reader b, size_t wanted)
{
    for (;;) {
        struct id_field in_a = {0};
        struct id_field in_b = {0};
        bool more = next_wanted(&a, wanted, &in_a);
        if (next_wanted(&b, wanted, &in_b) != more) return false;
        if (!more) return true;
        if (in_a.tag != in_b.tag || in_a.size != in_b.size
                || memcmp(in_a.value, in_b.value, in_a.size) != 0)
            return false;
    }
}

/* Where id_diff() writes. */
struct names {
    const char **names;
    size_t capacity;
    size_t count;
};

static void add_name(struct names *to, const char *name)
{
    if (to->count < to->capacity) to->names[to->count] = name;
    to->count++;
}

size_t id_diff(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size,
        const char **names, size_t capacity)
{
    if (a == NULL) a_size = 0;
    if (b == NULL) b_size = 0;
    if (a_size == b_size && (a_size == 0 || memcmp(a, b, a_size) == 0))
        return 0;
    struct names found = {names, capacity, 0};
    struct id_reader in_a;
    struct id_reader in_b;
    if (id_reader_init(&in_a, a, a_size) != dnnl_success
            || id_reader_init(&in_b, b, b_size) != dnnl_success) {
        add_name(&found, "format");
        return found.count;
    }
    if (in_a.kind != in_b.kind) add_name(&found, "kind");
    for (size_t wanted = 0; wanted <= known_count; wanted++)
        if (!same_fields(in_a, in_b, wanted))
            add_name(&found,
                    wanted < known_count ? known[wanted].name : "unknown");
    if (found.count == 0) add_name(&found, "order");
    return found.count;
}
