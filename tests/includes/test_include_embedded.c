/* SPDX-License-Identifier: Apache-2.0 */
/* Headers that reach the compiler as texts, and files of the same names. */
#include "include_helpers.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

static const struct include_driver pocl = {"Portable Computing Language", true};
static const struct include_driver rusticl = {"rusticl", true};
static const struct include_driver oclgrind = {"Oclgrind", true};
static const struct include_driver intel = {"Intel(R) OpenCL", true};

enum { most_headers = 4 };

struct program {
    const struct include_driver *driver;
    size_t count;
    struct include_embedded headers[most_headers];
    const char *source;
    const char *options;
};

static struct include_embedded header(const char *name, const char *text)
{
    return (struct include_embedded){name, text, strlen(text)};
}

static bool follows(struct includes *out, const struct program *p)
{
    memset(out, 0, sizeof *out);
    return includes_follow_embedded(out, NULL, p->driver, p->count, p->headers,
            strlen(p->source), p->source, p->options);
}

static bool are_same(const struct program *a, const struct program *b)
{
    struct includes x;
    struct includes y;
    EXPECT_TRUE(follows(&x, a));
    EXPECT_TRUE(follows(&y, b));
    return same_digest(&x, &y);
}

static bool is_refused(const struct program *p, const char *reason)
{
    struct includes includes;
    if (follows(&includes, p)) return false;
    EXPECT_NOT_NULL(strstr(includes.reason, reason));
    return strstr(includes.reason, reason) != NULL;
}

/* True if the file appears in the digest when it is there. */
static bool appearing_changes(const struct program *p, const char *path)
{
    struct includes without;
    struct includes with;
    EXPECT_TRUE(follows(&without, p));
    put_file(path, "int x;\n");
    EXPECT_TRUE(follows(&with, p));
    remove_file(path);
    return !same_digest(&without, &with);
}

static struct program pipeline(const struct include_driver *driver)
{
    return (struct program){driver, 3,
            {header("a.h", "#include \"s/b.h\"\n"),
                    header("s/b.h", "#include \"c.h\"\n"),
                    header("s/c.h", "#define C 1\n")},
            "#include \"a.h\"\n", "-I inc"};
}

TEST_C(IncludeEmbedded, ChangesCountWhereverTheyAre)
{
    enter_files();
    const struct program p = pipeline(&pocl);
    EXPECT_TRUE(are_same(&p, &p));
    for (size_t i = 0; i < p.count; i++) {
        struct program other = p;
        other.headers[i] = header(p.headers[i].name, "/* other */");
        EXPECT_FALSE(are_same(&p, &other));
        other = p;
        other.headers[i] = header("other.h", p.headers[i].text);
        EXPECT_FALSE(are_same(&p, &other));
        other = p;
        other.headers[i] = p.headers[(i + 1) % p.count];
        other.headers[(i + 1) % p.count] = p.headers[i];
        EXPECT_FALSE(are_same(&p, &other));
        /* The second one of a name may be the one that is read. */
        other = p;
        other.headers[other.count++] = p.headers[i];
        EXPECT_FALSE(are_same(&p, &other));
    }
    leave_files();
}

/* What ends one piece and begins the next is told apart. */
TEST_C(IncludeEmbedded, NamesAndTextsHaveTheirEnds)
{
    enter_files();
    const struct program one = {
            &pocl, 1, {header("ab", "c")}, "int x;\n", NULL};
    const struct program other = {
            &pocl, 1, {header("a", "bc")}, "int x;\n", NULL};
    const struct program none = {&pocl, 0, {{NULL, NULL, 0}}, "int x;\n", NULL};
    EXPECT_FALSE(are_same(&one, &other));
    EXPECT_FALSE(are_same(&one, &none));
    leave_files();
}

TEST_C(IncludeEmbedded, FilesOfTheirNamesCount)
{
    static const char *const everywhere[] = {
            "a.h", "s/b.h", "c.h", "inc/a.h", "inc/s/b.h", "inc/c.h"};
    const struct include_driver *const drivers[] = {
            &pocl, &rusticl, &oclgrind, &intel};
    enter_files();
    setenv("TMPDIR", "temporary", 1);
    for (size_t d = 0; d < sizeof drivers / sizeof *drivers; d++) {
        const struct program p = pipeline(drivers[d]);
        for (size_t i = 0; i < sizeof everywhere / sizeof *everywhere; i++)
            EXPECT_TRUE(appearing_changes(&p, everywhere[i]));
        EXPECT_FALSE(appearing_changes(&p, "other.h"));
    }
    /* Where Intel's and Mesa's compilers seem to have what s/b.h is beside. */
    const struct program of_intel = pipeline(&intel);
    EXPECT_TRUE(appearing_changes(&of_intel, "s/c.h"));
    const struct program of_rusticl = pipeline(&rusticl);
    EXPECT_TRUE(appearing_changes(&of_rusticl, "temporary/openclon12/a.h"));
    EXPECT_TRUE(appearing_changes(&of_rusticl, "temporary/openclon12/s/c.h"));
    EXPECT_TRUE(appearing_changes(&of_rusticl, "opencl-c-base.h"));
    EXPECT_TRUE(appearing_changes(
            &of_rusticl, "temporary/openclon12/opencl-c-base.h"));
    unsetenv("TMPDIR");
    leave_files();
}

/* A header sees the folder's name in __FILE__. */
TEST_C(IncludeEmbedded, FolderOfMesasIsCounted)
{
    struct includes here;
    struct includes there;
    const struct program p = pipeline(&rusticl);
    enter_files();
    setenv("TMPDIR", "here", 1);
    EXPECT_TRUE(follows(&here, &p));
    setenv("TMPDIR", "there", 1);
    EXPECT_TRUE(follows(&there, &p));
    EXPECT_FALSE(same_digest(&here, &there));
    unsetenv("TMPDIR");
    leave_files();
}

TEST_C(IncludeEmbedded, FilesThatTheyIncludeAreFollowed)
{
    enter_files();
    put_file("inc/file.h", "#include \"deep.h\"\n");
    put_file("inc/deep.h", "int x;\n");
    struct program p = {&oclgrind, 1, {header("a.h", "#include \"file.h\"\n")},
            "int x;\n", "-I inc"};
    struct includes before;
    struct includes after;
    EXPECT_TRUE(follows(&before, &p));
    EXPECT_EQ(2, before.count);
    put_file("inc/deep.h", "int y;\n");
    EXPECT_TRUE(follows(&after, &p));
    EXPECT_FALSE(same_digest(&before, &after));
    remove_file("inc/deep.h");
    EXPECT_TRUE(is_refused(&p, "includes deep.h, which was not found"));
    /* Unless it is another header. */
    p.headers[p.count++] = header("deep.h", "int z;\n");
    EXPECT_TRUE(follows(&after, &p));
    remove_file("inc/file.h");
    EXPECT_TRUE(is_refused(&p, "a.h includes file.h, which was not found"));
    leave_files();
}

TEST_C(IncludeEmbedded, NamesThatLeadElsewhereAreRefused)
{
    static const char *const names[] = {
            "", "/a.h", "../a.h", "b/../a.h", "a\\b.h", "a\nb.h", ".."};
    static const char *const texts[] = {"#include \"../a.h\"\n",
            "#include <../a.h>\n", "#include \"b/../a.h\"\n"};
    enter_files();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct program p = {
                &pocl, 1, {header(names[i], "int x;\n")}, "int x;\n", NULL};
        EXPECT_TRUE(is_refused(&p, "a header has the name"));
    }
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct program p = {
                &pocl, 1, {header("h.h", texts[i])}, "int x;\n", NULL};
        EXPECT_TRUE(is_refused(&p, "which may lead elsewhere"));
        p.headers[0] = header("h.h", "int x;\n");
        p.source = texts[i];
        EXPECT_TRUE(is_refused(&p, "which may lead elsewhere"));
    }
    /* Three dots are a name. */
    const struct program fine = {
            &pocl, 1, {header(".../a..h", "int x;\n")}, "int x;\n", NULL};
    struct includes includes;
    EXPECT_TRUE(follows(&includes, &fine));
    leave_files();
}

TEST_C(IncludeEmbedded, TextsWithNulAreRefused)
{
    const struct program p = {
            &pocl, 1, {{"h.h", "int x;\0int y;", 13}}, "int x;\n", NULL};
    enter_files();
    EXPECT_TRUE(is_refused(&p, "the header h.h has a NUL"));
    leave_files();
}

TEST_C(IncludeEmbedded, NamesByMacroAreOfTheOptionsAlone)
{
    enter_files();
    struct program p = {&pocl, 2,
            {header("a.h", "#include NAME(b)\n"), header("b.h", "int x;\n")},
            "#include \"a.h\"\n", "-DNAME(x)=x.h"};
    p.options = "";
    EXPECT_TRUE(is_refused(&p, "a.h has an include that cannot be resolved"));
    p.headers[0] = header("a.h", "#include Q\n");
    p.source = "#define Q \"b.h\"\n#include \"a.h\"\n";
    EXPECT_TRUE(is_refused(&p, "cannot be resolved"));
    leave_files();
}

/* What one text assembles another one may have made. */
TEST_C(IncludeEmbedded, AssemblyIsThatOfAllTexts)
{
    enter_files();
    struct includes includes;
    struct program p = {&pocl, 1,
            {header("a.h", "#define S(x) #x\n#define T S\n")},
            "kernel void k(void) { asm(T(nop)); }\n", NULL};
    EXPECT_FALSE(follows(&includes, &p));
    /* It is that macro alone. */
    p.headers[0] = header("a.h", "#define S(x) x\n#define T S\n");
    EXPECT_TRUE(follows(&includes, &p));
    const struct program incbin = {&pocl, 1,
            {header("a.h", "void f(void) { asm(\".incbin \\\"x\\\"\"); }\n")},
            "int x;\n", NULL};
    EXPECT_FALSE(follows(&includes, &incbin));
    leave_files();
}

/* libgpuarray's header has the pragma so. */
TEST_C(IncludeEmbedded, UnknownSpellingOfAPragmaReadsNoFile)
{
    const struct program p = {&pocl, 1,
            {header("cluda.h", "#pragma OPENCL_EXTENSION "
                               "cl_khr_int64_base_atomics: enable\n")},
            "#include \"cluda.h\"\n", NULL};
    struct includes includes;
    enter_files();
    EXPECT_TRUE(follows(&includes, &p));
    leave_files();
}
