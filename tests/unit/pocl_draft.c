/* SPDX-License-Identifier: Apache-2.0 */
#include "pocl_draft.h"

#include "src/common/byte_order.h"

#include "test.h"

#include <string.h>

struct pocl_draft pocl_draft_good(uint32_t version)
{
    struct pocl_draft draft = {.version = version,
            .type = 4,
            .files = {{"/program.bc", 1000}},
            .kernels = {{"add", {{"/add/64-1-1-goffs0-smallgrid/add.so", 100},
                                        {"/add/0-0-0/add.so", 200}}},
                    {"b", {{"/b/0-0-0/b.so", 50}, {"/b/8-8-1/b.so", 60}}}},
            .kernel_count = 2};
    return draft;
}

static void put_text(struct buffer *out, const char *text)
{
    buffer_append_u32(out, (uint32_t)strlen(text));
    buffer_append(out, text, strlen(text));
}

static void put_file(struct buffer *out, const struct pocl_draft_file *file)
{
    put_text(out, file->name);
    buffer_append_u32(out, (uint32_t)file->size);
    for (size_t i = 0; i < file->size; i++)
        buffer_append_u8(out, (uint8_t)i);
}

static void put_program(struct buffer *out, const struct pocl_draft *draft)
{
    for (size_t i = 0; i < 3 && draft->files[i].name != NULL; i++) {
        const size_t at = out->size;
        if (draft->version >= 9) buffer_append_u64(out, 0);
        put_file(out, &draft->files[i]);
        if (draft->version >= 9 && !out->failed)
            store_le64(out->data + at, out->size - at - 8);
    }
}

static void put_kernel(
        struct buffer *out, const struct pocl_draft_kernel *kernel)
{
    const size_t at = out->size;
    buffer_append_u64(out, 0);
    buffer_append_u64(out, 0);
    buffer_append_u32(out, 7);
    put_text(out, kernel->name);
    buffer_append(out, "number and types of arguments", 29);
    const size_t files_at = out->size;
    for (size_t i = 0; i < 4 && kernel->files[i].name != NULL; i++)
        put_file(out, &kernel->files[i]);
    if (out->failed) return;
    store_le64(out->data + at, out->size - at);
    store_le64(out->data + at + 8, out->size - files_at);
}

void pocl_draft_write(const struct pocl_draft *draft, struct buffer *out)
{
    char name[41] = "_UNCACHED_aB3xY9";
    uint32_t entries = 0;
    while (entries < 3 && draft->files[entries].name != NULL)
        entries++;
    buffer_append(out, "poclbin", 8);
    buffer_append(out, "device's", 8);
    buffer_append_u32(out, draft->version);
    buffer_append_u32(out, (uint32_t)draft->kernel_count);
    if (draft->version < 9)
        buffer_append_u64(out, (uint64_t)draft->type << 1);
    else
        buffer_append_u64(out,
                (uint64_t)draft->type << 32 | (draft->version >= 10 ? 2 : 0));
    if (draft->version >= 9) buffer_append_u32(out, entries);
    buffer_append(out, name, sizeof name);
    if (draft->version >= 10) buffer_append_u64(out, draft->variables);
    put_program(out, draft);
    for (size_t i = 0; i < draft->kernel_count; i++)
        put_kernel(out, &draft->kernels[i]);
    EXPECT_OK(buffer_status(out));
}
