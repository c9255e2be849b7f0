/* SPDX-License-Identifier: Apache-2.0 */
#include "blob_edit.h"

#include "src/blob/writer.h"
#include "src/common/byte_order.h"

#include "test.h"

#include <stdlib.h>
#include <string.h>

static void must(bool ok)
{
    if (!ok) abort();
}

void blob_edit_open(struct blob_edit *edit, const struct bytes *blob)
{
    struct blob_view view;
    memset(edit, 0, sizeof *edit);
    edit->blob = bytes_copy(blob->data, blob->size);
    must(blob_read(&view, edit->blob.data, edit->blob.size, NULL)
            == dnnl_success);
    must(view.program_count <= 4 && view.kernel_count <= 8);
    edit->id = bytes_copy(view.id, view.id_size);
    for (uint32_t i = 0; i < view.program_count; i++) {
        must(blob_view_program(&view, i, &edit->programs[i]) == dnnl_success);
        /* A program's blob has its ID once. */
        if (edit->programs[i].id == view.id)
            edit->programs[i].id = edit->id.data;
    }
    for (uint32_t i = 0; i < view.kernel_count; i++)
        must(blob_view_kernel(&view, i, &edit->kernels[i]) == dnnl_success);
    edit->contents = (struct blob_contents){.kind = view.kind,
            .id = edit->id.data,
            .id_size = edit->id.size,
            .programs = edit->programs,
            .program_count = view.program_count,
            .kernels = edit->kernels,
            .kernel_count = view.kernel_count,
            .engine_facts = view.engine_facts,
            .engine_facts_size = view.engine_facts_size,
            .user_data = view.user_data,
            .user_data_size = view.user_data_size,
            .included = view.included,
            .included_size = view.included_size};
}

void blob_edit_close(struct blob_edit *edit)
{
    bytes_free(&edit->blob);
    bytes_free(&edit->id);
}

void blob_edit_id(struct blob_edit *edit, uint16_t tag)
{
    struct id_reader reader;
    struct id_field field = {0, NULL, 0};
    must(id_reader_init(&reader, edit->id.data, edit->id.size) == dnnl_success);
    while (field.tag != tag)
        must(id_reader_next(&reader, &field));
    must(field.size > 0);
    size_t at = (size_t)(field.value - edit->id.data) + field.size - 1;
    edit->id.data[at] ^= 1;
}

struct bytes blob_edit_write(const struct blob_edit *edit)
{
    struct bytes made = {NULL, 0};
    must(blob_write(&edit->contents, NULL, 0, &made.size) == dnnl_success);
    made.data = malloc(made.size);
    must(made.data != NULL);
    must(blob_write(&edit->contents, made.data, made.size, &made.size)
            == dnnl_success);
    return made;
}

struct bytes blob_with_other_field(const struct bytes *blob, uint16_t tag)
{
    struct blob_edit edit;
    blob_edit_open(&edit, blob);
    blob_edit_id(&edit, tag);
    struct bytes made = blob_edit_write(&edit);
    blob_edit_close(&edit);
    return made;
}

struct bytes blob_with_facts(const struct bytes *blob, uint32_t simd_width,
        uint32_t max_work_group_size, uint32_t accepts)
{
    struct blob_edit edit;
    uint8_t facts[16] = {0};
    store_le32(facts, simd_width);
    store_le32(facts + 4, max_work_group_size);
    store_le32(facts + 8, accepts);
    blob_edit_open(&edit, blob);
    edit.contents.engine_facts = facts;
    edit.contents.engine_facts_size = sizeof facts;
    struct bytes made = blob_edit_write(&edit);
    blob_edit_close(&edit);
    return made;
}

struct bytes blob_with_binary(
        const struct bytes *blob, const void *binary, size_t size)
{
    struct blob_edit edit;
    blob_edit_open(&edit, blob);
    must(edit.contents.program_count == 1);
    edit.programs[0].binary = binary;
    edit.programs[0].binary_size = size;
    edit.programs[0].raw_size = size;
    edit.programs[0].codec = blob_codec_none;
    struct bytes made = blob_edit_write(&edit);
    blob_edit_close(&edit);
    return made;
}

struct bytes blob_with_log(const struct bytes *blob, const char *log)
{
    struct blob_edit edit;
    blob_edit_open(&edit, blob);
    must(edit.contents.program_count > 0);
    edit.programs[0].log = log;
    edit.programs[0].log_size = strlen(log);
    struct bytes made = blob_edit_write(&edit);
    blob_edit_close(&edit);
    return made;
}

/* Whether some 32 bytes in a row of one are in the other. */
static bool share_a_part(const uint8_t *one, size_t one_size,
        const uint8_t *other, size_t other_size)
{
    enum { part = 32 };
    for (size_t i = 0; i + part <= one_size; i++)
        if (memmem(other, other_size, one + i, part) != NULL) return true;
    return false;
}

void blob_expect_no_source(const struct bytes *blob)
{
    /* fake_binary.c: what comes before the first unit, and how it starts. */
    enum { header_size = 32, before_length = 4, before_text = 8 };
    struct blob_edit edit;
    blob_edit_open(&edit, blob);
    EXPECT_GT(edit.contents.program_count, 0);
    for (uint32_t i = 0; i < edit.contents.program_count; i++) {
        const struct blob_program *p = &edit.programs[i];
        const uint8_t *unit = p->binary + header_size;
        const size_t length = load_le32(unit + before_length);
        const uint8_t *end = p->binary + p->binary_size;
        EXPECT_EQ(blob_codec_none, p->codec);
        ASSERT_TRUE(length < p->binary_size);
        EXPECT_GT(length, 200); /* else there is little to find */
        EXPECT_TRUE(share_a_part(
                unit + before_text, length, p->binary, p->binary_size));
        EXPECT_FALSE(share_a_part(unit + before_text, length, edit.blob.data,
                (size_t)(p->binary - edit.blob.data)));
        EXPECT_FALSE(share_a_part(unit + before_text, length, end,
                (size_t)(edit.blob.data + edit.blob.size - end)));
    }
    blob_edit_close(&edit);
}
