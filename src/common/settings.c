/* SPDX-License-Identifier: Apache-2.0 */
#include "src/common/settings.h"

#include "src/common/log.h"
#include "src/platform/environment.h"
#include "src/platform/file.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { persistent, compile_mode, trace, statistics, variable_count };

static const struct {
    const char *name;
    const char *expected;
} variables[variable_count] = {
        [persistent] = {"DNNL_CACHE_PERSISTENT", "0 or 1"},
        [compile_mode] = {"DNNL_CACHE_COMPILE_MODE",
                "normal, cached_only or recompile"},
        [trace] = {"DNNL_CACHE_TRACE",
                "0, 1, full, an absolute path or full:PATH"},
        [statistics] = {"DNNL_CACHE_STATS", "0, 1 or an absolute path"},
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct settings of_process;           /* set once */
static atomic_bool is_wrong[variable_count]; /* to be told of */

/* NULL: not there, or empty. */
static const char *value_of(int variable)
{
    const char *value = environment_get(variables[variable].name);
    return value != NULL && value[0] != '\0' ? value : NULL;
}

/* The place of the value among words up to a NULL; 0 without a value. */
static int read_word(int variable, const char *const *words)
{
    const char *value = value_of(variable);
    for (int i = 0; value != NULL && words[i] != NULL; i++)
        if (strcmp(value, words[i]) == 0) return i;
    if (value != NULL) atomic_store(&is_wrong[variable], true);
    return 0;
}

/* The layer's trace may be full; a line of the library is all there is. */
static struct settings_output read_output(int variable)
{
    const char *const words[] = {
            "0", "1", variable == trace ? "full" : NULL, NULL};
    static const char full[] = "full:";
    struct settings_output output = {false, NULL};
    const char *value = value_of(variable);
    if (value != NULL && strncmp(value, full, sizeof full - 1) == 0
            && variable == trace)
        value += sizeof full - 1;
    if (value == NULL || value[0] != '/') {
        const int word = read_word(variable, words);
        output.is_on = word > 0;
        return output;
    }
    /* The application may change its environment. */
    output.path = strdup(value);
    output.is_on = output.path != NULL;
    return output;
}

static void read_environment(void)
{
    static const char *const on[] = {"1", "0", NULL};
    static const char *const modes[] = {
            "normal", "cached_only", "recompile", NULL};
    of_process.persistent = read_word(persistent, on) == 0;
    of_process.compile_mode =
            (dnnl_cache_compile_mode_t)read_word(compile_mode, modes);
    of_process.trace = read_output(trace);
    of_process.statistics = read_output(statistics);
}

const struct settings *settings(void)
{
    (void)pthread_once(&once, read_environment);
    return &of_process;
}

void settings_complain(void)
{
    (void)settings();
    for (int i = 0; i < variable_count; i++)
        if (atomic_exchange(&is_wrong[i], false))
            log_message(dnnl_cache_log_warning, "settings",
                    "%s: expected %s; ignored", variables[i].name,
                    variables[i].expected);
}

/* ---- Reports ------------------------------------------------------------- */

void settings_report(const struct settings_output *output, const char *text)
{
    const int saved = errno;
    int fd = file_standard_error;
    int error = 0;
    if (output->path != NULL)
        error = file_open(&fd, file_here, output->path,
                file_for_writing | file_for_appending | file_made_if_missing
                        | file_no_wait,
                0600);
    if (error == 0) error = file_write_all(fd, text, strlen(text));
    if (fd != file_standard_error) (void)file_close(fd);
    if (error != 0)
        log_message(dnnl_cache_log_info, "settings", "%s: %s",
                output->path != NULL ? output->path : "standard error",
                strerror(error));
    errno = saved;
}
