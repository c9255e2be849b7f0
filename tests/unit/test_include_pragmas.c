/* SPDX-License-Identifier: Apache-2.0 */
/* Lines and words that a compiler may read in ways of its own. */
#include "include_finds.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

TEST_C(IncludePragmas, ReportWhatHidesAComment)
{
    /* clang takes the line as it is where #if is true, as tokens elsewhere. */
    EXPECT_FINDS("? ", "#pragma mark /*\n#include \"x.h\"\n/**/\n");
    EXPECT_FINDS("? ", "#pragma mark - /* x\n#include \"x.h\"\n/**/\n");
    EXPECT_FINDS("? ", "#pragma/**/mark/*\n#include \"x.h\"\n/**/\n");
    EXPECT_FINDS("? ", "#pragma m\\\nark /\\\n*\n#include \"x.h\"\n/**/\n");
    EXPECT_FINDS("? ", "#pragma mark '/*' /*/\n#include \"x.h\"\n/**/\n");
    EXPECT_FINDS("? \"x.h\" ", "%: pragma mark \"/*\n#include \"x.h\"\n/**/\n");
    EXPECT_FINDS("? ", "#pragma region /*\n*/\n");
    EXPECT_FINDS("? ", "#error /*\n#include \"x.h\"\n/**/\n");
    EXPECT_FINDS("? ", "#warning /*\n#include \"x.h\"\n/**/\n");
    EXPECT_FINDS("? ", "#! /*\n#include \"x.h\"\n/**/\n");
    EXPECT_FINDS("<x> ", "#pragma mark - /* x */ it's\n#include <x>\n");
    EXPECT_FINDS("<x> ", "#pragma mark // /* x */\n#include <x>\n");
    EXPECT_FINDS("<x> ", "#error \"/* x */\"\n#include <x>\n");
}

TEST_C(IncludePragmas, ReportWhatIsNotKnown)
{
    static const char *const sources[] = {"#pragma x\n", "#pragma x y\n",
            "#pragma 1\n", "#pragma \"x\"\n", "#pragma GCC\n",
            "#pragma GCC x\n", "#pragma GCC dependency \"x.h\"\n",
            "#pragma clang dependency \"x.h\"\n", "#pragma clang\n",
            "#pragma clang module import x\n", "#pragma clang __debug crash\n",
            "#pragma clang include_instead(<x.h>)\n",
            "#pragma include_alias(\"x.h\", \"y.h\")\n", "#pragma hdrstop\n",
            "#pragma once2\n", "#pragma unroll_and_jam_and_something_long\n",
            "#assertion x\n", "#using <x>\n", "#__include_macros \"x.h\"\n",
            "#include_macros \"x.h\"\n", "#embed \"x.h\"\n", "#load x\n",
            "_Pragma(\"x\")\n", "_Pragma(\"GCC dependency \\\"x.h\\\"\")\n",
            "_Pragma(L\"clang module import x\")\n", "_Pragma\n(\n\"x\")\n",
            "#define P _Pragma(\"clang module import x\")\n", "__pragma(x)\n",
            "__pragma ( y(\"a\", \"b\"))\n"};
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++)
        EXPECT_TRUE(include_finds("? ", sources[i], strlen(sources[i])));
}

/* Which a macro may make one. */
TEST_C(IncludePragmas, ReportWordsThatReadFiles)
{
    EXPECT_FINDS("? ", "#define P(x) _Pragma(#x)\nP(clang module import x)\n");
    EXPECT_FINDS("? ", "P(GCC /**/ dependency \"x.h\")\n");
    EXPECT_FINDS("? ", "P(clang\n include_instead(\"x.h\"))\n");
    EXPECT_FINDS("? ", "P(include_alias(\"x.h\", \"y.h\"))\n");
    EXPECT_FINDS("", "int dependency = module + clang.x + GCC;\n");
}

TEST_C(IncludePragmas, IgnoreOrdinaryOnes)
{
    static const char *const sources[] = {"#pragma\n", "#pragma // x\n",
            "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n",
            "#pragma OPENCL FP_CONTRACT OFF\n", "#pragma FP_CONTRACT ON\n",
            "#pragma STDC FP_CONTRACT OFF\n", "#pragma unroll\n",
            "#pragma unroll 4\n", "#pragma unroll(N)\n", "#pragma nounroll\n",
            "#pragma once\n", "#pragma pack(push, 1)\n", "#pragma ivdep\n",
            "#pragma clang loop unroll(full)\n",
            "#pragma clang fp contract(on)\n",
            "#pragma clang diagnostic push\n", "#pragma GCC diagnostic pop\n",
            "#pragma GCC optimize(\"O3\")\n", "#pragma GCC unroll 4\n",
            "#pragma omp simd\n", "#pragma mark - x\n", "#pragma region x\n",
            "#pragma message(\"x\")\n", "#pragma warning(disable: 4996)\n",
            "#pragma push_macro(\"X\")\n", "#pragma pop_macro(\"X\")\n",
            "#pragma HLS pipeline\n", "#pragma ii 4\n",
            "#pragma nv_diag_suppress 1\n", "#define U _Pragma(\"unroll\")\n",
            "#define P(x) _Pragma(#x)\nP(unroll 4)\n",
            "_Pragma(\" unroll 4 \")\n",
            "_Pragma(\"clang loop unroll(full)\")\n",
            "__pragma(warning(disable: 4996))\n", "#ifdef _Pragma\n#endif\n",
            "#line 3 \"x.h\"\n# 3 \"x.h\" 1\n#\n", "#ident \"x\"\n",
            "#if 0\n#version 450\n#extension all : warn\n#endif\n"};
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++)
        EXPECT_TRUE(include_finds("", sources[i], strlen(sources[i])));
}

/* ---- What macros make ---------------------------------------------------- */

TEST_C(IncludePragmas, ReportPartsOfOperatorsThatLookForFiles)
{
    EXPECT_FINDS("? ", "#define H(a, b) a##b\n#if H(__has, x)\n#endif\n");
    EXPECT_FINDS("? ", "H(__has_, include)\n");
    EXPECT_FINDS("? ? ", "H(_, _has_include)\n");
    EXPECT_FINDS("? ", "H(__ha, s)\n");
    EXPECT_FINDS("? ", "H(__has_include_, next)\n");
    EXPECT_FINDS(
            "", "int has, _h, h_, include, next, embed, as_int, __has_x;\n");
    /* Of short parts the first one. */
    EXPECT_FINDS("? ", "H(__, H(has, H(_in, H(clu, de))))\n");
    EXPECT_FINDS("? ", "H(_, H(_h, as))\n");
    EXPECT_FINDS("? ", "#define H __h\n");
    EXPECT_FINDS("? ", "H(__USER_LABEL_PREFIX__, x)\n");
    EXPECT_FINDS("", "/* _ __ */ \"__\" // __h\n");
}

TEST_C(IncludePragmas, ReportAssemblyInParts)
{
    EXPECT_FINDS("? ", "asm(\".inc\" \"bin 'x'\");\n");
    EXPECT_FINDS("? ? ", "asm(\".\" \"incbin 'x'\");\n");
    EXPECT_FINDS("? ", "__asm__(\"nop; .i\" X);\n");
    EXPECT_FINDS("? ", "__asm(\"\\x2eincl\" \"ude 'x'\");\n");
    EXPECT_FINDS("? ", "asm volatile(\"\\056inc\" X);\n");
    EXPECT_FINDS("? ? ", "#define S(x) #x\nasm(S(.incbin x));\n");
    EXPECT_FINDS("? ", "asm(S(.include x));\n");
    EXPECT_FINDS("", "asm(\"add.cc.u32 %0, %1, %2;\\n\\t\" : \"=r\"(x));\n"
                     "asm(\"mov.\" \"u32\");\n");
    EXPECT_FINDS("", "asm(\"nop\"); if (x == '\\x02' || x == '\\3') y;\n");
    EXPECT_FINDS("", "printf(\"\\033[1m.\");\nx.in = a.inc;\n");
}

/* The word may be pasted, in an option or in another file. */
TEST_C(IncludePragmas, ReportAssemblyInPartsWithoutItsWord)
{
    EXPECT_FINDS("? ", "A(\".inc\" \"bin 'x'\");\n");
    EXPECT_FINDS("? ", "A(\".i\" X);\n");
    EXPECT_FINDS("? ", "A(\".\" \"include 'x'\");\n");
    EXPECT_FINDS("? ", "A(\"nop; .\" \"I\" \"n\");\n");
    EXPECT_FINDS("? ", "A(\".\" /**/ // c\n \"\" \"i\");\n");
    EXPECT_FINDS("? ", "A(\".\" X);\n");
    EXPECT_FINDS("? ", "#define D(x) \".\" #x\n");
    EXPECT_FINDS("? ", "#define D \".\"\nint i;\n");
    EXPECT_FINDS("? ", "#define D \".\"");
    EXPECT_FINDS("? ", "A(\"\\x2e\" \"x\");\n");
    EXPECT_FINDS("? ", "A(\"\\56\" \"x\");\n");
    EXPECT_FINDS("? ", "A(\"\\x02e\");\n");
    EXPECT_FINDS("? ", "A(\"\\u002e\");\n");
    EXPECT_FINDS("? ", "A(\".inc{bin|x}\");\n");
    EXPECT_FINDS("? ", "A(S(.include x));\n");
    EXPECT_FINDS("", "A(\"a.\"); A(\"a.\", x); A(\".\" \"x\");\n");
    EXPECT_FINDS("", "A(\"\\02\\03\\07\"[i] + \"\\x1b\"[0]);\n");
    EXPECT_FINDS("", "A(\"\\\\x2e {}\");\n");
}
