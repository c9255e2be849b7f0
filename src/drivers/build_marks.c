/* SPDX-License-Identifier: Apache-2.0 */
#include "src/drivers/build_marks.h"

#include "src/drivers/driver_binaries.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char prefix[] = "-D__dnnl_cache_";
static const char hex[] = "0123456789abcdef";

/* Those whose cache is on by default. IL has no macros: PoCL accepts the option
 * with it all the same, others may not. */
static const struct {
    const char *platform;
    bool takes_with_il;
} table[] = {
        {POCL_PLATFORM_NAME, true},             /* 1.0 to 7.1 */
        {"rusticl", false},                     /* Mesa 22.3 */
        {"NVIDIA CUDA", false},                 /* its key is not documented */
        {"Intel(R) OpenCL Graphics", false},    /* compute-runtime */
        {"Intel(R) OpenCL HD Graphics", false}, /* the same before 2023 */
};

bool build_marks_are_needed(const char *platform_name, bool is_il)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (strcmp(platform_name, table[i].platform) == 0)
            return !is_il || table[i].takes_with_il;
    return false;
}

void build_mark_write(
        char mark[build_mark_size], const uint8_t digest[build_mark_bytes])
{
    char *at = mark + sizeof prefix - 1;
    memcpy(mark, prefix, sizeof prefix - 1);
    for (size_t i = 0; i < build_mark_bytes; i++) {
        *at++ = hex[digest[i] >> 4];
        *at++ = hex[digest[i] & 15];
    }
    *at = '\0';
}

/* Declared first: some compilers can be told to warn of what is not; but not
 * before OpenCL C 1.2, which has no extern. A program may have macros of these
 * names, and end in a backslash. */
void build_mark_write_variable(
        char text[build_mark_variable_size], const char *mark)
{
    const char *digest = mark + sizeof prefix - 1;
    (void)snprintf(text, build_mark_variable_size,
            "\n\n#undef __constant\n#undef char\n#undef extern"
            "\n#if __OPENCL_C_VERSION__ >= 120"
            "\nextern __constant char dnnl_cache_mark_%s;"
            "\n#endif"
            "\n__constant char dnnl_cache_mark_%s = 0;\n",
            digest, digest);
}

char *build_marks_put(const char *marks, const char *options)
{
    const size_t size = options != NULL ? strlen(options) : 0;
    const size_t marks_size = strlen(marks);
    char *text = malloc(marks_size + 1 + size + 1);
    if (text == NULL) return NULL;
    memcpy(text, marks, marks_size);
    text[marks_size] = ' ';
    if (size > 0) memcpy(text + marks_size + 1, options, size);
    text[marks_size + (size > 0 ? 1 + size : 0)] = '\0';
    return text;
}

static const char arguments[] = "-cl-kernel-arg-info ";

char *build_marks_put_for_none(const char *marks)
{
    const size_t size = strlen(marks);
    char *text = malloc(sizeof arguments + size);
    if (text == NULL) return NULL;
    memcpy(text, arguments, sizeof arguments - 1);
    memcpy(text + sizeof arguments - 1, marks, size + 1);
    return text;
}

/* A macro with a value, or with a longer name, is somebody else's. */
static bool is_mark(const char *text)
{
    const size_t size = build_mark_size - 1;
    return strncmp(text, prefix, sizeof prefix - 1) == 0
           && strspn(text + sizeof prefix - 1, hex)
                      == (size_t)2 * build_mark_bytes
           && (text[size] == ' ' || text[size] == '\0');
}

void build_marks_remove(char *text)
{
    const char *from = text;
    char *to = text;
    /* An application's own stands behind the marks. */
    if (strncmp(text, arguments, sizeof arguments - 1) == 0
            && is_mark(text + sizeof arguments - 1))
        from += sizeof arguments - 1;
    for (;;) {
        const char *mark = strstr(from, prefix);
        const size_t size = mark != NULL ? (size_t)(mark - from) : strlen(from);
        memmove(to, from, size);
        to += size;
        if (mark == NULL) break;
        from = mark;
        if (!is_mark(mark)) {
            *to++ = *from++;
            continue;
        }
        from += build_mark_size - 1;
        if (*from == ' ')
            from++;
        else if (*from == '\0' && to > text && to[-1] == ' ')
            to--;
    }
    *to = '\0';
}
