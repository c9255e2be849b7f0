/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/dnnl_cache/base/place.h"

#include "src/platform/file.h"
#include "src/platform/folder.h"
#include "src/platform/library.h"
#include "tools/common/state/configuration.h"
#include "tools/common/state/default_place.h"
#include "tools/common/state/store_setting.h"

#include <dnnl_cache/remote_store.h>
#include <dnnl_cache/store_types.h>

#include <dnnl_cache.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool join(char path[place_path_size], const char *base, const char *rest)
{
    const int n = snprintf(path, place_path_size, "%s%s", base, rest);
    return n > 0 && n < place_path_size;
}

static const char *from_environment(const char *name)
{
    const char *value = getenv(name);
    return value != NULL && value[0] != '\0' ? value : NULL;
}

/* ---- The layer's settings ------------------------------------------------ */

static void give_warning(void *user, const char *text)
{
    (void)user;
    fprintf(stderr, "dnnl-cache: warning: %s\n", text);
}

/* Read once a process. */
static const struct configuration *settings_files(void)
{
    static struct configuration *files;
    static const struct configuration_reader reader = {
            NULL, give_warning, NULL};
    if (files == NULL) files = configuration_read(&reader);
    return files;
}

/* As the layer finds it; in files, too. */
static const char *from_settings(const char *name)
{
    return configuration_find(settings_files(), name, NULL);
}

const char *place_setting(const char *name)
{
    return from_settings(name);
}

bool place_flag_is_set(const char *name)
{
    const char *value = from_settings(name);
    return value != NULL && strcmp(value, "0") != 0;
}

/* ---- Which place --------------------------------------------------------- */

bool place_is_remote(const struct options *options)
{
    return dnnl_cache_store_is_remote(options->store);
}

/* Nobody has chosen it. NULL: somebody has, or no variable names one. */
static const char *default_base(const char **variable)
{
    static const char *const variables[] = {"XDG_CACHE_HOME", "HOME"};
    if (from_settings("DNNL_CACHE_DIR") != NULL) return NULL;
    for (size_t i = 0; i < 2; i++) {
        *variable = variables[i];
        const char *base = from_environment(variables[i]);
        if (base != NULL) return base;
    }
    return NULL;
}

/* The default place is another user's: said. */
static bool is_anothers(struct tool *tool, const char *path)
{
    char why[512];
    const char *variable;
    const char *base =
            tool->options->store == NULL ? default_base(&variable) : NULL;
    if (base == NULL
            || !default_place_is_anothers(
                    why, sizeof why, variable, base, path))
        return false;
    tool_error(tool, "%s", why);
    return true;
}

bool place_path(char path[place_path_size], const struct options *options)
{
    const char *base = options->store;
    if (place_is_remote(options)) {
        const size_t size = strcspn(base, "?");
        if (size >= place_path_size) return false;
        memcpy(path, base, size);
        path[size] = '\0';
        return true;
    }
    if (base == NULL) base = from_settings("DNNL_CACHE_DIR");
    if (base != NULL) return join(path, base, "");
    base = from_environment("XDG_CACHE_HOME");
    if (base != NULL) return join(path, base, "/dnnl_cache");
    base = from_environment("HOME");
    return base != NULL && join(path, base, "/.cache/dnnl_cache");
}

/* The file's path without links, whether the file is there or not. */
static bool resolve(char resolved[path_size], const char *file)
{
    char folder[path_size];
    char copy[path_size];
    if (path_resolve(resolved, file)) return true;
    const int n = snprintf(copy, sizeof copy, "%s", file);
    if (n < 0 || (size_t)n >= sizeof copy) return false;
    char *slash = strrchr(copy, '/');
    const char *name = slash != NULL ? slash + 1 : copy;
    if (slash != NULL) *slash = '\0';
    const char *above = slash == NULL ? "." : slash == copy ? "/" : copy;
    if (!path_resolve(folder, above)) return false;
    const int m = snprintf(resolved, path_size, "%s/%s",
            strcmp(folder, "/") == 0 ? "" : folder, name);
    return m > 0 && m < path_size;
}

bool place_has(const char *place, const char *file)
{
    char store[path_size];
    char path[path_size];
    struct file_facts of_store;
    struct file_facts of_file;
    if (!path_resolve(store, place)
            || file_facts_at(&of_store, file_here, store) != 0
            || !resolve(path, file))
        return false;
    if (file_facts_at(&of_file, file_here, path) == 0
            && file_is_same(&of_file, &of_store))
        return true;
    const size_t length = strlen(store);
    if (strncmp(path, store, length) != 0) return false;
    /* In the folder, or beside a pack with its name: a journal. */
    return path[length] == (of_store.kind == file_is_folder ? '/' : '-');
}

/* ---- Which type ---------------------------------------------------------- */

/* What is there. */
struct look {
    enum dnnl_cache_store_trace asked; /* of the type that was asked for */
    const struct dnnl_cache_store_type *best; /* NULL: no store */
    bool is_nothing;                          /* an empty folder or file */
    bool is_file;
};

/* Looks at a place, and touches nothing. 0 or an errno value. */
static int look_at(struct look *look, const char *path,
        const struct dnnl_cache_store_type *asked)
{
    struct file_facts facts;
    int fd;
    int names;
    *look = (struct look){.best = dnnl_cache_store_find_type_at(path, NULL)};
    int error =
            file_open(&fd, file_here, path, file_for_reading | file_no_wait, 0);
    if (error != 0) return error;
    error = file_facts(&facts, fd);
    /* What cannot be read looks as if nothing were there. */
    if (error == 0 && facts.kind == file_is_folder) {
        error = folder_open(&names, fd, ".");
        (void)file_close(names);
    }
    look->is_nothing = dnnl_cache_store_is_empty_place(fd);
    look->is_file = error == 0 && facts.kind != file_is_folder;
    if (asked != NULL) look->asked = asked->recognise(fd);
    (void)file_close(fd);
    return error;
}

/* Why an application could have made no store there, though it made a part of
 * one: 0 or an errno value. Asks for room in the folder, or in a file's. */
static int find_hindrance(const char *path, bool is_file)
{
    enum { least_bytes = 4096 };
    char folder[path_size];
    if (!resolve(folder, path)) return 0;
    char *slash = strrchr(folder, '/');
    if (is_file && slash != NULL) slash[slash == folder] = '\0';
    return folder_try_room(folder, least_bytes);
}

static enum tool_exit no_store(struct tool *tool, const char *path,
        const struct look *look, const struct dnnl_cache_store_type *asked)
{
    char what[64] = "not a store";
    const int hindrance =
            look->best == NULL ? find_hindrance(path, look->is_file) : 0;
    if (hindrance != 0) {
        tool_error(tool, "%s: no store is there, and none can be made: %s",
                path, strerror(hindrance));
        return exit_store;
    }
    if (asked != NULL)
        snprintf(what, sizeof what, "not a store of type %s", asked->name);
    if (look->best != NULL)
        tool_error(tool, "%s: %s (looks like a store of type %s: --type %s)",
                path, what, look->best->name, look->best->name);
    else if (look->is_nothing)
        tool_error(tool, "%s: %s: an empty %s", path, what,
                look->is_file ? "file" : "folder");
    else
        tool_error(tool, "%s: %s: name one with --store PLACE", path, what);
    return exit_store;
}

/* Of a new store, made of an empty folder or file. NULL: it cannot be. */
static const struct dnnl_cache_store_type *type_of_new(const char *path,
        const struct look *look, const struct dnnl_cache_store_type *asked,
        const struct dnnl_cache_store_type *usual)
{
    size_t i = 0;
    if (asked != NULL) return asked->is_file == look->is_file ? asked : NULL;
    if (!look->is_file) return dnnl_cache_store_find_type_at(path, usual);
    while (!dnnl_cache_store_get_type(i)->is_file)
        i++;
    return dnnl_cache_store_get_type(i);
}

/* The type that --type asks for, else the one that is found there; usual is
 * that of a new store, and is NULL only if --type asks. */
static enum tool_exit choose(const struct dnnl_cache_store_type **type,
        struct tool *tool, const char *path, bool make,
        const struct dnnl_cache_store_type *usual)
{
    const struct dnnl_cache_store_type *asked =
            dnnl_cache_store_find_type(tool->options->type);
    struct look look;
    const int error = look_at(&look, path, asked);
    if (error == ENOENT && make) {
        *type = asked != NULL ? asked : usual;
        return exit_ok;
    }
    if (error == ENOENT && tool->options->store == NULL) {
        tool_error(tool,
                "%s: nothing has been stored there yet (--store PLACE "
                "names another store)",
                path);
        return exit_store;
    }
    if (error != 0) {
        tool_error(tool, "%s: %s: name another store with --store PLACE", path,
                strerror(error));
        return exit_store;
    }
    *type = asked != NULL ? asked : look.best;
    if (*type != NULL
            && (asked == NULL || look.asked != dnnl_cache_store_trace_none))
        return exit_ok;
    *type = make && look.is_nothing ? type_of_new(path, &look, asked, usual)
                                    : NULL;
    return *type != NULL ? exit_ok : no_store(tool, path, &look, asked);
}

/* ---- Opening ------------------------------------------------------------- */

static void pass_on(dnnl_cache_log_level_t level, const char *text, void *user)
{
    struct tool *tool = user;
    const bool is_error = level == dnnl_cache_log_error;
    if (!is_error && level != dnnl_cache_log_warning) return;
    if (tool->is_hushed || (!is_error && tool->options->quiet))
        snprintf(tool->complaint, sizeof tool->complaint, "%s", text);
    else
        tool_error(tool, "%s", text);
}

static struct dnnl_cache_store_options options_for(
        struct tool *tool, const char *path, bool read_only, bool with_key)
{
    const struct options *options = tool->options;
    struct dnnl_cache_store_options o = DNNL_CACHE_STORE_OPTIONS_INIT;
    o.path = path;
    /* The limits are those of the applications, and not known here: opening
     * must evict nothing, and no entry is too large to be read. */
    o.capacity = DNNL_CACHE_STORE_UNLIMITED;
    o.max_blob_bytes = INT64_MAX;
    /* Some types read the time of the last use only with this policy, and it is
     * shown if it was recorded. */
    o.policy = read_only ? dnnl_cache_store_policy_lru : options->policy;
    o.low_water_percent = 100;
    o.max_age_seconds = DNNL_CACHE_STORE_AGE_UNLIMITED;
    o.key_file = with_key ? options->key_file : NULL;
    o.sharing = options->shared ? dnnl_cache_store_sharing_group
                                : dnnl_cache_store_sharing_private;
    o.read_only = read_only;
    o.log = pass_on;
    o.log_user = tool;
    return o;
}

static void note_complaint(
        dnnl_cache_log_level_t level, const char *text, void *user)
{
    (void)level;
    (void)text;
    *(bool *)user = true;
}

static bool ignore_item(void *user, const struct dnnl_cache_store_entry *item)
{
    (void)user;
    (void)item;
    return true;
}

/* Opening a damaged database for writing empties it, so it is read first. The
 * store then logs a message; damaged entries are only counted. */
static bool is_damaged_as_a_whole(struct tool *tool,
        const struct dnnl_cache_store_type *type, const char *path)
{
    struct dnnl_cache_store_statistics statistics =
            DNNL_CACHE_STORE_STATISTICS_INIT;
    struct dnnl_cache_store_options o = options_for(tool, path, true, false);
    dnnl_cache_store_handle_t *store = NULL;
    bool complains = false;
    o.log = note_complaint;
    o.log_user = &complains;
    if (!type->is_file
            || dnnl_cache_store_open(&store, type->name, &o) != dnnl_success)
        return false;
    (void)dnnl_cache_store_iterate(store, ignore_item, NULL);
    (void)dnnl_cache_store_get_statistics(store, &statistics);
    dnnl_cache_store_close(store);
    return complains && statistics.damaged > 0;
}

/* Of a new store. What is wrong with the setting is told once. */
static const struct dnnl_cache_store_type *usual_type(struct tool *tool)
{
    struct store_setting setting;
    store_setting_find(&setting, settings_files());
    if (setting.complaint[0] != '\0' && !tool->is_store_told)
        tool_warn(tool, "%s", setting.complaint);
    tool->is_store_told = setting.complaint[0] != '\0';
    return dnnl_cache_store_find_type(setting.type);
}

/* What was found, or is to be made, as the options name it. */
static enum tool_exit find(const struct dnnl_cache_store_type **type,
        char path[place_path_size], struct tool *tool, bool make)
{
    if (!place_path(path, tool->options)) {
        tool_error(tool, "no store given: name one with --store PLACE");
        return exit_store;
    }
    if (is_anothers(tool, path)) return exit_store;
    return choose(type, tool, path, make,
            tool->options->type == NULL ? usual_type(tool) : NULL);
}

/* No message of ours has the URL: a password may be in it. */
static enum tool_exit open_remote(struct tool *tool)
{
    const struct options *options = tool->options;
    struct dnnl_cache_store_remote_options o =
            DNNL_CACHE_STORE_REMOTE_OPTIONS_INIT;
    if (!options->command->takes_url || options->reset) {
        tool_error(tool, "%s%s: not for a store on a server",
                options->command->name, options->reset ? " --reset" : "");
        return exit_usage;
    }
    if (options->type != NULL || options->shared || options->key_file != NULL) {
        tool_error(tool, "--type, --shared and --key are not for a store on a "
                         "server: its URL has options");
        return exit_usage;
    }
    tool->type = "remote";
    o.url = options->store;
    o.is_patient = true;
    o.repairs_unsigned = options->unsigned_too;
    o.log = pass_on;
    o.log_user = tool;
    if (dnnl_cache_store_open_remote(&tool->store, &o) == dnnl_success)
        return exit_ok;
    tool_error(tool, "the remote store cannot be opened");
    return exit_store;
}

void place_open_behind(struct tool *tool, dnnl_cache_store_handle_t **store)
{
    struct dnnl_cache_store_remote_options o =
            DNNL_CACHE_STORE_REMOTE_OPTIONS_INIT;
    o.url = tool->options->remote;
    if (o.url == NULL) o.url = from_settings("DNNL_CACHE_REMOTE");
    if (o.url == NULL) return;
    o.log = pass_on;
    o.log_user = tool;
    if (dnnl_cache_store_open_remote(store, &o) == dnnl_success) return;
    *store = NULL;
    tool_warn(tool, "the remote store is left out");
}

enum tool_exit place_open(
        struct tool *tool, enum tool_access access, bool with_key)
{
    if (place_is_remote(tool->options)) return open_remote(tool);
    char path[place_path_size];
    const struct dnnl_cache_store_type *type = NULL;
    const bool reads =
            access == tool_access_read || access == tool_access_check;
    const bool is_verify =
            access == tool_access_check || access == tool_access_repair;
    const enum tool_exit code =
            find(&type, path, tool, access == tool_access_make);
    if (code != exit_ok) return code;
    if (!is_verify && is_damaged_as_a_whole(tool, type, path)) {
        tool_error(tool,
                "%s: the whole store is damaged (dnnl-cache verify --repair "
                "empties it)",
                path);
        return exit_store;
    }
    tool->type = type->name;
    const struct dnnl_cache_store_options o =
            options_for(tool, path, reads, with_key);
    if (dnnl_cache_store_open(&tool->store, type->name, &o) == dnnl_success)
        return exit_ok;
    tool_error(tool, "%s: cannot be opened as a store of type %s", path,
            type->name);
    return exit_store;
}
