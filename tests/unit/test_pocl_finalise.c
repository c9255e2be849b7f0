/* SPDX-License-Identifier: Apache-2.0 */
/* PoCL's binaries without intermediate code, and shared objects packed. */
#include "pocl_draft.h"
#include "src/binaries/elf_shrink.h"
#include "src/binaries/pocl_finalise.h"
#include "src/binaries/pocl_layout.h"
#include "src/common/byte_order.h"
#include "src/gpu/device/pocl_binary.h"

#include "test.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char names[] = "add\0b";
static const uint32_t layouts[] = {8, 9, 11};

/* ---- What comes out ------------------------------------------------------ */

/* The same names and bytes, except the program's only file. */
static void expect_kept(const struct buffer *binary, const struct buffer *form)
{
    struct pocl_layout before;
    struct pocl_layout after;
    struct pocl_kernel kernel;
    struct pocl_kernel same;
    size_t at = 0;
    size_t there = 0;
    ASSERT_TRUE(pocl_layout_read(&before, binary->data, binary->size));
    ASSERT_TRUE(pocl_layout_read(&after, form->data, form->size));
    EXPECT_BYTES_EQ(binary->data, before.files_at, form->data, after.files_at);
    while (pocl_layout_kernel(&before, &at, &kernel)) {
        ASSERT_TRUE(pocl_layout_kernel(&after, &there, &same));
        ASSERT_EQ(kernel.head_size, same.head_size);
        EXPECT_BYTES_EQ(kernel.head + 16, kernel.head_size - 16, same.head + 16,
                same.head_size - 16);
        EXPECT_BYTES_EQ(kernel.files.at, kernel.files.left, same.files.at,
                same.files.left);
    }
    EXPECT_FALSE(pocl_layout_kernel(&after, &there, &same));
    EXPECT_LT(form->size, binary->size - 1000 + 32);
}

TEST_C(PoclFinalise, LeavesTheIntermediateCodeOut)
{
    for (size_t i = 0; i < COUNT(layouts); i++) {
        const struct pocl_draft draft = pocl_draft_good(layouts[i]);
        struct buffer binary = {NULL, 0, 0, false};
        struct buffer form = {NULL, 0, 0, false};
        struct blob_reason reason = {""};
        pocl_draft_write(&draft, &binary);
        EXPECT_OK(
                pocl_finalise(binary.data, binary.size, true, &form, &reason));
        expect_kept(&binary, &form);
        EXPECT_TRUE(pocl_finalise_check(
                form.data, form.size, names, 2, true, &reason));
        EXPECT_TRUE(pocl_finalise_check(
                form.data, form.size, NULL, 0, true, &reason));
        EXPECT_STR_EQ("", reason.text);
        buffer_fini(&binary);
        buffer_fini(&form);
    }
}

/* A load gives it a name of its own, as it does the driver's. */
TEST_C(PoclFinalise, LeavesANameThatCanBeChanged)
{
    const struct pocl_draft draft = pocl_draft_good(9);
    struct buffer binary = {NULL, 0, 0, false};
    struct buffer form = {NULL, 0, 0, false};
    struct blob_reason reason = {""};
    bool is_shared = true;
    pocl_draft_write(&draft, &binary);
    ASSERT_STATUS(dnnl_success,
            pocl_finalise(binary.data, binary.size, true, &form, &reason));
    setenv("POCL_KERNEL_CACHE", "0", 1);
    EXPECT_OK(pocl_binary_rename(form.data, form.size, &is_shared));
    EXPECT_FALSE(is_shared);
    EXPECT_NE(0, memcmp(form.data + 36, binary.data + 36, 41));
    EXPECT_TRUE(
            pocl_finalise_check(form.data, form.size, names, 2, true, &reason));
    buffer_fini(&binary);
    buffer_fini(&form);
}

/* Who knows all launches to come needs no function for the others. */
TEST_C(PoclFinalise, DoesWithoutTheFunctionForAllLaunchesIfTold)
{
    struct pocl_draft draft = pocl_draft_good(9);
    struct buffer binary = {NULL, 0, 0, false};
    struct buffer form = {NULL, 0, 0, false};
    struct blob_reason reason = {""};
    draft.kernels[0].files[1] = draft.kernels[0].files[2];
    draft.kernels[0].files[2].name = NULL;
    draft.kernels[0].files[0].name = "/add/64-1-1/add.so";
    pocl_draft_write(&draft, &binary);
    EXPECT_STATUS(dnnl_unimplemented,
            pocl_finalise(binary.data, binary.size, true, &form, &reason));
    EXPECT_EQ(0, form.size);
    reason.text[0] = '\0';
    ASSERT_STATUS(dnnl_success,
            pocl_finalise(binary.data, binary.size, false, &form, &reason));
    expect_kept(&binary, &form);
    EXPECT_TRUE(pocl_finalise_check(
            form.data, form.size, names, 2, false, &reason));
    EXPECT_STR_EQ("", reason.text);
    EXPECT_FALSE(
            pocl_finalise_check(form.data, form.size, names, 2, true, &reason));
    EXPECT_NOT_NULL(strstr(reason.text, "for all launches"));
    buffer_fini(&binary);
    buffer_fini(&form);
}

/* ---- What is missing ----------------------------------------------------- */

static enum pocl_code_kind look(const struct pocl_draft *draft)
{
    struct buffer binary = {NULL, 0, 0, false};
    pocl_draft_write(draft, &binary);
    const enum pocl_code_kind code =
            pocl_finalise_look(binary.data, binary.size);
    EXPECT_EQ(
            pocl_code_other, pocl_finalise_look(binary.data, binary.size - 1));
    EXPECT_EQ(pocl_code_other, pocl_finalise_look(binary.data, 0));
    buffer_fini(&binary);
    return code;
}

TEST_C(PoclFinalise, TellsWhichCodeABinaryHas)
{
    for (size_t i = 0; i < COUNT(layouts); i++) {
        struct pocl_draft draft = pocl_draft_good(layouts[i]);
        EXPECT_EQ(pocl_code_for_all, look(&draft));
        /* One kernel lacks the function for all launches. */
        draft.kernels[0].files[1].name = "/add/64-1-1/add.so";
        EXPECT_EQ(pocl_code_of_launches, look(&draft));
        draft.type = 2;
        EXPECT_EQ(pocl_code_other, look(&draft));
        draft.type = 4;
        /* The other was never launched. */
        draft.kernels[1].files[1].name = NULL;
        EXPECT_EQ(pocl_code_other, look(&draft));
        draft = pocl_draft_good(layouts[i]);
        draft.kernels[1].files[1].name = NULL;
        EXPECT_EQ(pocl_code_for_all, look(&draft));
        draft = pocl_draft_good(layouts[i]);
        draft.files[0].name = "/other.bc";
        EXPECT_EQ(pocl_code_other, look(&draft));
        draft = pocl_draft_good(layouts[i]);
        draft.kernel_count = 0;
        EXPECT_EQ(pocl_code_other, look(&draft));
    }
}

TEST_C(PoclFinalise, IsNotMissedWhereItCannotBe)
{
    struct pocl_draft draft = pocl_draft_good(11);
    struct buffer binary = {NULL, 0, 0, false};
    struct buffer form = {NULL, 0, 0, false};
    struct blob_reason reason = {""};
    draft.kernels[0].files[1].name = "/add/64-1-1/add.so";
    draft.variables = 4;
    EXPECT_EQ(pocl_code_other, look(&draft));
    /* Nor where it is made already. */
    draft = pocl_draft_good(11);
    pocl_draft_write(&draft, &binary);
    ASSERT_STATUS(dnnl_success,
            pocl_finalise(binary.data, binary.size, true, &form, &reason));
    EXPECT_EQ(pocl_code_other, pocl_finalise_look(form.data, form.size));
    buffer_fini(&binary);
    buffer_fini(&form);
}

/* ---- What is left as it is ----------------------------------------------- */

/* The reason holds a part, and nothing comes out. */
static void expect_left(const struct pocl_draft *draft, const char *part)
{
    struct buffer binary = {NULL, 0, 0, false};
    struct buffer form = {NULL, 0, 0, false};
    struct blob_reason reason = {""};
    pocl_draft_write(draft, &binary);
    EXPECT_STATUS(dnnl_unimplemented,
            pocl_finalise(binary.data, binary.size, true, &form, &reason));
    EXPECT_TRUE(strstr(reason.text, part) != NULL);
    EXPECT_EQ(0, form.size);
    buffer_fini(&binary);
    buffer_fini(&form);
}

TEST_C(PoclFinalise, LeavesWhatNeedsItsIntermediateCode)
{
    struct pocl_draft draft = pocl_draft_good(9);
    draft.type = 2;
    expect_left(&draft, "linked");
    draft = pocl_draft_good(8);
    draft.type = 1;
    expect_left(&draft, "linked");
    draft = pocl_draft_good(11);
    draft.variables = 4;
    expect_left(&draft, "variables");
    draft = pocl_draft_good(9);
    draft.kernels[1].files[1].name = NULL;
    expect_left(&draft, "never launched");
    draft = pocl_draft_good(9);
    draft.kernels[0].files[1].name = "/add/64-1-1/add.so";
    expect_left(&draft, "for all launches");
    draft = pocl_draft_good(9);
    draft.kernels[0].files[2] =
            (struct pocl_draft_file){"/add/0-0-0/parallel.bc", 5};
    expect_left(&draft, "not known");
}

TEST_C(PoclFinalise, LeavesWhatIsNotKnown)
{
    struct pocl_draft draft = pocl_draft_good(10);
    expect_left(&draft, "layout");
    draft = pocl_draft_good(9);
    draft.files[0].name = "/program.spv";
    expect_left(&draft, "other files");
    draft = pocl_draft_good(9);
    draft.files[1] = (struct pocl_draft_file){"/program.spv", 5};
    expect_left(&draft, "other files");
    draft = pocl_draft_good(9);
    draft.files[0].size = 0;
    expect_left(&draft, "other files");
    draft = pocl_draft_good(9);
    draft.kernel_count = 0;
    expect_left(&draft, "layout");
    draft = pocl_draft_good(9);
    draft.kernels[0].files[0].name = "/sub/64-1-1/add.so";
    expect_left(&draft, "not known");
    draft.kernels[0].files[0].name = "/add/x/y/add.so";
    expect_left(&draft, "not known");
    draft.kernels[0].files[0].name = "/add//add.so";
    expect_left(&draft, "not known");
}

/* Each in a room of exactly its size, so that a sanitizer sees more. */
TEST_C(PoclFinalise, LeavesWhatIsCutShort)
{
    for (size_t i = 0; i < COUNT(layouts); i++) {
        const struct pocl_draft draft = pocl_draft_good(layouts[i]);
        struct buffer binary = {NULL, 0, 0, false};
        struct buffer form = {NULL, 0, 0, false};
        struct blob_reason reason = {""};
        pocl_draft_write(&draft, &binary);
        for (size_t size = 0; size < binary.size; size++) {
            uint8_t *cut = malloc(size > 0 ? size : 1);
            ASSERT_TRUE(cut != NULL);
            memcpy(cut, binary.data, size);
            if (pocl_finalise(cut, size, true, &form, &reason)
                    != dnnl_unimplemented)
                test_fail(__FILE__, __LINE__, "%zu bytes are taken", size);
            free(cut);
        }
        EXPECT_EQ(0, form.size);
        buffer_fini(&binary);
        buffer_fini(&form);
    }
}

/* ---- What contradicts itself ------------------------------------------------
 */

/* A number in a binary of version 9, and what makes it wrong. */
enum where { head_kernels, program_files, first_kernel };
struct contradiction {
    enum where where;
    size_t at;
    uint32_t value;
};

static const struct contradiction contradictions[] = {{head_kernels, 0, 0},
        {head_kernels, 0, 1}, {head_kernels, 0, 3},
        {program_files, 0, 1 << 20}, /* the size of all files */
        {program_files, 0, 0}, {program_files, 4, 1},
        {program_files, 8, 1 << 20}, /* of the first one's name */
        {program_files, 8, UINT32_MAX}, {program_files, 8, 0},
        {first_kernel, 0, 1 << 20}, /* the size of the kernel */
        {first_kernel, 0, 23}, {first_kernel, 0, 0}, {first_kernel, 4, 1},
        {first_kernel, 8, 1 << 20},                   /* of its files */
        {first_kernel, 12, 1}, {first_kernel, 20, 0}, /* of its name */
        {first_kernel, 20, 1 << 20}, {first_kernel, 20, UINT32_MAX}};

TEST_C(PoclFinalise, LeavesWhatContradictsItself)
{
    const struct pocl_draft draft = pocl_draft_good(9);
    for (size_t i = 0; i < COUNT(contradictions); i++) {
        struct buffer binary = {NULL, 0, 0, false};
        struct buffer form = {NULL, 0, 0, false};
        struct blob_reason reason = {""};
        struct pocl_layout layout;
        pocl_draft_write(&draft, &binary);
        ASSERT_TRUE(pocl_layout_read(&layout, binary.data, binary.size));
        const size_t starts[] = {
                20, layout.files_at, layout.files_at + layout.files_size};
        store_le32(binary.data + starts[contradictions[i].where]
                           + contradictions[i].at,
                contradictions[i].value);
        const dnnl_status_t status =
                pocl_finalise(binary.data, binary.size, true, &form, &reason);
        if (status != dnnl_unimplemented || reason.text[0] == '\0'
                || pocl_layout_read(&layout, binary.data, binary.size))
            test_fail(__FILE__, __LINE__, "contradiction %zu is taken", i);
        buffer_fini(&binary);
        buffer_fini(&form);
    }
}

TEST_C(PoclFinalise, LeavesFilesThatAreNoCode)
{
    static const char *const files[] = {"/add/8-8-1/add.bc",
            "/add/8-8-1/sub.so", "/add/8-8-1+add.so", "+add/8-8-1/add.so",
            "/add+8-8-1/add.so", "/add/add.so"};
    for (size_t i = 0; i < COUNT(files); i++) {
        struct pocl_draft draft = pocl_draft_good(9);
        draft.kernels[0].files[0].name = files[i];
        expect_left(&draft, "not known");
    }
    struct pocl_draft draft = pocl_draft_good(9);
    draft.kernels[1].files[0].name = "";
    expect_left(&draft, "layout");
}

/* ---- What is loaded ---------------------------------------------------------
 */

TEST_C(PoclFinalise, ChecksWhatIsLoaded)
{
    const struct pocl_draft draft = pocl_draft_good(9);
    struct buffer binary = {NULL, 0, 0, false};
    struct buffer form = {NULL, 0, 0, false};
    struct blob_reason reason = {""};
    pocl_draft_write(&draft, &binary);
    ASSERT_STATUS(dnnl_success,
            pocl_finalise(binary.data, binary.size, true, &form, &reason));
    EXPECT_FALSE(pocl_finalise_check(
            binary.data, binary.size, names, 2, true, &reason));
    EXPECT_TRUE(strstr(reason.text, "files of the program") != NULL);
    EXPECT_FALSE(pocl_finalise_check(
            form.data, form.size, "add\0other", 2, true, &reason));
    EXPECT_TRUE(strstr(reason.text, "kernel") != NULL);
    EXPECT_FALSE(pocl_finalise_check(
            form.data, form.size - 1, names, 2, true, &reason));
    EXPECT_TRUE(strstr(reason.text, "layout") != NULL);
    buffer_fini(&binary);
    buffer_fini(&form);
}

/* What stands for the program's file has one name, and is empty. */
TEST_C(PoclFinalise, ChecksWhatStandsForTheProgram)
{
    static const struct {
        struct pocl_draft_file files[2];
        uint32_t type;
        const char *part;
    } cases[] = {{{{"/final", 0}, {NULL, 0}}, 4, NULL},
            {{{"/final", 1}, {NULL, 0}}, 4, "files of the program"},
            {{{"/finas", 0}, {NULL, 0}}, 4, "files of the program"},
            {{{"/final", 0}, {"/final", 0}}, 4, "files of the program"},
            {{{"/final", 0}, {NULL, 0}}, 2, "linked"}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct pocl_draft draft = pocl_draft_good(9);
        struct buffer form = {NULL, 0, 0, false};
        struct blob_reason reason = {""};
        memcpy(draft.files, cases[i].files, sizeof cases[i].files);
        draft.type = cases[i].type;
        pocl_draft_write(&draft, &form);
        EXPECT_EQ(
                cases[i].part == NULL, pocl_finalise_check(form.data, form.size,
                                               names, 2, true, &reason));
        if (cases[i].part != NULL)
            EXPECT_NOT_NULL(strstr(reason.text, cases[i].part));
        buffer_fini(&form);
    }
}

TEST_C(PoclFinalise, IsForVersionsThatWereTested)
{
    EXPECT_TRUE(pocl_finalise_is_tested(
            "OpenCL 3.0 PoCL 3.1+debian  Linux, None+Asserts, RELOC, SPIR"));
    EXPECT_TRUE(pocl_finalise_is_tested("OpenCL 3.0 PoCL 3.0-rc2  Linux"));
    EXPECT_TRUE(pocl_finalise_is_tested("OpenCL 3.0 PoCL 6.0+debian  Linux"));
    EXPECT_TRUE(pocl_finalise_is_tested("OpenCL 3.0 PoCL 7.1"));
    EXPECT_TRUE(pocl_finalise_is_tested("OpenCL 3.0 PoCL 7.1.1  Linux"));
    EXPECT_FALSE(pocl_finalise_is_tested("OpenCL 3.0 PoCL 7.10"));
    EXPECT_FALSE(pocl_finalise_is_tested("OpenCL 3.0 PoCL 7.1-pre main-0"));
    EXPECT_FALSE(pocl_finalise_is_tested("OpenCL 3.0 PoCL 7.1-rc1  Linux"));
    EXPECT_FALSE(pocl_finalise_is_tested("OpenCL 3.0 PoCL 6.0.1-pre"));
    EXPECT_FALSE(pocl_finalise_is_tested("OpenCL 3.0 PoCL 5.0+debian  Linux"));
    EXPECT_FALSE(pocl_finalise_is_tested("OpenCL 3.0 PoCL 7.2"));
    EXPECT_FALSE(pocl_finalise_is_tested("OpenCL 3.0 PoCL "));
    EXPECT_FALSE(pocl_finalise_is_tested("OpenCL 3.0 fake platform"));
    EXPECT_FALSE(pocl_finalise_is_tested(""));
}

/* ---- Packing ------------------------------------------------------------- */

static void read_file(const char *path, struct buffer *out)
{
    char chunk[4096];
    FILE *file = fopen(path, "rb");
    ASSERT_TRUE(file != NULL);
    for (size_t n; (n = fread(chunk, 1, sizeof chunk, file)) > 0;)
        buffer_append(out, chunk, n);
    fclose(file);
    ASSERT_STATUS(dnnl_success, buffer_status(out));
}

static void write_file(const char *path, const struct buffer *bytes)
{
    FILE *file = fopen(path, "wb");
    ASSERT_TRUE(file != NULL);
    EXPECT_EQ(bytes->size, fwrite(bytes->data, 1, bytes->size, file));
    EXPECT_EQ(0, fclose(file));
}

/* Its constants, its variables with and without a value, and a call of libc. */
TEST_C(ElfPack, MakesAnObjectThatLoadsAndRuns)
{
    struct buffer file = {NULL, 0, 0, false};
    struct buffer packed = {NULL, 0, 0, false};
    char path[4096];
    read_file(PACKED_OBJECT, &file);
    elf_shrink(file.data, file.size, &packed);
    EXPECT_OK(buffer_status(&packed));
    EXPECT_LT(packed.size, file.size);
    snprintf(path, sizeof path, "%s/packed.so", test_directory());
    write_file(path, &packed);
    void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (object == NULL) test_fail(__FILE__, __LINE__, "%s", dlerror());
    ASSERT_TRUE(object != NULL);
    void *symbol = dlsym(object, "packed_object_sum");
    ASSERT_TRUE(symbol != NULL);
    int (*sum)(const char *);
    memcpy(&sum, &symbol, sizeof sum);
    EXPECT_EQ(1000 + 100 + 4 + 1, sum("four"));
    EXPECT_EQ(1000 + 100 + 4 + 2, sum("four"));
    EXPECT_EQ(0, dlclose(object));
    /* It is as close together as it can be. */
    struct buffer again = {NULL, 0, 0, false};
    elf_shrink(packed.data, packed.size, &again);
    EXPECT_BYTES_EQ(packed.data, packed.size, again.data, again.size);
    buffer_fini(&again);
    buffer_fini(&file);
    buffer_fini(&packed);
}

/* Any byte of the head and of the table of segments. */
TEST_C(ElfPack, KeepsOrShrinksWhatIsDamaged)
{
    struct buffer file = {NULL, 0, 0, false};
    read_file(PACKED_OBJECT, &file);
    ASSERT_TRUE(file.size > 1024);
    for (size_t at = 0; at < 64 + 14 * 56; at++) {
        static const uint8_t flips[] = {0x01, 0x80, 0xff};
        for (size_t i = 0; i < COUNT(flips); i++) {
            struct buffer packed = {NULL, 0, 0, false};
            file.data[at] ^= flips[i];
            elf_shrink(file.data, file.size, &packed);
            EXPECT_OK(buffer_status(&packed));
            EXPECT_LE(packed.size, file.size);
            file.data[at] ^= flips[i];
            buffer_fini(&packed);
        }
    }
    buffer_fini(&file);
}

TEST_C(ElfPack, KeepsWhatItDoesNotKnow)
{
    struct buffer file = {NULL, 0, 0, false};
    read_file(PACKED_OBJECT, &file);
    const size_t sizes[] = {0, 1, 63, 64, 200, file.size / 2};
    for (size_t i = 0; i < COUNT(sizes); i++) {
        struct buffer packed = {NULL, 0, 0, false};
        elf_shrink(file.data, sizes[i], &packed);
        EXPECT_BYTES_EQ(file.data, sizes[i], packed.data, packed.size);
        buffer_fini(&packed);
    }
    struct buffer packed = {NULL, 0, 0, false};
    file.data[4] = 1; /* of 32 bits */
    elf_shrink(file.data, file.size, &packed);
    EXPECT_BYTES_EQ(file.data, file.size, packed.data, packed.size);
    buffer_fini(&packed);
    buffer_fini(&file);
}
