/* SPDX-License-Identifier: Apache-2.0 */
#include "src/includes/includes.h"

#include "src/includes/assembly_reach.h"
#include "src/includes/include_files.h"
#include "src/includes/include_macros.h"
#include "src/includes/include_moves.h"
#include "src/includes/include_paths.h"

#include "src/common/byte_order.h"
#include "src/includes/build_options.h"
#include "src/includes/include_assembly.h"
#include "src/includes/include_embedded.h"
#include "src/includes/include_scan.h"
#include "src/platform/file.h"
#include "src/platform/library.h"

#include <sodium.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a driver may search that is told by no option. */
static const char *const system_folders[] = {
        "/usr/local/include", "/usr/include"};

/* What stands before each ingredient of the digest. */
enum {
    mark_quoted = 1,
    mark_bracket,
    mark_option,  /* -include */
    mark_absent,  /* a place without a file */
    mark_present, /* one with a file; its index follows */
    mark_text,    /* the first time, also the file's bytes */
    mark_end,     /* no more places */
    mark_alias,   /* the first time, which file it is by another path */
    mark_header,  /* an embedded one; its name and its text follow */
    mark_folder   /* where a driver has those */
};

struct walk {
    crypto_generichash_state hash;
    struct include_files files;
    struct include_paths paths;
    struct include_places places;
    size_t includer; /* the file that is scanned; INCLUDE_NO_FILE: the source */
    const struct include_embedded *header; /* or that header; NULL: none */
    size_t header_count;
    const struct include_embedded *headers;
    struct includes *out;
    size_t missing; /* includes that were ignored */
    unsigned seen;  /* what the texts so far have of assembly */
    /* The names of some includes may be macros: they are expanded, and all
     * texts kept, as each may define what was expanded. Else: what was met. */
    bool expands;
    bool needs_macros;
    /* All texts are kept for what their assembly is made of, or: must be. */
    bool keeps_texts;
    bool needs_texts;
    struct include_macros macros;
    struct include_moves moves;
};

/* One include: what it says, what was found so far. */
struct lookup {
    int form; /* mark_quoted, mark_bracket or mark_option */
    const char *name;
    size_t name_size;
    bool found;
    bool certain; /* every driver takes what was found, or an earlier place */
};

/* Notes why nothing can be established. Names come from sources: nothing in
 * them may reach a terminal as a command. False, for callers to return. */
__attribute__((format(printf, 2, 3))) static bool refuse(
        struct walk *w, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(w->out->reason, sizeof w->out->reason, format, args);
    va_end(args);
    return false;
}

static bool refuse_for_memory(struct walk *w)
{
    w->out->lacks_memory = true;
    return refuse(w, "out of memory");
}

/* How much of a text to show. */
static int shown(size_t size)
{
    return size < 60 ? (int)size : 60;
}

static void make_printable(char *text)
{
    for (; *text != '\0'; text++)
        if ((unsigned char)*text < ' ' || *text == 0x7f) *text = '?';
}

/* ---- Digest -------------------------------------------------------------- */

static void note_bytes(struct walk *w, const void *data, size_t size)
{
    crypto_generichash_update(&w->hash, data, size);
}

static void note(struct walk *w, int mark, uint64_t number)
{
    uint8_t bytes[9] = {(uint8_t)mark};
    store_le64(bytes + 1, number);
    note_bytes(w, bytes, sizeof bytes);
}

/* ---- Looking a file up --------------------------------------------------- */

/* Looks at one place: name in a folder of folder_size bytes, or as it is. */
static bool look_at(struct walk *w, struct lookup *l, size_t folder_size,
        const char *folder, bool certain)
{
    char path[path_size];
    const size_t known = w->files.count;
    size_t index;
    if (folder_size >= sizeof path - 1
            || l->name_size >= sizeof path - 1 - folder_size)
        return refuse(w, "the path of %.*s is too long", shown(l->name_size),
                l->name);
    size_t size = folder_size;
    if (folder_size > 0) {
        memcpy(path, folder, folder_size);
        if (path[size - 1] != '/') path[size++] = '/';
    }
    memcpy(path + size, l->name, l->name_size);
    path[size + l->name_size] = '\0';
    if (!include_files_find(
                &w->files, path, &index, sizeof w->out->reason, w->out->reason))
        return false;
    if (index == INCLUDE_NO_FILE) {
        note(w, mark_absent, 0);
        return true;
    }
    l->found = true;
    l->certain = certain;
    note(w, mark_present, index);
    if (w->files.count > known) {
        note(w, mark_alias, w->files.list[index].first_alias);
        note(w, mark_text, w->files.list[index].size);
        note_bytes(w, w->files.list[index].text, w->files.list[index].size);
    }
    return true;
}

/* Beside a header that is scanned, where a driver has it in a folder. */
static bool look_beside_header(struct walk *w, struct lookup *l)
{
    char folder[path_size];
    const char *name = w->header->name;
    const char *slash = strrchr(name, '/');
    const int size = slash != NULL ? (int)(slash - name) : 0;
    for (size_t i = 0; i < w->places.embedded.count; i++) {
        const int n = snprintf(folder, sizeof folder, "%s/%.*s",
                w->places.embedded.list[i], size, name);
        if (n < 0 || (size_t)n >= sizeof folder)
            return refuse(w, "the path of %.60s is too long", name);
        if (!look_at(w, l, (size_t)n, folder, false)) return false;
    }
    return true;
}

/* Looks into folders, until one that no driver ignores. */
static bool look_into(struct walk *w, struct lookup *l,
        const struct path_list *folders, bool certain)
{
    for (size_t i = 0; i < folders->count && !l->certain; i++)
        if (!look_at(w, l, strlen(folders->list[i]), folders->list[i], certain))
            return false;
    return true;
}

/* Looks at all places that a driver may look at, until one that none passes
 * by. The working directory is such a place for every form with PoCL, for
 * quoted names with others. */
static bool look_everywhere(struct walk *w, struct lookup *l)
{
    if (l->name[0] == '/') return look_at(w, l, 0, NULL, true);
    if (l->form == mark_quoted && w->includer != INCLUDE_NO_FILE) {
        const struct include_file *f = &w->files.list[w->includer];
        if (!look_at(w, l, f->folder_size, f->path, true)) return false;
    }
    if (l->form == mark_quoted && w->includer == INCLUDE_NO_FILE
            && !look_into(w, l, &w->places.beside, false))
        return false;
    if (w->header_count > 0
            && ((w->header != NULL && !look_beside_header(w, l))
                    || !look_into(w, l, &w->places.embedded, false)))
        return false;
    return (l->certain || look_at(w, l, 0, NULL, false))
           && look_into(w, l, &w->paths.folders, !w->paths.doubt)
           && look_into(w, l, &w->places.own, false);
}

/* Who includes, for messages. */
static const char *includer_of(const struct walk *w)
{
    if (w->header != NULL) return w->header->name;
    return w->includer != INCLUDE_NO_FILE ? w->files.list[w->includer].path
                                          : "the source";
}

static bool check_folder(
        struct walk *w, const struct lookup *l, const char *folder)
{
    char path[path_size];
    snprintf(path, sizeof path, "%s/%.*s", folder, (int)l->name_size, l->name);
    return !file_is_there(path)
           || refuse(w, "%.60s includes a file that is also at %.60s",
                   includer_of(w), path);
}

/* What is at no certain place, a driver of which not all places are known may
 * take from a folder of its own, or of the system. */
static bool check_system_folders(struct walk *w, const struct lookup *l)
{
    struct path_list folders;
    bool done = include_places_of_compilers(&folders);
    if (!done) refuse_for_memory(w);
    for (size_t i = 0; i < 2 && done; i++)
        done = check_folder(w, l, system_folders[i]);
    for (size_t i = 0; i < folders.count && done; i++)
        done = check_folder(w, l, folders.list[i]);
    path_list_fini(&folders);
    return done;
}

/* Names such as <metal_stdlib> are of another language's own library: a source
 * for several has them where no OpenCL compiler reads. A driver of which not
 * all places are known, and that has such a file after all, has it as one of
 * its own, as it has what it reads unasked. */
static bool is_of_a_language(const struct lookup *l)
{
    return l->form == mark_bracket && memchr(l->name, '.', l->name_size) == NULL
           && memchr(l->name, '/', l->name_size) == NULL;
}

/* ---- Embedded headers ---------------------------------------------------- */

/* Whether the directive may mean a header, beside the one that has it or not.
 */
static bool is_embedded(const struct walk *w, const struct lookup *l)
{
    return embedded_has(w->header_count, w->headers,
            w->header != NULL ? w->header->name : NULL, l->name_size, l->name);
}

static bool note_header(struct walk *w, const struct include_embedded *h)
{
    const size_t size = strlen(h->name);
    if (!embedded_name_is_plain(h->name))
        return refuse(w, "a header has the name \"%.60s\"", h->name);
    if (h->size > 0 && memchr(h->text, '\0', h->size) != NULL)
        return refuse(w, "the header %.60s has a NUL", h->name);
    note(w, mark_header, size);
    note_bytes(w, h->name, size);
    note(w, mark_text, h->size);
    note_bytes(w, h->text, h->size);
    return true;
}

/* The folder's name is what a header sees of itself, in __FILE__. */
static bool note_headers(struct walk *w)
{
    if (w->header_count == 0) return true;
    for (size_t i = 0; i < w->header_count; i++)
        if (!note_header(w, &w->headers[i])) return false;
    for (size_t i = 0; i < w->places.embedded.count; i++) {
        const char *folder = w->places.embedded.list[i];
        note(w, mark_folder, strlen(folder));
        note_bytes(w, folder, strlen(folder));
    }
    note(w, mark_end, w->header_count);
    return true;
}

/* ---- One include --------------------------------------------------------- */

static bool follow(struct walk *w, int form, size_t name_size, const char *name)
{
    struct lookup l = {.form = form, .name = name, .name_size = name_size};
    if (name_size == 0)
        return refuse(w, "%.60s includes an empty name", includer_of(w));
    if (w->header_count > 0 && embedded_leads_up(name_size, name))
        return refuse(w, "%.60s includes %.*s, which may lead elsewhere",
                includer_of(w), shown(name_size), name);
    note(w, form, name_size);
    note_bytes(w, name, name_size);
    if (!look_everywhere(w, &l)) return false;
    note(w, mark_end, 0);
    const bool is_there = l.found || is_embedded(w, &l);
    if (!is_there) w->missing++;
    if (w->places.are_all) return true;
    if (!is_there && !is_of_a_language(&l))
        return refuse(w, "%.60s includes %.*s, which was not found",
                includer_of(w), shown(name_size), name);
    return l.certain || check_system_folders(w, &l);
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
        return refuse(w, "%.60s has an include that cannot be resolved: %.*s",
                includer_of(w), shown(include->name_size), include->name);
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
    note(w, mark_option, l.name_size);
    note_bytes(w, l.name, l.name_size);
    return look_at(w, &l, 0, NULL, false)
           && look_into(w, &l, &w->paths.folders, false)
           && (w->header_count == 0
                   || look_into(w, &l, &w->places.embedded, false));
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
            return refuse(w, "the path of %.60s is too long", name);
        l.name_size = (size_t)size;
        if (!look_everywhere(w, &l)) return false;
        if (l.found)
            return refuse(
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
           || refuse(w, "%.60s may define a macro that names an include",
                   includer_of(w));
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
    if (!w->keeps_texts) return refuse(w, "its texts are not known");
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
    if (lacks_memory) return refuse_for_memory(w);
    return !is_reached || refuse(w, "%s", reason);
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

/* Names that are macros of the options are paths in these. */
static void find_whether_it_moves(struct walk *w)
{
    struct includes *out = w->out;
    memcpy(out->moved_digest, out->digest, sizeof out->moved_digest);
    out->moves = !w->expands
                 && include_moves_end(&w->moves, &w->places, &w->paths,
                         out->places > 0, out->moved_digest);
}

/* One walk through everything. */
static bool follow_all(
        struct walk *w, size_t size, const char *source, const char *options)
{
    struct includes *out = w->out;
    out->reason[0] = '\0';
    w->includer = INCLUDE_NO_FILE;
    if (!include_places_init(&w->places, &out->driver, options))
        return refuse_for_memory(w);
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
        return refuse_for_memory(w);
    crypto_generichash_init(&w->hash, NULL, 0, sizeof out->digest);
    /* Of assembly all is told at the end, when all texts are known. */
    w->seen = assembly_told;
    if (options_make_strings(options))
        w->seen |= assembly_unknown | assembly_pastes;
    if (!note_headers(w) || !follow_implied(w) || !follow_options(w)
            || !follow_text(w, size, source) || !follow_headers(w)
            || !follow_files(w)
            || (w->expands && !check_definitions(w, size, source))
            || !check_assembly(w, size, source, options))
        return false;
    crypto_generichash_final(&w->hash, out->digest, sizeof out->digest);
    take_stamp(&w->files, out->stamp);
    out->count = w->files.count + w->missing;
    out->places = HASH_COUNT(w->files.places);
    find_whether_it_moves(w);
    return true;
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
    const bool done = pieces->source != NULL
                              ? follow_source(out, places, pieces, options)
                              : refuse_for_memory(&(struct walk){.out = out});
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
    out->looks_for_moves = false;
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
