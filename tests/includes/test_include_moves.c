/* SPDX-License-Identifier: Apache-2.0 */
#include "include_helpers.h"

#include "src/drivers/option_folders.h"
#include "test.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct include_driver pocl = {"Portable Computing Language", true};

/* The text with each @ replaced by the folder, which is absolute; the caller's
 * to free. */
static char *at_place(const char *text, const char *folder)
{
    char here[PATH_MAX];
    char *out = calloc(1, strlen(text) * (sizeof here + 64) + 1);
    if (out == NULL || getcwd(here, sizeof here) == NULL) abort();
    for (; *text != '\0'; text++)
        if (*text == '@')
            sprintf(out + strlen(out), "%s/%s", here, folder);
        else
            out[strlen(out)] = *text;
    return out;
}

/* What the ID has of a source with options whose @ are that folder. */
struct seen {
    struct includes includes;
    char *options;
};

static void seen_fini(struct seen *seen)
{
    free(seen->options);
}

static struct seen look(
        const char *options, const char *folder, const char *source)
{
    struct seen seen = {.options = NULL};
    char *text = at_place(source, folder);
    const char *const texts[] = {text};
    char *words = at_place(options, folder);
    if (!includes_follow_to_move(
                &seen.includes, NULL, &pocl, 1, texts, NULL, words))
        test_fail(__FILE__, __LINE__, "refused: %s", seen.includes.reason);
    seen.options = option_folders_name(words);
    free(words);
    free(text);
    return seen;
}

static bool is_one(const struct seen *a, const struct seen *b)
{
    return a->includes.moves && b->includes.moves
           && strcmp(a->options, b->options) == 0
           && memcmp(a->includes.moved_digest, b->includes.moved_digest,
                      sizeof a->includes.moved_digest)
                      == 0;
}

/* True if the source is one program with the folders of both places. */
static bool is_one_at(const char *one_options, const char *one,
        const char *other_options, const char *other, const char *source)
{
    struct seen a = look(one_options, one, source);
    struct seen b = look(other_options, other, source);
    const bool is = is_one(&a, &b);
    seen_fini(&a);
    seen_fini(&b);
    return is;
}

static bool moves_with(
        const char *options, const char *header, const char *source)
{
    put_file("m/h.h", header);
    struct seen seen = look(options, "m", source);
    const bool moves = seen.includes.moves;
    seen_fini(&seen);
    return moves;
}

static void put_tree(const char *root)
{
    char path[PATH_MAX];
    static const char *const files[][2] = {{"one/a.h", "#include \"b/c.h\"\n"},
            {"one/b/c.h", "#include \"../../z.h\"\nint c;\n"},
            {"two/b.h", "int b;\n"}, {"z.h", "int z;\n"}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(path, sizeof path, "%s/%s", root, files[i][0]);
        put_file(path, files[i][1]);
    }
}

static const char both[] = "-I @/one -I @/two -cl-mad-enable";
static const char source[] = "#include \"a.h\"\n#include <b.h>\n";

TEST_FILES(IncludeMoves, TellsTreesByTheirContentsAlone)
{
    put_tree("p");
    put_tree("q/deeper/by.far");
    put_tree("r");
    EXPECT_EQ(0, symlink("r", "link"));
    EXPECT_TRUE(is_one_at(both, "p", both, "r", source));
    EXPECT_TRUE(is_one_at(both, "p", both, "link", source));
    EXPECT_TRUE(is_one_at(
            "-I @/one/ -I @/two//", "p", "-I @/one/ -I @/two//", "r", source));
    /* CL_PROGRAM_BUILD_OPTIONS tells them as they were given. */
    EXPECT_FALSE(is_one_at(
            both, "p", "-I @/one/ -I @/two// -cl-mad-enable", "r", source));
    EXPECT_TRUE(is_one_at(both, "p", both, "r/two/..", source));
    EXPECT_TRUE(is_one_at("-I@/one", "p", "-I@/one", "r", "int i;"));
    EXPECT_TRUE(is_one_at(both, "p", both, "q/deeper/by.far", source));
    put_file("r/two/b.h", "int other;\n");
    EXPECT_FALSE(is_one_at(both, "p", both, "r", source));
}

TEST_FILES(IncludeMoves, SeesTheOrderAndWhatIsMissing)
{
    put_tree("p");
    put_tree("r");
    EXPECT_TRUE(is_one_at(both, "p", both, "r", source));
    EXPECT_FALSE(is_one_at(
            both, "p", "-I @/two -I @/one -cl-mad-enable", "r", source));
    EXPECT_FALSE(is_one_at(
            both, "p", "-I @/one -cl-mad-enable", "r", "#include \"a.h\"\n"));
    put_file("r/one/b.h", "int b;\n"); /* the same, found before */
    EXPECT_FALSE(is_one_at(both, "p", both, "r", source));
    remove_file("r/one/b.h");
    EXPECT_TRUE(is_one_at(both, "p", both, "r", source));
    remove_file("r/z.h");
    EXPECT_FALSE(is_one_at(both, "p", both, "r", source));
}

/* clang drops -I of a folder that is one of -isystem, so that its headers are
 * the system's. */
TEST_FILES(IncludeMoves, SeesWhichFoldersAreOne)
{
    static const char two[] = "-I @/s -isystem @/t";
    static const char text[] = "#include <h.h>\n";
    put_file("p/s/h.h", "int h;\n");
    put_file("p/t/h.h", "int h;\n");
    put_file("q/s/h.h", "int h;\n");
    put_file("q/t/h.h", "int h;\n");
    EXPECT_TRUE(is_one_at(two, "p", two, "q", text));
    remove_file("q/t/h.h");
    EXPECT_EQ(0, rmdir("q/t"));
    EXPECT_EQ(0, symlink("s", "q/t"));
    EXPECT_FALSE(is_one_at(two, "p", two, "q", text));
    remove_file("q/t");
    EXPECT_FALSE(is_one_at(two, "p", two, "q", text)); /* it is not there */
    EXPECT_FALSE(is_one_at("-I @/s", "p", "-isystem @/s", "p", text));
    /* Neither has the header; one is empty. */
    put_file("p/e/sub/x.h", "");
    EXPECT_FALSE(is_one_at("-I @/s -I @/e", "p", "-I @/s -I @/e", "q", text));
    EXPECT_TRUE(is_one_at("-I @/s -I @/e2", "p", "-I @/s -I @/e2", "q", text));
}

/* The same names, one of them a link, and then another folder: clang gives the
 * warnings of headers in the first, and not of those in both. The header is
 * beside both, and so the same file. */
TEST_FILES(IncludeMoves, SeesWhichFoldersAreOneWhereNothingMoves)
{
    static const char *const options[] = {
            "-I s -isystem t", "-Werror -I @/s -isystem @/t"};
    static const char text[] = "#include <../z.h>\n";
    put_file("z.h", "int f(int a) { return a / 0; }\n");
    put_file("s/h.h", "");
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        EXPECT_EQ(0, symlink("s", "t"));
        struct seen as_link = look(options[i], ".", text);
        remove_file("t");
        put_file("t/h.h", "");
        struct seen as_folder = look(options[i], ".", text);
        EXPECT_FALSE(as_link.includes.moves);
        EXPECT_FALSE(same_digest(&as_link.includes, &as_folder.includes));
        seen_fini(&as_link);
        seen_fini(&as_folder);
        remove_file("t/h.h");
        EXPECT_EQ(0, rmdir("t"));
    }
}

/* Beside a folder that is searched by its name: clang's log has the name by
 * which a folder was reached first. */
TEST_FILES(IncludeMoves, StaysIfAFolderIsReachedByTwoNames)
{
    static const char text[] = "#include <../t/h.h>\n#include <i.h>\n";
    put_file("m/s/i.h", "int i;\n");
    put_file("m/t/h.h", "int h;\n");
    struct seen one = look("-I @/s -I @/t", "m", text);
    struct seen two = look("-I @/s -I @/u", "m", text);
    EXPECT_FALSE(one.includes.moves);
    EXPECT_TRUE(two.includes.moves);
    seen_fini(&one);
    seen_fini(&two);
}

/* clang asks for a folder that is not there as for a file, and then knows the
 * folder around it by that name. */
TEST_FILES(IncludeMoves, StaysIfAFileIsBesideAFolderThatIsMissing)
{
    static const char text[] = "#include <../h.h>\n";
    put_file("m/h.h", "#include \"i.h\"\n");
    put_file("m/i.h", "int i;\n");
    put_file("m/s/k.h", "int k;\n");
    put_file("m/t/k.h", "int k;\n");
    struct seen one = look("-I @/s -I @/none//", "m", text);
    struct seen two = look("-I @/s -I @/t", "m", text);
    struct seen three = look("-I @/s -I @/t/none", "m", text);
    EXPECT_FALSE(one.includes.moves);
    EXPECT_TRUE(two.includes.moves);
    EXPECT_TRUE(three.includes.moves);
    seen_fini(&one);
    seen_fini(&two);
    seen_fini(&three);
}

TEST_FILES(IncludeMoves, SeesTheWorkingDirectory)
{
    static const char text[] = "#include <h.h>\n";
    put_file("h.h", "int h;\n");
    put_file("p/h.h", "int h;\n");
    put_file("q/h.h", "int h;\n");
    EXPECT_TRUE(is_one_at("-I @", "p", "-I @", "q", text));
    EXPECT_EQ(0, symlink(".", "here"));
    EXPECT_FALSE(is_one_at("-I @", "p", "-I @", "here", text));
}

static void expect_to_stay(
        const char *options, const char *header, const char *text)
{
    if (moves_with(options, header, text))
        test_fail(__FILE__, __LINE__, "moves:\n%s\n%s\n%s", options, header,
                text);
}

TEST_C(IncludeMoves, KeepsThePathOfWhatMaySeeIt)
{
    static const char includes[] = "#include <h.h>\n";
    static const char *const headers[] = {("int f(int l, const char *t);\n"
                                           "#define A f(1, __FILE__)\n"),
            "#define C(a, b) a##b\n#define F C(__FI, LE__)\n",
            "#define C(a, b) a%:%:b\n#define F C(__builtin_, X)\n",
            "int __FI\\\nLE__;\n", "#define S __BASE_FILE__\n",
            "int i = __INCLUDE_LEVEL__;\n", "#define N __FILE_NAME__\n",
            "#define N __builtin_FILE()\n", "#define N __PRETTY_FUNCTION__\n",
            "#define T __TIMESTAMP__\n", "#line 3 \"x.h\"\n", "# 3 \"x.h\"\n",
            "#/**/line 7\n", "#import \"h.h\"\n",
            "_Pragma(\"message(\\\"x\\\")\")\n",
            "#pragma GCC diagnostic error \"-Wall\"\n",
            "int __attribute__((annotate(\"x\"))) f(void);\n",
            "int __attribute__((__annotate__(\"x\"))) f(void);\n",
            "#define A(x) __builtin_annotation(x, \"x\")\n",
            "#define C(a, b) a##b\n#define A C(__builtin_ann, otation)\n",
            "int f(void) __attribute__((__deprecated__(\"x\")));\n",
            ("#define C(a, b) a##b\n"
             "int f(void) __attribute__((C(anno, tate)(\"x\")));\n"),
            "struct { int a; } t;\n", "typedef struct { int a; } *t;\n",
            "typedef struct { int a; } t[2];\n",
            "typedef struct { int a; } t(void);\n",
            "typedef struct { int a; } _t;\n",
            "typedef struct { int a; } __attribute__((packed)) t;\n",
            "typedef const struct { int a; } t;\n",
            "typedef struct { struct { int a; } m; } t;\n",
            "typedef struct { struct { int a; } __attribute__((x)) m; } t;\n",
            "typedef struct { struct { int a; } __attribute__((x; } t;\n",
            "typedef struct { int a; } t __attribute__((aligned(8)));\n",
            "typedef struct { struct { int a; } *m; } t;\n",
            "typedef struct { int a;\n", "typedef struct { int a; }\n",
            "typedef struct { int a; } t\n", "typedef struct { int a; } t##\n",
            "typedef struct { int a; } t##;\n",
            "void f(void) { struct { int a; } t; }\n",
            "#define typedef\ntypedef struct { int a; } t;\n",
            "#undef struct\n", "typedef; struct { int a; } t;\n",
            "typedef struct PACKED { int a; } t;\n",
            "typedef struct __attribute__((packed)) { int a; } t;\n",
            "enum { a };\n", "/* of @ */\n"};
    enter_files();
    EXPECT_TRUE(moves_with("-I @", "int h;\n", includes));
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        char *text = at_place(headers[i], "m");
        expect_to_stay("-I @", text, includes);
        free(text);
    }
    expect_to_stay("-I @", "int h;\n", "#define F __FILE__\n#include <h.h>\n");
    expect_to_stay("-I @", "int h;\n", "#include \"@/h.h\"\n");
    leave_files();
}

TEST_C(IncludeMoves, MovesWhatCannotSeeIt)
{
    static const char includes[] = "#include <h.h>\n";
    static const char *const headers[] = {"/* __FILE__ */\n// enum {\n",
            "struct t { int a; };\nenum e { a };\nstruct t *p, q;\n",
            "#define C(a, b) a##b\nstatic int C(x, y);\n",
            "#ifndef H_\n#define H_\n#pragma once\n#endif\n",
            "int f(char c) { return c == '\"'; } // __FILE__\n",
            "typedef struct { int a; } t;\n", "typedef enum { a } e, *p;\n",
            "typedef struct /* of */ { int a; } t;\n",
            "typedef union\n{ int a; char c[4]; } t; /* } */\n",
            ("typedef union { struct { float x, y; };\n"
             "  struct { float real, imag; }; float v[2]; } t;\n"),
            "struct t { union { int a; char c; }; };\n",
            ("typedef union { struct { float x, y; }\n"
             "  __attribute__ ((aligned (sizeof(float)))); } t;\n"),
            ("#define DECLARE(T, R) \\\n  typedef union { \\\n"
             "    struct { T x, y; }; \\\n    T v[2]; \\\n  } R##_t; \\\n"
             "  static T R##_real(R##_t a) { return a.x; }\n"
             "DECLARE(float, c)\n")};
    enter_files();
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
        if (!moves_with("-I @", headers[i], includes))
            test_fail(__FILE__, __LINE__, "stays:\n%s", headers[i]);
    EXPECT_TRUE(moves_with("-I @", "int h;\n",
            "typedef struct { int a; } t;\n#include <h.h>\n"));
    leave_files();
}

TEST_FILES(IncludeMoves, KeepsThePathWithOptionsThatMayWriteOne)
{
    static const char includes[] = "#include <h.h>\n";
    static const char *const moving[] = {"-I @", "-I@", "-isystem @",
            "-I @ -D A=1 -DB -UC -w -O2 -cl-std=CL1.2 -cl-kernel-arg-info",
            "-I @ -include h.h", "-I m -I @"};
    static const char *const staying[] = {"-I m", "-I @ -g", "-I @ -Werror",
            "-I @ -save-temps", "-I @ -fverbose-asm", "-I @ -DA=@",
            "-I @ -DF=__FILE__", "-I \"@\"", "-I @ -I @/inside", "-I\t@",
            "-I @ -include @/h.h", "-I / -I m", "-I @ -cl-std=CLC++",
            "-I @ -Dtypedef=", "-I @ -D struct=int"};
    put_file("m/inside/x.h", "");
    for (size_t i = 0; i < sizeof moving / sizeof *moving; i++)
        if (!moves_with(moving[i], "int h;\n", includes))
            test_fail(__FILE__, __LINE__, "stays: %s", moving[i]);
    for (size_t i = 0; i < sizeof staying / sizeof *staying; i++)
        expect_to_stay(staying[i], "int h;\n", includes);
    EXPECT_TRUE(moves_with("-I @", "int h;\n", includes));
    (void)setenv("POCL_EXTRA_BUILD_FLAGS", "-g", 1);
    expect_to_stay("-I @", "int h;\n", includes);
    (void)unsetenv("POCL_EXTRA_BUILD_FLAGS");
}

/* A driver may look in folders of its own that are not known. */
TEST_C(IncludeMoves, KeepsThePathForOtherDrivers)
{
    static const struct include_driver oclgrind = {"Oclgrind", true};
    static const char *const texts[] = {"int i;\n"};
    /* No part of a driver's own folder. */
    static const char *const options = "-I /folder-that-is-nowhere";
    struct includes out;
    EXPECT_TRUE(includes_follow_to_move(
            &out, NULL, &oclgrind, 1, texts, NULL, options));
    EXPECT_FALSE(out.moves);
    EXPECT_TRUE(includes_follow_to_move(
            &out, NULL, &pocl, 1, texts, NULL, options));
    EXPECT_TRUE(out.moves);
    EXPECT_TRUE(includes_follow(&out, NULL, &pocl, 1, texts, NULL, options));
    EXPECT_FALSE(out.moves); /* who does not ask */
}

/* ---- Texts with folders -------------------------------------------------- */

static void expect_named(const char *expected, const char *options)
{
    char *named = option_folders_name(options);
    EXPECT_STR_EQ(expected, named);
    free(named);
}

TEST_C(OptionFolders, AreNumberedInTheirOrder)
{
    expect_named("", "");
    expect_named("-I a -w", "-I a -w");
    expect_named("-I <folder 1> -w -I<folder 2>/", "-I /a/b -w -I/c/");
    expect_named("-I <folder 1>/// -isystem <folder 1> -I x",
            "-I /a/// -isystem /a -I x");
    expect_named("  -iquote<folder 1>  ", "  -iquote/a  ");
    expect_named("-I / -I", "-I / -I");
}

static void expect_shown(const char *expected, const char *text)
{
    struct option_folders here;
    struct option_folders there;
    size_t size = strlen(text);
    EXPECT_TRUE(option_folders_init(&here, "-I /a/b -I /c"));
    EXPECT_TRUE(option_folders_init(&there, "-I /else/where -I /d"));
    char *hidden = option_folders_hide(&here, text, &size);
    EXPECT_NOT_NULL(hidden);
    EXPECT_FALSE(option_folders_are_in(&here, hidden, size));
    EXPECT_TRUE(option_folders_suit(&there, hidden, size));
    char *shown = option_folders_show(&there, hidden, &size);
    EXPECT_STR_EQ(expected, shown);
    EXPECT_EQ(strlen(expected), size);
    free(hidden);
    free(shown);
    option_folders_fini(&here);
    option_folders_fini(&there);
}

TEST_C(OptionFolders, AreShownUnderOtherNames)
{
    expect_shown("", "");
    expect_shown("/else/where/x.h:1: warning\nin /d/y.h\n",
            "/a/b/x.h:1: warning\nin /c/y.h\n");
    expect_shown("-I /else/where/ -I/d", "-I /a/b/ -I/c");
    expect_shown("/a/", "/a/");
}

TEST_C(OptionFolders, RefuseWhatIsNoText)
{
    struct option_folders folders;
    static const char *const hidden[] = {"\x01",
            "\x01"
            "1",
            "\x01"
            "0\x02",
            "\x01"
            "2\x02",
            "\x01"
            "18446744073709551617\x02",
            "\x01\x02"};
    EXPECT_TRUE(option_folders_init(&folders, "-I /a/b"));
    for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++) {
        size_t size = strlen(hidden[i]);
        EXPECT_FALSE(option_folders_suit(&folders, hidden[i], size));
        EXPECT_TRUE(option_folders_show(&folders, hidden[i], &size) == NULL);
    }
    size_t size = 1;
    EXPECT_TRUE(option_folders_hide(&folders, "\x01", &size) == NULL);
    EXPECT_FALSE(option_folders_can_hide("\x01", 1));
    EXPECT_FALSE(option_folders_can_hide("a\x02", 2));
    EXPECT_TRUE(option_folders_can_hide("a", 1));
    option_folders_fini(&folders);
}
