/* SPDX-License-Identifier: Apache-2.0 */
#include "src/includes/include_scan.h"

#include "include_finds.h"
#include "src/common/buffer.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { many = 100000 };

TEST_C(IncludeScan, FindsNothingInNothing)
{
    struct include_scan scan;
    struct include_directive found = {include_bracket, "a", 1};
    include_scan_init(&scan, NULL, 0);
    EXPECT_FALSE(include_scan_next(&scan, &found));
    include_scan_init(&scan, "int a;", 6);
    EXPECT_FALSE(include_scan_next(&scan, &found));
    EXPECT_FALSE(include_scan_next(&scan, &found));
    EXPECT_EQ(include_bracket, found.form);
    EXPECT_BYTES_EQ("a", 1, found.name, found.name_size);
}

TEST_C(IncludeScan, FindsEachSpelling)
{
    EXPECT_FINDS("\"a.h\" ", "#include \"a.h\"\n");
    EXPECT_FINDS("<a.h> ", "#include <a.h>\n");
    EXPECT_FINDS("\"a b/c.h\" ", "#include \"a b/c.h\"\n");
    EXPECT_FINDS("\"a.h\" ", "#include\"a.h\"");
    EXPECT_FINDS("<a.h> ", "#include<a.h>");
    EXPECT_FINDS("\"a.h\" ", "#import \"a.h\"\n");
    EXPECT_FINDS("\"a.h\" ", " \t\v\f# \t\v\finclude \t\v\f\"a.h\" \n");
    EXPECT_FINDS("\"a.h\" ", "%:include \"a.h\"\n");
    EXPECT_FINDS("\"a.h\" ", "% \n%: include \"a.h\"\n");
    EXPECT_FINDS("\"a.h\" ", "\?\?=include \"a.h\"\n");
    EXPECT_FINDS("\"\" ", "#include \"\"\n");
    EXPECT_FINDS("\"a.h\" <b.h> \"c.h\" ",
            "#include \"a.h\"\nint x;\n#include <b.h>\n#include \"c.h\"");
}

TEST_C(IncludeScan, FindsWhateverTheCondition)
{
    EXPECT_FINDS("\"a.h\" <b.h> ",
            "#if 0\n#include \"a.h\"\n#else\n# include <b.h>\n#endif\n");
}

TEST_C(IncludeScan, KnowsNoNameOfOthers)
{
    EXPECT_FINDS("? ", "#include NAME\n");
    EXPECT_FINDS("? ", "#include NAME(\"a.h\")\n");
    EXPECT_FINDS("? ", "#import NAME");
    EXPECT_FINDS("? ", "#include");
    EXPECT_FINDS("? ", "#include\n");
    EXPECT_FINDS("? ", "#include \"a.h\n");
    EXPECT_FINDS("? ", "#include \"a.h");
    EXPECT_FINDS("? ", "#include \"");
    EXPECT_FINDS("? ", "#include <a.h\n>");
    EXPECT_FINDS("? ", "#include_next \"a.h\"\n");
    EXPECT_FINDS("? ", "#embed \"a.bin\"\n");
    EXPECT_FINDS("? <b.h> ", "#include NAME\n#include <b.h>\n");
    EXPECT_FINDS("? <b.h> ", "#include \"a\n#include <b.h>\n");
}

TEST_C(IncludeScan, KnowsNoNameWithBackslashOrNul)
{
    EXPECT_FINDS("? <b.h> ", "#include \"a\\b.h\"\n#include <b.h>\n");
    EXPECT_FINDS("? <b.h> ", "#include \"a\\\"/*.h\"\n#include <b.h>\n");
    EXPECT_FINDS("? <b.h> ", "#include <a\\/*b.h>\n#include <b.h>\n");
    EXPECT_FINDS("? <b.h> ", "#include \"a\\\nb.h\"\n#include <b.h>\n");
    EXPECT_FINDS("? <b.h> ", "#include <\\\na/*b.h>\n#include <b.h>\n");
    EXPECT_FINDS("? ", "#include \"a\0b.h\"\n");
}

TEST_C(IncludeScan, KnowsNoNameThatDialectsReadDifferently)
{
    /* Trigraphs. */
    EXPECT_FINDS("? <b.h> ", "#include \"a\?\?(.h\"\n#include <b.h>\n");
    EXPECT_FINDS("? <b.h> ", "#include <a\?\?(.h>\n#include <b.h>\n");
    /* Ordinary tokens where #if is false, which then decide what is a comment
     * behind them. */
    EXPECT_FINDS("? ", "#include <it's.h>\n");
    EXPECT_FINDS("? ", "#include <\".h>\n");
    EXPECT_FINDS("? ", "#include <a//b.h>\n");
    EXPECT_FINDS("? ", "#include <a/*b.h>\n");
    EXPECT_FINDS("? ",
            "#if 0\n#include <a//> /*\n#endif\n#include \"b.h\"\n/* */\n");
    EXPECT_FINDS("\"it's//b/*.h\" <c.h> ",
            "#include \"it's//b/*.h\"\n#include <c.h>\n");
    EXPECT_FINDS("<a?b.h> ", "#include <a?b.h>\n");
    /* The name of a macro, or blanks. */
    EXPECT_FINDS("? ", "#include \xc3\xa9 <a.h>\n");
}

TEST_C(IncludeScan, ShowsHowTheLineBegins)
{
    static const char source[] = "#include NAME(x) y\nz";
    struct include_scan scan;
    struct include_directive found;
    include_scan_init(&scan, source, sizeof source - 1);
    ASSERT_TRUE(include_scan_next(&scan, &found));
    EXPECT_EQ(include_macro, found.form);
    EXPECT_BYTES_EQ("NAME(x) y", 9, found.name, found.name_size);
    EXPECT_FALSE(include_scan_next(&scan, &found));
}

TEST_C(IncludeScan, ShowsNoEndlessLine)
{
    char *source = malloc(many);
    ASSERT_NOT_NULL(source);
    memset(source, 'x', many);
    memcpy(source, "#include ", 9);
    struct include_scan scan;
    struct include_directive found;
    include_scan_init(&scan, source, many);
    EXPECT_TRUE(include_scan_next(&scan, &found));
    EXPECT_PTR_EQ(source + 9, found.name);
    EXPECT_TRUE(found.name_size > 80 && found.name_size < 1000);
    EXPECT_FALSE(include_scan_next(&scan, &found));
    free(source);
}

TEST_C(IncludeScan, ReportsDirectivesThatItDoesNotKnow)
{
    EXPECT_FINDS("? ", "#includefoo \"a.h\"\n");
    EXPECT_FINDS("? ", "#includes\n");
    EXPECT_FINDS("? ", "#include2 \"a.h\"\n");
    EXPECT_FINDS("? ", "#include_ \"a.h\"\n");
    EXPECT_FINDS("? ", "#includ \"a.h\"\n");
    EXPECT_FINDS("? ", "#inc lude \"a.h\"\n");
    EXPECT_FINDS("? ", "#inc/**/lude \"a.h\"\n");
    EXPECT_FINDS("? ", "#Include \"a.h\"\n");
    EXPECT_FINDS("? ", "#include_next_directive_of_any_kind \"a.h\"\n");
}

TEST_C(IncludeScan, IgnoresWhatIsNoDirective)
{
    EXPECT_FINDS("", "x #include \"a.h\"\n");
    EXPECT_FINDS("", "x %:include \"a.h\"\n");
    EXPECT_FINDS("", "x \?\?=include \"a.h\"\n");
    EXPECT_FINDS("", "##include \"a.h\"\n");
    EXPECT_FINDS("", "# #include \"a.h\"\n");
    EXPECT_FINDS("", "#\ninclude \"a.h\"\n");
    EXPECT_FINDS("", "%\n:include \"a.h\"\n");
    EXPECT_FINDS("", "include \"a.h\"\n");
    EXPECT_FINDS("", "\"x\" #include \"a.h\"\n");
    EXPECT_FINDS("", "#define S(x) #x\n#define INCLUDE #include\n");
    EXPECT_FINDS("", "#");
    EXPECT_FINDS("", "%");
    EXPECT_FINDS("", "%:");
    EXPECT_FINDS("", "\?\?");
    EXPECT_FINDS("", "\?\?=");
    EXPECT_FINDS("", "#warning it's \"so\n#error don't\n#pragma unroll 'y\n");
}

TEST_C(IncludeScan, TakesEveryNewline)
{
    EXPECT_FINDS("<a> <b> ", "x\n#include <a>\n#include <b>\n");
    EXPECT_FINDS("<a> <b> ", "x\r\n#include <a>\r\n#include <b>\r\n");
    EXPECT_FINDS("<a> <b> ", "x\r#include <a>\r#include <b>\r");
    EXPECT_FINDS("<a> <b> ", "x\n\r#include <a>\n\r#include <b>\n\r");
    EXPECT_FINDS("<a> ", "// x\r#include <a>");
    EXPECT_FINDS("<a> ", "\"x\r#include <a>");
}

TEST_C(IncludeScan, IgnoresBlockComments)
{
    EXPECT_FINDS("", "/* #include <a> */");
    EXPECT_FINDS("", "/*\n#include <a>\n*/");
    EXPECT_FINDS("", "/*/\n#include <a>\n*/");
    EXPECT_FINDS("", "/* // */ x #include <a>\n");
    EXPECT_FINDS("", "x /*\n*/ #include <a>\n");
    EXPECT_FINDS("", "/* unterminated\n#include <a>\n");
    EXPECT_FINDS("", "/* unterminated *");
    EXPECT_FINDS("", "/*");
    EXPECT_FINDS("", "#define A /*\n#include <a>\n*/\n");
    EXPECT_FINDS("<a> ", "/* x */ #include <a>\n");
    EXPECT_FINDS("<a> ", "/*\n*/ /**/ #include <a>\n");
    EXPECT_FINDS("<a> ", "/***/\n#include <a>\n");
    EXPECT_FINDS("<a> ", "/* /* */\n#include <a>\n/* */");
    EXPECT_FINDS("<a> ", "/* it's \" */\n#include <a>\n/* ' */");
    EXPECT_FINDS("<a> ", "/* // */\n#include <a>\n/* */");
    EXPECT_FINDS("<a> ", "#/*\n*/include/*\n*/<a>/*\n*/\n");
    EXPECT_FINDS("<a> ", "/* *\\\n\\ \r\n/\n#include <a>\n/**/");
    EXPECT_FINDS("<a> ", "/\\\n* *\\\n/\n#include <a>\n/**/");
}

TEST_C(IncludeScan, FindsCommentsAfterTheName)
{
    EXPECT_FINDS("<a> <c> ", "#include <a> /*\n#include <b>\n*/\n#include <c>");
    EXPECT_FINDS("\"a\" ", "#include \"a\"/* it's\n#include <b>\n*/\n");
    EXPECT_FINDS(
            "? <c> ", "#include A /* it's\n#include <b>\n/*/\n#include <c>");
    EXPECT_FINDS("<a> <b> ", "#include <a> // /*\n#include <b>\n");
    EXPECT_FINDS("<a> <b> ", "#include <a> 'x /*\n#include <b>\n");
    EXPECT_FINDS("? <c> ", "#include <a/*b>\n#include <c>\n");
    EXPECT_FINDS("\"a//b\" <c> ", "#include \"a//b\"\n#include <c>\n");
    EXPECT_FINDS("<a> ", "#include <a> #include <b>\n");
    EXPECT_FINDS("<a> ", "#include <a> \\\n#include <b>\n");
    EXPECT_FINDS("<a> ", "#include <a>\\\n#include <b>\n");
}

TEST_C(IncludeScan, IgnoresLineComments)
{
    EXPECT_FINDS("", "// #include <a>\n");
    EXPECT_FINDS("", "x // y\\\n#include <a>\n");
    EXPECT_FINDS("", "// x\\ \t\v\f\r\n#include <a>\n");
    EXPECT_FINDS("", "// x\\\n\\\n#include <a>\n");
    EXPECT_FINDS("", "/\\\n/ x\\\n#include <a>\n");
    EXPECT_FINDS("", "# // x\\\ninclude <a>\n");
    EXPECT_FINDS("", "//");
    EXPECT_FINDS("", "// \\");
    EXPECT_FINDS("<a> ", "// /*\n#include <a>\n");
    EXPECT_FINDS("<a> ", "// it's\n#include <a>\n");
    EXPECT_FINDS("<a> ", "// \"\n#include <a>\n");
    EXPECT_FINDS("<a> ", "// x\\y\n#include <a>\n");
    EXPECT_FINDS("<a> ", "//* x\n#include <a>\n//*/\n");
    EXPECT_FINDS("<a> ", "// x\0y\n#include <a>\n");
    EXPECT_FINDS("<a> ", "x = y / z; /\n#include <a>\n");
}

TEST_C(IncludeScan, IgnoresLiterals)
{
    EXPECT_FINDS("", "s = \"\\\n#include <a>\\\n\";\n");
    EXPECT_FINDS("<a> ", "s = \"/*\";\n#include <a>\n");
    EXPECT_FINDS("<a> ", "s = \"//\" /*\n*/;\n#include <a>\n");
    EXPECT_FINDS("<a> ", "s = \"\\\"/*\";\n#include <a>\n");
    EXPECT_FINDS("<a> ", "s = \"\\\\\"; /*\"*/\n#include <a>\n");
    EXPECT_FINDS("<a> ", "s = \"\\\\\\\"/*\";\n#include <a>\n");
    EXPECT_FINDS("<a> ", "s = \"\\\\\n\"/*\";\n#include <a>\n");
    EXPECT_FINDS("<a> ", "s = \"it's /*\";\n#include <a>\n");
    EXPECT_FINDS("<a> ", "c = '\"'; s = \"/*\";\n#include <a>\n");
    EXPECT_FINDS("<a> ", "c = '\\''; s = \"/*\";\n#include <a>\n");
    EXPECT_FINDS("<a> ", "c = '/*';\n#include <a>\n");
    EXPECT_FINDS("<a> ", "s = \"x\\\n/*\";\n#include <a>\n");
    EXPECT_FINDS("<a> ", "s = \"\0/*\";\n#include <a>\n");
    EXPECT_FINDS("<a> ", "s = \"\"; c = ''\n#include <a>\n");
}

TEST_C(IncludeScan, EndsLiteralsWithTheLine)
{
    EXPECT_FINDS("<a> ", "#error don't\n#include <a>\n// it's\n");
    EXPECT_FINDS("<a> ", "#error don't\r#include <a>\r'");
    EXPECT_FINDS("<a> ", "#if 0\ndon't /*\n#endif\n#include <a>\n");
    EXPECT_FINDS("<a> ", "#if 0\n5\" /*\n#endif\n#include <a>\n");
    EXPECT_FINDS("<a> ", "\"x\\\\\n\n#include <a>\n");
    EXPECT_FINDS("<a> ", "\"\\\\\n\n#include <a>\n");
    EXPECT_FINDS("<a> ", "'\\\\\r\n\r\n#include <a>\n");
    EXPECT_FINDS("", "\"x");
    EXPECT_FINDS("", "'");
    EXPECT_FINDS("", "\"\\");
    EXPECT_FINDS("", "\"\\x");
    EXPECT_FINDS("", "\"x\\\n");
}

TEST_C(IncludeScan, JoinsSplicedLines)
{
    EXPECT_FINDS("<a> ", "#in\\\nclude <a>\n");
    EXPECT_FINDS("<a> ", "#in\\\r\nclude <a>\n");
    EXPECT_FINDS("<a> ", "#in\\\rclude <a>\n");
    EXPECT_FINDS("<a> ", "#in\\\n\rclude <a>\n");
    EXPECT_FINDS("<a> ", "#in\\ \t\v\f\nclude <a>\n");
    EXPECT_FINDS("<a> ", "#in\\\n\\\nclude\\\n<a>\n");
    EXPECT_FINDS("<a> ", "\\\n#\\\ninclude \\\n<a>\n");
    EXPECT_FINDS("<a> ", " \\\n %\\\n:include <a>\n");
    EXPECT_FINDS("<a> ", "#i\\\nn\\\nc\\\nl\\\nu\\\nd\\\ne <a>\\\n");
    EXPECT_FINDS("? ", "#include\\\n_next <a>\n");
    EXPECT_FINDS("? ", "#include\\\nd <a>\n");
    EXPECT_FINDS("", "x\\\n#include <a>\n");
    EXPECT_FINDS("? ", "#in\\\n\nclude <a>\n");
    EXPECT_FINDS("? ", "#in\\\r\rclude <a>\n");
    EXPECT_FINDS("? ", "#in\\x\nclude <a>\n");
    EXPECT_FINDS("? ", "#in\\");
    EXPECT_FINDS("? ", "#in\\ ");
    EXPECT_FINDS("", "\\");
    EXPECT_FINDS("<a> ", "\\x\n#include <a>\n");
}

TEST_C(IncludeScan, SkipsBytesThatCompilersSkip)
{
    EXPECT_FINDS("<a> ", "\0#include <a>\n");
    EXPECT_FINDS("<a> ", "x;\n\0#\0include\0<a>\0\n");
    EXPECT_FINDS("? ", "#inc\0lude <a>\n");
    EXPECT_FINDS("<a> ", "\xEF\xBB\xBF#include <a>\n");
    EXPECT_FINDS("<a> ", "\xC2\xA0#\xC2\xA0include <a>\n");
    EXPECT_FINDS("<\xC3\xA9> ", "#include <\xC3\xA9>\n");
    EXPECT_FINDS("", "\0");
}

TEST_C(IncludeScan, ReportsTestsForFiles)
{
    EXPECT_FINDS("? ", "#if __has_include(<a>)\n#endif\n");
    EXPECT_FINDS("? ", "#elif X && __has_include_next(<a>)\n");
    EXPECT_FINDS("? ", "#if __has_embed(<a>)\n");
    EXPECT_FINDS("? ", "#define HAS __has_\\\ninclude(<a>)\n");
    EXPECT_FINDS("", "#if __has_attribute(x)\n");
    EXPECT_FINDS("", "#if my__has_include(x) + __has_includes\n");
    EXPECT_FINDS("", "// __has_include\n/* __has_include */ \"__has_include\"");
}

TEST_C(IncludeScan, ReportsInlineAssemblyThatReadsFiles)
{
    EXPECT_FINDS("? ", "asm(\".incbin \\\"a\\\"\");\n");
    EXPECT_FINDS("? ", "asm(\"nop; .include \\\"a\\\"\");\n");
    EXPECT_FINDS("? ", "asm(\".INCBIN \\\"a\\\"\");\n");
    EXPECT_FINDS("? ", "asm(\".Include \\\"a\\\"\");\n");
    EXPECT_FINDS("? ", "asm(\".MACRO m a b\\n.\\\\a\\\\b\\n.endm\");\n");
    EXPECT_FINDS("? ", "asm(\".irp z,bin\\n.inc\\\\z\\n.endr\");\n");
    EXPECT_FINDS("? ", "asm(\".inc{bin|x} \\\"a\\\"\");\n");
    EXPECT_FINDS("", "asm(\"{ .reg .u32 t; mov.u32 t, %1; }\");\n");
    EXPECT_FINDS("", "x.inc = y.inc; // .incbin\n");
}

/* Of which no string shows a part: macros make them. */
TEST_C(IncludeScan, ReportsAssemblyOfStringsThatMacrosMake)
{
    EXPECT_FINDS("? ",
            "#define S(x) #x\n"
            "kernel void f(global int *p){ int r; __asm__ volatile("
            "S(.pushsection .rodata;) \"77: \" S(.in)S(cbin) "
            "S(\"/path/data.bin\"; .popsection;) \"movl 77b(%%rip), %0\" "
            ": \"=r\"(r)); p[0]=r; }\n");
    EXPECT_FINDS("? ", "#define S(x) #x\n#define I(x) S(.in##x)\n"
                       "kernel void f(global int*p){__asm__ volatile(I(cbin) "
                       "\" \\\"/etc/passwd\\\"\");}");
    EXPECT_FINDS("? ", "#define S(x) #x\nasm(S(.) S(inc) S(bin));\n");
    EXPECT_FINDS("? ", "__asm(S(.) S(inc));\n#define S(x) %:x\nasm(S(.));");
    EXPECT_FINDS("? ", "#define S(x) \?\?=x\n__as\\\nm volatile(S(.));\n");
    EXPECT_FINDS("? ", "#define S(x) # x\n#define A __asm__\nA(S(.));\n");
    /* The word in parts. */
    EXPECT_FINDS(
            "? ", "#define S(x) #x\n#define A(x) __a##x\nA(sm__)(S(.));\n");
    EXPECT_FINDS("? ", "#define C(x, y, z) x %:%: y##z\n#define S(x) #x\n"
                       "C(a, s, m)(S(.));\n");
    /* In a line that some dialects read as a string. */
    EXPECT_FINDS("? ", "#define S(x) #x\n#define A 1'0 asm\n");
    EXPECT_FINDS("? ", "#define S(x) 1'0 #x\n");
    /* Operands that complete a directive. */
    EXPECT_FINDS("? ", "asm(\".%c0 \\\"a\\\"\" :: \"i\"(incbin));\n");
    EXPECT_FINDS("? ", "asm(\".In%c0 \\\"a\\\"\" :: \"i\"(cbin));\n");
    EXPECT_FINDS("? ", "asm(\"nop;.\" /**/\n\"%c0\" :: \"i\"(incbin));\n");
}

TEST_C(IncludeScan, TakesOtherAssemblyAndOtherMacros)
{
    EXPECT_FINDS("", "asm(\"nop\");\n");
    EXPECT_FINDS("", "#define A __asm__\n#define N \"nop\"\nA(N);\n");
    EXPECT_FINDS("", "asm volatile(\"mov.u32 %0, %%clock;\" : \"=r\"(x));\n");
    EXPECT_FINDS("", "#define C(x, y) x##y\nasm(\"nop\"); C(as_, int)(a);\n");
    EXPECT_FINDS("", "#define S(x) #x\nprintf(S(.) S(inc) S(bin), a, m);\n");
    EXPECT_FINDS("", "#define S(x) #x\nint a, s, m, asm_count, my_asm;\n");
    EXPECT_FINDS("", "#define S(x) #x\n#define C(x) as_##x\nC(int)(a + m);\n");
    EXPECT_FINDS("", "#define S(x) #x\n// asm\nprintf(\"asm\");\n");
    EXPECT_FINDS("", "printf(\"%d.%d\", a, b);\n");
}

/* Trigraphs are one of them in C, not in C++. */
TEST_C(IncludeScan, ReportsWhereDialectsDisagree)
{
    EXPECT_FINDS("? ", "// x\?\?/\n");
    EXPECT_FINDS("? ", "/* *\?\?/ \r\n/ */\n");
    EXPECT_FINDS("? <a> ", "// x\?\?\?/\n#include <a>\n");
    EXPECT_FINDS("? ", "s = \"\?\?/\"/*\";\n");
    EXPECT_FINDS("? ", "c = '\?\?';\n");
    EXPECT_FINDS("? ", "x = y \?\?' /* z */ 1;\n");
    EXPECT_FINDS(
            "", "// x\?\?/ y\n// z\?\?'\n/* \?\?/ */ x \?\?/ \?\?! \?/\n\?");
    EXPECT_FINDS("", "x ? y : z\?\?/");
    EXPECT_FINDS("", "x\?");
    /* Raw strings: C++ only. */
    EXPECT_FINDS("? ", "s = R\"(/*)\";\n");
    EXPECT_FINDS("? ? ", "s = LR\"(x)\" + u8R\"(y)\";\n");
    EXPECT_FINDS("? ? ", "s = uR\"(x)\" + UR\"(y)\";\n");
    EXPECT_FINDS("", "s = R + r\"x\" + PRIuPTR\"x\" + R'x' + R;\n");
    /* Separators of digits: C++ only. */
    EXPECT_FINDS("? ", "x = 1'0 + '\"' + \"/*\";\n");
    EXPECT_FINDS("? ", "x = 1'000; /* y */\n");
    EXPECT_FINDS("? ", "x = f(1'000, \"y\");\n");
    EXPECT_FINDS("? ", "#if 1'000 && __has_include(<a>)\n");
    EXPECT_FINDS("<a> ", "x = 1'000'000;\n#include <a>\n");
    /* A directive, or a raw string. */
    EXPECT_FINDS("? ", "\?\?=R\"(\" /* )\"\n#include \"b.h\"\n/* */\n");
    /* Comments that a trigraph takes the first character of. */
    EXPECT_FINDS("? ", "#define X \?\?/* \"\n#include \"b.h\"\n/* */\n");
    EXPECT_FINDS("? ", "#define X \?\?// asm(\".incbin 'b'\")\n");
    EXPECT_FINDS("<a> ", "/* \?\?/ */ // \?\?/ x\n#include <a>\n");
    /* Numbers are more than they look, and the rest of the line a string or a
     * comment. */
    EXPECT_FINDS("? \"b.h\" ", "1.a'0\"'/*\"\n#include \"b.h\"\n/* */\n");
    EXPECT_FINDS("? \"b.h\" ", ".5e+a'0\"'/*\"\n#include \"b.h\"\n/* */\n");
    EXPECT_FINDS("? \"b.h\" ", "0x1p-a'0\"'/*\"\n#include \"b.h\"\n/* */\n");
    EXPECT_FINDS("? \"b.h\" ", "1\xc3\xa9'0\"'/*\"\n#include \"b.h\"\n/* */\n");
    EXPECT_FINDS("? \"b.h\" ", "1\\u00e9'0\"'/*\"\n#include \"b.h\"\n/* */\n");
    EXPECT_FINDS("? \"b.h\" ",
            "#if 0\n# 1'0\"'/*\"\n#endif\n#include \"b.h\"\n/* */\n");
    /* Or less. */
    EXPECT_FINDS("? ", "#if 1\xc2\xa0__has_include(<a>)\n");
    EXPECT_FINDS("? <b> ", "1p+R\"(\"\n#include <b>\n");
    EXPECT_FINDS("<a> ", "x = 0x1.8p+1f + 1e-3 - .5f - 1.;\n#include <a>\n");
    EXPECT_FINDS("", "17\" and 0x1.8R wide \"\n");
    EXPECT_FINDS("<a> ", "x = 10-'a'; /* \"y\" */\n#include <a>\n");
    EXPECT_FINDS("<a> ", "x = 10+'\"'; y = 2*'/*';\n#include <a>\n");
    EXPECT_FINDS("<a> ", "the 80's\n#include <a>\n");
    EXPECT_FINDS("", "x = u8'a' + L'b'; /* y */\n");
    /* Comments in the text of a warning. */
    EXPECT_FINDS("? ", "#warning x /* y\n#include <a>\n// */\n");
    EXPECT_FINDS("", "#warning x // y\n#warning\n#warning /* */\n");
}

/* Hostile sources take no longer than others: these are slow if a line is read
 * again for each of its tokens. */
TEST_C(IncludeScan, ReadsLongLinesOnce)
{
    static const char *const patterns[] = {"1'", "\?\?'", "__has_include ",
            "\"", "R\"", "\\ ", "/\\\n", "\?\?/ ", "#warning /* */ ", "%",
            "1'\"", "/*", "1.", "1p+R\"", "1\\\xff", "\?\?//\n", "#1\n",
            "#include \xff<a//>\n"};
    char *source = malloc(10 * many);
    ASSERT_NOT_NULL(source);
    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++) {
        size_t length = strlen(patterns[i]);
        for (size_t at = 0; at < 10 * many; at++)
            source[at] = patterns[i][at % length];
        struct include_scan scan;
        struct include_directive found;
        include_scan_init(&scan, source, 10 * many);
        while (include_scan_next(&scan, &found))
            EXPECT_EQ(include_macro, found.form);
    }
    free(source);
}

/* A part of a source, whole in itself, and what is found in it. */
struct part {
    const char *text;
    const char *found;
};

static const struct part parts[] = {
        {"#include \"a.h\"\n", "\"a.h\" "},
        {"  # include <b/b.h> // it's\n", "<b/b.h> "},
        {"%:import <c.h>\n", "<c.h> "},
        {"/* x\n*/ #include /* y\n */ \"d.h\" /* z\n#include <x>\n*/\n",
                "\"d.h\" "},
        {"#include NAME /*\n*/\n", "? "},
        {"#if __has_include(<e.h>)\n", "? "},
        {"/* it's \" // /*\n#include \"x\"\n*/\n", ""},
        {"// it's \" /* #include <x>\n", ""},
        {"char *s = \"/* // \\\" '\", c = '\"', d = '\\'';\n", ""},
        {"#error don't /*\n", "? "},
        {"#error don't\n", ""},
        {"#pragma unroll 4\n", ""},
        {"#pragma mark it's \"so\n", ""},
        {"#if 0\nsay \"x\n#endif\n", ""},
        {"x #include \"x\"\n", ""},
        {"int y = 1 / 2 /3;\n", ""},
        {"#includes <x>\n", "? "},
        {"\n", ""},
};

static unsigned draw(uint64_t *random, unsigned below)
{
    *random = *random * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(*random >> 33) % below;
}

/* Appends a part with other newlines; with a splice here and there, but not in
 * what may be a name, which it would make unknown. */
static void append_part(struct buffer *source, const struct part *part,
        const char *newline, bool splices, uint64_t *random)
{
    bool has_name = part->found[0] == '"' || part->found[0] == '<';
    const char *name = has_name ? strpbrk(part->text, "\"<") : part->text;
    const char *close = has_name ? strpbrk(name + 1, "\">") : part->text;
    for (const char *p = part->text; *p != '\0'; p++) {
        if (*p == '\n') {
            buffer_append(source, newline, strlen(newline));
            continue;
        }
        buffer_append(source, p, 1);
        bool in_name = p >= name && p < close;
        if (splices && !in_name && draw(random, 8) == 0) {
            buffer_append(source, "\\ ", 1 + draw(random, 2));
            buffer_append(source, newline, strlen(newline));
        }
    }
}

TEST_C(IncludeScan, FindsTheSameInAnyCompany)
{
    static const char *const newlines[] = {"\n", "\r\n", "\r"};
    uint64_t random = test_seed();
    for (unsigned round = 0; round < 20000; round++) {
        const char *newline = newlines[draw(&random, 3)];
        bool splices = draw(&random, 2) == 0;
        struct buffer source;
        struct buffer expected;
        buffer_init(&source);
        buffer_init(&expected);
        for (unsigned left = draw(&random, 8) + 1; left > 0; left--) {
            const struct part *part =
                    &parts[draw(&random, sizeof parts / sizeof parts[0])];
            append_part(&source, part, newline, splices, &random);
            buffer_append(&expected, part->found, strlen(part->found));
        }
        buffer_append(&expected, "", 1);
        ASSERT_OK(buffer_status(&source));
        ASSERT_OK(buffer_status(&expected));
        bool same = include_finds((const char *)expected.data,
                (const char *)source.data, source.size);
        buffer_fini(&source);
        buffer_fini(&expected);
        ASSERT_TRUE(same);
    }
}
