/* SPDX-License-Identifier: Apache-2.0 */
/* Every allocation fails once: no digest then, and nothing is lost. The linker
 * hands the calls of this binary's own files to the functions here (--wrap). */
#include "include_helpers.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
char *__real_strdup(const char *text);
#pragma GCC visibility push(default) /* a sanitizer refers to them */
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
char *__wrap_strdup(const char *text);
#pragma GCC visibility pop

/* Per thread: others' allocations are none of ours. */
static _Thread_local long left = -1; /* until one fails; -1: none does */

static bool fails(void)
{
    if (left < 0) return false;
    return left-- == 0;
}

void *__wrap_malloc(size_t size)
{
    return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
    return fails() ? NULL : __real_realloc(old, size);
}

char *__wrap_strdup(const char *text)
{
    return fails() ? NULL : __real_strdup(text);
}

static const char options[] = "-I\"inc\" -include a.h -DA=1";

/* With the i-th allocation failing; false: there are not so many. */
static bool follow_with_failure(long i, const struct includes *expected)
{
    static const char *const sources[] = {
            "#include \"a.h\"\n", "#include \"inc/b.h\"\n"};
    struct includes out;
    memset(&out, 0x5a, sizeof out);
    left = i;
    const bool done =
            includes_follow(&out, NULL, NULL, 2, sources, NULL, options);
    const bool failed = left < 0;
    left = -1;
    EXPECT_EQ(!failed, done);
    if (done) {
        EXPECT_TRUE(same_digest(expected, &out));
    } else {
        EXPECT_NE(0, out.reason[0]);
        EXPECT_EQ(0x5a, out.digest[0]);
    }
    return failed;
}

TEST_FILES(IncludeMemory, MayRunOutAnywhere)
{
    /* More files, and more places, than there is room for at first. */
    for (int i = 0; i < 20; i++) {
        char path[20];
        char text[40];
        snprintf(path, sizeof path, "inc/%d.h", i);
        snprintf(text, sizeof text, "#include <%d.h>\n", i + 1);
        put_file(path, text);
    }
    put_file("inc/20.h", "");
    put_file("inc/b.h", "#include \"../inc/b.h\"\n#include \"0.h\"\n");
    put_file("a.h", "#include <b.h>\n");
    const struct includes expected =
            follow(options, "#include \"a.h\"\n#include \"inc/b.h\"\n");
    EXPECT_EQ(23, expected.count);
    long failures = 0;
    while (follow_with_failure(failures, &expected))
        failures++;
    EXPECT_GT(failures, 80);
}
