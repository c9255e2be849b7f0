/* SPDX-License-Identifier: Apache-2.0 */
#include "layer/capture/made_files.h"

#include "layer/driver/quirks.h"
#include "layer/programs/identity.h"
#include "layer/programs/launches.h"
#include "layer/settings/settings.h"
#include "layer/storage/storage.h"
#include "src/drivers/pocl_made.h"
#include "src/drivers/pocl_stand_in_file.h"
#include "src/platform/file.h"
#include "src/platform/folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One with the intermediate code, and one for each launch. */
enum { most_files = 256 };

struct made {
    const struct build *build;
    int folder_fd;
    size_t count;
    dnnl_cache_note_file_t *files; /* owned; so are their paths */
};

static void made_fini(struct made *made)
{
    for (size_t i = 0; i < made->count; i++)
        free((char *)(uintptr_t)made->files[i].path);
    free(made->files);
    (void)file_close(made->folder_fd);
}

/* ---- One folder ---------------------------------------------------------- */

/* False: it is not there, or is older than the build. */
static bool add_file(struct made *made, const char *path)
{
    struct file_facts facts;
    const int fd = pocl_made_open_file(made->folder_fd, path, &facts);
    if (fd == file_none) return false;
    (void)file_close(fd);
    if (facts.changed_ns < made->build->files_from_ns
            || made->count == most_files)
        return false;
    dnnl_cache_note_file_t *file = &made->files[made->count];
    file->path = strdup(path);
    if (file->path == NULL) return false;
    pocl_made_stamp(file->digest, &facts);
    made->count++;
    return true;
}

static bool add_launch(
        void *user, const char *kernel, const struct launch_class *class)
{
    char name[launch_class_text_size];
    char path[pocl_made_path_size];
    launch_class_write(name, class);
    return (size_t)snprintf(
                   path, sizeof path, "%s/%s/%s.so", kernel, name, kernel)
                   < sizeof path
           && add_file(user, path);
}

/* The application asked for the binary, for which the driver compiled these:
 * the entry stays one with such a binary (docs/how_it_works/finalisers.md). */
static void add_all_launches(struct made *made, const struct build *build)
{
    char path[pocl_made_path_size];
    const char *at =
            atomic_load(&build->is_binary_given) ? build->kernel_names : NULL;
    while (at != NULL && *at != '\0') {
        const int size = (int)strcspn(at, ";");
        const int n = snprintf(path, sizeof path,
                "%.*s/" POCL_ALL_LAUNCHES "/%.*s.so", size, at, size, at);
        if (n > 0 && (size_t)n < sizeof path) (void)add_file(made, path);
        at += size + (at[size] == ';');
    }
}

/* Of a folder that has the program and all that was launched of the build. */
static bool read_folder(
        struct made *made, const char *folder, const struct build *build)
{
    *made = (struct made){.build = build,
            .folder_fd = pocl_made_open_folder(folder),
            .files = calloc(most_files, sizeof *made->files)};
    if (made->folder_fd != file_none && made->files != NULL
            && add_file(made, POCL_MADE_PROGRAM)
            && launches_for_each(build, 0, true, add_launch, made)
            && made->count > 1) {
        add_all_launches(made, build);
        return true;
    }
    made_fini(made);
    return false;
}

/* ---- Which folder -------------------------------------------------------- */

struct search {
    const struct build *build;
    char cache[path_size];
    int cache_fd;
    const char *first; /* of the names in it: the one that is looked into */
    int first_fd;
    size_t count; /* of folders that were found */
    char folder[path_size];
    struct made made; /* of the last one */
};

/* Not every file system knows when a folder was made. */
static bool is_made_meanwhile(
        int parent_fd, const char *name, const struct build *build)
{
    uint64_t made_ns;
    return file_birth_of_link(&made_ns, parent_fd, name) == 0
           && made_ns >= build->files_from_ns
           && made_ns <= build->files_until_ns;
}

static void try_folder(struct search *search, const char *rest)
{
    char folder[path_size];
    struct made made;
    if ((size_t)snprintf(folder, sizeof folder, "%s/%s/%s", search->cache,
                search->first, rest)
                    >= sizeof folder
            || !read_folder(&made, folder, search->build))
        return;
    if (search->count++ > 0) {
        made_fini(&made);
        return;
    }
    search->made = made;
    memcpy(search->folder, folder, strlen(folder) + 1);
}

static int visit_rest(void *user, const char *name)
{
    struct search *search = user;
    if (pocl_made_is_name(name, pocl_made_rest_size)
            && is_made_meanwhile(search->first_fd, name, search->build))
        try_folder(search, name);
    return 0;
}

/* Has anything been made in it since the build began? */
static bool is_changed_since(
        int cache_fd, const char *first, const struct build *build)
{
    struct file_facts facts;
    return file_facts_of_link(&facts, cache_fd, first) == 0
           && facts.kind == file_is_folder
           && facts.modified_ns >= build->files_from_ns;
}

static int visit_first(void *user, const char *name)
{
    struct search *search = user;
    if (!pocl_made_is_name(name, pocl_made_first_size)
            || !is_changed_since(search->cache_fd, name, search->build)
            || file_open(&search->first_fd, search->cache_fd, name,
                       file_must_be_folder | file_no_link, 0)
                       != 0)
        return 0;
    search->first = name;
    (void)folder_each(search->first_fd, visit_rest, search);
    (void)file_close(search->first_fd);
    return 0;
}

/* True: one, whose files the caller releases. Whose it is, the driver tells
 * later, by its name: that of another program is never looked for. */
static bool find(struct search *search, const struct build *build)
{
    *search = (struct search){.build = build};
    if (!pocl_made_find_cache(search->cache)) return false;
    search->cache_fd = pocl_made_open_folder(search->cache);
    if (search->cache_fd == file_none) return false;
    (void)folder_each(search->cache_fd, visit_first, search);
    (void)file_close(search->cache_fd);
    if (search->count == 1) return true;
    if (search->count > 1) made_fini(&search->made);
    return false;
}

/* ---- The note ------------------------------------------------------------ */

bool made_files_suit(const struct build *build)
{
    const struct built_device *d = &build->devices[0];
    return layer_settings()->capture_compiled && build->kind == build_executable
           && build->count == 1 && !build->is_part && !build->is_loaded
           && build->lender == NULL && !d->is_held && !d->is_kept
           && build->files_until_ns != 0 && atomic_load(&build->is_noted)
           && !atomic_load(&build->is_misnamed) && pocl_made_suits_environment()
           && quirk_takes_stand_ins(d->device);
}

/* Whether what the driver has compiled by now may be another's. */
static bool is_driver_same(const struct build *build)
{
    return identity_changed_variable() == NULL
           && identity_changed_file(build->devices[0].device) == NULL;
}

void made_files_note(const struct build *build)
{
    static const uint64_t second_ns = 1000000000;
    struct search search;
    if (!made_files_suit(build) || build_clock_was_set(build, second_ns)
            || !find(&search, build))
        return;
    if (!is_driver_same(build)) {
        made_fini(&search.made);
        return;
    }
    dnnl_cache_note_t note = DNNL_CACHE_NOTE_INIT;
    note.kind = dnnl_cache_note_made;
    note.origin = dnnl_cache_note_layer;
    note.id_size = build->devices[0].id_size;
    note.id = build->devices[0].id;
    note.directory = search.folder;
    note.file_count = search.made.count;
    note.files = search.made.files;
    (void)storage_note(&note);
    made_fini(&search.made);
}
