/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a blob. Refused: nothing was written but the reason. Read:
 * everything in the view can be read, decoding stays in its bounds, and
 * writing the contents gives the bytes again, less what the reader ignores.
 * Either way it is the same at an odd address, and in a blob that is cut or
 * goes on nothing is read at all. Described, it has as many parts as the view
 * says, which lie in it.
 */
#include "forge.h"
#include "fuzz.h"
#include "src/binaries/describe.h"
#include "src/blob/codec.h"
#include "src/common/byte_order.h"

#include <string.h>

static void decode(const struct blob_program *program)
{
    enum { most = 1 << 16 };
    if (program->raw_size > most) return;
    uint8_t *raw = malloc((size_t)program->raw_size);
    REQUIRE(raw != NULL);
    dnnl_status_t st =
            codec_decode((enum blob_codec)program->codec, program->binary,
                    program->binary_size, raw, (size_t)program->raw_size);
    REQUIRE(st == dnnl_success || st == dnnl_cache_blob_corrupt);
    if (program->codec == blob_codec_none)
        REQUIRE(st == dnnl_success
                && memcmp(raw, program->binary, program->binary_size) == 0);
    free(raw);
}

static void expect_refused(dnnl_status_t status, const struct blob_view *view,
        const struct blob_reason *reason)
{
    struct blob_view untouched;
    memset(&untouched, 0x5a, sizeof untouched);
    REQUIRE(status == dnnl_cache_blob_corrupt
            || status == dnnl_cache_blob_unsupported);
    REQUIRE(memcmp(view, &untouched, sizeof untouched) == 0);
    REQUIRE(memchr(reason->text, '\0', sizeof reason->text) != NULL);
    REQUIRE(reason->text[0] != '\0');
}

/* The same bytes elsewhere, and a byte fewer or more. */
static void read_again(const uint8_t *data, size_t size, dnnl_status_t status)
{
    struct blob_view view;
    uint8_t *room = malloc(size + 2);
    REQUIRE(room != NULL);
    uint8_t *copy = room + 1;
    memcpy(copy, data, size);
    copy[size] = 0;
    REQUIRE(blob_read(&view, copy, size, NULL) == status);
    if (status == dnnl_success) {
        REQUIRE(blob_read(&view, copy, size + 1, NULL)
                == dnnl_cache_blob_corrupt);
        REQUIRE(blob_read(&view, copy, size - 1, NULL)
                == dnnl_cache_blob_corrupt);
    }
    free(room);
}

/* What was told of a blob. */
struct told {
    const struct blob_view *view;
    uint32_t parts;
    uint32_t files; /* that were included */
};

static bool is_inside(
        const struct blob_view *view, const void *data, size_t size)
{
    const uintptr_t start = (uintptr_t)view->data;
    const uintptr_t at = (uintptr_t)data;
    return at >= start && at - start <= view->size
           && size <= view->size - (at - start);
}

static dnnl_status_t note_part(const dnnl_cache_blob_part_t *part, void *user)
{
    struct told *told = user;
    if (part->kind == dnnl_cache_blob_part_file)
        told->files++;
    else
        told->parts++;
    REQUIRE(part->struct_size == sizeof *part && part->name != NULL);
    const bool is_file = part->kind == dnnl_cache_blob_part_file;
    if (is_file)
        REQUIRE(is_inside(told->view, part->name, strlen(part->name) + 1)
                && part->name[0] != '\0' && part->name[0] != '/'
                && part->id_size == DNNL_CACHE_INCLUDED_DIGEST_SIZE);
    if (part->kind != dnnl_cache_blob_part_program && !is_file)
        REQUIRE(part->bytes == part->stored_bytes && part->id == NULL);
    else
        REQUIRE(is_inside(told->view, part->id, part->id_size)
                && part->id_size > 0);
    if (part->kind == dnnl_cache_blob_part_kernel)
        REQUIRE(part->program < told->view->program_count
                && is_inside(told->view, part->name, strlen(part->name) + 1));
    if (part->build_log_size > 0)
        REQUIRE(is_inside(
                told->view, part->build_log, part->build_log_size + 1));
    return dnnl_success;
}

static void describe(const struct blob_view *view)
{
    struct told told = {view, 0, 0};
    REQUIRE(blob_describe(view, note_part, &told) == dnnl_success);
    REQUIRE(is_inside(view, view->user_data, view->user_data_size)
            || view->user_data == NULL);
    REQUIRE((view->user_data == NULL) == (view->user_data_size == 0));
    REQUIRE(view->included_size == 0 ? told.files == 0
                                     : told.files == load_le32(view->included));
    REQUIRE(told.parts
            == view->section_count + view->program_count + view->kernel_count);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) return 0;
    struct blob_view view;
    struct blob_reason reason;
    memset(&view, 0x5a, sizeof view);
    memset(&reason, 0x5a, sizeof reason);
    dnnl_status_t st = blob_read(&view, data, size, &reason);
    read_again(data, size, st);
    if (st != dnnl_success) {
        expect_refused(st, &view, &reason);
        return 0;
    }
    REQUIRE(view.data == data && view.size == size);
    REQUIRE(forge_view_is_sound(&view));
    describe(&view);
    for (uint32_t i = 0; i < view.program_count; i++) {
        struct blob_program program;
        REQUIRE(blob_view_program(&view, i, &program) == dnnl_success);
        decode(&program);
    }
    return 0;
}
