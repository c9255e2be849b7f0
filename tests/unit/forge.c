/* SPDX-License-Identifier: Apache-2.0 */
#include "forge.h"

#include "src/blob/format.h"
#include "src/blob/writer.h"
#include "src/common/byte_order.h"
#include "src/common/hash.h"

#include <stdlib.h>
#include <string.h>

static void *allocate(size_t size)
{
    void *data = calloc(1, size + 1);
    if (data == NULL) abort();
    return data;
}

/* ---- Samples ------------------------------------------------------------- */

static void put_device(struct id_builder *b)
{
    id_put_string(b, id_device_name, "Sample GPU");
    id_put_u32(b, id_address_bits, 64);
    id_put_string(b, id_driver_environment, "A=1");
    id_put_string(b, id_driver_environment, "B=2");
}

static void start_id(struct id_builder *b, enum blob_kind kind)
{
    id_builder_init(b, kind);
    id_put_string(b, id_library_version, "0.1.0");
    put_device(b);
}

static void put_text(
        struct id_builder *b, const char *source, const char *options)
{
    id_put_digest(b, id_source, source, strlen(source));
    id_put_string(b, id_build_options, options);
}

static void put_program(
        struct id_builder *b, const char *source, const char *options)
{
    start_id(b, blob_kind_program);
    put_text(b, source, options);
}

static void fill_ids(struct sample *s, enum blob_kind kind)
{
    put_program(&s->ids[1], "kernel void copy() {}", "-cl-std=CL3.0");
    put_program(&s->ids[2], "kernel void fill() {}", "");
    start_id(&s->ids[0], kind);
    if (kind == blob_kind_primitive) {
        const uint8_t desc[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
        id_put_u32(&s->ids[0], id_primitive_kind, 7);
        id_put(&s->ids[0], id_op_desc, desc, sizeof desc);
    }
    for (size_t i = 0; i < 3; i++)
        if (id_builder_status(&s->ids[i]) != dnnl_success) abort();
}

static void fill_programs(struct sample *s)
{
    static const uint8_t plain[] = "thirteen byte";
    /* One zstd frame of one run: a hundred times 'x'. */
    static const uint8_t frame[] = {
            0x28, 0xb5, 0x2f, 0xfd, 0x20, 100, 0x23, 0x03, 0x00, 'x'};
    static const char log[] = "warning: a sample\n";
    s->programs[0] = (struct blob_program){.id = s->ids[1].bytes.data,
            .id_size = s->ids[1].bytes.size,
            .binary = plain,
            .binary_size = 13,
            .raw_size = 13,
            .codec = blob_codec_none,
            .backend = blob_backend_opencl,
            .log = log,
            .log_size = strlen(log)};
    s->programs[1] = (struct blob_program){.id = s->ids[2].bytes.data,
            .id_size = s->ids[2].bytes.size,
            .binary = frame,
            .binary_size = sizeof frame,
            .raw_size = 100,
            .codec = blob_codec_zstd,
            .backend = blob_backend_opencl};
}

static void fill_kernels(struct sample *s)
{
    static const uint8_t facts[] = {1, 2, 3, 4, 5, 6, 7, 8};
    s->kernels[0] = (struct blob_kernel){0, "copy", 4, facts, 5};
    s->kernels[1] = (struct blob_kernel){1, "fill", 4, NULL, 0};
    s->kernels[2] = (struct blob_kernel){1, "copy", 4, facts, 8};
}

static void write_sample(struct sample *s)
{
    const struct blob_contents *c = &s->contents;
    free(s->blob);
    if (blob_write(c, NULL, 0, &s->size) != dnnl_success) abort();
    s->blob = allocate(s->size);
    if (blob_write(c, s->blob, s->size, &s->size) != dnnl_success) abort();
}

void sample_init(struct sample *s, enum blob_kind kind)
{
    static const uint8_t engine_facts[] = "twenty-four bytes, facts";
    *s = (struct sample){0};
    fill_ids(s, kind);
    fill_programs(s);
    fill_kernels(s);
    struct blob_contents *c = &s->contents;
    c->kind = kind;
    c->id = s->ids[0].bytes.data;
    c->id_size = s->ids[0].bytes.size;
    if (kind == blob_kind_engine) {
        c->engine_facts = engine_facts;
        c->engine_facts_size = 24;
    } else if (kind == blob_kind_primitive) {
        c->programs = s->programs;
        c->program_count = 2;
        c->kernels = s->kernels;
        c->kernel_count = 3;
    } else {
        c->id = s->ids[1].bytes.data;
        c->id_size = s->ids[1].bytes.size;
        c->programs = s->programs;
        c->program_count = 1;
    }
    write_sample(s);
}

void sample_init_with_user_data(struct sample *s)
{
    static const uint8_t user_data[] = "eighteen \0 of user";
    sample_init(s, blob_kind_program);
    s->contents.user_data = user_data;
    s->contents.user_data_size = 18;
    write_sample(s);
}

void sample_init_with_included(struct sample *s)
{
    static const uint8_t section[] = {2, 0, 0, 0, 0, 0, 0, 0, 0x39, 0x91, 0x8a,
            0x1f, 0x7d, 0x13, 0x47, 0xdf, 0xf3, 0x24, 0x39, 0xfe, 0xa7, 0x08,
            0x3a, 0x14, 6, 0, 't', 'i', 'l', 'e', '.', 'h', 0, 0x0e, 0x57, 0x51,
            0xc0, 0x26, 0xe5, 0x43, 0xb2, 0xe8, 0xab, 0x2e, 0xb0, 0x60, 0x99,
            0xda, 0xa1, 11, 0, 'm', 'a', 't', 'h', '/', 'h', 'a', 'l', 'f', '.',
            'h', 0};
    sample_init(s, blob_kind_program);
    s->contents.included = section;
    s->contents.included_size = sizeof section;
    write_sample(s);
}

void sample_init_applications(struct sample *s)
{
    struct id_builder *id = &s->ids[0];
    sample_init(s, blob_kind_program);
    id_builder_fini(id);
    id_builder_init(id, blob_kind_program);
    id_put_u32(id, id_blob_format_version, 1);
    id_put_u32(id, id_capture_version, 1);
    id_put_u32(id, id_finaliser_version, 0);
    id_put_u32(id, id_identity_version, 1);
    id_put_u32(id, id_include_scanner_version, 1);
    put_device(id);
    put_text(id, "kernel void copy() {}", "-cl-std=CL3.0");
    s->contents.id = s->programs[0].id = id->bytes.data;
    s->contents.id_size = s->programs[0].id_size = id->bytes.size;
    write_sample(s);
}

void sample_init_finalised(struct sample *s, enum blob_kind kind)
{
    static const uint8_t form[] = "eleven byte";
    sample_init(s, kind);
    s->programs[0].finaliser = "sample 1";
    s->programs[0].finaliser_size = 8;
    s->programs[0].final_binary = form;
    s->programs[0].final_size = 11;
    s->programs[0].final_raw_size = 11;
    if (kind == blob_kind_primitive) { /* the binary itself is one */
        s->programs[1].finaliser = "sample 2";
        s->programs[1].finaliser_size = 8;
    }
    write_sample(s);
}

void sample_fini(struct sample *s)
{
    for (size_t i = 0; i < 3; i++)
        id_builder_fini(&s->ids[i]);
    free(s->blob);
}

/* ---- Forgeries
 * ----------------------------------------------------------- */

void forge_repair(uint8_t *blob, size_t size)
{
    if (size < format_header_size) return;
    store_le64(blob + format_at_total_size, size);
    const struct hash_part parts[] = {
            {blob, format_at_checksum},
            {blob + format_header_size, size - format_header_size},
    };
    struct digest128 checksum = hash128_parts(parts, 2);
    memcpy(blob + format_at_checksum, checksum.bytes, sizeof checksum.bytes);
}

static size_t align(size_t at)
{
    return at + (0 - at) % FORMAT_ALIGNMENT;
}

uint8_t *forge_blob(uint32_t kind, const struct forge_section *sections,
        uint32_t count, size_t *size)
{
    static const uint8_t magic[8] = FORMAT_MAGIC;
    size_t at = format_header_size + (size_t)format_section_size * count;
    size_t end = at;
    for (uint32_t i = 0; i < count; i++)
        end = align(end) + sections[i].size;
    uint8_t *blob = allocate(end);
    memcpy(blob, magic, sizeof magic);
    store_le32(blob + format_at_version, BLOB_FORMAT_VERSION);
    store_le32(blob + format_at_kind, kind);
    store_le32(blob + format_at_section_count, count);
    for (uint32_t i = 0; i < count; i++) {
        uint8_t *entry =
                blob + format_header_size + (size_t)format_section_size * i;
        at = align(at);
        store_le32(entry + format_section_at_tag, sections[i].tag);
        store_le32(entry + format_section_at_flags, sections[i].flags);
        store_le64(entry + format_section_at_offset, at);
        store_le64(entry + format_section_at_size, sections[i].size);
        if (sections[i].size != 0)
            memcpy(blob + at, sections[i].data, sections[i].size);
        at += sections[i].size;
    }
    forge_repair(blob, end);
    *size = end;
    return blob;
}

size_t forge_find(const uint8_t *blob, uint32_t tag, size_t *size)
{
    uint32_t count = load_le32(blob + format_at_section_count);
    for (uint32_t i = 0; i < count; i++) {
        const uint8_t *entry =
                blob + format_header_size + (size_t)format_section_size * i;
        if (load_le32(entry + format_section_at_tag) != tag) continue;
        if (size != NULL)
            *size = (size_t)load_le64(entry + format_section_at_size);
        return (size_t)load_le64(entry + format_section_at_offset);
    }
    abort();
}

/* ---- Soundness
 * ----------------------------------------------------------- */

/* Whether a text ends with a NUL where the reader promises one. */
static bool is_terminated(const char *text, size_t size)
{
    return size == 0 || text[size] == '\0';
}

static bool is_known(uint32_t tag)
{
    return tag == format_tag_id || tag == format_tag_programs
           || tag == format_tag_kernels || tag == format_tag_engine_facts
           || tag == format_tag_logs || tag == format_tag_user_data
           || tag == format_tag_included || tag == format_tag_binaries
           || tag == format_tag_finalised;
}

/* Whether the bytes are those of the view without what the reader ignores.
 */
static bool is_essence(
        const struct blob_view *view, const uint8_t *bytes, size_t size)
{
    struct forge_section sections[BLOB_MAX_SECTIONS];
    uint32_t count = 0;
    for (uint32_t i = 0; i < view->section_count; i++) {
        const uint8_t *e = view->data + format_header_size
                           + (size_t)format_section_size * i;
        uint32_t tag = load_le32(e + format_section_at_tag);
        if (!is_known(tag)) continue;
        sections[count++] = (struct forge_section){tag,
                load_le32(e + format_section_at_flags),
                view->data + load_le64(e + format_section_at_offset),
                (size_t)load_le64(e + format_section_at_size)};
    }
    if (count == view->section_count)
        return size == view->size && memcmp(bytes, view->data, size) == 0;
    size_t expected_size;
    uint8_t *expected =
            forge_blob((uint32_t)view->kind, sections, count, &expected_size);
    bool same = size == expected_size && memcmp(bytes, expected, size) == 0;
    free(expected);
    return same;
}

bool forge_view_is_sound(const struct blob_view *view)
{
    struct blob_program *programs =
            allocate(view->program_count * sizeof *programs);
    struct blob_kernel *kernels =
            allocate(view->kernel_count * sizeof *kernels);
    uint8_t *again = NULL;
    bool sound = true;
    for (uint32_t i = 0; sound && i < view->program_count; i++)
        sound = blob_view_program(view, i, &programs[i]) == dnnl_success
                && (programs[i].binary - view->data) % 8 == 0
                && is_terminated(programs[i].log, programs[i].log_size)
                && is_terminated(
                        programs[i].finaliser, programs[i].finaliser_size)
                && (programs[i].final_binary == NULL
                        || (programs[i].final_binary - view->data) % 8 == 0);
    for (uint32_t i = 0; sound && i < view->kernel_count; i++)
        sound = blob_view_kernel(view, i, &kernels[i]) == dnnl_success
                && strlen(kernels[i].name) == kernels[i].name_size;
    const struct blob_contents contents = {view->kind, view->id, view->id_size,
            programs, view->program_count, kernels, view->kernel_count,
            view->engine_facts, view->engine_facts_size, view->user_data,
            view->user_data_size, view->included, view->included_size};
    size_t size = 0;
    if (!sound || blob_write(&contents, NULL, 0, &size) != dnnl_success) {
        sound = false;
        goto out;
    }
    again = allocate(size);
    sound = blob_write(&contents, again, size, &size) == dnnl_success
            && is_essence(view, again, size);
out:
    free(programs);
    free(kernels);
    free(again);
    return sound;
}
