/* SPDX-License-Identifier: Apache-2.0 */
#include "src/includes/include_embedded.h"

#include "src/includes/include_walk.h"
#include "src/platform/library.h"

#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool embedded_leads_up(size_t size, const char *path)
{
    for (size_t i = 0; i + 1 < size; i++)
        if (path[i] == '.' && path[i + 1] == '.'
                && (i == 0 || path[i - 1] == '/')
                && (i + 2 == size || path[i + 2] == '/'))
            return true;
    return false;
}

bool embedded_name_is_plain(const char *name)
{
    const size_t size = strlen(name);
    for (size_t i = 0; i < size; i++)
        if ((unsigned char)name[i] < ' ' || name[i] == 0x7f || name[i] == '\\')
            return false;
    return size > 0 && name[0] != '/' && !embedded_leads_up(size, name);
}

static bool is_name(const char *whole, size_t folder_size, const char *folder,
        size_t size, const char *name)
{
    return strlen(whole) == folder_size + size
           && memcmp(whole, folder, folder_size) == 0
           && memcmp(whole + folder_size, name, size) == 0;
}

bool embedded_has(size_t count, const struct include_embedded *headers,
        const char *includer, size_t size, const char *name)
{
    const char *slash = includer != NULL ? strrchr(includer, '/') : NULL;
    const size_t folder_size =
            slash != NULL ? (size_t)(slash - includer) + 1 : 0;
    for (size_t i = 0; i < count; i++)
        if (is_name(headers[i].name, 0, "", size, name)
                || is_name(headers[i].name, folder_size,
                        includer != NULL ? includer : "", size, name))
            return true;
    return false;
}

char *embedded_words(const struct include_embedded *header)
{
    enum { most_name = 200 };
    uint8_t digest[crypto_generichash_BYTES];
    char digits[2 * 8 + 1];
    char *words = NULL;
    crypto_generichash(digest, sizeof digest,
            (const unsigned char *)header->text, header->size, NULL, 0);
    sodium_bin2hex(digits, sizeof digits, digest, 8);
    if (asprintf(&words, "header %.*s %s", (int)most_name, header->name, digits)
            < 0)
        return NULL;
    return words;
}

/* ---- In a walk ------------------------------------------------------------
 */

bool walk_has_header(const struct walk *w, const struct lookup *l)
{
    return embedded_has(w->header_count, w->headers,
            w->header != NULL ? w->header->name : NULL, l->name_size, l->name);
}

static bool note_header(struct walk *w, const struct include_embedded *h)
{
    const size_t size = strlen(h->name);
    if (!embedded_name_is_plain(h->name))
        return walk_refuse(w, "a header has the name \"%.60s\"", h->name);
    if (h->size > 0 && memchr(h->text, '\0', h->size) != NULL)
        return walk_refuse(w, "the header %.60s has a NUL", h->name);
    walk_note(w, mark_header, size);
    walk_note_bytes(w, h->name, size);
    walk_note(w, mark_text, h->size);
    walk_note_bytes(w, h->text, h->size);
    return true;
}

bool walk_note_headers(struct walk *w)
{
    if (w->header_count == 0) return true;
    for (size_t i = 0; i < w->header_count; i++)
        if (!note_header(w, &w->headers[i])) return false;
    for (size_t i = 0; i < w->places.embedded.count; i++) {
        const char *folder = w->places.embedded.list[i];
        walk_note(w, mark_folder, strlen(folder));
        walk_note_bytes(w, folder, strlen(folder));
    }
    walk_note(w, mark_end, w->header_count);
    return true;
}

bool walk_look_beside_header(struct walk *w, struct lookup *l)
{
    char folder[path_size];
    const char *name = w->header->name;
    const char *slash = strrchr(name, '/');
    const int size = slash != NULL ? (int)(slash - name) : 0;
    for (size_t i = 0; i < w->places.embedded.count; i++) {
        const int n = snprintf(folder, sizeof folder, "%s/%.*s",
                w->places.embedded.list[i], size, name);
        if (n < 0 || (size_t)n >= sizeof folder)
            return walk_refuse(w, "the path of %.60s is too long", name);
        if (!walk_look_at(w, l, (size_t)n, folder, false)) return false;
    }
    return true;
}
