/* SPDX-License-Identifier: Apache-2.0 */
/* Code that is added to a binary of PoCL's is where PoCL would have put it. */
#include "pocl_draft.h"
#include "src/binaries/pocl_add.h"
#include "src/binaries/pocl_layout.h"
#include "src/common/byte_order.h"

#include "test.h"

#include <string.h>

static const uint32_t layouts[] = {8, 9, 11, 12};

static const uint8_t bytes[] = {0, 1, 2, 3, 4, 5, 6, 7, 8};

static const struct pocl_code good = {.folder = "_UNCACHED_aB3xY9",
        .kernel = "add",
        .launch_class = "32-1-1-goffs0",
        .data = bytes,
        .size = sizeof bytes};

static dnnl_status_t add_to(const struct pocl_draft *draft,
        const struct pocl_code *code, struct buffer *out)
{
    struct buffer binary = {NULL, 0, 0, false};
    pocl_draft_write(draft, &binary);
    const dnnl_status_t st = pocl_add_code(binary.data, binary.size, code, out);
    buffer_fini(&binary);
    return st;
}

TEST_C(PoclAdd, PutsTheFileBehindThoseOfItsKernel)
{
    for (size_t i = 0; i < COUNT(layouts); i++) {
        struct pocl_draft draft = pocl_draft_good(layouts[i]);
        struct buffer binary = {NULL, 0, 0, false};
        struct buffer expected = {NULL, 0, 0, false};
        struct pocl_code last = good;
        EXPECT_OK(add_to(&draft, &good, &binary));
        draft.kernels[0].files[2].name = "/add/32-1-1-goffs0/add.so";
        draft.kernels[0].files[2].size = sizeof bytes;
        pocl_draft_write(&draft, &expected);
        EXPECT_BYTES_EQ(expected.data, expected.size, binary.data, binary.size);
        buffer_fini(&binary);
        buffer_fini(&expected);
        last.kernel = "b";
        EXPECT_OK(add_to(&draft, &last, &binary));
        draft.kernels[1].files[2].name = "/b/32-1-1-goffs0/b.so";
        draft.kernels[1].files[2].size = sizeof bytes;
        pocl_draft_write(&draft, &expected);
        EXPECT_BYTES_EQ(expected.data, expected.size, binary.data, binary.size);
        buffer_fini(&binary);
        buffer_fini(&expected);
    }
}

/* What the driver put there stays. */
TEST_C(PoclAdd, LeavesAFileThatIsThere)
{
    const struct pocl_draft draft = pocl_draft_good(9);
    struct buffer binary = {NULL, 0, 0, false};
    struct buffer expected = {NULL, 0, 0, false};
    struct pocl_code code = good;
    code.launch_class = "64-1-1-goffs0-smallgrid";
    EXPECT_OK(add_to(&draft, &code, &binary));
    pocl_draft_write(&draft, &expected);
    EXPECT_BYTES_EQ(expected.data, expected.size, binary.data, binary.size);
    buffer_fini(&binary);
    buffer_fini(&expected);
}

static void expect_refused(
        const struct pocl_draft *draft, const struct pocl_code *code)
{
    struct buffer out = {NULL, 0, 0, false};
    EXPECT_EQ(dnnl_unimplemented, add_to(draft, code, &out));
    EXPECT_EQ(0u, out.size);
    buffer_fini(&out);
}

TEST_C(PoclAdd, RefusesWhatIsNotThePrograms)
{
    const struct pocl_draft draft = pocl_draft_good(9);
    struct pocl_draft object = draft;
    struct pocl_code code = good;
    object.type = 1;
    expect_refused(&object, &good);
    static const char *const folders[] = {"_UNCACHED_aB3xY8", "_UNCACHED_aB3xY",
            "_UNCACHED_aB3xY9z", "",
            "a folder with a name of more bytes than one has in a binary"};
    for (size_t i = 0; i < COUNT(folders); i++) {
        code.folder = folders[i];
        expect_refused(&draft, &code);
    }
    code = good;
    static const char *const names[] = {"ad", "addx", "", "a/d", "c"};
    for (size_t i = 0; i < COUNT(names); i++) {
        code.kernel = names[i];
        expect_refused(&draft, &code);
    }
    code = good;
    code.launch_class = "";
    expect_refused(&draft, &code);
    code.launch_class = "1/2";
    expect_refused(&draft, &code);
    code = good;
    code.size = 0;
    expect_refused(&draft, &code);
}

TEST_C(PoclAdd, RefusesABinaryThatIsNotWhole)
{
    const struct pocl_draft draft = pocl_draft_good(11);
    struct buffer binary = {NULL, 0, 0, false};
    struct buffer out = {NULL, 0, 0, false};
    pocl_draft_write(&draft, &binary);
    for (size_t size = 0; size < binary.size; size++)
        EXPECT_EQ(dnnl_unimplemented,
                pocl_add_code(binary.data, size, &good, &out));
    store_le32(binary.data + 16, 13); /* the layout's version */
    EXPECT_EQ(dnnl_unimplemented,
            pocl_add_code(binary.data, binary.size, &good, &out));
    EXPECT_EQ(0u, out.size);
    buffer_fini(&binary);
}
