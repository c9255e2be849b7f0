/* SPDX-License-Identifier: Apache-2.0 */
#include "src/includes/include_moves.h"

#include "src/common/byte_order.h"
#include "src/drivers/option_words.h"
#include "src/includes/include_sight.h"
#include "src/platform/file.h"

#include <errno.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

/* ---- Options ------------------------------------------------------------- */

/* Those that write no path into what is compiled, and make no error of a
 * warning. */
static const char *const exact[] = {"-w", "-Wall", "-Wextra", "-O", "-O0",
        "-O1", "-O2", "-O3", "-Os", "-ffast-math", "-cl-std=CL1.0",
        "-cl-std=CL1.1", "-cl-std=CL1.2", "-cl-std=CL2.0", "-cl-std=CL3.0",
        "-cl-single-precision-constant", "-cl-denorms-are-zero",
        "-cl-fp32-correctly-rounded-divide-sqrt", "-cl-opt-disable",
        "-cl-strict-aliasing", "-cl-mad-enable", "-cl-no-signed-zeros",
        "-cl-unsafe-math-optimizations", "-cl-finite-math-only",
        "-cl-fast-relaxed-math", "-cl-uniform-work-group-size",
        "-cl-no-subgroup-ifp", "-cl-kernel-arg-info", NULL};

static bool is_one_of(const char *word, const char *const *words)
{
    while (*words != NULL && strcmp(word, *words) != 0)
        words++;
    return *words != NULL;
}

/* Reads the option that the word is, with its argument. False: it may write a
 * path. */
static bool read_option(const char **p, char *word)
{
    const size_t folder = option_folder_size(word);
    if (folder > 0)
        return option_folder_read(option_way_blanks, p, word, folder) != NULL;
    if (strcmp(word, "-include") == 0 || strcmp(word, "-D") == 0
            || strcmp(word, "-U") == 0)
        return option_word_next(option_way_blanks, p, word) && word[0] != '-';
    return strncmp(word, "-D", 2) == 0 || strncmp(word, "-U", 2) == 0
           || strncmp(word, "-Wno-", 5) == 0 || is_one_of(word, exact);
}

static bool read_options(const char *options)
{
    char *word = malloc(strlen(options) + 1);
    bool fine = word != NULL;
    for (const char *p = options;
            fine && option_word_next(option_way_blanks, &p, word);)
        fine = read_option(&p, word);
    free(word);
    return fine;
}

/* Blanks besides spaces, quotes and backslashes are read in different ways, and
 * what begins and ends a mark is no name. */
static bool are_plain(const char *options)
{
    for (; *options != '\0'; options++)
        if ((unsigned char)*options < ' ' || *options == 0x7f) return false;
    return true;
}

/* ---- Folders ------------------------------------------------------------- */

/* True if the name of a folder is in one of the paths. */
static bool are_in_paths(
        const struct option_folders *folders, const struct path_list *paths)
{
    for (size_t i = 0; i < paths->count; i++)
        if (option_folders_are_in(
                    folders, paths->list[i], strlen(paths->list[i])))
            return true;
    return false;
}

/* True if the name of a folder is a part of another's, or of one that the
 * driver has for its own headers, which its log may name. */
static bool are_in_one_another(const struct option_folders *folders)
{
    static const char *const own[] = {
            "/usr/share/pocl/include", "/usr/local/share/pocl/include"};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (option_folders_are_in(folders, own[i], strlen(own[i]))) return true;
    for (size_t i = 0; i < folders->count; i++)
        for (size_t k = 0; k < folders->count; k++)
            if (i != k && strstr(folders->list[i], folders->list[k]) != NULL)
                return true;
    return false;
}

static bool may_move(struct include_moves *moves,
        const struct include_places *places, const char *given)
{
    const struct option_folders *folders = &moves->folders;
    /* Of a driver whose places are not all known, a folder may be one. */
    if (!places->are_all || strcmp(given, places->options) != 0
            || !option_ways_are_one(given) || !are_plain(given)
            || !read_options(given)
            || !option_folders_init(&moves->folders, given)
            || folders->count == 0)
        return false;
    char *named = option_folders_name(given);
    /* As macros they would change what include_sight.h reads of types. */
    const bool may = named != NULL && strstr(named, "typedef") == NULL
                     && strstr(named, "struct") == NULL
                     && strstr(named, "union") == NULL
                     && strstr(named, "enum") == NULL
                     && !option_folders_are_in(folders, named, strlen(named))
                     && !are_in_one_another(folders)
                     && !are_in_paths(folders, &places->beside)
                     && !are_in_paths(folders, &places->own)
                     && !(moves->has_headers
                             && are_in_paths(folders, &places->embedded));
    if (may) moves->seen = include_sight_of(named, strlen(named), false);
    free(named);
    return may;
}

void include_moves_begin(struct include_moves *moves,
        const struct include_places *places, const char *given)
{
    moves->may = given != NULL && may_move(moves, places, given);
}

void include_moves_fini(struct include_moves *moves)
{
    option_folders_fini(&moves->folders);
    *moves = (struct include_moves){0};
}

void include_moves_see(struct include_moves *moves, const char *text,
        size_t size, bool is_included)
{
    if (!moves->may) return;
    moves->seen |= include_sight_of(text, size, is_included);
    moves->may = !include_sight_is_open(moves->seen)
                 && !option_folders_are_in(&moves->folders, text, size);
}

/* ---- Which folders are one ----------------------------------------------- */

/* What a folder that is searched is. */
enum {
    is_absent,
    is_working_directory,
    is_beside,
    is_own,
    is_searched,
    is_not_known
};

/* A folder; all zero: there is none of that name. */
struct folder {
    int kind;
    uint64_t device;
    uint64_t number;
};

struct comparison {
    crypto_generichash_state hash;
    struct folder *folders; /* that were looked at */
    size_t count;
    bool are_apart; /* none was there before */
    bool are_known; /* each is a folder, or not there */
};

/* False: that cannot be told. */
static bool look(struct folder *folder, const char *path, int kind)
{
    struct file_facts facts;
    const int error = file_facts_at(&facts, file_here, path);
    *folder = (struct folder){.kind = is_absent};
    if (error == ENOENT) return true;
    if (error != 0 || facts.kind != file_is_folder) return false;
    *folder = (struct folder){kind, facts.device, facts.number};
    return true;
}

/* What no compiler can search is no place of the driver's. */
static void add(struct comparison *c, const char *path, int kind)
{
    if (look(&c->folders[c->count], path, kind)) c->count++;
}

static void add_all(
        struct comparison *c, const struct path_list *paths, int kind)
{
    for (size_t i = 0; i < paths->count; i++)
        add(c, paths->list[i], kind);
}

static void note(struct comparison *c, uint64_t number)
{
    uint8_t bytes[8];
    store_le64(bytes, number);
    crypto_generichash_update(&c->hash, bytes, sizeof bytes);
}

/* Notes whether the folder is there, and what it is first: one of the driver's,
 * or the how manieth that is searched. */
static void compare(struct comparison *c, const char *path, size_t others)
{
    struct folder *own = &c->folders[c->count];
    size_t i = 0;
    int kind = is_not_known;
    if (!look(own, path, is_searched)) {
        c->are_known = false;
    } else if (own->kind == is_absent) {
        kind = is_absent;
    } else {
        while (c->folders[i].device != own->device
                || c->folders[i].number != own->number)
            i++;
        kind = c->folders[i].kind;
        if (i < c->count) c->are_apart = false;
    }
    note(c, (uint64_t)kind);
    note(c, kind == is_searched ? i - others : 0);
    c->count++;
}

/* ---- Folders of files ---------------------------------------------------- */

/* The name by which a folder was reached first. */
struct reached {
    UT_hash_handle hh;
    struct reached_key {
        uint64_t device;
        uint64_t number;
    } key;
    const char *path;
    size_t size;
};

struct reached_all {
    struct reached *list; /* owned */
    struct reached *table;
    size_t count;
};

static size_t without_slashes(const char *path, size_t size)
{
    while (size > 1 && path[size - 1] == '/')
        size--;
    return size;
}

static bool is_searched_by(
        const struct path_list *searched, const char *path, size_t size)
{
    for (size_t i = 0; i < searched->count; i++) {
        const char *other = searched->list[i];
        if (without_slashes(other, strlen(other)) == size
                && memcmp(other, path, size) == 0)
            return true;
    }
    return false;
}

static bool is_there(const char *path)
{
    struct file_facts facts;
    return file_facts_at(&facts, file_here, path) == 0;
}

/* False: it was reached by another name before, or that cannot be told. */
static bool reach(struct reached_all *all, const char *path, size_t size)
{
    struct reached *own = &all->list[all->count];
    struct reached *found = NULL;
    struct file_facts facts;
    char *name = strndup(size > 0 ? path : ".", size > 0 ? size : 1);
    const int error =
            name != NULL ? file_facts_at(&facts, file_here, name) : ENOMEM;
    free(name);
    if (error != 0) return error == ENOENT;
    *own = (struct reached){.path = path, .size = size};
    own->key.device = facts.device;
    own->key.number = facts.number;
    HASH_FIND(hh, all->table, &own->key, sizeof own->key, found);
    if (found != NULL)
        return found->size == size && memcmp(found->path, path, size) == 0;
    HASH_ADD(hh, all->table, key, sizeof own->key, own);
    if (own->hh.tbl == NULL) return false;
    all->count++;
    return true;
}

/* clang looks for a folder of the search that is not there as a file, too, and
 * so reaches the folder around it by that name. */
static void reach_searched(struct reached_all *all, const char *path)
{
    size_t size = without_slashes(path, strlen(path));
    const size_t before = all->count;
    /* What these are to one another the digest has. */
    (void)reach(all, path, size);
    if (all->count != before || is_there(path)) return;
    while (size > 0 && path[size - 1] != '/')
        size--;
    (void)reach(all, path, without_slashes(path, size));
}

/* True if each folder that a file was found in, other than those that are
 * searched, was reached by one name: a compiler tells files by the first one,
 * which may be that of a folder that is searched in one place, and not in
 * another. */
static bool have_one_name(
        const struct path_list *searched, const struct include_files *files)
{
    struct reached_all all = {.list = calloc(searched->count + files->count + 1,
                                      sizeof *all.list)};
    bool have = all.list != NULL;
    for (size_t i = 0; i < searched->count && have; i++)
        reach_searched(&all, searched->list[i]);
    for (size_t i = 0; i < files->count && have; i++) {
        const struct include_file *file = &files->list[i];
        const size_t size = without_slashes(file->path, file->folder_size);
        have = is_searched_by(searched, file->path, size)
               || reach(&all, file->path, size);
    }
    HASH_CLEAR(hh, all.table);
    free(all.list);
    return have;
}

/* ---- All ----------------------------------------------------------------- */

/* False: no memory. */
static bool compare_all(struct comparison *c,
        const struct include_places *places, const struct include_paths *paths,
        bool has_headers)
{
    const struct path_list *searched = &paths->folders;
    c->folders = calloc(1 + places->beside.count + places->own.count
                                + places->embedded.count + searched->count,
            sizeof *c->folders);
    if (c->folders == NULL) return false;
    add(c, ".", is_working_directory);
    add_all(c, &places->beside, is_beside);
    add_all(c, &places->own, is_own);
    if (has_headers) add_all(c, &places->embedded, is_own);
    const size_t others = c->count;
    note(c, searched->count);
    for (size_t i = 0; i < searched->count; i++)
        compare(c, searched->list[i], others);
    free(c->folders);
    return true;
}

static void begin(
        struct comparison *c, const char *name, const uint8_t digest[32])
{
    *c = (struct comparison){.are_apart = true, .are_known = true};
    crypto_generichash_init(&c->hash, NULL, 0, 32);
    crypto_generichash_update(
            &c->hash, (const unsigned char *)name, strlen(name) + 1);
    crypto_generichash_update(&c->hash, digest, 32);
}

bool include_moves_end(const struct include_moves *moves,
        const struct include_places *places, const struct include_paths *paths,
        const struct include_files *files, bool looks_for_files,
        uint8_t digest[32], bool *are_apart)
{
    struct comparison c;
    *are_apart = false;
    if (!moves->may || !have_one_name(&paths->folders, files)) return false;
    begin(&c, "folders by number, 1", digest);
    if (looks_for_files
            && (!compare_all(&c, places, paths, moves->has_headers)
                    || !c.are_known))
        return false;
    crypto_generichash_final(&c.hash, digest, 32);
    *are_apart = c.are_apart && paths->folders.count == moves->folders.count;
    return true;
}

bool include_moves_note_folders(const struct include_moves *moves,
        const struct include_places *places, const struct include_paths *paths,
        uint8_t digest[32])
{
    struct comparison c;
    begin(&c, "folders by name, 1", digest);
    if (!compare_all(&c, places, paths, moves->has_headers)) return false;
    crypto_generichash_final(&c.hash, digest, 32);
    return true;
}
