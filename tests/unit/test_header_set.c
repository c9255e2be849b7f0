/* SPDX-License-Identifier: Apache-2.0 */
#include "src/includes/header_set.h"

#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add(struct header_set *set, const char *name, const char *text)
{
    EXPECT_OK(header_set_add(set, name, text, strlen(text)));
}

static bool doubts(const struct header_set *set, const char *text)
{
    struct header_doubt doubt;
    return header_set_find_doubt(set, text, strlen(text), NULL, &doubt);
}

/* Text as the driver gets it, '@' for the set's folder; caller frees. */
static char *rewritten(
        const struct header_set *set, const char *includer, const char *text)
{
    struct buffer out = {NULL, 0, 0, false};
    char prefix[HEADER_PREFIX_SIZE];
    header_set_prefix(set, prefix);
    EXPECT_OK(header_set_rewrite(
            set, prefix, includer, text, strlen(text), &out));
    buffer_append_u8(&out, 0);
    EXPECT_OK(buffer_status(&out));
    char *from = (char *)out.data;
    char *short_text = calloc(1, out.size);
    if (short_text == NULL) abort();
    for (char *to = short_text; *from != '\0';) {
        bool here = strncmp(from, prefix, strlen(prefix)) == 0;
        *to++ = here ? '@' : *from;
        from += here ? strlen(prefix) : 1;
    }
    buffer_fini(&out);
    return short_text;
}

static void expect_rewritten(const struct header_set *set, const char *includer,
        const char *expected, const char *text)
{
    char *got = rewritten(set, includer, text);
    EXPECT_STR_EQ(expected, got);
    free(got);
}

/* ---- Names --------------------------------------------------------------- */

TEST_C(HeaderSet, RefusesNamesThatSomeDriverCannotTake)
{
    static const char *const bad[] = {"", "/", "/a.h", "a/", "a//b.h", ".",
            "..", "./a.h", "../a.h", "a/../b.h", "a/.", "a b.h", "a\tb.h",
            "a\\b.h", "a\"b.h", "a'b.h", "<a.h>", "a:b.h", "a|b.h", "a?.h",
            "*.h", "a\n.h", "a\x7f.h"};
    struct header_set set = {NULL, 0};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        EXPECT_STATUS(
                dnnl_invalid_arguments, header_set_add(&set, bad[i], "", 0));
        if (test_has_failed()) printf("the name is '%s'\n", bad[i]);
    }
    EXPECT_EQ(0, set.count);
    EXPECT_NULL(set.list);
}

TEST_C(HeaderSet, TakesNamesUpToALength)
{
    char name[HEADER_NAME_SIZE + 1];
    struct header_set set = {NULL, 0};
    memset(name, 'a', sizeof name);
    name[HEADER_NAME_SIZE] = '\0';
    EXPECT_STATUS(dnnl_invalid_arguments, header_set_add(&set, name, "", 0));
    name[HEADER_NAME_SIZE - 1] = '\0';
    EXPECT_OK(header_set_add(&set, name, "", 0));
    EXPECT_EQ(1, set.count);
    header_set_fini(&set);
    EXPECT_EQ(0, set.count);
}

TEST_C(HeaderSet, TakesANameOnce)
{
    struct header_set set = {NULL, 0};
    add(&set, "a.h", "1");
    add(&set, "a.hpp", "2");
    add(&set, "a", "3");
    EXPECT_STATUS(dnnl_invalid_arguments, header_set_add(&set, "a.h", "4", 1));
    EXPECT_EQ(3, set.count);
    EXPECT_STR_EQ("1", set.list[1].text);
    header_set_fini(&set);
}

TEST_C(HeaderSet, IsSortedHoweverItIsFilled)
{
    static const char *const names[] = {
            "b.h", "a/z.h", "a.h", "b", "b.hh", "..a/x.h", "a/b/c.h", "z"};
    enum { count = sizeof names / sizeof names[0] };
    struct header_set forward = {NULL, 0};
    struct header_set backward = {NULL, 0};
    char one[HEADER_PREFIX_SIZE];
    char two[HEADER_PREFIX_SIZE];
    for (size_t i = 0; i < count; i++) {
        add(&forward, names[i], names[i]);
        add(&backward, names[count - 1 - i], names[count - 1 - i]);
    }
    ASSERT_EQ(count, forward.count);
    for (size_t i = 0; i < count; i++) {
        EXPECT_STR_EQ(forward.list[i].name, backward.list[i].name);
        EXPECT_STR_EQ(forward.list[i].name, forward.list[i].text);
        if (i > 0)
            EXPECT_LT(
                    strcmp(forward.list[i - 1].name, forward.list[i].name), 0);
    }
    header_set_prefix(&forward, one);
    header_set_prefix(&backward, two);
    EXPECT_STR_EQ(one, two);
    header_set_fini(&forward);
    header_set_fini(&backward);
}

TEST_C(HeaderSet, HasAFolderOfItsContents)
{
    static const char *const contents[][2] = {
            {"a.h", "1"}, {"a.h", "2"}, {"b.h", "1"}, {"a.h1", ""}};
    enum { count = sizeof contents / sizeof contents[0] };
    char prefixes[count][HEADER_PREFIX_SIZE];
    for (size_t i = 0; i < count; i++) {
        struct header_set set = {NULL, 0};
        add(&set, contents[i][0], contents[i][1]);
        header_set_prefix(&set, prefixes[i]);
        EXPECT_EQ(HEADER_PREFIX_SIZE - 1, strlen(prefixes[i]));
        EXPECT_EQ(0, strncmp(prefixes[i], "dnnl_cache_", 11));
        for (size_t j = 0; j < i; j++)
            EXPECT_NE(0, strcmp(prefixes[i], prefixes[j]));
        header_set_fini(&set);
    }
}

/* ---- Directives ---------------------------------------------------------- */

TEST_C(HeaderSet, AnswersQuotesAndBrackets)
{
    struct header_set set = {NULL, 0};
    add(&set, "a.h", "");
    expect_rewritten(&set, NULL,
            "#include \"@/a.h\"\n  # import \"@/a.h\" // x\nint i;",
            "#include \"a.h\"\n  # import <a.h> // x\nint i;");
    EXPECT_FALSE(doubts(&set, "#include \"a.h\"\n#include <a.h>\n"));
    header_set_fini(&set);
}

TEST_C(HeaderSet, LeavesTheRestAsItIs)
{
    static const char text[] = "// #include \"a.h\"\n"
                               "char *s = \"#include \\\"a.h\\\"\";\n"
                               "#define include \"a.h\"\n#pragma once\n";
    struct header_set set = {NULL, 0};
    add(&set, "a.h", "");
    expect_rewritten(&set, NULL, text, text);
    expect_rewritten(&set, NULL, "", "");
    header_set_fini(&set);
}

TEST_C(HeaderSet, LooksBesideTheIncluderThenFromTheTop)
{
    struct header_set set = {NULL, 0};
    add(&set, "x.h", "");
    add(&set, "y.h", "");
    add(&set, "d/x.h", "");
    add(&set, "d/e/z.h", "");
    expect_rewritten(&set, "d/i.h",
            "#include \"@/d/x.h\"\n#include \"@/y.h\"\n#include \"@/x.h\"\n",
            "#include \"x.h\"\n#include \"y.h\"\n#include <x.h>\n");
    expect_rewritten(&set, "d/i.h",
            "#include \"@/d/e/z.h\"\n#include \"@/x.h\"\n",
            "#include \"e/z.h\"\n#include \"../x.h\"\n");
    expect_rewritten(&set, "d/e/i.h",
            "#include \"@/d/x.h\"\n#include \"@/y.h\"\n#include \"@/y.h\"\n",
            "#include \"../x.h\"\n#include \"../../y.h\"\n"
            "#include \".././../y.h\"\n");
    expect_rewritten(&set, NULL,
            "#include \"@/x.h\"\n#include \"@/d/x.h\"\n#include \"@/x.h\"\n",
            "#include \"./x.h\"\n#include \"d//x.h\"\n#include \"d/../x.h\"\n");
    header_set_fini(&set);
}

TEST_C(HeaderSet, DoubtsWhatItHasNot)
{
    static const char *const texts[] = {"#include \"b.h\"", "#include <b.h>",
            "#include \"a\"", "#include \"a.h.h\"", "#include \"\"",
            "#include \"../a.h\"", "#include \"/a.h\"", "#include \"d/..\"",
            "#include \"..\"", "#include A", "#include_next \"a.h\"",
            "#if __has_include(\"a.h\")\n#endif",
            "#include \"a.h\" \n#include \"b.h\""};
    struct header_set set = {NULL, 0};
    add(&set, "a.h", "");
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        EXPECT_TRUE(doubts(&set, texts[i]));
        if (test_has_failed()) printf("the text is: %s\n", texts[i]);
    }
    /* They stay, for the compiler to complain of. */
    expect_rewritten(&set, NULL, texts[0], texts[0]);
    expect_rewritten(&set, NULL, "#include \"@/a.h\" \n#include \"b.h\"",
            texts[sizeof texts / sizeof texts[0] - 1]);
    header_set_fini(&set);
}

TEST_C(HeaderSet, DoubtsHeadersThatIncludeMore)
{
    struct header_set set = {NULL, 0};
    struct header_doubt doubt;
    add(&set, "a.h", "#include \"b.h\"\n");
    add(&set, "b.h", "");
    EXPECT_FALSE(doubts(&set, "#include \"a.h\"\n"));
    /* Used or not: which one is used is for the compiler to tell. */
    add(&set, "c/d.h", "#include <e.h>\n");
    ASSERT_TRUE(header_set_find_doubt(&set, "", 0, "", &doubt));
    EXPECT_STR_EQ(
            "the header c/d.h includes e.h, which is not embedded", doubt.text);
    header_set_fini(&set);
}

/* One text has the macro, another the assembly. */
TEST_C(HeaderSet, DoubtsAssemblyOfStringsThatMacrosMake)
{
    static const char source[] = "#include \"a.h\"\nasm(S(.) S(inc) S(bin));\n";
    struct header_set set = {NULL, 0};
    add(&set, "a.h", "#define S(x) x\n");
    EXPECT_FALSE(doubts(&set, source));
    add(&set, "b.h", "#define S(x) #x\n");
    EXPECT_TRUE(doubts(&set, source));
    EXPECT_FALSE(doubts(&set, "#include \"b.h\"\nchar t[] = S(.) S(inc);\n"));
    add(&set, "c.h", "#define A __asm__\n");
    EXPECT_TRUE(doubts(&set, "A(S(.) S(inc) S(bin));\n"));
    header_set_fini(&set);
}

static bool doubts_with(
        const struct header_set *set, const char *text, const char *options)
{
    struct header_doubt doubt;
    return header_set_find_doubt(set, text, strlen(text), options, &doubt);
}

/* With all texts and options at hand only what reaches the assembly counts. */
TEST_C(HeaderSet, DoubtsWhatReachesAssemblyIfTheOptionsAreKnown)
{
    static const char plain[] = "void f() { asm(\"nop\"); g(S(x)); }\n";
    struct header_set set = {NULL, 0};
    struct header_doubt doubt;
    add(&set, "a.h", "#define S(x) #x\n");
    EXPECT_TRUE(doubts_with(&set, plain, NULL));
    EXPECT_FALSE(doubts_with(&set, plain, ""));
    EXPECT_FALSE(doubts_with(&set, plain, "-DT=1 -cl-mad-enable"));
    EXPECT_TRUE(doubts_with(&set, "asm(S(.) S(inc) S(bin));\n", ""));
    EXPECT_FALSE(doubts_with(&set, "asm(N); t[] = S(x);\n", "-DN=1"));
    EXPECT_TRUE(doubts_with(&set, "asm(N(.)); t[] = S(x);\n", "-DN=S"));
    EXPECT_TRUE(doubts_with(&set, "#include <b.h>\n", ""));
    add(&set, "c.h", "#define A __asm__\n");
    EXPECT_FALSE(doubts_with(&set, plain, ""));
    ASSERT_TRUE(header_set_find_doubt(
            &set, "A(S(.));\n", sizeof "A(S(.));\n" - 1, "", &doubt));
    EXPECT_STR_EQ("assembly may be of what S makes", doubt.text);
    header_set_fini(&set);
}

TEST_C(HeaderSet, SaysWhatItDoubts)
{
    static const char text[] = "int i;\n#include <a.h>\n";
    struct header_set set = {NULL, 0};
    struct header_doubt doubt;
    ASSERT_TRUE(
            header_set_find_doubt(&set, text, sizeof text - 1, NULL, &doubt));
    EXPECT_STR_EQ("the source includes a.h, which is not embedded", doubt.text);
    add(&set, "b.h", "");
    ASSERT_TRUE(
            header_set_find_doubt(&set, text, sizeof text - 1, NULL, &doubt));
    EXPECT_STR_EQ("the source includes a.h, which is not embedded", doubt.text);
    header_set_fini(&set);
}

TEST_C(HeaderSet, SurvivesPathsOfAnyLength)
{
    enum { size = 4 * HEADER_NAME_SIZE };
    static char text[size + 16];
    char includer[HEADER_NAME_SIZE];
    struct header_set set = {NULL, 0};
    add(&set, "a.h", "");
    memset(includer, 'd', sizeof includer);
    includer[sizeof includer - 1] = '\0';
    includer[sizeof includer - 3] = '/';
    for (size_t length = 0; length < size; length++) {
        memcpy(text, "#include \"", 10);
        memset(text + 10, length % 3 == 0 ? '/' : 'n', length);
        memcpy(text + 10 + length, "\"", 2);
        char *got = rewritten(&set, includer, text);
        EXPECT_STR_EQ(text, got);
        free(got);
    }
    header_set_fini(&set);
}

TEST_C(HeaderSet, MayBeFull)
{
    char name[16];
    struct header_set set = {NULL, 0};
    for (int i = 0; i < HEADER_SET_MAX; i++) {
        snprintf(name, sizeof name, "%d.h", i);
        EXPECT_OK(header_set_add(&set, name, "", 0));
    }
    EXPECT_STATUS(dnnl_invalid_arguments, header_set_add(&set, "a.h", "", 0));
    EXPECT_EQ(HEADER_SET_MAX, set.count);
    header_set_fini(&set);
}
