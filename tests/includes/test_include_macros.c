/* SPDX-License-Identifier: Apache-2.0 */
/* Includes whose names are macros of the build options. */
#include "include_helpers.h"
#include "src/includes/include_macros.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Expansion ----------------------------------------------------------- */

/* expected: NULL, it must not be told. */
static void expect_expansion(
        const char *expected, const char *options, const char *text)
{
    struct include_macros macros;
    EXPECT_TRUE(include_macros_init(&macros, options));
    char *name = include_macros_expand(&macros, text, strlen(text));
    if (expected == NULL && name != NULL)
        test_fail(__FILE__, __LINE__, "%s became %s", text, name);
    if (expected != NULL)
        EXPECT_STR_EQ(expected, name != NULL ? name : "nothing");
    free(name);
    include_macros_fini(&macros);
}

#define PATHS "-D P=/my/inc -DQ=dir.v2 -D S(x)=#x -D T(x)=S(x) -w"

TEST_C(IncludeMacros, ExpandAsAPreprocessorDoes)
{
    expect_expansion("/my/inc/a.h", PATHS, "T(P/a.h)");
    expect_expansion("dir.v2/a-b.h", PATHS, "T(Q/a-b.h) \t");
    expect_expansion("P/a.h", PATHS, "S(P/a.h)"); /* # takes it as it is */
    expect_expansion("/my/inc", PATHS " -D N=T(P)", "N");
    expect_expansion("1/a.h", PATHS " -D ONE", "T(ONE/a.h)");
    expect_expansion("7/2PP/(P).h", "-D S(x)=#x", "S(7/2PP/(P).h)");
    /* Words in words and in numbers are none. */
    expect_expansion("Pp/2P/.5P", PATHS, "T(Pp/2P/.5P)");
}

TEST_C(IncludeMacros, RefuseWhatNeedsMore)
{
    static const char *const texts[] = {"T(P/a.h", "T(P,a.h)", "T (P/a.h)",
            "T(P /a.h)", "T(P/a.h) x", "T", "P", "T(\"a.h\")", "T('a')",
            "T(a\\b)", "T(P//a.h)", "T(P/*a*/)", "T(linux/a.h)", "T(__FILE__)",
            "\"a.h\"", "U(P/a.h)", "S()", "T(1e+P)", "T(a$b)"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        expect_expansion(NULL, PATHS, texts[i]);
    expect_expansion(NULL, NULL, "T(P/a.h)");
    expect_expansion(NULL, "-D P=\"a.h\" -D S(x)=#x", "S(a.h)");
    expect_expansion(NULL, "-D S(x)=#x -D S(x)=#x", "S(a.h)");
    expect_expansion(NULL, "-D S(x)=#x -U S", "S(a.h)");
    expect_expansion(NULL, "-D S(x,y)=#x", "S(a.h)");
    expect_expansion(NULL, "-D S(x...)=#x", "S(a.h)");
    expect_expansion(NULL, "-D S(x)=#y", "S(a.h)");
    expect_expansion(NULL, "-D S(x)=a##x", "S(a.h)");
    expect_expansion(NULL, "-D A=B -D B=A -D S(x)=#x -D T(x)=S(x)", "T(A)");
}

/* A word that may be a macro of the compiler's makes the name another. */
TEST_C(IncludeMacros, RefuseWordsThatACompilerMayDefine)
{
    static const char *const words[] = {"cl_khr_fp64", "cles_khr_int64",
            "CHAR_BIT", "INT_MAX", "CL_VERSION_1_2", "M_PI", "NULL", "NAN",
            "FLT_MAX", "CLK_LOCAL_MEM_FENCE", "__OPENCL_VERSION__", "_x",
            "ANYTHING", "X", "inline", "abs", "max", "log", "size_t", "bool",
            "vload4", "as_int", "convert_int4", "native_sin", "atomic_add",
            "unix", "linux", "i386", "POCL_DEVICE_ADDRESS_BITS", "SPIR",
            "get_image_dim", "sub_group_all", "intel_sub_group_shuffle"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        char text[80];
        snprintf(text, sizeof text, "T(P/%s.h)", words[i]);
        expect_expansion(NULL, PATHS, text);
        snprintf(text, sizeof text, "T(%s/a.h)", words[i]);
        expect_expansion(NULL, PATHS, text);
    }
    /* The compiler's own wins over the option's. */
    expect_expansion(NULL, PATHS " -DINT_MAX=inc", "T(INT_MAX/a.h)");
    expect_expansion(NULL, PATHS " -DCL_X=inc", "T(CL_X/a.h)");
    expect_expansion("/usr/local/share/hashcat-6.2/OpenCL/inc_types.h",
            PATHS " -DINC=/usr/local/share/hashcat-6.2/OpenCL",
            "T(INC/inc_types.h)");
}

TEST_C(IncludeMacros, RefuseToGrowWithoutBound)
{
    char options[1024] = "-D S(x)=#x -D T(x)=S(x) -D A0=aaaaaaaaaa";
    for (int i = 1; i < 12; i++) {
        char more[80];
        snprintf(more, sizeof more, " -D A%d=A%d/A%d/A%d/A%d/A%d/A%d/A%d", i,
                i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1);
        strcat(options, more);
    }
    expect_expansion(NULL, options, "T(A11)");
}

/* ---- Texts that define --------------------------------------------------- */

static bool may_define(const char *text, size_t size)
{
    struct include_macros macros;
    EXPECT_TRUE(include_macros_init(&macros, PATHS));
    free(include_macros_expand(&macros, "T(P/a.h)", 8));
    const bool may = include_macros_may_be_defined(&macros, text, size);
    include_macros_fini(&macros);
    return may;
}

TEST_C(IncludeMacros, SeeWhoDefinesAWord)
{
    static const char *const defining[] = {"#define P x", "#undef T",
            "x\n # define\tinc", "#def\\\nine P", "#define \\\r\n P",
            "#define \\ \n P", "#define P\\\n", "%:define my", "#undef S\n",
            "#define/**/P", "#define a\n#define h", "#define \?\?/\nP",
            "#define \\u0050"};
    for (size_t i = 0; i < sizeof defining / sizeof *defining; i++)
        if (!may_define(defining[i], strlen(defining[i])))
            test_fail(__FILE__, __LINE__, "not seen: %s", defining[i]);
    EXPECT_TRUE(may_define("#define\0P", 9));
    EXPECT_TRUE(may_define("#define\0 \xc2\xa0P", 12));
    EXPECT_FALSE(may_define("", 0));
    static const char *const others[] = {
            "#define PP x\n#define Q P\nP /* define */ + T(h)",
            "#ifdef P\nint P;\n#endif redefine P"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        EXPECT_FALSE(may_define(others[i], strlen(others[i])));
}

/* ---- Following ----------------------------------------------------------- */

static const char uses[] = "#include T(P/a.h)\nint x;\n";

TEST_FILES(IncludeMacros, AreFollowed)
{
    put_file("inc/a.h", "#include \"b.h\"\n#include T(P/c.h)\n");
    put_file("inc/b.h", "int b;\n");
    put_file("inc/c.h", "int c;\n");
    const char *options = "-D P=inc -D S(x)=#x -D T(x)=S(x)";
    const struct includes once = follow(options, uses);
    const struct includes twice = follow(options, uses);
    EXPECT_EQ(3, once.count);
    EXPECT_TRUE(same_digest(&once, &twice));
    EXPECT_TRUE(writing_changes("inc/a.h",
            "#include \"b.h\"\n#include T(P/c.h)\n//\n", options, uses));
    EXPECT_TRUE(writing_changes("inc/b.h", "int d;\n", options, uses));
    EXPECT_TRUE(writing_changes("inc/c.h", "int e;\n", options, uses));
    remove_file("inc/c.h");
    EXPECT_TRUE(refuses("not found", options, uses));
}

TEST_FILES(IncludeMacros, AreRefusedIfATextDefinesThem)
{
    const char *options = "-D P=inc -D S(x)=#x -D T(x)=S(x)";
    put_file("inc/a.h", "int a;\n");
    EXPECT_TRUE(refuses("may define", options,
            "#undef P\n#define P other\n#include T(P/a.h)\n"));
    put_file("inc/a.h", "#include \"b.h\"\n");
    put_file("inc/b.h", "#undef P\n");
    EXPECT_TRUE(refuses("inc/b.h may define", options, uses));
    put_file("inc/b.h", "int b;\n");
    EXPECT_EQ(2, follow(options, uses).count);
    EXPECT_TRUE(refuses("cannot be resolved", "-D S(x)=#x", uses));
}
