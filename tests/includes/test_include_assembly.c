/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs with assembly, and with macros that make strings or paste: only what
 * can reach the assembly matters.
 */
#include "include_helpers.h"
#include "test.h"

#include <string.h>

static const char strings[] = "-D X(x)=#x -D S(x)=X(x)";

static bool is_taken(const char *options, const char *source)
{
    const char *const sources[] = {source};
    struct includes out;
    return follow_sources(&out, 1, sources, NULL, options);
}

/* The first source that is not as said; NULL: all are. */
static const char *find_other(bool taken, const char *options, size_t count,
        const char *const *sources)
{
    for (size_t i = 0; i < count; i++)
        if (is_taken(options, sources[i]) != taken) return sources[i];
    return NULL;
}

#define EXPECT_TAKEN(options, sources) \
    EXPECT_STR_EQ("", none(find_other(true, options, COUNT(sources), sources)))
#define EXPECT_REFUSED(options, sources) \
    EXPECT_STR_EQ("", none(find_other(false, options, COUNT(sources), sources)))

static const char *none(const char *found)
{
    return found != NULL ? found : "";
}

/* As hashcat's kernels are. */
TEST_C(IncludeAssembly, IsTakenIfNoMacroReachesIt)
{
    static const char *const sources[] = {"asm(\"nop\"); t[] = S(a);\n",
            "t[] = S(a); asm volatile(\"bfe %0, %1;\" : \"=r\"(r) : \"r\"(v));",
            "#define NOP asm(\"nop\")\nvoid f() { NOP; g(S(a)); NOP; }\n",
            "#define C(a, b) a##b\n#define V(t, w) C(t, w)\n#define N 4\n"
            "typedef V(uint, N) u32x;\nu32x f() { asm(\"nop\"); }\n",
            "#define P(v, e) v.s##e\nint a, m;\n"
            "#define PP(v, w, e) P(v, e); P(w, e)\n"
            "void f() { PP(x, y, a); asm(\"nop\"); }\n",
            "#if 1\nasm(\"a\");\n#elif 2\nasm(\"b\");\n#else\nS(c);\n#endif\n",
            "printf(\"%d.%d\", a, b); asm(\"nop\");\n",
            "#define A(x) asm(x)\nvoid f() { A(\"nop\"); S(b); }\n"};
    EXPECT_TAKEN(strings, sources);
}

TEST_C(IncludeAssembly, IsRefusedIfItNamesWhatMakesStrings)
{
    static const char *const sources[] = {"asm(S(.) S(inc) S(bin));\n",
            "#define T S\nasm(T(.) T(incbin));\n",
            "#define N \"nop\"\n#define N S(.) S(incbin)\nasm(N);\n",
            "asm(N);\n#define N S(.)\n",
            "#define A(x) asm(x)\nA(S(.) S(incbin));\n",
            "#define A(x) asm(#x)\nA(.);\n",
            "#define F(a, b) a(#b)\nF(asm, .);\n",
            "#define F(a, b) a b\nF(asm, (S(.)));\n",
            "#define D(x)\nasm(D(;) S(.));\n", "#define O (\nasm O S(.));\n",
            "#define O D (\nasm(O ; ) S(.));\n",
            "asm(P(in, cbin));\n#define P(a, b) S(.a##b)\n",
            "asm(\".%c0\" :: \"i\"(1));\n", "#undef S\nasm(S(.));\n",
            "__asm__ volatile(\"a\"\n#define Q\n S(.));\n"};
    EXPECT_REFUSED(strings, sources);
}

TEST_C(IncludeAssembly, IsRefusedIfMacrosMayPasteItsWord)
{
    static const char *const sources[] = {
            "#define C(a, b) a##b\nC(as, m)(S(.));\n",
            "#define C(a, b) a##b\n#define V(a, b) C(a, b)\nV(__as, "
            "m__)(S(.));",
            "#define C(a, b) a##b\n#define I(f, x, y) f(x, y)\nI(C, as, "
            "m)(S(.));",
            "#define C(a, b) a##b\n#define T C\nT(as, m)(S(.));\n",
            "#define C(a, b) a##b\n#define E(x) x\nE(C)(as, m)(S(.));\n",
            "#define C(a, b) a##b\n#define E(x) x\n#define L (as, m)\nE(C "
            "L)(S(.));",
            "#define C(a, b) a##b\n#define Z as\n#define V(a, b) C(a, b)\nV(Z, "
            "m)(S(.));",
            "#define W a##s##m\nW(S(.));\n",
            /* The name of a macro that leads to it. */
            "#define C(a, b) a##b\n#define ABC(x) asm(x)\nC(A, BC)(S(.));\n",
            "#define C(a, b) a##b\n#define A1(x) asm(x)\nC(A, 1)(S(.));\n",
            "#define C(a, b) a##b\n#define A1(x) asm(x)\nC(A, "
            "__LINE__)(S(.));\n",
            /* Of one that pastes. */
            "#define C(a, b) a##b\n#define CAT(a, b) a##b\nC(C, AT)(as, "
            "m)(S(.));",
            "#define C(a, ...) a##__VA_ARGS__\nC(as, m)(S(.));\n"};
    EXPECT_REFUSED(strings, sources);
}

TEST_C(IncludeAssembly, IsRefusedWhereItsEndCannotBeTold)
{
    static const char *const sources[] = {
            "#define F(a, b) a(b)\n#if 1\nF(\n#else\nF(1,\n#endif\nasm, S(.));",
            "asm\n#if 0\n;\n#endif\n(S(.));\n",
            "#if 1\nasm\n#else\n;\n#endif\n(S(.));\n",
            "#if 1\nx; asm\n#endif\n(S(.));\n", "#define $ S\nasm($(.));\n",
            "#define \xc3\xa9 S\nasm(\xc3\xa9(.));\n",
            "\?\?=define T S\nasm(T(.));\n", "asm(\"a\") S(.)",
            "#if 1\nasm(\"a\");"};
    EXPECT_REFUSED(strings, sources);
}

/* Quotes in options are read in different ways. */
TEST_C(IncludeAssembly, IsMadeOfWhatOptionsDefine)
{
    static const char *const source[] = {"asm(T(.) T(incbin));\nt[] = S(a);\n"};
    static const char *const other[] = {"asm(U(.) U(incbin));\n"};
    EXPECT_REFUSED("-DS(x)=#x -D T=S", source);
    EXPECT_REFUSED("-D S(x)=#x -DT(x)=S(x)", source);
    EXPECT_REFUSED("-D \"S(x)=#x\"", other);
    EXPECT_TAKEN("-D S(x)=#x", other);
}

/* Each text alone is taken. */
TEST_FILES(IncludeAssembly, IsFollowedThroughFiles)
{
    put_file("a.h", "#define S(x) #x\n");
    put_file("b.h", "void f() { asm(T); }\n");
    put_file("c.h", "#define T S(.)\n");
    put_file("d.h", "(S(.));\n");
    put_file("e.h", "int x; asm\n");
    static const char *const good[] = {"#include \"a.h\"\n#include \"b.h\"\n",
            "#include \"a.h\"\nasm(\"\");\n"};
    static const char *const bad[] = {
            "#include \"a.h\"\n#include \"b.h\"\n#include \"c.h\"\n",
            "#include \"a.h\"\nasm\n#include \"d.h\"\n",
            "#include \"a.h\"\n#include \"e.h\"\n(S(.));\n",
            ("#include \"a.h\"\n#define F(x, y) x y\nF(\n#include \"e.h\"\n, "
             "S(.))\n")};
    EXPECT_TAKEN("-I.", good);
    EXPECT_REFUSED("-I.", bad);
    EXPECT_TRUE(refuses("assembly may be of what T makes", "-I.", bad[0]));
}
