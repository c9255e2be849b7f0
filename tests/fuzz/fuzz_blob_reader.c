/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a blob. Refused: nothing was written but the reason. Read:
 * everything in the view can be read, decoding stays in its bounds, and
 * writing the contents gives the bytes again.
 */
#include "blob/codec.h"
#include "forge.h"
#include "fuzz.h"

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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) return 0;
    struct blob_view view;
    struct blob_reason reason;
    memset(&view, 0x5a, sizeof view);
    memset(&reason, 0x5a, sizeof reason);
    dnnl_status_t st = blob_read(&view, data, size, &reason);
    if (st != dnnl_success) {
        expect_refused(st, &view, &reason);
        return 0;
    }
    REQUIRE(view.data == data && view.size == size);
    REQUIRE(forge_view_is_sound(&view));
    for (uint32_t i = 0; i < view.program_count; i++) {
        struct blob_program program;
        REQUIRE(blob_view_program(&view, i, &program) == dnnl_success);
        decode(&program);
    }
    return 0;
}
