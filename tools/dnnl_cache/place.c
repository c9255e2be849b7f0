/* SPDX-License-Identifier: Apache-2.0 */
#include "place.h"

#include <dnnl_cache/bucket_store.h>
#include <dnnl_cache/flat_store.h>
#include <dnnl_cache/pack_store.h>
#include <dnnl_cache/tree_store.h>

#include <dnnl_cache.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* One line for each type of store; the first is the default. */
static const struct {
    const char *name;
    dnnl_status_t (*open)(
            struct store **store, const struct store_options *options);
} types[] = {
        {"bucket", bucket_store_open},
        {"flat", flat_store_open},
        {"tree", tree_store_open},
        {"pack", pack_store_open},
};

enum { type_count = sizeof types / sizeof *types };

static size_t find_type(const char *name)
{
    size_t i = 0;
    while (i < type_count && strcmp(name, types[i].name) != 0)
        i++;
    return i;
}

bool place_type_exists(const char *type)
{
    return find_type(type) < type_count;
}

void place_print_types(FILE *out)
{
    for (size_t i = 0; i < type_count; i++)
        fprintf(out, i > 0 ? ", %s" : "%s (default)", types[i].name);
}

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

bool place_path(char path[place_path_size], const struct options *options)
{
    const char *base = options->store;
    if (base == NULL) base = from_environment("DNNL_CACHE_DIR");
    if (base != NULL) return join(path, base, "");
    base = from_environment("XDG_CACHE_HOME");
    if (base != NULL) return join(path, base, "/dnnl_cache");
    base = from_environment("HOME");
    return base != NULL && join(path, base, "/.cache/dnnl_cache");
}

static const char *find_type_name(const struct options *options)
{
    const char *type = options->type;
    if (type == NULL) type = from_environment("DNNL_CACHE_STORE");
    return type != NULL ? type : types[0].name;
}

static void pass_on(dnnl_cache_log_level_t level, const char *text, void *user)
{
    struct tool *tool = user;
    if (level == dnnl_cache_log_error)
        tool_error(tool, "%s", text);
    else if (level == dnnl_cache_log_warning)
        tool_warn(tool, "%s", text);
}

enum tool_exit place_open(struct tool *tool, enum tool_access access)
{
    char path[place_path_size];
    struct stat st;
    const struct options *options = tool->options;
    const char *type = find_type_name(options);
    if (!place_type_exists(type)) { /* options are checked already */
        tool_error(tool, "DNNL_CACHE_STORE: %s: no type of store", type);
        return exit_store;
    }
    if (!place_path(path, options)) {
        tool_error(tool, "no store: name one with --store DIR");
        return exit_store;
    }
    if (access != tool_access_make && stat(path, &st) != 0) {
        tool_error(tool, "%s: %s: name another store with --store DIR", path,
                strerror(errno));
        return exit_store;
    }
    struct store_options o = store_options_default();
    o.path = path;
    /* How large it may be is its applications' decision, and not known here:
     * opening it evicts nothing, and no entry is too large to be looked at. */
    o.capacity = store_limit_unlimited();
    o.max_blob_bytes = INT64_MAX;
    o.policy = options->policy;
    o.key_file = options->key_file;
    o.sharing = options->shared ? store_sharing_group : store_sharing_private;
    o.read_only = access == tool_access_read;
    o.log = pass_on;
    o.log_user = tool;
    const dnnl_status_t st_open = types[find_type(type)].open(&tool->store, &o);
    if (st_open == dnnl_success) return exit_ok;
    tool_error(tool, "%s: cannot be opened as a store of type %s (%s)", path,
            type, dnnl_status2str(st_open));
    return exit_store;
}
