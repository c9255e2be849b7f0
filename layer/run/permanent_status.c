/* SPDX-License-Identifier: Apache-2.0 */
#include "permanent_status.h"

#include "configuration.h"
#include "json.h"
#include "layer_file.h"
#include "layer_list.h"
#include "loader_probe.h"
#include "text.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { why_size = PATH_MAX + 512 };

/* All that is told, gathered first: text and JSON say the same. */
struct place_status {
    const char *name;
    bool is_asked;
    bool is_there; /* its scope is known */
    struct permanent_scope scope;
    struct permanent_file files[permanent_files_max];
    size_t count;
    bool is_enabled; /* a file is ours, and the layer is there */
};

struct status {
    struct place_status places[2];
    const char *layers; /* OPENCL_LAYERS; "": none */
    bool has_layer;     /* it names the layer */
    bool has_loader;
    struct loader_probe loader;
    struct configuration *files;
    char layer[PATH_MAX]; /* of this program; "": none */
    enum place place;
    char why[why_size];
};

/* ---- Gathering ----------------------------------------------------------- */

static const char *get_variable(void *user, const char *name)
{
    (void)user;
    return getenv(name);
}

static void warn(void *user, const char *text)
{
    (void)user;
    fprintf(stderr, "dnnl-cache-run: warning: %s\n", text);
}

static bool has_layer(
        const struct place_status *place, const struct permanent_file *file)
{
    return file->state == permanent_ours && file->layer != NULL
           && permanent_scope_has(&place->scope, file->layer);
}

static void look_at_place(struct place_status *place, const char *name,
        bool is_asked, const char *root)
{
    place->name = name;
    place->is_asked = is_asked;
    place->is_there = permanent_scope_init(&place->scope,
            strcmp(name, "system") == 0, root, is_asked && root != NULL);
    if (!place->is_there) return;
    place->count = permanent_files_look(place->files, &place->scope);
    for (size_t i = 0; i < place->count; i++)
        if (has_layer(place, &place->files[i])) place->is_enabled = true;
}

static void find_layer(struct status *status, const char *wanted)
{
    char why[PATH_MAX + 128];
    status->place = place_none;
    if (!layer_file_find(
                status->layer, sizeof status->layer, wanted, why, sizeof why)
            || !layer_file_check(status->layer, why, sizeof why)) {
        status->layer[0] = '\0';
        return;
    }
    status->place = layer_file_ask_place(
            status->layer, status->why, sizeof status->why);
}

static void gather(
        struct status *status, const struct permanent_request *request)
{
    const struct configuration_reader reader = {get_variable, warn, NULL};
    const bool all = !request->user && !request->system;
    look_at_place(
            &status->places[0], "user", all || request->user, request->root);
    look_at_place(&status->places[1], "system", all || request->system,
            request->root);
    status->layers = getenv("OPENCL_LAYERS");
    if (status->layers == NULL) status->layers = "";
    status->has_layer = layer_list_has(status->layers, LAYER_FILE_NAME);
    status->has_loader = loader_probe(&status->loader);
    status->files = configuration_read(&reader);
    find_layer(status, request->layer);
}

/* What sets a setting; *from: "environment", or the file. */
static const char *find_setting(
        const struct status *status, const char *name, const char **from)
{
    const char *value = getenv(name);
    *from = "environment";
    if (value == NULL || value[0] == '\0')
        value = configuration_get(status->files, name, from);
    /* A password may be in a server's URL. */
    return value != NULL && strcmp(name, "DNNL_CACHE_REMOTE") == 0 ? "..."
                                                                   : value;
}

static const char *state_of(
        const struct place_status *place, const struct permanent_file *file)
{
    switch (file->state) {
    case permanent_absent:
        return "missing";
    case permanent_foreign:
        return "not written by dnnl-cache-run";
    case permanent_unreadable:
        return "cannot be read";
    case permanent_ours:
        break;
    }
    if (file->form == session_timer) return "enabled";
    return has_layer(place, file) ? "enabled" : "names a layer that is missing";
}

static const char *place_text(const struct status *status)
{
    switch (status->place) {
    case place_usable:
        return status->why[0] != '\0' ? "usable" : "off";
    case place_none:
        return "none";
    case place_refused:
        return "refused";
    case place_read_only:
        return "read-only";
    }
    return "none";
}

/* Entries of the folder that names drivers; each is given to tell(). */
static void list_drivers(void (*tell)(void *user, const char *name), void *user)
{
    const char *folder = getenv("OCL_ICD_VENDORS");
    struct dirent **entries;
    if (folder == NULL || folder[0] == '\0') folder = "/etc/OpenCL/vendors";
    const int count = scandir(folder, &entries, NULL, alphasort);
    if (count < 0) {
        if (access(folder, R_OK) == 0) tell(user, folder); /* a driver's file */
        return;
    }
    for (int i = 0; i < count; i++) {
        const char *end = strrchr(entries[i]->d_name, '.');
        if (end != NULL && strcmp(end, ".icd") == 0)
            tell(user, entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
}

/* ---- Text ---------------------------------------------------------------- */

static void print_place(FILE *out, const struct place_status *place)
{
    if (!place->is_asked) return;
    fprintf(out, "%s: %s\n", place->name,
            place->is_enabled ? "enabled" : "not enabled");
    for (size_t i = 0; place->is_there && i < place->count; i++) {
        const struct permanent_file *file = &place->files[i];
        if (file->state == permanent_absent) continue;
        fputs("  ", out);
        text_print(out, place->scope.root, strlen(place->scope.root));
        text_print(out, file->path, strlen(file->path));
        fprintf(out, ": %s", state_of(place, file));
        if (file->layer != NULL) {
            fputs(": ", out);
            text_print(out, file->layer, strlen(file->layer));
        }
        fputc('\n', out);
    }
}

static void print_driver(void *user, const char *name)
{
    FILE *out = user;
    fputc(' ', out);
    text_print(out, name, strlen(name));
}

static void print_text(FILE *out, const struct status *status)
{
    const char *from;
    const char *value;
    const char *name;
    bool has_settings = false;
    fprintf(out, "this session: OPENCL_LAYERS %s\n",
            status->has_layer ? "names the layer" : "does not name the layer");
    for (size_t i = 0; i < 2; i++)
        print_place(out, &status->places[i]);
    if (!status->has_loader)
        fputs("loader: no libOpenCL.so.1\n", out);
    else
        fprintf(out, "loader: %s: %s\n", status->loader.path,
                status->loader.reads_folder
                        ? "OPENCL_LAYERS, and files in /etc/OpenCL/layers"
                : status->loader.reads_variable ? "OPENCL_LAYERS"
                                                : "does not support layers");
    fputs("drivers:", out);
    list_drivers(print_driver, out);
    fprintf(out, "\nlayer: %s\n",
            status->layer[0] != '\0' ? status->layer : "none, see --layer");
    fprintf(out, "store: %s%s%s\n", place_text(status),
            status->why[0] != '\0' ? ": " : "", status->why);
    for (size_t i = 0; (name = configuration_setting(i)) != NULL; i++)
        if ((value = find_setting(status, name, &from)) != NULL) {
            if (!has_settings) fputs("settings:\n", out);
            has_settings = true;
            fprintf(out, "  %s = ", name);
            text_print(out, value, strlen(value));
            fprintf(out, " (%s)\n", from);
        }
    if (!has_settings) fputs("settings: the defaults\n", out);
}

/* ---- JSON ---------------------------------------------------------------- */

static void add_place(struct json *json, const struct place_status *place)
{
    if (!place->is_asked) return;
    json_begin_object(json, place->name);
    json_bool(json, "enabled", place->is_enabled);
    json_begin_array(json, "files");
    for (size_t i = 0; place->is_there && i < place->count; i++) {
        const struct permanent_file *file = &place->files[i];
        json_begin_object(json, NULL);
        json_text(json, "path", file->path);
        json_text(json, "state", state_of(place, file));
        json_text(json, "layer", file->layer);
        json_end_object(json);
    }
    json_end_array(json);
    json_end_object(json);
}

static void add_driver(void *user, const char *name)
{
    json_text(user, NULL, name);
}

static void add_settings(struct json *json, const struct status *status)
{
    const char *from;
    const char *value;
    const char *name;
    json_begin_array(json, "settings");
    for (size_t i = 0; (name = configuration_setting(i)) != NULL; i++) {
        value = find_setting(status, name, &from);
        if (value == NULL) continue;
        json_begin_object(json, NULL);
        json_text(json, "name", name);
        json_text(json, "value", value);
        json_text(json, "from", from);
        json_end_object(json);
    }
    json_end_array(json);
}

static void print_json(FILE *out, const struct status *status)
{
    struct json json;
    json_init(&json, out);
    json_begin_object(&json, NULL);
    json_begin_object(&json, "session");
    json_bool(&json, "enabled", status->has_layer);
    json_text(&json, "opencl_layers", status->layers);
    json_end_object(&json);
    for (size_t i = 0; i < 2; i++)
        add_place(&json, &status->places[i]);
    json_begin_object(&json, "loader");
    json_text(&json, "path", status->has_loader ? status->loader.path : NULL);
    json_bool(&json, "variable", status->loader.reads_variable);
    json_bool(&json, "folder", status->loader.reads_folder);
    json_end_object(&json);
    json_begin_array(&json, "drivers");
    list_drivers(add_driver, &json);
    json_end_array(&json);
    json_text(&json, "layer", status->layer[0] != '\0' ? status->layer : NULL);
    json_begin_object(&json, "store");
    json_text(&json, "state", place_text(status));
    json_text(&json, "text", status->why);
    json_end_object(&json);
    add_settings(&json, status);
    json_end_object(&json);
}

int permanent_status_print(const struct permanent_request *request, FILE *out)
{
    struct status *status = calloc(1, sizeof *status);
    bool is_enabled = false;
    if (status == NULL) return permanent_failed;
    gather(status, request);
    if (request->json)
        print_json(out, status);
    else
        print_text(out, status);
    if (!request->user && !request->system) is_enabled = status->has_layer;
    for (size_t i = 0; i < 2; i++) {
        struct place_status *place = &status->places[i];
        if (place->is_asked && place->is_enabled) is_enabled = true;
        permanent_files_fini(place->files, place->count);
    }
    configuration_free(status->files);
    free(status);
    return is_enabled ? 0 : permanent_failed;
}
