/* SPDX-License-Identifier: Apache-2.0 */
#include "src/includes/includes.h"

#include "src/common/byte_order.h"
#include "src/includes/assembly_reach.h"
#include "src/includes/build_options.h"
#include "src/includes/include_assembly.h"
#include "src/includes/include_scan.h"
#include "src/includes/include_walk.h"
#include "src/platform/library.h"

#include <sodium.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Why nothing can be established ---------------------------------------
 */

bool walk_refuse(struct walk *w, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(w->out->reason, sizeof w->out->reason, format, args);
    va_end(args);
    return false;
}

bool walk_refuse_for_memory(struct walk *w)
{
    w->out->lacks_memory = true;
    return walk_refuse(w, "out of memory");
}

int walk_shown(size_t size)
{
    return size < 60 ? (int)size : 60;
}

static void make_printable(char *text)
{
    for (; *text != '\0'; text++)
        if ((unsigned char)*text < ' ' || *text == 0x7f) *text = '?';
}

const char *walk_includer(const struct walk *w)
{
    if (w->header != NULL) return w->header->name;
    return w->includer != INCLUDE_NO_FILE ? w->files.list[w->includer].path
                                          : "the source";
}

/* ---- Digest -------------------------------------------------------------- */

void walk_note_bytes(struct walk *w, const void *data, size_t size)
{
    crypto_generichash_update(&w->hash, data, size);
}

void walk_note(struct walk *w, int mark, uint64_t number)
{
    uint8_t bytes[9] = {(uint8_t)mark};
    store_le64(bytes + 1, number);
    walk_note_bytes(w, bytes, sizeof bytes);
}

/* ---- One include --------------------------------------------------------- */

/* Names such as <metal_stdlib> are of another language's own library: a source
 * for several has them where no OpenCL compiler reads. A driver of which not
 * all places are known, and that has such a file after all, has it as one of
 * its own, as it has what it reads unasked. */
static bool is_of_a_language(const struct lookup *l)
{
    return l->form == mark_bracket && memchr(l->name, '.', l->name_size) == NULL
           && memchr(l->name, '/', l->name_size) == NULL;
}

static bool follow(struct walk *w, int form, size_t name_size, const char *name)
{
    struct lookup l = {.form = form, .name = name, .name_size = name_size};
    if (name_size == 0)
        return walk_refuse(w, "%.60s includes an empty name", walk_includer(w));
    if (w->header_count > 0 && embedded_leads_up(name_size, name))
        return walk_refuse(w, "%.60s includes %.*s, which may lead elsewhere",
                walk_includer(w), walk_shown(name_size), name);
    walk_note(w, form, name_size);
    walk_note_bytes(w, name, name_size);
    if (!walk_look_everywhere(w, &l)) return false;
    walk_note(w, mark_end, 0);
    const bool is_there = l.found || walk_has_header(w, &l);
    if (!is_there) w->missing++;
    if (w->places.are_all) return true;
    if (!is_there && !is_of_a_language(&l))
        return walk_refuse(w, "%.60s includes %.*s, which was not found",
                walk_includer(w), walk_shown(name_size), name);
    return l.certain || walk_check_system_folders(w, &l);
}

/* ---- Walking through texts ----------------------------------------------- */

static bool follow_macro(
        struct walk *w, const struct include_directive *include)
{
    char *name = NULL;
    w->needs_macros = true;
    if (w->expands)
        name = include_macros_expand(
                &w->macros, include->name, include->name_size);
    if (name == NULL)
        return walk_refuse(w,
                "%.60s has an include that cannot be resolved: %.*s",
                walk_includer(w), walk_shown(include->name_size),
                include->name);
    const bool done = follow(w, mark_quoted, strlen(name), name);
    free(name);
    return done;
}

static bool follow_directive(
        struct walk *w, const struct include_directive *include)
{
    switch (include->form) {
    case include_quoted:
        return follow(w, mark_quoted, include->name_size, include->name);
    case include_bracket:
        return follow(w, mark_bracket, include->name_size, include->name);
    case include_macro:
        break;
    }
    return follow_macro(w, include);
}

static bool follow_text(struct walk *w, size_t size, const char *text)
{
    struct include_scan scan;
    struct include_directive include;
    bool done = true;
    include_moves_see(&w->moves, text, size,
            w->includer != INCLUDE_NO_FILE || w->header != NULL);
    include_scan_init(&scan, text, size);
    scan.seen = w->seen;
    while (done && include_scan_next(&scan, &include))
        done = follow_directive(w, &include);
    w->seen = scan.seen;
    return done;
}

/* What a driver reads unasked is its own, unless a file is found before. */
static bool follow_implied(struct walk *w)
{
    struct lookup l = {.form = mark_option, .name = w->places.implied};
    if (l.name == NULL) return true;
    l.name_size = strlen(l.name);
    walk_note(w, mark_option, l.name_size);
    walk_note_bytes(w, l.name, l.name_size);
    return walk_look_at(w, &l, 0, NULL, false)
           && walk_look_into(w, &l, &w->paths.folders, false)
           && (w->header_count == 0
                   || walk_look_into(w, &l, &w->places.embedded, false));
}

/* Some compilers take, for -include a.h, what was compiled of it before. */
static bool check_precompiled(struct walk *w, const char *name)
{
    static const char *const endings[] = {".pch", ".gch"};
    char longer[path_size];
    for (size_t i = 0; i < 2; i++) {
        const int size =
                snprintf(longer, sizeof longer, "%s%s", name, endings[i]);
        struct lookup l = {.form = mark_option, .name = longer};
        if (size < 0 || (size_t)size >= sizeof longer)
            return walk_refuse(w, "the path of %.60s is too long", name);
        l.name_size = (size_t)size;
        if (!walk_look_everywhere(w, &l)) return false;
        if (l.found)
            return walk_refuse(
                    w, "%.60s may be read instead of %.60s", longer, name);
    }
    return true;
}

static bool follow_options(struct walk *w)
{
    const struct path_list *files = &w->paths.files;
    for (size_t i = 0; i < files->count; i++)
        if (!check_precompiled(w, files->list[i])
                || !follow(
                        w, mark_option, strlen(files->list[i]), files->list[i]))
            return false;
    return true;
}

/* All of them: any may be read. */
static bool follow_headers(struct walk *w)
{
    bool done = true;
    for (size_t i = 0; i < w->header_count && done; i++) {
        w->header = &w->headers[i];
        done = follow_text(w, w->header->size, w->header->text);
    }
    if (done) w->header = NULL;
    return done;
}

/* Files that files include are added at the end meanwhile. */
static bool follow_files(struct walk *w)
{
    for (size_t i = 0; i < w->files.count; i++) {
        const struct include_file file = w->files.list[i];
        w->includer = i;
        if (!follow_text(w, file.size, file.text)) return false;
        if (!w->keeps_texts) include_files_drop_text(&w->files, i);
    }
    return true;
}

/* ---- Sources ------------------------------------------------------------- */

static size_t length_of(
        size_t i, const char *const *sources, const size_t *lengths)
{
    return lengths != NULL && lengths[i] != 0 ? lengths[i] : strlen(sources[i]);
}

/* What the compiler sees is the sources end to end: a directive or a comment
 * may begin in one and end in the next. */
static char *join(size_t count, const char *const *sources,
        const size_t *lengths, size_t *size)
{
    size_t total = 0;
    for (size_t i = 0; i < count; i++)
        total += length_of(i, sources, lengths);
    char *text = malloc(total + 1);
    *size = 0;
    for (size_t i = 0; i < count && text != NULL; i++) {
        size_t length = length_of(i, sources, lengths);
        memcpy(text + *size, sources[i], length);
        *size += length;
    }
    return text;
}

/* Expansions hold if no text changes what was expanded. */
static bool check_definitions(struct walk *w, size_t size, const char *source)
{
    bool changed = include_macros_may_be_defined(&w->macros, source, size);
    w->includer = INCLUDE_NO_FILE;
    for (size_t i = 0; i < w->header_count && !changed; i++) {
        const struct include_embedded *h = &w->headers[i];
        changed = include_macros_may_be_defined(&w->macros, h->text, h->size);
    }
    for (size_t i = 0; i < w->files.count && !changed; i++) {
        const struct include_file *file = &w->files.list[i];
        w->includer = i;
        changed = include_macros_may_be_defined(
                &w->macros, file->text, file->size);
    }
    return !changed
           || walk_refuse(w, "%.60s may define a macro that names an include",
                   walk_includer(w));
}

/* Of a program with assembly, and with macros that make strings: that these
 * do not reach it. */
static bool check_assembly(
        struct walk *w, size_t size, const char *source, const char *options)
{
    struct assembly_texts texts = {0};
    char reason[assembly_reason_size];
    if (!assembly_is_unknown(w->seen)) return true;
    w->needs_texts = true;
    if (!w->keeps_texts) return walk_refuse(w, "its texts are not known");
    assembly_texts_add_options(&texts, options);
    assembly_texts_add(&texts, source, size);
    for (size_t i = 0; i < w->header_count; i++)
        assembly_texts_add(&texts, w->headers[i].text, w->headers[i].size);
    for (size_t i = 0; i < w->files.count; i++)
        assembly_texts_add(
                &texts, w->files.list[i].text, w->files.list[i].size);
    const bool lacks_memory = texts.lacks_memory;
    const bool is_reached = assembly_is_reached(&texts, reason);
    assembly_texts_fini(&texts);
    if (lacks_memory) return walk_refuse_for_memory(w);
    return !is_reached || walk_refuse(w, "%s", reason);
}

/* What changes if a file is replaced, written or renamed, though it may have
 * the same bytes again. */
static void take_stamp(const struct include_files *files, uint8_t stamp[16])
{
    enum { second = 1000000000 };
    crypto_generichash_state hash;
    crypto_generichash_init(&hash, NULL, 0, 16);
    for (size_t i = 0; i < files->count; i++) {
        const struct include_file *file = &files->list[i];
        const uint64_t numbers[] = {file->device, file->number,
                file->modified_ns / second, file->modified_ns % second,
                file->changed_ns / second, file->changed_ns % second};
        crypto_generichash_update(
                &hash, (const unsigned char *)numbers, sizeof numbers);
    }
    crypto_generichash_final(&hash, stamp, 16);
}

/* Takes the digest of what the files hold. Names that are macros of the options
 * are paths in these. False: no memory. */
static bool find_whether_it_moves(struct walk *w, uint8_t digest[32])
{
    struct includes *out = w->out;
    memcpy(out->moved_digest, digest, sizeof out->moved_digest);
    out->are_apart = false;
    out->moves =
            !w->expands
            && include_moves_end(&w->moves, &w->places, &w->paths, &w->files,
                    out->places > 0, out->moved_digest, &out->are_apart);
    if (!out->moves && out->places > 0 && w->paths.folders.count > 0
            && !include_moves_note_folders(
                    &w->moves, &w->places, &w->paths, digest))
        return walk_refuse_for_memory(w);
    memcpy(out->digest, digest, sizeof out->digest);
    return true;
}

/* One walk through everything. */
static bool follow_all(
        struct walk *w, size_t size, const char *source, const char *options)
{
    struct includes *out = w->out;
    uint8_t digest[sizeof out->digest];
    out->reason[0] = '\0';
    w->includer = INCLUDE_NO_FILE;
    if (!include_places_init(&w->places, &out->driver, options))
        return walk_refuse_for_memory(w);
    w->moves.has_headers = w->header_count > 0;
    if (out->looks_for_moves)
        include_moves_begin(&w->moves, &w->places, options);
    options = w->places.options;
    if (!include_paths_init(
                &w->paths, options, sizeof out->reason, out->reason)) {
        out->is_options = true;
        out->lacks_memory = w->paths.lacks_memory;
        return false;
    }
    if (w->expands && !include_macros_init(&w->macros, options))
        return walk_refuse_for_memory(w);
    crypto_generichash_init(&w->hash, NULL, 0, sizeof out->digest);
    /* Of assembly all is told at the end, when all texts are known. */
    w->seen = assembly_told;
    if (options_make_strings(options))
        w->seen |= assembly_unknown | assembly_pastes;
    if (!walk_note_headers(w) || !follow_implied(w) || !follow_options(w)
            || !follow_text(w, size, source) || !follow_headers(w)
            || !follow_files(w)
            || (w->expands && !check_definitions(w, size, source))
            || !check_assembly(w, size, source, options))
        return false;
    crypto_generichash_final(&w->hash, digest, sizeof digest);
    take_stamp(&w->files, out->stamp);
    out->count = w->files.count + w->missing;
    out->places = HASH_COUNT(w->files.places);
    return find_whether_it_moves(w, digest);
}

static void walk_fini(struct walk *w)
{
    include_files_fini(&w->files);
    include_paths_fini(&w->paths);
    include_places_fini(&w->places);
    include_macros_fini(&w->macros);
    include_moves_fini(&w->moves);
}

/* What was looked at is handed on, without the texts. */
static void hand_over(struct walk *w, struct include_files *places)
{
    for (size_t i = 0; i < w->files.count; i++)
        include_files_drop_text(&w->files, i);
    *places = w->files;
    w->files = (struct include_files){0};
}

/* In whose pieces the walk is. */
struct pieces {
    size_t header_count;
    const struct include_embedded *headers;
    size_t size;
    const char *source;
};

static bool follow_source(struct includes *out, struct include_files *places,
        const struct pieces *pieces, const char *options)
{
    const size_t size = pieces->size;
    const char *source = pieces->source;
    struct walk w = {.out = out,
            .header_count = pieces->header_count,
            .headers = pieces->headers};
    bool done = follow_all(&w, size, source, options);
    if (!done && (w.needs_macros || w.needs_texts)) {
        const bool expands = w.needs_macros;
        walk_fini(&w);
        w = (struct walk){.out = out,
                .header_count = pieces->header_count,
                .headers = pieces->headers,
                .expands = expands,
                .keeps_texts = true};
        done = follow_all(&w, size, source, options);
    }
    if (w.files.lacks_memory) out->lacks_memory = true;
    if (done && places != NULL) hand_over(&w, places);
    walk_fini(&w);
    return done;
}

static bool follow_pieces(struct includes *out, struct include_files *places,
        const struct include_driver *driver, const struct pieces *pieces,
        const char *options)
{
    out->driver = driver != NULL ? *driver : (struct include_driver){"", false};
    out->is_options = false;
    out->lacks_memory = false;
    if (sodium_init() < 0) {
        (void)snprintf(out->reason, sizeof out->reason,
                "libsodium cannot be initialised");
        return false;
    }
    const bool done =
            pieces->source != NULL
                    ? follow_source(out, places, pieces, options)
                    : walk_refuse_for_memory(&(struct walk){.out = out});
    make_printable(out->reason);
    return done;
}

static bool follow_joined(struct includes *out, struct include_files *places,
        const struct include_driver *driver, size_t count,
        const char *const *sources, const size_t *lengths, const char *options)
{
    struct pieces pieces = {.source = NULL};
    if (count == 1) {
        pieces.source = sources[0];
        pieces.size = length_of(0, sources, lengths);
        return follow_pieces(out, places, driver, &pieces, options);
    }
    char *joined = join(count, sources, lengths, &pieces.size);
    pieces.source = joined;
    const bool done = follow_pieces(out, places, driver, &pieces, options);
    free(joined);
    return done;
}

bool includes_follow_embedded(struct includes *out,
        struct include_files *places, const struct include_driver *driver,
        size_t header_count, const struct include_embedded *headers,
        size_t source_size, const char *source, const char *options)
{
    const struct pieces pieces = {header_count, headers, source_size, source};
    out->looks_for_moves = true;
    return follow_pieces(out, places, driver, &pieces, options);
}

bool includes_follow(struct includes *out, struct include_files *places,
        const struct include_driver *driver, size_t count,
        const char *const *sources, const size_t *lengths, const char *options)
{
    out->looks_for_moves = false;
    return follow_joined(out, places, driver, count, sources, lengths, options);
}

bool includes_follow_to_move(struct includes *out, struct include_files *places,
        const struct include_driver *driver, size_t count,
        const char *const *sources, const size_t *lengths, const char *options)
{
    out->looks_for_moves = true;
    return follow_joined(out, places, driver, count, sources, lengths, options);
}
