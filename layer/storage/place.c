/* SPDX-License-Identifier: Apache-2.0 */
#include "layer/storage/place.h"

#include "layer/settings/settings.h"
#include "layer/storage/opening.h"
#include "src/platform/file.h"
#include "src/platform/folder.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Where an answer is written to. */
struct answer {
    char *why;
    size_t capacity;
    bool is_refusal; /* the store itself has said no, whatever else there is */
};

__attribute__((format(printf, 2, 3))) static void tell(
        const struct answer *answer, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(answer->why, answer->capacity, format, arguments);
    va_end(arguments);
}

/* The last word of a store that is not opened says why. */
static void hear(dnnl_cache_log_level_t level, const char *text, void *user)
{
    struct answer *answer = user;
    if (level == dnnl_cache_log_info) return;
    tell(answer, "%s", text);
    if (level == dnnl_cache_log_error) answer->is_refusal = true;
}

/* Changes nothing, and waits for no lock. */
static bool can_open(
        const struct layer_settings *settings, struct answer *answer)
{
    struct dnnl_cache_store_options options = opening_options(settings);
    dnnl_cache_store_handle_t *store = NULL;
    options.read_only = true;
    options.lock_timeout_ms = 1;
    options.log = hear;
    options.log_user = answer;
    tell(answer, "%s", settings->directory);
    const dnnl_status_t st =
            dnnl_cache_store_open(&store, settings->store->name, &options);
    dnnl_cache_store_close(store);
    return st == dnnl_success;
}

/* To the folder that an absolute path is in; false: it is the root. */
static bool go_up(char *path)
{
    size_t n = strlen(path);
    while (n > 1 && path[n - 1] == '/')
        n--;
    if (n <= 1) return false;
    while (path[n - 1] != '/')
        n--;
    while (n > 1 && path[n - 1] == '/')
        n--;
    path[n] = '\0';
    return true;
}

/* A pack is a file; SQLite makes another one beside it. */
bool place_is_writable(const struct layer_settings *settings)
{
    char folder[settings_path_size];
    if (!settings->store->is_file)
        return folder_may_be_changed(file_here, settings->directory);
    strcpy(folder, settings->directory);
    return file_may_be_written(file_here, settings->directory) && go_up(folder)
           && folder_may_be_changed(file_here, folder);
}

/* In the nearest folder above that is there. */
static bool can_make(
        const struct layer_settings *settings, const struct answer *answer)
{
    char path[settings_path_size];
    struct file_facts facts;
    int error = ENOENT;
    strcpy(path, settings->directory);
    while (error == ENOENT && go_up(path))
        error = file_facts_at(&facts, file_here, path);
    if (error == 0 && facts.kind != file_is_folder) error = ENOTDIR;
    if (error == 0 && !folder_may_be_changed(file_here, path)) error = errno;
    tell(answer, "%s", settings->directory);
    if (error == 0) return true;
    tell(answer, "%s: cannot be created: %s: %s", settings->directory, path,
            strerror(error));
    return false;
}

static enum place check_missing(
        const struct layer_settings *settings, struct answer *answer)
{
    /* A folder is made as it has to be; a pack's may be there, and wrong. */
    if (settings->store->is_file && !can_open(settings, answer)
            && answer->is_refusal)
        return place_refused;
    return can_make(settings, answer) ? place_usable : place_refused;
}

static enum place check(
        const struct layer_settings *settings, struct answer *answer)
{
    struct file_facts facts;
    if (settings->objection[0] != '\0') {
        tell(answer, "%s", settings->objection);
        return place_refused;
    }
    if (settings->lacks_directory && !settings->persistent) return place_none;
    if (!settings->persistent || settings->directory[0] == '\0')
        return place_usable;
    if (file_facts_of_link(&facts, file_here, settings->directory) == ENOENT)
        return check_missing(settings, answer);
    if (!can_open(settings, answer)) return place_refused;
    const bool is_writable = place_is_writable(settings);
    const int error = errno;
    tell(answer, "%s", settings->directory);
    if (is_writable) return place_usable;
    tell(answer, "%s: %s", settings->directory, strerror(error));
    return place_read_only;
}

/* The layer reports invalid values when it is loaded. */
static void ignore(void *user, const char *text)
{
    (void)user;
    (void)text;
}

__attribute__((visibility("default"))) int dnnl_cache_layer_check_place(
        char *why, size_t capacity)
{
    struct layer_settings settings;
    struct answer answer = {why, capacity, false};
    layer_settings_read_environment(&settings, ignore, NULL);
    tell(&answer, "%s", "");
    return (int)check(&settings, &answer);
}
