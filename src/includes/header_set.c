/* SPDX-License-Identifier: Apache-2.0 */
#include "src/includes/header_set.h"

#include "src/common/hash.h"
#include "src/includes/assembly_reach.h"
#include "src/includes/build_options.h"
#include "src/includes/include_assembly.h"
#include "src/includes/include_scan.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Names --------------------------------------------------------------- */

static bool is_dots(const char *part, size_t size)
{
    return (size == 1 && part[0] == '.')
           || (size == 2 && part[0] == '.' && part[1] == '.');
}

/* What a quoted directive can hold, and file systems and command lines, too:
 * some drivers write headers to files. */
static bool is_name_char(char c)
{
    return (unsigned char)c > ' ' && c != 0x7f
           && strchr("\"'\\<>:|?*", c) == NULL;
}

static bool is_valid_name(const char *name)
{
    size_t size = strlen(name);
    if (size == 0 || size >= HEADER_NAME_SIZE) return false;
    for (const char *part = name;; part++) {
        size_t length = strcspn(part, "/");
        if (length == 0 || is_dots(part, length)) return false;
        for (size_t i = 0; i < length; i++)
            if (!is_name_char(part[i])) return false;
        part += length;
        if (*part == '\0') return true;
    }
}

/* Appends the parts of a path to the `at` characters in out, resolving dots.
 * The new size, or SIZE_MAX if it leads out of the top or is too long. */
static size_t append_path(
        char out[HEADER_NAME_SIZE], size_t at, const char *path, size_t size)
{
    const char *end = path + size;
    while (path < end) {
        const char *slash = memchr(path, '/', (size_t)(end - path));
        size_t length = (size_t)((slash != NULL ? slash : end) - path);
        if (length == 2 && is_dots(path, length)) {
            if (at == 0) return SIZE_MAX;
            while (at > 0 && out[at - 1] != '/')
                at--;
            if (at > 0) at--;
        } else if (length > 0 && !is_dots(path, length)) {
            if (at > 0) out[at++] = '/';
            if (length >= HEADER_NAME_SIZE - 1 - at) return SIZE_MAX;
            memcpy(out + at, path, length);
            at += length;
        }
        path += length + (slash != NULL);
    }
    return at;
}

/* ---- The set ------------------------------------------------------------- */

/* Where a header of that name is or would be. */
static size_t position(
        const struct header_set *set, const char *name, size_t size)
{
    size_t low = 0;
    size_t high = set->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const char *other = set->list[middle].name;
        int order = strncmp(other, name, size);
        if (order < 0) /* a name that begins with this one is greater */
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static const struct header *find(
        const struct header_set *set, const char *name, size_t size)
{
    size_t at = position(set, name, size);
    if (at == set->count) return NULL;
    const struct header *h = &set->list[at];
    return strlen(h->name) == size && memcmp(h->name, name, size) == 0 ? h
                                                                       : NULL;
}

dnnl_status_t header_set_add(
        struct header_set *set, const char *name, const char *text, size_t size)
{
    if (!is_valid_name(name)) return dnnl_invalid_arguments;
    size_t name_size = strlen(name);
    size_t at = position(set, name, name_size);
    if (set->count == HEADER_SET_MAX || find(set, name, name_size) != NULL)
        return dnnl_invalid_arguments;
    struct header *list =
            realloc(set->list, (set->count + 1) * sizeof *set->list);
    if (list == NULL) return dnnl_out_of_memory;
    set->list = list;
    struct header h = {
            strdup(name), size < SIZE_MAX ? malloc(size + 1) : NULL, size};
    if (h.name == NULL || h.text == NULL) {
        free(h.name);
        free(h.text);
        return dnnl_out_of_memory;
    }
    memcpy(h.text, text, size);
    h.text[size] = '\0';
    memmove(list + at + 1, list + at, (set->count - at) * sizeof *list);
    list[at] = h;
    set->count++;
    return dnnl_success;
}

void header_set_fini(struct header_set *set)
{
    if (set == NULL) return;
    for (size_t i = 0; i < set->count; i++) {
        free(set->list[i].name);
        free(set->list[i].text);
    }
    free(set->list);
    set->list = NULL;
    set->count = 0;
}

void header_set_prefix(
        const struct header_set *set, char prefix[HEADER_PREFIX_SIZE])
{
    struct digest256_state state;
    digest256_init(&state);
    for (size_t i = 0; i < set->count; i++) {
        const struct header *h = &set->list[i];
        struct digest256 text = digest256_of(h->text, h->size);
        digest256_update(&state, h->name, strlen(h->name) + 1);
        digest256_update(&state, text.bytes, sizeof text.bytes);
    }
    struct digest256 digest = digest256_final(&state);
    int n = snprintf(prefix, HEADER_PREFIX_SIZE, "dnnl_cache_");
    for (size_t i = 0; n + 2 < HEADER_PREFIX_SIZE; i++)
        n += snprintf(prefix + n, (size_t)(HEADER_PREFIX_SIZE - n), "%02x",
                digest.bytes[i]);
}

/* ---- Directives ---------------------------------------------------------- */

/* The header that answers a directive; NULL if none does. */
static const struct header *answer(const struct header_set *set,
        const char *includer, const struct include_directive *d)
{
    char path[HEADER_NAME_SIZE];
    const char *slash = includer != NULL ? strrchr(includer, '/') : NULL;
    if (d->form == include_macro || d->name_size == 0 || d->name[0] == '/')
        return NULL;
    if (d->form == include_quoted && slash != NULL) {
        size_t folder = (size_t)(slash - includer);
        memcpy(path, includer, folder);
        size_t size = append_path(path, folder, d->name, d->name_size);
        const struct header *beside =
                size != SIZE_MAX ? find(set, path, size) : NULL;
        if (beside != NULL) return beside;
    }
    size_t size = append_path(path, 0, d->name, d->name_size);
    return size != SIZE_MAX ? find(set, path, size) : NULL;
}

/* *seen is what the texts have of assembly. */
static bool find_doubt_in(const struct header_set *set, const char *includer,
        const char *text, size_t size, unsigned *seen,
        struct header_doubt *doubt)
{
    struct include_scan scan;
    struct include_directive found;
    include_scan_init(&scan, text, size);
    scan.seen = *seen;
    while (include_scan_next(&scan, &found)) {
        if (answer(set, includer, &found) != NULL) continue;
        size_t shown = found.name_size < 60 ? found.name_size : 60;
        snprintf(doubt->text, sizeof doubt->text,
                "%s%.60s includes %.*s, which is not embedded",
                includer != NULL ? "the header " : "the source",
                includer != NULL ? includer : "", (int)shown, found.name);
        return true;
    }
    *seen = scan.seen;
    return false;
}

/* Do macros that make strings reach the assembly? */
static bool find_reached_assembly(const struct header_set *set,
        const char *text, size_t size, const char *options,
        struct header_doubt *doubt)
{
    struct assembly_texts texts = {0};
    char reason[assembly_reason_size];
    assembly_texts_add_options(&texts, options);
    assembly_texts_add(&texts, text, size);
    for (size_t i = 0; i < set->count; i++)
        assembly_texts_add(&texts, set->list[i].text, set->list[i].size);
    const bool lacks_memory = texts.lacks_memory;
    const bool is_reached = assembly_is_reached(&texts, reason);
    assembly_texts_fini(&texts);
    if (lacks_memory || is_reached)
        snprintf(doubt->text, sizeof doubt->text, "%s",
                lacks_memory ? "out of memory" : reason);
    return lacks_memory || is_reached;
}

bool header_set_find_doubt(const struct header_set *set, const char *text,
        size_t size, const char *options, struct header_doubt *doubt)
{
    /* Where all texts are known, assembly is judged when they were read. */
    unsigned seen = options != NULL ? assembly_told : 0;
    if (options != NULL && options_make_strings(options))
        seen |= assembly_unknown | assembly_pastes;
    bool found = find_doubt_in(set, NULL, text, size, &seen, doubt);
    for (size_t i = 0; i < set->count && !found; i++) {
        const struct header *h = &set->list[i];
        found = find_doubt_in(set, h->name, h->text, h->size, &seen, doubt);
    }
    return found
           || (options != NULL && assembly_is_unknown(seen)
                   && find_reached_assembly(set, text, size, options, doubt));
}

dnnl_status_t header_set_rewrite(const struct header_set *set,
        const char *folder, const char *includer, const char *text, size_t size,
        struct buffer *out)
{
    struct include_scan scan;
    struct include_directive found;
    const char *copied = text;
    include_scan_init(&scan, text, size);
    while (include_scan_next(&scan, &found)) {
        const struct header *h = answer(set, includer, &found);
        if (h == NULL) continue;
        /* The name stands between its quotes or brackets. */
        const char *open = found.name - 1;
        buffer_append(out, copied, (size_t)(open - copied));
        buffer_append_u8(out, '"');
        buffer_append(out, folder, strlen(folder));
        buffer_append_u8(out, '/');
        buffer_append(out, h->name, strlen(h->name));
        buffer_append_u8(out, '"');
        copied = found.name + found.name_size + 1;
    }
    if (size > 0) buffer_append(out, copied, (size_t)(text + size - copied));
    return buffer_status(out);
}
