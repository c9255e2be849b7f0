/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a source, after two bytes that say where to splice. What is
 * found lies in the source, in order. Nothing hides a directive that follows
 * the source, once comments are closed; a line splice more changes nothing but
 * names, and CR LF for LF nothing at all. The same bytes as build options are
 * read to their end.
 */
#include "blob/include_scan.h"
#include "common/byte_order.h"
#include "fuzz.h"

#include <string.h>

static void check(const char *source, size_t size,
        const struct include_directive *found, const char *from)
{
    const char *end = source + size;
    REQUIRE(found->name >= from && found->name <= end);
    REQUIRE(found->name_size <= (size_t)(end - found->name));
    if (found->form == include_macro) return;
    REQUIRE(found->form == include_quoted || found->form == include_bracket);
    char close = found->form == include_quoted ? '"' : '>';
    REQUIRE(found->name + found->name_size < end);
    REQUIRE(found->name[found->name_size] == close);
    for (size_t i = 0; i < found->name_size; i++)
        REQUIRE(strchr("\\\r\n", found->name[i]) == NULL);
}

/* What is found in a source: how often, and the last of it. */
struct summary {
    size_t count;
    struct include_directive last;
};

static struct summary scan(const char *source, size_t size)
{
    struct summary s = {0};
    struct include_scan walk;
    struct include_directive found;
    include_scan_init(&walk, source, size);
    bool is_doubt = walk.doubt != NULL;
    const char *from = source;
    while (include_scan_next(&walk, &found)) {
        check(source, size, &found, from);
        REQUIRE(walk.cursor >= source && walk.cursor <= source + size);
        /* A doubt comes first, wherever it is. */
        from = is_doubt ? source : found.name;
        is_doubt = false;
        s.count++;
        s.last = found;
    }
    REQUIRE(walk.cursor == source + size);
    REQUIRE(!include_scan_next(&walk, &found));
    return s;
}

static char *allocate(size_t size)
{
    char *bytes = malloc(size > 0 ? size : 1);
    REQUIRE(bytes != NULL);
    return bytes;
}

/* A copy with text put in at a place. */
static char *insert(const char *source, size_t size, size_t place,
        const char *text, size_t *new_size)
{
    size_t length = strlen(text);
    char *copy = allocate(size + length);
    memcpy(copy, source, place);
    memcpy(copy + place, text, length);
    memcpy(copy + place + length, source + place, size - place);
    *new_size = size + length;
    return copy;
}

static void append_directive(const char *source, size_t size, size_t count)
{
    size_t longer;
    char *copy =
            insert(source, size, size, "\n\n*/\n#include \"last\"\n", &longer);
    struct summary s = scan(copy, longer);
    REQUIRE(s.count > count);
    REQUIRE(s.last.form == include_quoted);
    REQUIRE(s.last.name_size == 4 && memcmp(s.last.name, "last", 4) == 0);
    free(copy);
}

/* Not where a backslash or a trigraph may stand, whose meaning would change. A
 * name that is spliced is reported, and perhaps once more as a literal. */
static void splice(const char *source, size_t size, size_t place, size_t count)
{
    size_t longer;
    if (memchr(source, '\\', size) != NULL || memchr(source, '?', size) != NULL)
        return;
    char *copy = insert(source, size, place, "\\ \r\n", &longer);
    size_t now = scan(copy, longer).count;
    REQUIRE(now == count || now == count + 1);
    free(copy);
}

static void change_newlines(const char *source, size_t size, size_t count)
{
    if (memchr(source, '\r', size) != NULL) return;
    char *copy = allocate(2 * size);
    size_t longer = 0;
    for (size_t i = 0; i < size; i++) {
        if (source[i] == '\n') copy[longer++] = '\r';
        copy[longer++] = source[i];
    }
    REQUIRE(scan(copy, longer).count == count);
    free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2) return 0;
    size_t place = load_le16(data);
    const char *source = (const char *)data + 2;
    size -= 2;
    struct summary s = scan(source, size);
    append_directive(source, size, s.count);
    splice(source, size, size > 0 ? place % (size + 1) : 0, s.count);
    change_newlines(source, size, s.count);

    char *options = allocate(size + 1);
    memcpy(options, source, size);
    options[size] = '\0';
    (void)options_include_files(options);
    free(options);
    return 0;
}
