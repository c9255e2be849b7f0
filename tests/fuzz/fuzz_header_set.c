/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as header names and texts: up to three headers, each a name and a
 * text that end with NUL or with the input, then the program's source. What the
 * set answers is rewritten, the rest stays; a text rewritten twice is the one
 * rewritten once; where nothing is doubted, every directive left names a header
 * under the set's folder.
 */
#include "fuzz.h"
#include "src/includes/header_set.h"
#include "src/includes/include_scan.h"

#include <string.h>

/* The next bytes up to a NUL, copied to memory of just that size. */
static char *take(const char **at, const char *end, size_t *size)
{
    const char *nul = *at < end ? memchr(*at, '\0', (size_t)(end - *at)) : NULL;
    const char *stop = nul != NULL ? nul : end;
    *size = (size_t)(stop - *at);
    char *copy = malloc(*size + 1);
    REQUIRE(copy != NULL);
    if (*size > 0) memcpy(copy, *at, *size);
    copy[*size] = '\0';
    *at = nul != NULL ? nul + 1 : end;
    return copy;
}

static bool is_in_folder(
        const struct header_set *set, const struct include_directive *d)
{
    char prefix[HEADER_PREFIX_SIZE];
    header_set_prefix(set, prefix);
    size_t length = strlen(prefix);
    if (d->form != include_quoted || d->name_size <= length + 1
            || memcmp(d->name, prefix, length) != 0 || d->name[length] != '/')
        return false;
    const char *name = d->name + length + 1;
    size_t size = d->name_size - length - 1;
    for (size_t i = 0; i < set->count; i++)
        if (strlen(set->list[i].name) == size
                && memcmp(set->list[i].name, name, size) == 0)
            return true;
    return false;
}

/* Steps through both texts: a directive either is the same in both or has come
 * to name a header of the set. */
static void compare(const struct header_set *set, const char *before,
        size_t before_size, const char *after, size_t after_size, bool certain)
{
    struct include_scan one;
    struct include_scan other;
    struct include_directive was;
    struct include_directive is;
    include_scan_init(&one, before, before_size);
    include_scan_init(&other, after, after_size);
    while (include_scan_next(&one, &was)) {
        REQUIRE(include_scan_next(&other, &is));
        bool same = was.form == is.form && was.name_size == is.name_size
                    && memcmp(was.name, is.name, is.name_size) == 0;
        /* A macro's words are the rest of its line, as far as it is shown. */
        REQUIRE(same || is_in_folder(set, &is)
                || (was.form == include_macro && is.form == include_macro));
        if (certain) REQUIRE(is_in_folder(set, &is));
    }
    REQUIRE(!include_scan_next(&other, &is));
}

static void rewrite(const struct header_set *set, const char *includer,
        const char *text, size_t size, bool certain)
{
    struct buffer once = {NULL, 0, 0, false};
    struct buffer twice = {NULL, 0, 0, false};
    char folder[HEADER_PREFIX_SIZE];
    header_set_prefix(set, folder);
    REQUIRE(header_set_rewrite(set, folder, includer, text, size, &once)
            == dnnl_success);
    const char *after = (const char *)once.data;
    size_t after_size = once.size;
    compare(set, text, size, after, after_size, certain);
    REQUIRE(header_set_rewrite(set, folder, includer, after, after_size, &twice)
            == dnnl_success);
    REQUIRE(twice.size == once.size
            && (once.size == 0
                    || memcmp(twice.data, once.data, once.size) == 0));
    buffer_fini(&once);
    buffer_fini(&twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *at = (const char *)data;
    const char *end = at + size;
    struct header_set set = {NULL, 0};
    struct header_doubt doubt;
    for (int i = 0; i < 3; i++) {
        size_t name_size;
        size_t text_size;
        char *name = take(&at, end, &name_size);
        char *text = take(&at, end, &text_size);
        dnnl_status_t st = header_set_add(&set, name, text, text_size);
        REQUIRE(st == dnnl_success || st == dnnl_invalid_arguments);
        free(name);
        free(text);
    }
    size_t source_size = (size_t)(end - at);
    bool certain = !header_set_find_doubt(&set, at, source_size, NULL, &doubt);
    if (!certain) REQUIRE(strlen(doubt.text) < sizeof doubt.text);
    rewrite(&set, NULL, at, source_size, certain);
    for (size_t i = 0; i < set.count; i++)
        rewrite(&set, set.list[i].name, set.list[i].text, set.list[i].size,
                certain);
    header_set_fini(&set);
    return 0;
}
