/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/common/state/configuration.h"

#include "src/common/array.h"
#include "src/platform/file.h"
#include "src/platform/owner.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct entry {
    const char *name; /* both in the file's text */
    const char *value;
};

struct file {
    char path[configuration_path_size];
    char *text;
    struct entry *entries;
    size_t count;
};

enum { files_max = 2 };

struct configuration {
    struct file files[files_max]; /* the first one that knows is believed */
    size_t count;
};

static const char *const settings[] = {"DNNL_CACHE_PERSISTENT",
        "DNNL_CACHE_DIR", "DNNL_CACHE_SEED", "DNNL_CACHE_SEED_PUBLIC_KEY",
        "DNNL_CACHE_REMOTE", "DNNL_CACHE_APPLICATION",
        "DNNL_CACHE_APPLICATIONS_ALLOW", "DNNL_CACHE_APPLICATIONS_DENY",
        "DNNL_CACHE_COMPILE_MODE", "DNNL_CACHE_MIN_COMPILE_MS",
        "DNNL_CACHE_FAILED_BUILDS", "DNNL_CACHE_STORE", "DNNL_CACHE_MAX_SIZE",
        "DNNL_CACHE_THRESHOLD", "DNNL_CACHE_EVICTION_DISABLE",
        "DNNL_CACHE_MIN_DEVICE_IMAGE_SIZE", "DNNL_CACHE_MAX_DEVICE_IMAGE_SIZE",
        "DNNL_CACHE_IN_MEM", "DNNL_CACHE_IN_MEM_EVICTION_THRESHOLD",
        "DNNL_CACHE_LAZY", "DNNL_CACHE_CAPTURE_SECONDS",
        "DNNL_CACHE_CAPTURE_LIMIT_MS", "DNNL_CACHE_CAPTURE_SECONDS_AT_EXIT",
        "DNNL_CACHE_CAPTURE_COMPILED", "DNNL_CACHE_CAPTURE_NOW",
        "DNNL_CACHE_PROVE_PERCENT", "DNNL_CACHE_PRINT_DEBUG",
        "DNNL_CACHE_TRACE", "DNNL_CACHE_STATS", NULL};

const char *configuration_setting(size_t index)
{
    return settings[index];
}

bool configuration_is_setting(const char *name)
{
    size_t i = 0;
    while (settings[i] != NULL && strcmp(settings[i], name) != 0)
        i++;
    return settings[i] != NULL;
}

/* ---- Reports ------------------------------------------------------------- */

__attribute__((format(printf, 2, 3))) static void report(
        const struct configuration_reader *reader, const char *format, ...)
{
    char text[configuration_path_size + 256];
    va_list arguments;
    if (reader->report == NULL) return;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    reader->report(reader->user, text);
}

/* NULL: not there, or empty. */
static const char *variable(
        const struct configuration_reader *reader, const char *name)
{
    const char *value = reader->get != NULL ? reader->get(reader->user, name)
                                            : getenv(name);
    return value != NULL && value[0] != '\0' ? value : NULL;
}

/* ---- Text ---------------------------------------------------------------- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* Without blanks around it; the rest is cut off. */
static char *trim(char *begin, char *end)
{
    while (begin < end && is_blank(*begin))
        begin++;
    while (end > begin && is_blank(end[-1]))
        end--;
    *end = '\0';
    return begin;
}

static bool is_name(const char *text)
{
    static const char known[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    return text[0] != '\0' && text[strspn(text, known)] == '\0';
}

/* A terminal must not obey what a report quotes. */
static const char *find_control(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        const unsigned char c = (unsigned char)text[i];
        if ((c < ' ' && c != '\t' && c != '\n' && c != '\r') || c == 0x7f)
            return text + i;
    }
    return NULL;
}

static unsigned line_of(const char *text, const char *at)
{
    unsigned line = 1;
    for (; text < at; text++)
        line += *text == '\n';
    return line;
}

bool configuration_parse(char *text, size_t size,
        void (*take)(
                void *user, const char *name, const char *value, unsigned line),
        void *user, char why[], size_t why_capacity)
{
    const char *control = find_control(text, size);
    char *const end = text + size;
    unsigned line = 0;
    if (control != NULL) {
        (void)snprintf(why, why_capacity, "line %u: a control character",
                line_of(text, control));
        return false;
    }
    for (char *next = text; text < end; text = next) {
        char *stop = memchr(text, '\n', (size_t)(end - text));
        if (stop == NULL) stop = end;
        next = stop < end ? stop + 1 : end;
        line++;
        char *begin = trim(text, stop);
        char *equals = strchr(begin, '=');
        if (begin[0] == '\0' || begin[0] == '#') continue;
        char *value = equals != NULL ? trim(equals + 1, stop) : NULL;
        const char *name = equals != NULL ? trim(begin, equals) : "";
        if (!is_name(name)) {
            (void)snprintf(
                    why, why_capacity, "line %u: expected NAME = VALUE", line);
            return false;
        }
        take(user, name, value, line);
    }
    return true;
}

/* ---- A file -------------------------------------------------------------- */

/* What is in there decides what programs load, and where they write. */
static const char *find_objection(
        const struct file_facts *facts, const char *path, bool is_systems)
{
    const char *why = owner_objection(facts, path);
    if (why != NULL) return why;
    if (is_systems && file_is_own(facts) && facts->owner != 0)
        return "it belongs to another user";
    if ((facts->mode & file_others_write) != 0)
        return "other users may write to it (chmod go-w)";
    return NULL;
}

/* Opens the file by way of its folder, which must be as safe: who may write
 * there can put another file of this user in place of it. -1: there is none, or
 * it was reported. */
static int open_file(const struct configuration_reader *reader,
        const char *path, bool is_systems, struct file_facts *facts)
{
    char folder[configuration_path_size];
    const char *slash = strrchr(path, '/');
    const char *objection = NULL;
    int above;
    int fd = file_none;
    (void)snprintf(folder, sizeof folder, "%.*s",
            slash == path ? 1 : (int)(slash - path), path);
    if (file_open(&above, file_here, folder, file_must_be_folder, 0) != 0)
        return file_none;
    if (file_facts(facts, above) == 0
            && file_open(&fd, above, slash + 1, file_for_reading | file_no_wait,
                       0)
                       == 0)
        objection = find_objection(facts, folder, is_systems);
    (void)file_close(above);
    if (fd == file_none) return file_none;
    if (objection != NULL) {
        report(reader, "%s: ignored: %s: %s", path, folder, objection);
    } else if (file_facts(facts, fd) != 0 || facts->kind != file_is_plain) {
        objection = "not a regular file";
        report(reader, "%s: ignored: %s", path, objection);
    } else if ((objection = find_objection(facts, path, is_systems)) != NULL) {
        report(reader, "%s: ignored: %s", path, objection);
    }
    if (objection == NULL) return fd;
    (void)file_close(fd);
    return file_none;
}

/* The file's text with a NUL behind it; NULL: it was reported. */
static char *read_text(const struct configuration_reader *reader,
        const char *path, int fd, const struct file_facts *facts, size_t *size)
{
    *size = 0;
    if (facts->size > configuration_file_size_max) {
        report(reader, "%s: ignored: larger than %d bytes", path,
                (int)configuration_file_size_max);
        return NULL;
    }
    char *text = malloc((size_t)facts->size + 1);
    if (text == NULL) return NULL;
    (void)file_read_up_to(size, fd, text, (size_t)facts->size, 0);
    text[*size] = '\0';
    return text;
}

struct taking {
    struct file *file;
    const struct configuration_reader *reader;
    bool is_short; /* of memory */
};

static void take(void *user, const char *name, const char *value, unsigned line)
{
    struct taking *taking = user;
    struct file *file = taking->file;
    if (!configuration_is_setting(name)) {
        report(taking->reader, "%s: line %u: %.64s: not a setting; ignored",
                file->path, line, name);
        return;
    }
    if (array_grow(&file->entries, file->count, sizeof *file->entries))
        file->entries[file->count++] = (struct entry){name, value};
    else
        taking->is_short = true;
}

static void file_fini(struct file *file)
{
    free(file->text);
    free(file->entries);
    *file = (struct file){.count = 0};
}

/* False: nothing is left of it. */
static bool file_read(struct file *file,
        const struct configuration_reader *reader, const char *path,
        bool is_systems)
{
    struct taking taking = {file, reader, false};
    struct file_facts facts;
    char why[128];
    size_t size = 0;
    *file = (struct file){.count = 0};
    const int length = snprintf(file->path, sizeof file->path, "%s", path);
    if (length < 0 || (size_t)length >= sizeof file->path) return false;
    const int fd = open_file(reader, path, is_systems, &facts);
    if (fd == file_none) return false;
    file->text = read_text(reader, path, fd, &facts, &size);
    (void)file_close(fd);
    if (file->text == NULL) return false;
    if (!configuration_parse(
                file->text, size, take, &taking, why, sizeof why)) {
        report(reader, "%s: ignored: %s", path, why);
        file_fini(file);
        return false;
    }
    if (!taking.is_short) return true;
    file_fini(file);
    return false;
}

/* ---- All files ----------------------------------------------------------- */

bool configuration_user_folder(char path[configuration_path_size],
        const struct configuration_reader *reader)
{
    static const char *const places[][2] = {
            {"XDG_CONFIG_HOME", ""}, {"HOME", "/.config"}};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const char *base = variable(reader, places[i][0]);
        if (base == NULL || base[0] != '/') continue;
        const int n = snprintf(path, configuration_path_size,
                "%s%s/" CONFIGURATION_FOLDER, base, places[i][1]);
        if (n > 0 && n < configuration_path_size) return true;
    }
    path[0] = '\0';
    return false;
}

static void add(struct configuration *configuration,
        const struct configuration_reader *reader, const char *path,
        bool is_systems)
{
    if (file_read(&configuration->files[configuration->count], reader, path,
                is_systems))
        configuration->count++;
}

struct configuration *configuration_read_file(
        const struct configuration_reader *reader, const char *path,
        bool is_systems)
{
    struct configuration *configuration = calloc(1, sizeof *configuration);
    if (configuration != NULL) add(configuration, reader, path, is_systems);
    return configuration;
}

struct configuration *configuration_read(
        const struct configuration_reader *reader)
{
    const char *chosen = variable(reader, CONFIGURATION_VARIABLE);
    char folder[configuration_path_size];
    char path[configuration_path_size + sizeof CONFIGURATION_NAME];
    struct configuration *configuration;
    if (chosen != NULL && chosen[0] == '/')
        return configuration_read_file(reader, chosen, false);
    configuration = calloc(1, sizeof *configuration);
    if (chosen != NULL && strcmp(chosen, "0") == 0) return configuration;
    if (chosen != NULL && strcmp(chosen, "1") != 0)
        report(reader,
                CONFIGURATION_VARIABLE
                "=%.128s: expected 0, 1 or an absolute path; using 1",
                chosen);
    if (configuration == NULL) return NULL;
    if (configuration_user_folder(folder, reader)) {
        (void)snprintf(path, sizeof path, "%s/" CONFIGURATION_NAME, folder);
        add(configuration, reader, path, false);
    }
    add(configuration, reader,
            CONFIGURATION_SYSTEM_FOLDER "/" CONFIGURATION_NAME, true);
    return configuration;
}

void configuration_free(struct configuration *configuration)
{
    if (configuration == NULL) return;
    for (size_t i = 0; i < configuration->count; i++)
        file_fini(&configuration->files[i]);
    free(configuration);
}

/* The last one that a file has. An empty value is none, as in the
 * environment. */
const char *configuration_get(const struct configuration *configuration,
        const char *name, const char **file)
{
    const size_t count = configuration != NULL ? configuration->count : 0;
    for (size_t i = 0; i < count; i++) {
        const struct file *at = &configuration->files[i];
        size_t n = at->count;
        while (n > 0 && strcmp(at->entries[n - 1].name, name) != 0)
            n--;
        if (n == 0 || at->entries[n - 1].value[0] == '\0') continue;
        if (file != NULL) *file = at->path;
        return at->entries[n - 1].value;
    }
    return NULL;
}

const char *configuration_find(const struct configuration *configuration,
        const char *name, const char **file)
{
    const char *value = getenv(name);
    if (file != NULL) *file = NULL;
    return value != NULL && value[0] != '\0'
                   ? value
                   : configuration_get(configuration, name, file);
}
