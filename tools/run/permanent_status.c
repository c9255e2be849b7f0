/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/run/permanent_status.h"

#include "src/common/array.h"
#include "src/platform/file.h"
#include "src/platform/folder.h"
#include "tools/common/state/configuration.h"
#include "tools/common/state/store_setting.h"
#include "tools/common/text/json.h"
#include "tools/common/text/text.h"
#include "tools/run/layer_file.h"
#include "tools/run/layer_list.h"
#include "tools/run/loader_report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { why_size = path_size + 512 };

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
    struct loader_report
            *loaders;           /* NULL: no layer to try with, or no memory */
    struct loader_probe folder; /* of the same loader, with a folder */
    struct configuration *files;
    struct store_setting store; /* as the layer, too, reads it */
    char layer[path_size];      /* of this program; "": none */
    enum place place;
    char why[why_size];
};

/* ---- Gathering ----------------------------------------------------------- */

static void give_warning(void *user, const char *text)
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
    char why[path_size + 128];
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

static void try_loaders(struct status *status, const char *command)
{
    if (status->layer[0] == '\0') return;
    status->loaders = loader_report_make(command, status->layer);
    if (status->loaders == NULL) return;
    const struct loader_probe *program = &status->loaders->program;
    loader_probe(&status->folder,
            program->path[0] != '\0' ? program->path : NULL, status->layer,
            probe_folder);
}

static void gather(
        struct status *status, const struct permanent_request *request)
{
    const struct configuration_reader reader = {NULL, give_warning, NULL};
    const bool all = !request->user && !request->system;
    look_at_place(
            &status->places[0], "user", all || request->user, request->root);
    look_at_place(&status->places[1], "system", all || request->system,
            request->root);
    status->layers = getenv("OPENCL_LAYERS");
    if (status->layers == NULL) status->layers = "";
    status->has_layer = layer_list_has(status->layers, LAYER_FILE_NAME);
    status->files = configuration_read(&reader);
    store_setting_find(&status->store, status->files);
    find_layer(status, request->layer);
    try_loaders(status, request->command);
}

/* What sets a setting; *from: "environment", or the file. */
static const char *find_setting(
        const struct status *status, const char *name, const char **from)
{
    const char *value = configuration_find(status->files, name, from);
    if (*from == NULL) *from = "environment";
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

struct names {
    char **list;
    size_t count;
};

static int add_driver_name(void *user, const char *name)
{
    struct names *names = user;
    const char *end = strrchr(name, '.');
    if (end == NULL || strcmp(end, ".icd") != 0) return 0;
    char *copy = strdup(name);
    if (copy == NULL
            || !array_grow(&names->list, names->count, sizeof *names->list)) {
        free(copy);
        return ENOMEM;
    }
    names->list[names->count++] = copy;
    return 0;
}

static int compare_names(const void *one, const void *other)
{
    return strcoll(*(char *const *)one, *(char *const *)other);
}

/* Entries of the folder that names drivers; each is given to tell(). */
static void list_drivers(void (*tell)(void *user, const char *name), void *user)
{
    const char *folder = getenv("OCL_ICD_VENDORS");
    struct names names = {.list = NULL};
    if (folder == NULL || folder[0] == '\0') folder = "/etc/OpenCL/vendors";
    const int error = folder_each_of(folder, add_driver_name, &names);
    if (error == ENOTDIR && file_may_be_read(folder))
        tell(user, folder); /* a driver's file */
    if (names.count > 0)
        qsort(names.list, names.count, sizeof *names.list, compare_names);
    for (size_t i = 0; i < names.count; i++) {
        tell(user, names.list[i]);
        free(names.list[i]);
    }
    free(names.list);
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

static void print_loader(FILE *out, const char *head,
        const struct loader_probe *probe, const char *more)
{
    char text[path_size + 128];
    fprintf(out, "%s: ", head);
    if (probe->path[0] != '\0') {
        text_print(out, probe->path, strlen(probe->path));
        fputs(": ", out);
    }
    (void)loader_report_text(probe, text, sizeof text);
    text_print(out, text, strlen(text));
    fprintf(out, "%s\n", more);
}

static void print_loaders(FILE *out, const struct status *status)
{
    const struct loader_report *loaders = status->loaders;
    if (loaders == NULL) {
        fputs("loader: not tried without a layer\n", out);
        return;
    }
    if (loaders->found.unknown != NULL)
        fprintf(out, "loader of the command: not known: %s\n",
                loaders->found.unknown);
    print_loader(out, "loader", &loaders->program,
            status->folder.result == probe_taken
                    ? ", also from /etc/OpenCL/layers"
                    : "");
    for (size_t i = 0; i < loaders->found.package_count; i++)
        print_loader(out, "loader of a package", &loaders->packages[i], "");
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
    print_loaders(out, status);
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
    if (status->store.complaint[0] != '\0') {
        const char *complaint = status->store.complaint;
        fputs("warning: ", out);
        text_print(out, complaint, strlen(complaint));
        fputc('\n', out);
    }
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

/* Members of an object. */
static void add_loader(struct json *json, const struct loader_probe *probe)
{
    static const char *const entries[] = {
            [layer_entry_none] = NULL,
            [layer_entry_plain] = "clInitLayer",
            [layer_entry_with_properties] = "clInitLayerWithProperties",
    };
    char text[path_size + 128];
    json_text(json, "path", probe->path[0] != '\0' ? probe->path : NULL);
    json_bool(json, "variable", probe->result == probe_taken);
    json_text(json, "entry",
            (size_t)probe->entry < sizeof entries / sizeof *entries
                    ? entries[probe->entry]
                    : NULL);
    json_text(json, "text", loader_report_text(probe, text, sizeof text));
}

static void add_loaders(struct json *json, const struct status *status)
{
    static const struct loader_probe none = {
            .result = probe_no_answer, .why = "there is no layer to try with"};
    const struct loader_report *loaders = status->loaders;
    json_begin_object(json, "loader");
    add_loader(json, loaders != NULL ? &loaders->program : &none);
    json_bool(json, "folder",
            status->folder.result == probe_taken && loaders != NULL);
    json_text(json, "unknown", loaders != NULL ? loaders->found.unknown : NULL);
    json_end_object(json);
    json_begin_array(json, "package_loaders");
    for (size_t i = 0; loaders != NULL && i < loaders->found.package_count;
            i++) {
        json_begin_object(json, NULL);
        add_loader(json, &loaders->packages[i]);
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
    add_loaders(&json, status);
    json_begin_array(&json, "drivers");
    list_drivers(add_driver, &json);
    json_end_array(&json);
    json_text(&json, "layer", status->layer[0] != '\0' ? status->layer : NULL);
    json_begin_object(&json, "store");
    json_text(&json, "state", place_text(status));
    json_text(&json, "text", status->why);
    json_text(&json, "type_of_new", status->store.type);
    json_text(&json, "warning",
            status->store.complaint[0] != '\0' ? status->store.complaint
                                               : NULL);
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
    free(status->loaders);
    free(status);
    return is_enabled ? 0 : permanent_failed;
}
