/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a source, after two bytes that say where to splice. What is
 * found lies in the source, in order. Nothing hides a directive that follows
 * the source, once comments are closed; a line splice more changes nothing but
 * names, and CR LF for LF nothing at all. No dialect of reference_scan.h sees a
 * directive that is not found. The same bytes as build options are read to
 * their end, and nothing in them hides an option.
 */
#include "fuzz.h"
#include "reference_scan.h"
#include "src/common/byte_order.h"
#include "src/includes/build_options.h"
#include "src/includes/include_scan.h"

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

/* Compared with a source that has the closed comment, too: a literal at a
 * source's very end may go on elsewhere, and is reported for that. */
static void append_directive(const char *source, size_t size)
{
    static const char close[] = "\n\n*/\n", directive[] = "#include \"last\"\n";
    size_t closed_size;
    size_t longer;
    char *closed = insert(source, size, size, close, &closed_size);
    char *copy = insert(closed, closed_size, closed_size, directive, &longer);
    struct summary s = scan(copy, longer);
    REQUIRE(s.count > scan(closed, closed_size).count);
    REQUIRE(s.last.form == include_quoted);
    REQUIRE(s.last.name_size == 4 && memcmp(s.last.name, "last", 4) == 0);
    free(copy);
    free(closed);
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

/* ---- The second opinion -------------------------------------------------- */

/* What is found, as reference_scan() writes it; true if there is a doubt. */
static bool found_lines(const char *source, size_t size, struct buffer *lines)
{
    struct include_scan walk;
    struct include_directive found;
    include_scan_init(&walk, source, size);
    while (include_scan_next(&walk, &found)) {
        if (found.form == include_macro) return true;
        buffer_append(lines, found.name - 1, found.name_size + 2);
        buffer_append_u8(lines, '\n');
    }
    REQUIRE(buffer_status(lines) == dnnl_success);
    return false;
}

/* Past the first line of a list that is the one given; NULL: there is none. */
static const uint8_t *find_line(const uint8_t *list, const uint8_t *end,
        const uint8_t *line, size_t size)
{
    while (list != end) {
        const uint8_t *newline = memchr(list, '\n', (size_t)(end - list));
        REQUIRE(newline != NULL);
        size_t length = (size_t)(newline + 1 - list);
        list = newline + 1;
        if (length == size && memcmp(list - size, line, size) == 0) return list;
    }
    return NULL;
}

/* All lines of some must be among those of all, in their order. */
static void expect_among(const struct buffer *some, const struct buffer *all)
{
    if (some->size == 0) return;
    REQUIRE(all->size > 0);
    const uint8_t *list = all->data;
    const uint8_t *end = list + all->size;
    size_t at = 0;
    while (at < some->size) {
        const uint8_t *line = some->data + at;
        const uint8_t *newline = memchr(line, '\n', some->size - at);
        REQUIRE(newline != NULL);
        size_t size = (size_t)(newline + 1 - line);
        list = find_line(list, end, line, size);
        REQUIRE(list != NULL);
        at += size;
    }
}

/* Whether only ASCII is in a source and no universal character names are. */
static bool is_narrow(const char *source, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if ((unsigned char)source[i] > 0x7f || source[i] == '\\') return false;
    return true;
}

static void compare(const char *source, size_t size, unsigned skipped)
{
    struct buffer found;
    buffer_init(&found);
    bool doubt = found_lines(source, size, &found);
    bool narrow = is_narrow(source, size);
    bool no_trigraphs = size == 0 || memchr(source, '?', size) == NULL;
    for (unsigned i = 0; i < 16 && !doubt; i++) {
        const struct dialect dialect = {(i & 1) != 0, (i & 2) != 0,
                (i & 4) != 0, (i & 8) != 0 ? skipped : 0};
        /* Some dialects are the same for this source. */
        if ((dialect.trigraphs && no_trigraphs) || (dialect.wide && narrow)
                || ((i & 8) != 0 && found.size == 0))
            continue;
        struct buffer seen;
        buffer_init(&seen);
        REQUIRE(!reference_scan(source, size, dialect, &seen));
        expect_among(&seen, &found);
        /* Nor is anything found that is not there. */
        if (dialect.skipped == 0 && narrow && no_trigraphs)
            REQUIRE(seen.size == found.size);
        buffer_fini(&seen);
    }
    buffer_fini(&found);
}

/* ---- Build options ------------------------------------------------------- */

/* Whether a word begins with an option that reads a file, whatever the number
 * of dashes, once quotes and backslashes are gone. */
static bool reads_file(const char *options)
{
    char *words = allocate(strlen(options) + 1);
    char *to = words;
    for (const char *p = options; *p != '\0'; p++)
        if (strchr("\"'\\", *p) == NULL) *to++ = *p;
    *to = '\0';
    bool reads = false;
    char *rest = NULL;
    for (char *word = strtok_r(words, " \t\n\v\f\r", &rest); word != NULL;
            word = strtok_r(NULL, " \t\n\v\f\r", &rest)) {
        size_t dashes = strspn(word, "-");
        word += dashes;
        if (dashes > 0
                && (strncmp(word, "include", 7) == 0
                        || strncmp(word, "imacros", 7) == 0))
            reads = true;
    }
    free(words);
    return reads;
}

static void check_options(const char *source, size_t size)
{
    static const char last[] = " -include a.h";
    char *options = allocate(size + sizeof last);
    memcpy(options, source, size);
    options[size] = '\0';
    if (reads_file(options)) REQUIRE(options_include_files(options));
    memcpy(options + strlen(options), last, sizeof last);
    REQUIRE(options_include_files(options));
    free(options);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2) return 0;
    size_t place = load_le16(data);
    const char *source = (const char *)data + 2;
    size -= 2;
    struct summary s = scan(source, size);
    append_directive(source, size);
    splice(source, size, size > 0 ? place % (size + 1) : 0, s.count);
    change_newlines(source, size, s.count);
    compare(source, size, (unsigned)place);
    check_options(source, size);
    return 0;
}
