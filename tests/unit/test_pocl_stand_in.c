/* SPDX-License-Identifier: Apache-2.0 */
/* Files without code leave binaries of PoCL, and nothing else does. */
#include "pocl_draft.h"
#include "src/binaries/pocl_layout.h"
#include "src/binaries/pocl_stand_in.h"
#include "src/common/buffer.h"
#include "src/common/byte_order.h"

#include "test.h"

#include <string.h>

/* As tools/dnnl_cache/jobs/refresh_stand_in.c writes it, with its NUL. */
static const char mark[] = "dnnl_cache: no code is here";

static const uint32_t layouts[] = {8, 9, 11, 12};

/* Ends each file that has such a name with the mark. */
static size_t mark_files(struct buffer *binary, const char *part)
{
    struct pocl_layout layout;
    struct pocl_kernel kernel;
    struct pocl_file file;
    size_t marked = 0;
    size_t at = 0;
    EXPECT_TRUE(pocl_layout_read(&layout, binary->data, binary->size));
    while (pocl_layout_kernel(&layout, &at, &kernel))
        while (pocl_files_next(&kernel.files, &file)) {
            const size_t end = (size_t)(file.data - binary->data) + file.size;
            if (memmem(file.name, file.name_size, part, strlen(part)) == NULL)
                continue;
            memcpy(binary->data + end - sizeof mark, mark, sizeof mark);
            marked++;
        }
    return marked;
}

TEST_C(PoclStandIn, LeavesTheBinary)
{
    for (size_t i = 0; i < COUNT(layouts); i++) {
        struct pocl_draft draft = pocl_draft_good(layouts[i]);
        struct buffer binary = {NULL, 0, 0, false};
        struct buffer expected = {NULL, 0, 0, false};
        pocl_draft_write(&draft, &binary);
        EXPECT_EQ(2, mark_files(&binary, "/0-0-0/"));
        size_t size = binary.size;
        EXPECT_TRUE(pocl_stand_ins_remove(binary.data, &size));
        draft.kernels[0].files[1].name = NULL;
        draft.kernels[1].files[0] = draft.kernels[1].files[1];
        draft.kernels[1].files[1].name = NULL;
        pocl_draft_write(&draft, &expected);
        EXPECT_BYTES_EQ(expected.data, expected.size, binary.data, size);
        buffer_fini(&binary);
        buffer_fini(&expected);
    }
}

TEST_C(PoclStandIn, MayBeAllThatAKernelHas)
{
    struct pocl_draft draft = pocl_draft_good(9);
    struct buffer binary = {NULL, 0, 0, false};
    struct buffer expected = {NULL, 0, 0, false};
    pocl_draft_write(&draft, &binary);
    EXPECT_EQ(4, mark_files(&binary, ".so"));
    size_t size = binary.size;
    EXPECT_TRUE(pocl_stand_ins_remove(binary.data, &size));
    draft.kernels[0].files[0].name = NULL;
    draft.kernels[1].files[0].name = NULL;
    pocl_draft_write(&draft, &expected);
    EXPECT_BYTES_EQ(expected.data, expected.size, binary.data, size);
    buffer_fini(&binary);
    buffer_fini(&expected);
}

TEST_C(PoclStandIn, IsNotWhatHasTheMarkElsewhere)
{
    const struct pocl_draft draft = pocl_draft_good(9);
    struct buffer binary = {NULL, 0, 0, false};
    struct buffer before = {NULL, 0, 0, false};
    struct pocl_layout layout;
    pocl_draft_write(&draft, &binary);
    ASSERT_TRUE(pocl_layout_read(&layout, binary.data, binary.size));
    memcpy(binary.data + layout.files_at + 100, mark, sizeof mark);
    buffer_append(&before, binary.data, binary.size);
    size_t size = binary.size;
    EXPECT_TRUE(pocl_stand_ins_remove(binary.data, &size));
    EXPECT_BYTES_EQ(before.data, before.size, binary.data, size);
    buffer_fini(&binary);
    buffer_fini(&before);
}

TEST_C(PoclStandIn, OfALayoutThatIsNotKnownIsRefused)
{
    const struct pocl_draft draft = pocl_draft_good(9);
    struct buffer binary = {NULL, 0, 0, false};
    pocl_draft_write(&draft, &binary);
    EXPECT_EQ(2, mark_files(&binary, "/0-0-0/"));
    store_le32(binary.data + 16, 13); /* the layout's version */
    size_t size = binary.size;
    EXPECT_FALSE(pocl_stand_ins_remove(binary.data, &size));
    buffer_fini(&binary);
}
