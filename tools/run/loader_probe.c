/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/run/loader_probe.h"

#include "src/platform/file.h"
#include "src/platform/folder.h"
#include "tools/run/probe_memory.h"
#include "tools/run/timed_child.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the child says ends with this, or it did not get that far. */
static const char argument[] = "--probe-loader";
static const char last_word[] = "\nend\n";

enum { out_size = 2 * path_size };

/* ---- The child ----------------------------------------------------------- */

static void say(enum probe_result result, enum layer_entry entry,
        const char *path, const char *why)
{
    (void)printf(
            "%d %d\n%s\n%s%s", (int)result, (int)entry, path, why, last_word);
    (void)fflush(stdout);
}

/* A layer that a loader ignores is unloaded again; ours stays, and tells. */
static bool is_in(const char *layer, enum layer_entry *entry)
{
    int (*ask)(void);
    struct library *library = library_open_loaded(layer);
    *entry = layer_entry_none;
    if (library == NULL) return false;
    if (!library_find(library, LAYER_ENTRY_NAME, &ask)) return true;
    *entry = (enum layer_entry)ask();
    return *entry != layer_entry_none;
}

static void probe(const char *loader, const char *layer)
{
    char path[path_size];
    const char *why;
    enum layer_entry entry;
    int (*get_platforms)(unsigned, void *, unsigned *);
    unsigned count = 0;
    struct library *library = library_open(loader, false, &why);
    if (library == NULL) {
        /* Or one that it needs is missing: the message begins with its name. */
        const bool is_missing = strchr(loader, '/') == NULL
                                && strncmp(why, loader, strlen(loader)) == 0;
        say(is_missing ? probe_no_loader : probe_broken, layer_entry_none, "",
                why);
        return;
    }
    if (!library_path(path, library)) path[0] = '\0';
    if (!library_find(library, "clGetPlatformIDs", &get_platforms)) {
        say(probe_broken, layer_entry_none, path, "it has no clGetPlatformIDs");
        return;
    }
    (void)get_platforms(0, NULL, &count);
    const bool is_taken = is_in(layer, &entry);
    if (is_taken || count > 0)
        say(is_taken ? probe_taken : probe_ignored, entry, path, "");
    else /* so layers may not have been looked at */
        say(probe_no_answer, entry, path, "it finds no driver");
}

bool loader_probe_is_child(int argc, char **argv)
{
    if (argc != 4 || strcmp(argv[1], argument) != 0) return false;
    probe(argv[2], argv[3]);
    /* Neither the loader nor the layer has anything to do at its end. */
    _Exit(EXIT_SUCCESS);
}

/* ---- What asks ----------------------------------------------------------- */

/* The driver that has nothing, beside the layer; "": real ones will do. */
static void find_driver(char driver[path_size], const char *layer)
{
    static const char name[] = "libdnnl_cache_probe.so";
    const char *slash = strrchr(layer, '/');
    const int size = slash != NULL ? (int)(slash - layer) : 0;
    if (snprintf(driver, path_size, "%.*s/%s", size, layer, name) >= path_size
            || !file_may_be_read(driver))
        driver[0] = '\0';
}

static bool read_answer(struct loader_probe *probe, char *out)
{
    char *end = strstr(out, last_word);
    int result;
    int entry;
    int begin = 0;
    if (end == NULL || sscanf(out, "%d %d%n", &result, &entry, &begin) != 2
            || out[begin] != '\n')
        return false;
    *end = '\0';
    char *path = out + begin + 1;
    char *why = strchr(path, '\n');
    if (why == NULL) return false;
    *why++ = '\0';
    probe->result = (enum probe_result)result;
    probe->entry = (enum layer_entry)entry;
    if (path[0] != '\0')
        (void)snprintf(probe->path, sizeof probe->path, "%s", path);
    (void)snprintf(probe->why, sizeof probe->why, "%s", why);
    return true;
}

static void note_end(
        struct loader_probe *probe, const struct timed_child_end *end)
{
    probe->result = end->is_late ? probe_no_answer : probe_broken;
    if (end->is_late)
        (void)snprintf(
                probe->why, sizeof probe->why, "no answer in ten seconds");
    else if (end->signal != 0)
        (void)snprintf(probe->why, sizeof probe->why, "it is ended by %s",
                strsignal(end->signal));
    else
        (void)snprintf(probe->why, sizeof probe->why,
                "a process that loads it says nothing");
}

/* A folder of layers that has this one. False: no memory, or no room. */
static bool make_folder(char folder[path_size], const char *layer)
{
    const char *place = getenv("TMPDIR");
    char file[path_size + 16];
    if (place == NULL || place[0] != '/') place = "/tmp";
    if (snprintf(folder, path_size, "%s/dnnl-cache-run.XXXXXX", place)
                    >= path_size
            || folder_make_temporary(folder) != 0)
        return false;
    (void)snprintf(file, sizeof file, "%s/one.lay", folder);
    FILE *out = fopen(file, "we");
    if (out == NULL) return false;
    const bool good = fprintf(out, "%s\n", layer) > 0;
    return fclose(out) == 0 && good;
}

static void remove_folder(const char *folder)
{
    char file[path_size + 16];
    (void)snprintf(file, sizeof file, "%s/one.lay", folder);
    (void)file_remove(file_here, file);
    (void)folder_remove(file_here, folder);
}

static void run(struct loader_probe *probe, const char *loader,
        const char *layer, const char *layers, const char *folder)
{
    char driver[path_size];
    char *out = calloc(1, out_size);
    find_driver(driver, layer);
    const char *driver_or_none = driver[0] != '\0' ? driver : NULL;
    const char *home = getenv("PYOPENCL_HOME");
    /* Debian's loader takes a file for the folder, Khronos' the other one. That
     * of pyopencl's wheels dies without the variable, which pyopencl sets. */
    const char *const variables[] = {"OPENCL_LAYERS", layers,
            "OPENCL_LAYER_PATH", folder, "PYOPENCL_HOME",
            home != NULL ? home : "",
            driver_or_none != NULL ? "OCL_ICD_VENDORS" : NULL, driver_or_none,
            "OCL_ICD_FILENAMES", driver_or_none, NULL};
    char *const arguments[] = {"/proc/self/exe", (char *)(uintptr_t)argument,
            (char *)(uintptr_t)(loader != NULL ? loader : "libOpenCL.so.1"),
            (char *)(uintptr_t)layer, NULL};
    *probe = (struct loader_probe){.result = probe_no_answer};
    if (loader != NULL)
        (void)snprintf(probe->path, sizeof probe->path, "%s", loader);
    if (out == NULL) return;
    const struct timed_child_end end =
            timed_child_run(arguments, variables, out, out_size);
    if (!read_answer(probe, out)) note_end(probe, &end);
    free(out);
}

/* ---- What was found out before ------------------------------------------- */

static void make_key(
        struct probe_key *key, const char *loader, const char *layer)
{
    char driver[path_size];
    find_driver(driver, layer);
    probe_key_init(key, "layer");
    probe_key_add_file(key, loader != NULL ? loader : "libOpenCL.so.1");
    probe_key_add_file(key, layer);
    probe_key_add_file(key, driver);
    probe_key_add_file(key, "/proc/self/exe");
    probe_key_add_folders(key);
}

/* "ENTRY PATH", of a loader that takes the layer in and is as it was: its own
 * line of a key follows. */
static bool recall(struct loader_probe *probe, struct probe_key *key)
{
    char *answer = probe_memory_find(key);
    struct probe_key now;
    int entry;
    int begin = 0;
    bool is_same = false;
    if (answer == NULL) return false;
    char *end = strchr(answer, '\n');
    if (end != NULL && sscanf(answer, "%d %n", &entry, &begin) == 1 && begin > 0
            && end - answer - begin < path_size) {
        *end = '\0';
        probe_key_init(&now, "");
        probe_key_add_file(&now, answer + begin);
        is_same = probe_key_ends_with(&now, end + 1);
        probe_key_fini(&now);
    }
    if (is_same) {
        *probe = (struct loader_probe){
                .result = probe_taken, .entry = (enum layer_entry)entry};
        (void)snprintf(probe->path, sizeof probe->path, "%s", answer + begin);
    }
    free(answer);
    return is_same;
}

/* What is to be told is found out each time. */
static void remember(const struct loader_probe *probe, struct probe_key *key)
{
    char *answer = NULL;
    struct probe_key now;
    if (probe->result != probe_taken || probe->path[0] != '/'
            || strchr(probe->path, '\n') != NULL)
        return;
    probe_key_init(&now, "");
    probe_key_add_file(&now, probe->path);
    const char *line = probe_key_last_line(&now);
    if (line != NULL
            && asprintf(&answer, "%d %s\n%s", (int)probe->entry, probe->path,
                       line)
                       > 0) {
        probe_memory_keep(key, answer);
        free(answer);
    }
    probe_key_fini(&now);
}

void loader_probe(struct loader_probe *probe, const char *loader,
        const char *layer, enum probe_way way)
{
    char folder[path_size];
    if (way == probe_variable) {
        struct probe_key key;
        make_key(&key, loader, layer);
        if (!recall(probe, &key)) {
            run(probe, loader, layer, layer, "/nonexistent");
            remember(probe, &key);
        }
        probe_key_fini(&key);
        return;
    }
    *probe = (struct loader_probe){.result = probe_no_answer};
    folder[0] = '\0';
    if (make_folder(folder, layer)) run(probe, loader, layer, NULL, folder);
    if (folder[0] != '\0') remove_folder(folder);
}
