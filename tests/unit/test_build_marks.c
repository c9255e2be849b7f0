/* SPDX-License-Identifier: Apache-2.0 */
#include "src/drivers/build_marks.h"
#include "src/drivers/driver_binaries.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

#define MARK "-D__dnnl_cache_000102030405060708090a0b0c0d0eff"
#define OTHER "-D__dnnl_cache_ffffffffffffffffffffffffffffffff"

TEST_C(BuildMarks, AreForDriversWithACacheOfTheirOwn)
{
    EXPECT_TRUE(build_marks_are_needed("rusticl", false));
    EXPECT_TRUE(build_marks_are_needed(POCL_PLATFORM_NAME, false));
    EXPECT_TRUE(build_marks_are_needed("NVIDIA CUDA", false));
    EXPECT_TRUE(build_marks_are_needed("Intel(R) OpenCL Graphics", false));
    EXPECT_FALSE(build_marks_are_needed("Intel(R) OpenCL", false));
    EXPECT_FALSE(build_marks_are_needed("Oclgrind", false));
    EXPECT_FALSE(build_marks_are_needed("Clover", false));
    EXPECT_FALSE(build_marks_are_needed("", false));
    /* Macros are nothing to IL. */
    EXPECT_TRUE(build_marks_are_needed(POCL_PLATFORM_NAME, true));
    EXPECT_FALSE(build_marks_are_needed("rusticl", true));
    EXPECT_FALSE(build_marks_are_needed("Intel(R) OpenCL Graphics", true));
}

TEST_C(BuildMarks, NameAMacroByADigest)
{
    const uint8_t digest[build_mark_bytes] = {
            0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 255};
    char mark[build_mark_size];
    build_mark_write(mark, digest);
    EXPECT_STR_EQ(MARK, mark);
    EXPECT_EQ(sizeof mark, strlen(mark) + 1);
}

TEST_C(BuildMarks, GoBeforeOptionsAndComeOffAgain)
{
    static const struct {
        const char *options;
        const char *marked;
    } cases[] = {
            {NULL, MARK},
            {"", MARK},
            {"-DA", MARK " -DA"},
            {" -DA  -DB ", MARK "  -DA  -DB "},
            {"-I", MARK " -I"},
            {"-D \"A=x y\"", MARK " -D \"A=x y\""},
            {"-D__dnnl_cache_12", MARK " -D__dnnl_cache_12"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = build_marks_put(MARK, cases[i].options);
        EXPECT_STR_EQ(cases[i].marked, text);
        build_marks_remove(text);
        EXPECT_STR_EQ(cases[i].options != NULL ? cases[i].options : "", text);
        free(text);
    }
}

/* What PoCL does without options is asked for, and not shown; what an
 * application asks for is. */
TEST_C(BuildMarks, StandForNoOptionsAtAll)
{
    char *text = build_marks_put_for_none(MARK " " OTHER);
    EXPECT_STR_EQ("-cl-kernel-arg-info " MARK " " OTHER, text);
    build_marks_remove(text);
    EXPECT_STR_EQ("", text);
    free(text);
    text = build_marks_put(MARK, "-cl-kernel-arg-info");
    build_marks_remove(text);
    EXPECT_STR_EQ("-cl-kernel-arg-info", text);
    free(text);
}

/* Drivers put options of their own before and behind, and blanks. */
TEST_C(BuildMarks, ComeOffWhereverADriverHasThem)
{
    static const struct {
        const char *text;
        const char *rest;
    } cases[] = {
            {"", ""},
            {"-DA", "-DA"},
            {MARK " " OTHER " -DA", "-DA"},
            {"-DA " MARK, "-DA"},
            {"-DA " MARK " ", "-DA "},
            {"-DA " MARK " -DB " OTHER " -DC", "-DA -DB -DC"},
            {MARK "0 -DA", MARK "0 -DA"}, /* one of somebody else's */
            {MARK "=4 -DA", MARK "=4 -DA"},
            {"-D__dnnl_cache_", "-D__dnnl_cache_"},
            {"-D__dnnl_cache_" MARK, "-D__dnnl_cache_"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[256];
        strcpy(text, cases[i].text);
        build_marks_remove(text);
        EXPECT_STR_EQ(cases[i].rest, text);
    }
}
