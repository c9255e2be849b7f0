/* SPDX-License-Identifier: Apache-2.0 */
#include "layer/settings/settings.h"

#include "layer/settings/print.h"
#include "src/platform/environment.h"
#include "src/platform/library.h"
#include "tools/common/state/applications.h"
#include "tools/common/state/configuration.h"
#include "tools/common/state/default_place.h"
#include "tools/common/state/store_setting.h"
#include "tools/common/state/told.h"
#include "tools/common/state/worker_forms.h"

#include <dnnl_cache/recording.h>

#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Where values come from and complaints go to. */
struct reader {
    const char *(*get)(void *user, const char *name);
    void (*report)(void *user, const char *text);
    void *user;
};

/* NULL: not there, or empty. */
static const char *value_of(const struct reader *reader, const char *name)
{
    const char *value = reader->get(reader->user, name);
    return value != NULL && value[0] != '\0' ? value : NULL;
}

__attribute__((format(printf, 4, 5))) static void complain(
        const struct reader *reader, const char *name, const char *value,
        const char *format, ...)
{
    char why[256];
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(why, sizeof why, format, arguments);
    va_end(arguments);
    (void)snprintf(text, sizeof text, "%s=%.128s: %s", name, value, why);
    reader->report(reader->user, text);
}

static bool read_flag(const struct reader *reader, const char *name, bool usual)
{
    const char *value = value_of(reader, name);
    if (value == NULL) return usual;
    if (strcmp(value, "0") == 0) return false;
    if (strcmp(value, "1") == 0) return true;
    complain(reader, name, value, "expected 0 or 1; using %d", usual);
    return usual;
}

/* Decimal digits and nothing else. */
static bool parse_digits(uint64_t *number, const char *text, size_t size)
{
    uint64_t n = 0;
    if (size == 0) return false;
    for (size_t i = 0; i < size; i++) {
        const uint64_t digit = (uint64_t)(unsigned char)text[i] - '0';
        if (digit > 9 || n > (UINT64_MAX - digit) / 10) return false;
        n = 10 * n + digit;
    }
    *number = n;
    return true;
}

static bool parse_number(uint64_t *number, const char *text)
{
    return parse_digits(number, text, strlen(text));
}

static uint64_t read_number(const struct reader *reader, const char *name,
        uint64_t least, uint64_t usual)
{
    const char *value = value_of(reader, name);
    uint64_t number;
    if (value == NULL) return usual;
    if (parse_number(&number, value) && number >= least) return number;
    complain(reader, name, value,
            "expected a number of at least %" PRIu64 "; using %" PRIu64, least,
            usual);
    return usual;
}

static const char *const mode_names[] = {
        [settings_mode_normal] = "normal",
        [settings_mode_cached_only] = "cached_only",
        [settings_mode_recompile] = "recompile",
        [settings_mode_verify] = "verify",
};

static enum settings_mode read_mode(const struct reader *reader)
{
    static const char name[] = "DNNL_CACHE_COMPILE_MODE";
    const char *value = value_of(reader, name);
    if (value == NULL) return settings_mode_normal;
    for (size_t i = 0; i < sizeof mode_names / sizeof *mode_names; i++)
        if (strcmp(value, mode_names[i]) == 0) return (enum settings_mode)i;
    complain(reader, name, value,
            "expected normal, cached_only, recompile or verify; using normal");
    return settings_mode_normal;
}

/* In nanoseconds. */
static uint64_t read_min_compile(const struct reader *reader)
{
    static const uint64_t ms = 1000000u;
    const uint64_t value =
            read_number(reader, "DNNL_CACHE_MIN_COMPILE_MS", 0, 0);
    return value < UINT64_MAX / ms ? value * ms : UINT64_MAX;
}

bool layer_settings_count_megabytes(const struct layer_settings *settings)
{
    return strcmp(settings->store->name, "tree") == 0;
}

/* In bytes. A tree is SYCL's store, and counts in megabytes, unless the number
 * has a B behind it; so many that no disk has them are bytes. */
static uint64_t read_max_size(
        const struct layer_settings *settings, const struct reader *reader)
{
    enum { mib_shift = 20, most_shift = 24 };
    static const char name[] = "DNNL_CACHE_MAX_SIZE";
    const bool in_megabytes = layer_settings_count_megabytes(settings);
    const uint64_t usual = (in_megabytes ? UINT64_C(8192) : UINT64_C(1024))
                           << mib_shift;
    const char *value = value_of(reader, name);
    uint64_t number;
    if (value == NULL) return usual;
    const size_t size = strlen(value);
    const bool is_in_bytes = value[size - 1] == 'B';
    if (!parse_digits(&number, value, is_in_bytes ? size - 1 : size)) {
        complain(reader, name, value, "expected a number of %s; using %" PRIu64,
                in_megabytes ? "megabytes, or of bytes with a B behind it"
                             : "bytes",
                in_megabytes ? usual >> mib_shift : usual);
        return usual;
    }
    if (!in_megabytes || is_in_bytes) return number;
    if (number < UINT64_C(1) << most_shift) return number << mib_shift;
    complain(reader, name, value,
            "a tree store counts in megabytes: taken for bytes; write a B "
            "behind it");
    return number;
}

/* In nanoseconds. */
static uint64_t read_exit_budget(const struct reader *reader)
{
    static const char name[] = "DNNL_CACHE_CAPTURE_SECONDS_AT_EXIT";
    static const uint64_t second = 1000000000u;
    const char *value = value_of(reader, name);
    uint64_t seconds;
    if (value == NULL) return second;
    if (strcmp(value, "unlimited") == 0) return UINT64_MAX;
    if (parse_number(&seconds, value))
        return seconds < UINT64_MAX / second ? seconds * second : UINT64_MAX;
    complain(reader, name, value,
            "expected a number of seconds or \"unlimited\"; using 1");
    return second;
}

/* False if it is too long. */
static bool copy_path(
        char path[settings_path_size], const char *base, const char *rest)
{
    const int n = snprintf(path, settings_path_size, "%s%s", base, rest);
    if (n > 0 && n < settings_path_size) return true;
    path[0] = '\0';
    return false;
}

/* False: it says no place. */
static bool read_place(struct settings_output *output, const char *value)
{
    output->on = strcmp(value, "1") == 0
                 || (value[0] == '/' && copy_path(output->path, value, ""));
    return output->on;
}

static void read_output(struct settings_output *output,
        const struct reader *reader, const char *name)
{
    const char *value = value_of(reader, name);
    if (value != NULL && strcmp(value, "0") != 0 && !read_place(output, value))
        complain(reader, name, value,
                "expected 0, 1 or an absolute path; using 0");
}

/* The same, and "full" in place of 1, or before a path and a colon. */
static void read_trace(
        struct layer_settings *settings, const struct reader *reader)
{
    static const char name[] = "DNNL_CACHE_TRACE";
    static const char full[] = "full";
    const char *value = value_of(reader, name);
    const char *place = value;
    if (value == NULL || strcmp(value, "0") == 0) return;
    settings->trace_full = strncmp(value, full, sizeof full - 1) == 0
                           && strchr(":", value[sizeof full - 1]) != NULL;
    if (settings->trace_full) {
        place = value + sizeof full - 1;
        place = place[0] == ':' ? place + 1 : "1";
    }
    if (!read_place(&settings->trace, place))
        complain(reader, name, value,
                "expected 0, 1, full, an absolute path or full:PATH; using 0");
}

static const struct dnnl_cache_store_type *read_store(
        const struct reader *reader)
{
    struct store_setting setting;
    store_setting_read(
            &setting, value_of(reader, STORE_SETTING_VARIABLE), NULL);
    if (setting.complaint[0] != '\0')
        reader->report(reader->user, setting.complaint);
    return dnnl_cache_store_find_type(setting.type);
}

/* The first variable that says where. False: none does, or where it says is
 * another user's home. */
static bool read_directory(
        struct layer_settings *settings, const struct reader *reader)
{
    char *path = settings->directory;
    static const struct {
        const char *name;
        const char *below;
    } places[] = {
            {"DNNL_CACHE_DIR", ""},
            {"XDG_CACHE_HOME", "/dnnl_cache"},
            {"HOME", "/.cache/dnnl_cache"},
    };
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const char *value = value_of(reader, places[i].name);
        if (value == NULL) continue;
        if (value[0] == '/' && copy_path(path, value, places[i].below)) {
            settings->is_default = places[i].below[0] != '\0';
            if (!settings->is_default
                    || !default_place_is_anothers(settings->objection,
                            sizeof settings->objection, places[i].name, value,
                            path))
                return true;
            path[0] = '\0';
            return false;
        }
        complain(
                reader, places[i].name, value, "not an absolute path; ignored");
    }
    return false;
}

static void read_seed(
        struct layer_settings *settings, const struct reader *reader)
{
    static const char name[] = "DNNL_CACHE_SEED";
    const char *value = value_of(reader, name);
    if (value != NULL
            && (value[0] != '/' || !copy_path(settings->seed, value, "")))
        complain(reader, name, value, "not an absolute path; ignored");
}

/* Nothing that may be wrong with it makes a seed be used unproven. */
static void read_seed_key(
        struct layer_settings *settings, const struct reader *reader)
{
    static const char name[] = "DNNL_CACHE_SEED_PUBLIC_KEY";
    const char *value = value_of(reader, name);
    if (value == NULL
            || (value[0] == '/' && copy_path(settings->seed_key, value, "")))
        return;
    complain(reader, name, value, "not an absolute path; the seed is not used");
    settings->seed[0] = '\0';
}

/* What is wrong with the URL is known when the store is opened. It is not
 * printed: a password may be in it. */
static void read_remote(
        struct layer_settings *settings, const struct reader *reader)
{
    static const char name[] = "DNNL_CACHE_REMOTE";
    const char *value = value_of(reader, name);
    if (value != NULL && !copy_path(settings->remote, value, ""))
        complain(reader, name, "...", "longer than a URL may be; ignored");
}

/* Processes of one name share a list of what they ask for. */
static void read_application(
        struct layer_settings *settings, const struct reader *reader)
{
    static const char name[] = "DNNL_CACHE_APPLICATION";
    const char *value = value_of(reader, name);
    if (value == NULL) return;
    if (strlen(value) < sizeof settings->application)
        memcpy(settings->application, value, strlen(value) + 1);
    else
        complain(reader, name, "...", "longer than 255 bytes; ignored");
}

static void read_places(
        struct layer_settings *settings, const struct reader *reader)
{
    read_seed(settings, reader);
    read_seed_key(settings, reader);
    read_remote(settings, reader);
    read_application(settings, reader);
    settings->lacks_directory = !read_directory(settings, reader);
    /* No store is open yet in this process. */
    if (!settings->lacks_directory)
        settings->store = dnnl_cache_store_find_type_at(
                settings->directory, settings->store);
}

static void read_disk(
        struct layer_settings *settings, const struct reader *reader)
{
    const uint64_t gib = UINT64_C(1) << 30;
    settings->persistent = read_flag(reader, "DNNL_CACHE_PERSISTENT", true);
    settings->store = read_store(reader);
    /* Whatever it is set to, 0 as well: so the variable's name says. */
    settings->evicts = value_of(reader, "DNNL_CACHE_EVICTION_DISABLE") == NULL;
    settings->min_image =
            read_number(reader, "DNNL_CACHE_MIN_DEVICE_IMAGE_SIZE", 0, 0);
    settings->max_image =
            read_number(reader, "DNNL_CACHE_MAX_DEVICE_IMAGE_SIZE", 1, gib);
    if (settings->persistent) read_places(settings, reader);
    /* By the type: a tree is SYCL's store, which removes what is old, others
     * are Intel's, which keep it until there is no room. */
    const uint64_t days = layer_settings_count_megabytes(settings) ? 7 : 0;
    settings->max_size = read_max_size(settings, reader);
    settings->max_days = read_number(reader, "DNNL_CACHE_THRESHOLD", 0, days);
    if (!settings->persistent) return;
    settings->persistent = !settings->lacks_directory
                           || settings->seed[0] != '\0'
                           || settings->remote[0] != '\0';
}

/* The file is opened by the record itself. */
static bool read_record(const struct reader *reader)
{
    static const char name[] = DNNL_CACHE_RECORD_VARIABLE;
    const char *value = value_of(reader, name);
    if (value == NULL || value[0] == '/') return value != NULL;
    complain(reader, name, value, "not an absolute path; ignored");
    return false;
}

/* What the library reads, too (docs/how_it_works/finalisers.md). */
static bool read_makes_forms(const struct reader *reader)
{
    const char *value = value_of(reader, WORKER_FORMS_VARIABLE);
    return value != NULL && strcmp(value, WORKER_FORMS_ALL) == 0;
}

void layer_settings_read(struct layer_settings *settings, bool secure,
        const char *(*get)(void *user, const char *name),
        void (*report)(void *user, const char *text), void *user)
{
    const struct reader reader = {get, report, user};
    *settings = (struct layer_settings){.in_memory = false};
    if (secure) return;
    settings->in_memory = read_flag(&reader, "DNNL_CACHE_IN_MEM", true);
    settings->memory_limit =
            read_number(&reader, "DNNL_CACHE_IN_MEM_EVICTION_THRESHOLD", 0, 0);
    settings->mode = read_mode(&reader);
    settings->min_compile_ns = read_min_compile(&reader);
    settings->failed_builds =
            read_flag(&reader, "DNNL_CACHE_FAILED_BUILDS", false);
    read_disk(settings, &reader);
    settings->lazy = read_flag(&reader, "DNNL_CACHE_LAZY", true);
    settings->capture_seconds =
            read_number(&reader, "DNNL_CACHE_CAPTURE_SECONDS", 0, 30);
    settings->capture_limit_ms =
            read_number(&reader, "DNNL_CACHE_CAPTURE_LIMIT_MS", 0, 30000);
    settings->capture_exit_ns = read_exit_budget(&reader);
    settings->capture_now = read_flag(&reader, "DNNL_CACHE_CAPTURE_NOW", false);
    settings->capture_forms =
            settings->capture_now && read_makes_forms(&reader);
    settings->capture_compiled =
            read_flag(&reader, "DNNL_CACHE_CAPTURE_COMPILED", true);
    settings->print_debug = read_flag(&reader, "DNNL_CACHE_PRINT_DEBUG", false);
    read_trace(settings, &reader);
    read_output(&settings->statistics, &reader, "DNNL_CACHE_STATS");
    settings->record = read_record(&reader);
}

bool layer_settings_is_on(const struct layer_settings *settings)
{
    return settings->in_memory || settings->persistent || settings->record;
}

/* ---- The environment and files ------------------------------------------- */

/* The environment, and behind it the files. */
struct sources {
    struct configuration *files; /* NULL: they are not read yet */
    void (*report)(void *user, const char *text);
    void *user;
};

static const char *get_variable(void *user, const char *name)
{
    const struct sources *sources = user;
    return configuration_find(sources->files, name, NULL);
}

/* Tells the file of a value that is not the environment's. */
static void report_setting(void *user, const char *text)
{
    const struct sources *sources = user;
    char name[64];
    char longer[settings_path_size + 1024];
    const char *file;
    (void)snprintf(name, sizeof name, "%.*s", (int)strcspn(text, "="), text);
    if (configuration_find(sources->files, name, &file) != NULL
            && file != NULL) {
        (void)snprintf(longer, sizeof longer, "%s (in %s)", text, file);
        text = longer;
    }
    sources->report(sources->user, text);
}

static void sources_init(struct sources *sources,
        void (*report)(void *user, const char *text), void *user)
{
    const struct configuration_reader reader = {
            get_variable, report_setting, sources};
    *sources = (struct sources){NULL, report, user};
    sources->files = configuration_read(&reader);
}

void layer_settings_read_environment(struct layer_settings *settings,
        void (*report)(void *user, const char *text), void *user)
{
    struct sources sources = {NULL, report, user};
    const bool secure = environment_is_privileged();
    if (!secure) sources_init(&sources, report, user);
    layer_settings_read(
            settings, secure, get_variable, report_setting, &sources);
    configuration_free(sources.files);
}

/* ---- The process's ------------------------------------------------------- */

static struct layer_settings of_process; /* written once, by read_process() */

static void give_warning(void *user, const char *text)
{
    (void)user;
    print_warning("%s", text);
}

/* The lists are about this process. Who is on the wrong one is left alone, but
 * for those who ask why. */
static bool is_admitted(struct sources *sources)
{
    const struct reader reader = {get_variable, report_setting, sources};
    const char *allow = value_of(&reader, APPLICATIONS_ALLOW);
    const char *deny = value_of(&reader, APPLICATIONS_DENY);
    char path[path_size];
    if ((allow == NULL && deny == NULL) || !path_of_program(path)
            || applications_admit(allow, deny, path))
        return true;
    if (read_flag(&reader, "DNNL_CACHE_PRINT_DEBUG", false))
        print_warning("not used: %s %s %s", path,
                applications_name(deny, path) ? "is in" : "is not in",
                applications_name(deny, path) ? APPLICATIONS_DENY
                                              : APPLICATIONS_ALLOW);
    return false;
}

static void read_process(void)
{
    struct sources sources;
    if (environment_is_privileged()) return; /* all is off */
    sources_init(&sources, give_warning, NULL);
    if (is_admitted(&sources)) {
        layer_settings_read(
                &of_process, false, get_variable, report_setting, &sources);
        if (of_process.objection[0] != '\0'
                && (of_process.print_debug
                        || told_is_due(of_process.objection)))
            print_warning("nothing is kept: %s", of_process.objection);
    }
    configuration_free(sources.files);
}

const struct layer_settings *layer_settings(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, read_process);
    return &of_process;
}
