/* SPDX-License-Identifier: Apache-2.0 */
#include "src/includes/include_places.h"

#include "src/platform/file.h"
#include "src/platform/folder.h"
#include "src/platform/library.h"
#include "src/platform/loaded_libraries.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Variables whose values drivers append to build options. */
static const struct {
    const char *platform; /* in the platform's name */
    const char *variable;
} option_variables[] = {
        {"Portable Computing Language", "POCL_EXTRA_BUILD_FLAGS"},
        {"Oclgrind", "OCLGRIND_BUILD_OPTIONS"},
        {"AMD", "AMD_OCL_BUILD_OPTIONS"},
        {"AMD", "AMD_OCL_BUILD_OPTIONS_APPEND"},
        {"AMD", "AMD_OCL_LINK_OPTIONS"},
        {"AMD", "AMD_OCL_LINK_OPTIONS_APPEND"},
        {"Intel", "IGC_ExtraOCLOptions"},
        {"Intel", "IGC_ExtraOCLInternalOptions"},
};

/* Lists of folders, with colons, that clang's and GCC's drivers read. The
 * compilers inside PoCL, rusticl and Oclgrind do not. */
static const char *const folder_variables[] = {"CPATH", "C_INCLUDE_PATH",
        "OBJC_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "OBJCPLUS_INCLUDE_PATH",
        "INCLUDE", NULL};

static const char *variable(const char *name)
{
    const char *value = getenv(name);
    return value != NULL ? value : "";
}

/* ---- Options ------------------------------------------------------------- */

/* Adds options; false: no memory. */
static bool append_options(char **options, const char *more)
{
    const size_t size = strlen(*options);
    if (more[0] == '\0') return true;
    char *longer = realloc(*options, size + strlen(more) + 2);
    if (longer == NULL) return false;
    *options = longer;
    longer[size] = ' ';
    memcpy(longer + size + 1, more, strlen(more) + 1);
    return true;
}

/* Of a platform that is not known, all variables. */
static bool read_options(
        struct include_places *places, const char *platform, const char *given)
{
    const size_t count = sizeof option_variables / sizeof *option_variables;
    places->options = strdup(given != NULL ? given : "");
    bool done = places->options != NULL;
    for (size_t i = 0; i < count && done; i++)
        if (platform[0] == '\0'
                || strstr(platform, option_variables[i].platform) != NULL)
            done = append_options(
                    &places->options, variable(option_variables[i].variable));
    return done;
}

/* ---- PoCL ---------------------------------------------------------------- */

/* PoCL compiles a copy of the source in its cache's folder, and adds -I. and
 * nothing else: for a CPU its clang has no folders of the system. */
static bool add_folder_in(
        struct path_list *folders, const char *parent, const char *name)
{
    char path[path_size];
    const int size = snprintf(path, sizeof path, "%s/%s", parent, name);
    /* A longer one can be no folder. */
    return size < 0 || (size_t)size >= sizeof path
           || path_list_add(folders, path);
}

static bool place_pocl(struct include_places *places, bool is_cpu)
{
    struct path_list *beside = &places->beside;
    const char *given = getenv("POCL_CACHE_DIR");
    const char *parent = variable("XDG_CACHE_HOME");
    const char *home = getenv("HOME");
    const char *inside[] = {"pocl/kcache", "pocl/uncached"};
    char cache[path_size] = "/tmp";
    places->are_all = is_cpu;
    if (given != NULL) return path_list_add(beside, given);
    if (parent[0] != '\0')
        snprintf(cache, sizeof cache, "%s", parent);
    else if (home != NULL)
        snprintf(cache, sizeof cache, "%s/.cache", home);
    return add_folder_in(beside, cache, inside[0])
           && add_folder_in(beside, cache, inside[1]);
}

/* ---- rusticl ------------------------------------------------------------- */

/* Adds LIBRARIES/clang/VERSION/include of one version, if it is there. */
static int add_version(void *user, const char *version)
{
    struct path_list *found = user;
    char path[path_size];
    const int size = snprintf(
            path, sizeof path, "%s/%s/include", found->list[0], version);
    return version[0] == '.' || size < 0 || (size_t)size >= sizeof path
                           || !file_is_there(path) || path_list_add(found, path)
                   ? 0
                   : ENOMEM;
}

static int compare_paths(const void *one, const void *other)
{
    return strcmp(*(char *const *)one, *(char *const *)other);
}

/* Adds the folders of headers that belong to a clang library. */
static bool add_headers_of(struct path_list *folders, const char *library)
{
    struct path_list found = {.count = 0}; /* first where versions are */
    char *real = path_absolute(library);
    bool done = real != NULL || errno != ENOMEM;
    char *slash = real != NULL ? strrchr(real, '/') : NULL;
    if (slash != NULL) {
        *slash = '\0';
        done = add_folder_in(&found, real, "clang")
               && (found.count == 0
                       || folder_each_of(found.list[0], add_version, &found)
                                  != ENOMEM);
    }
    if (found.count > 1)
        qsort(found.list + 1, found.count - 1, sizeof *found.list,
                compare_paths);
    for (size_t i = 1; i < found.count && done; i++)
        done = path_list_add(folders, found.list[i])
               && add_folder_in(folders, found.list[i], "include");
    path_list_fini(&found);
    free(real);
    return done;
}

/* Those that are clang's. False: no memory. */
static bool on_library(void *user, const struct library_facts *library)
{
    const char *slash = strrchr(library->path, '/');
    return slash == NULL || strncmp(slash, "/libclang-cpp.so", 16) != 0
           || path_list_add(user, library->path);
}

/* Mesa gives its clang embedded headers as files of a folder that need not be
 * there, in LLVM's folder for temporary files. */
static bool add_folder_of_embedded(struct path_list *folders)
{
    static const char *const variables[] = {"TMPDIR", "TMP", "TEMP", "TEMPDIR"};
    const char *parent = NULL;
    for (size_t i = 0; i < 4 && parent == NULL; i++)
        parent = getenv(variables[i]);
    /* LLVM takes an empty one for a name, and puts nothing before the folder.
     */
    if (parent != NULL && parent[0] == '\0')
        return path_list_add(folders, "openclon12");
    return add_folder_in(
            folders, parent != NULL ? parent : "/tmp", "openclon12");
}

/* clang's own headers, and those of the system. What is not known if rusticl
 * has its clang inside. */
static bool place_rusticl(struct include_places *places)
{
    struct path_list libraries = {.count = 0};
    bool done = libraries_each(on_library, &libraries);
    for (size_t i = 0; i < libraries.count && done; i++)
        done = add_headers_of(&places->own, libraries.list[i]);
    path_list_fini(&libraries);
    places->are_all = places->own.count > 0;
    places->implied = "opencl-c-base.h";
    return done && add_folder_of_embedded(&places->embedded)
           && path_list_add(&places->own, "/usr/local/include")
           && path_list_add(&places->own, "/usr/include");
}

/* ---- All ----------------------------------------------------------------- */

static const char pocl[] = "Portable Computing Language";
static const char rusticl[] = "rusticl";
static const char oclgrind[] = "Oclgrind";

/* Intel's has them there; others may. */
bool include_places_are_working_directory(const struct include_driver *driver)
{
    return strcmp(driver->platform, pocl) != 0
           && strcmp(driver->platform, rusticl) != 0
           && strcmp(driver->platform, oclgrind) != 0;
}

bool include_places_init(struct include_places *places,
        const struct include_driver *driver, const char *options)
{
    const char *platform = driver->platform;
    *places = (struct include_places){0};
    if (!read_options(places, platform, options)) return false;
    if (strcmp(platform, pocl) == 0) return place_pocl(places, driver->is_cpu);
    if (strcmp(platform, rusticl) == 0) return place_rusticl(places);
    /* Its name is in the ID, as a header can see where it seems to be. */
    if (include_places_are_working_directory(driver)) {
        char working[path_size];
        return path_list_add(
                &places->embedded, path_working(working) ? working : ".");
    }
    /* Its own headers are in an image beside it that may have more folders. */
    return path_list_add(&places->beside, "/remapped")
           && path_list_add(&places->embedded, "/remapped");
}

void include_places_fini(struct include_places *places)
{
    free(places->options);
    path_list_fini(&places->beside);
    path_list_fini(&places->own);
    path_list_fini(&places->embedded);
    *places = (struct include_places){0};
}

bool include_places_of_compilers(struct path_list *folders)
{
    bool done = true;
    *folders = (struct path_list){0};
    for (size_t i = 0; folder_variables[i] != NULL && done; i++) {
        char *copy = strdup(variable(folder_variables[i]));
        char *more = NULL;
        done = copy != NULL;
        for (char *name = done ? strtok_r(copy, ":", &more) : NULL;
                name != NULL && done; name = strtok_r(NULL, ":", &more))
            done = path_list_add(folders, name);
        free(copy);
    }
    return done;
}
