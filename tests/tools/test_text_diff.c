/* SPDX-License-Identifier: Apache-2.0 */
/* A difference is what makes one text of the other, with few lines around. */
#include "tools/dnnl_cache/view/text_diff.h"

#include "src/common/buffer.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void append_line(void *user, char sign, const char *text, size_t size)
{
    struct buffer *out = user;
    if (sign != '@') buffer_append(out, &sign, 1);
    buffer_append(out, text, size);
    buffer_append(out, "\n", 1);
}

/* With a NUL; the caller frees it. */
static char *diff_of(const char *from, const char *to)
{
    const struct text_piece a = {from, strlen(from)};
    const struct text_piece b = {to, strlen(to)};
    struct buffer out = {NULL, 0, 0, false};
    EXPECT_TRUE(text_diff_each(&a, &b, append_line, &out));
    buffer_append(&out, "", 1);
    return (char *)out.data;
}

static void expect_diff(
        int line, const char *expected, const char *from, const char *to)
{
    char *got = diff_of(from, to);
    test_asserts();
    if (strcmp(got, expected) != 0)
        test_fail(__FILE__, line, "\"%s\", not \"%s\"", got, expected);
    free(got);
}

#define EXPECT_DIFF(expected, from, to) \
    expect_diff(__LINE__, expected, from, to)

TEST_C(TextDiff, HasTwoLinesAroundWhatDiffers)
{
    EXPECT_DIFF("", "", "");
    EXPECT_DIFF("", "a\nb\n", "a\nb\n");
    EXPECT_DIFF("", "a\nb\n", "a\nb"); /* the end of a line is none */
    EXPECT_DIFF("@@ -2,5 +2,5 @@\n b\n c\n-d\n+D\n e\n f\n",
            "a\nb\nc\nd\ne\nf\ng\n", "a\nb\nc\nD\ne\nf\ng\n");
    EXPECT_DIFF("@@ -1,2 +1,3 @@\n+x\n a\n b\n", "a\nb\nc\n", "x\na\nb\nc\n");
    EXPECT_DIFF("@@ -2,2 +2,3 @@\n b\n c\n+x\n", "a\nb\nc\n", "a\nb\nc\nx\n");
    EXPECT_DIFF("@@ -1,1 +0,0 @@\n-a\n", "a\n", "");
    EXPECT_DIFF("@@ -0,0 +1,2 @@\n+a\n+b\n", "", "a\nb");
}

TEST_C(TextDiff, JoinsDifferencesThatAreNear)
{
    EXPECT_DIFF("@@ -1,6 +1,6 @@\n-a\n+A\n b\n c\n d\n e\n-f\n+F\n",
            "a\nb\nc\nd\ne\nf\n", "A\nb\nc\nd\ne\nF\n");
    EXPECT_DIFF("@@ -1,3 +1,3 @@\n-a\n+A\n b\n c\n"
                "@@ -5,3 +5,3 @@\n e\n f\n-g\n+G\n",
            "a\nb\nc\nd\ne\nf\ng\n", "A\nb\nc\nd\ne\nf\nG\n");
}

/* A moved line is one that is removed and one that is added, and no more. */
TEST_C(TextDiff, FindsTheFewestLines)
{
    EXPECT_DIFF("@@ -1,6 +1,6 @@\n-m\n a\n b\n c\n d\n+m\n e\n",
            "m\na\nb\nc\nd\ne\n", "a\nb\nc\nd\nm\ne\n");
    EXPECT_DIFF("@@ -1,5 +1,4 @@\n a\n b\n-}\n c\n }\n", "a\nb\n}\nc\n}\n",
            "a\nb\nc\n}\n");
}

/* ---- What it is for ------------------------------------------------------ */

/* Makes `to` of `from` by the difference alone, as patch does. */
struct patched {
    const char *from;
    struct buffer to;
    size_t line;    /* of from, that comes next */
    size_t changed; /* lines */
};

static const char *take_line(struct patched *p, size_t *size)
{
    const char *line = p->from;
    *size = strcspn(line, "\n") + 1;
    p->from += *size;
    p->line++;
    return line;
}

static void copy_line(struct patched *p)
{
    size_t size;
    const char *line = take_line(p, &size);
    buffer_append(&p->to, line, size);
}

static void apply(void *user, char sign, const char *text, size_t size)
{
    struct patched *p = user;
    size_t begin;
    size_t count;
    size_t taken;
    if (sign == '@') {
        EXPECT_EQ(2, sscanf(text, "@@ -%zu,%zu", &begin, &count));
        while (p->line + (count > 0) < begin)
            copy_line(p);
        return;
    }
    if (sign != '+') {
        const char *line = take_line(p, &taken);
        EXPECT_EQ(size + 1, taken);
        EXPECT_TRUE(memcmp(line, text, size) == 0);
    }
    if (sign != '-') {
        buffer_append(&p->to, text, size);
        buffer_append(&p->to, "\n", 1);
    }
    p->changed += sign != ' ';
}

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 16;
}

static void make_text(char *text, size_t lines, uint32_t *state)
{
    for (size_t i = 0; i < lines; i++) {
        *text++ = (char)('a' + next_random(state) % 4);
        *text++ = '\n';
    }
    *text = '\0';
}

/* The fewest lines, by the table of the longest common part. */
static size_t fewest(const char *a, const char *b)
{
    enum { most = 64 };
    static size_t common[most][most];
    const size_t n = strlen(a) / 2;
    const size_t m = strlen(b) / 2;
    memset(common, 0, sizeof common);
    for (size_t i = 1; i <= n; i++)
        for (size_t j = 1; j <= m; j++) {
            const size_t one = common[i - 1][j];
            const size_t other = common[i][j - 1];
            common[i][j] = a[2 * (i - 1)] == b[2 * (j - 1)]
                                   ? common[i - 1][j - 1] + 1
                           : one > other ? one
                                         : other;
        }
    return n + m - 2 * common[n][m];
}

TEST_C(TextDiff, MakesOneTextOfTheOther)
{
    uint32_t state = 44;
    for (size_t i = 0; i < 2000; i++) {
        char from[128];
        char to[128];
        make_text(from, next_random(&state) % 40, &state);
        make_text(to, next_random(&state) % 40, &state);
        const struct text_piece a = {from, strlen(from)};
        const struct text_piece b = {to, strlen(to)};
        struct patched p = {.from = from};
        EXPECT_TRUE(text_diff_each(&a, &b, apply, &p));
        while (*p.from != '\0')
            copy_line(&p);
        EXPECT_BYTES_EQ(to, strlen(to), p.to.data, p.to.size);
        EXPECT_EQ(fewest(from, to), p.changed);
        buffer_fini(&p.to);
    }
}

/* More than is looked for: as a whole. */
TEST_C(TextDiff, GivesUpOnTextsThatHaveLittleInCommon)
{
    enum { lines = 1000, room = 16 * lines };
    char *from = malloc(room);
    char *to = malloc(room);
    char *f = from;
    char *t = to;
    ASSERT_TRUE(from != NULL && to != NULL);
    for (int i = 0; i < lines; i++) {
        f += sprintf(f, "%s%d\n", i % 2 == 0 ? "" : "f", i);
        t += sprintf(t, "%s%d\n", i % 2 == 0 ? "" : "t", i);
    }
    const struct text_piece a = {from, strlen(from)};
    const struct text_piece b = {to, strlen(to)};
    struct patched p = {.from = from};
    EXPECT_TRUE(text_diff_each(&a, &b, apply, &p));
    while (*p.from != '\0')
        copy_line(&p);
    EXPECT_BYTES_EQ(to, strlen(to), p.to.data, p.to.size);
    EXPECT_EQ(2 * lines - 2, p.changed); /* but for the first line */
    buffer_fini(&p.to);
    free(from);
    free(to);
}
