/* SPDX-License-Identifier: Apache-2.0 */
#include "src/common/log.h"

#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* leaf */
static dnnl_cache_log_callback_t current_callback;       /* guarded by lock */
static void *current_user;                               /* guarded by lock */

static pthread_once_t threshold_once = PTHREAD_ONCE_INIT;
/* From the environment, once, and then log_set_verbosity()'s. */
static atomic_int threshold; /* most verbose level printed */
static atomic_bool details;  /* these were asked for */
static atomic_bool profiles_creation;
static atomic_bool profiles_execution;
static atomic_bool tells_checks;
static atomic_bool tells_dispatch;
static atomic_bool is_onednns; /* lines are in oneDNN's form */

/* Is the word in the comma list? */
static bool has_word(const char *list, const char *word)
{
    size_t size = strlen(word);
    for (const char *at = list; (at = strstr(at, word)) != NULL; at += size)
        if ((at == list || at[-1] == ',')
                && (at[size] == '\0' || at[size] == ','))
            return true;
    return false;
}

/* All that are known, oneDNN's own among them, besides numbers; what ends with
 * = goes on. */
static const char *const known_words[] = {"none", "error", "warn", "info",
        "check", "dispatch", "profile", "profile_create", "profile_exec",
        "profile_externals", "all", "debuginfo", "debuginfo=", "filter=", NULL};

/* The first word that is not, and the variable; fixed as the threshold is. */
static char unknown[32];
static const char *variable;

static bool is_known(const char *word, size_t size)
{
    if (strspn(word, "0123456789") >= size) return true;
    for (size_t i = 0; known_words[i] != NULL; i++) {
        const size_t length = strlen(known_words[i]);
        const bool is_open = known_words[i][length - 1] == '=';
        if ((is_open ? size >= length : size == length)
                && strncmp(word, known_words[i], length) == 0)
            return true;
    }
    return false;
}

static void find_unknown(const char *text)
{
    while (unknown[0] == '\0' && *text != '\0') {
        const size_t size = strcspn(text, ",");
        if (size > 0 && !is_known(text, size))
            snprintf(unknown, sizeof unknown, "%.*s",
                    (int)(size < sizeof unknown ? size : sizeof unknown), text);
        text += size;
        text += strspn(text, ",");
    }
}

static void read_profiles(const char *text)
{
    tells_checks = has_word(text, "check") || has_word(text, "all");
    tells_dispatch = has_word(text, "dispatch") || has_word(text, "all");
    bool both = has_word(text, "profile") || has_word(text, "all")
                || has_word(text, "2");
    profiles_creation = both || has_word(text, "profile_create");
    profiles_execution =
            both || has_word(text, "profile_exec") || has_word(text, "1");
}

/* oneDNN's variable: a comma list or a number. Errors are printed unless it
 * says none; warnings unless it says none or error alone. */
static void read_threshold(void)
{
    variable = "ONEDNN_VERBOSE";
    const char *text = getenv(variable);
    if (text == NULL) {
        variable = "DNNL_VERBOSE";
        text = getenv(variable);
    }
    threshold = dnnl_cache_log_warning;
    if (text == NULL) return;
    is_onednns = true;
    find_unknown(text);
    read_profiles(text);
    details = strstr(text, "debuginfo") != NULL || strstr(text, "all") != NULL;
    if (strcmp(text, "none") == 0)
        threshold = -1;
    else if (strcmp(text, "error") == 0)
        threshold = dnnl_cache_log_error;
    else if (strstr(text, "info") != NULL || strstr(text, "all") != NULL
             || strstr(text, "profile") != NULL || strcmp(text, "1") == 0
             || strcmp(text, "2") == 0)
        threshold = dnnl_cache_log_info;
}

static const char *join_known_words(size_t size, char *text)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; known_words[i] != NULL && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s",
                i > 0 ? ", " : "", known_words[i]);
    return text;
}

/* Reads what the environment asks for, and tells once what it does not know. */
static void start(void)
{
    static atomic_flag told = ATOMIC_FLAG_INIT;
    char text[200];
    pthread_once(&threshold_once, read_threshold);
    if (unknown[0] == '\0' || atomic_flag_test_and_set(&told)) return;
    log_message(dnnl_cache_log_warning, "log",
            "ignoring unknown word \"%s\" in %s; known words: %s", unknown,
            variable, join_known_words(sizeof text, text));
}

void log_set_verbosity(int level)
{
    pthread_once(&threshold_once, read_threshold);
    is_onednns = true;
    threshold = level == 0 ? -1 : dnnl_cache_log_info;
    details = false;
    profiles_creation = level == 2;
    profiles_execution = level >= 1;
    tells_checks = false;
    tells_dispatch = false;
    start(); /* what is told is a matter of the new level */
}

bool log_details(void)
{
    start();
    return details;
}

bool log_profiles_creation(void)
{
    start();
    return profiles_creation;
}

bool log_profiles_execution(void)
{
    start();
    return profiles_execution;
}

bool log_tells_checks(void)
{
    start();
    return tells_checks;
}

bool log_tells_dispatch(void)
{
    start();
    return tells_dispatch;
}

void log_set_callback(dnnl_cache_log_callback_t callback, void *user)
{
    pthread_mutex_lock(&lock);
    current_callback = callback;
    current_user = user;
    pthread_mutex_unlock(&lock);
}

static const char *level_name(dnnl_cache_log_level_t level)
{
    if (level == dnnl_cache_log_error) return "error";
    if (level == dnnl_cache_log_warning) return "warn";
    return "info";
}

/* A callback may use the library, which may have something to say, and so on:
 * there is an end to it. */
enum { MOST_NESTED = 8 };
static _Thread_local int nested; /* callbacks that the thread is in */

static void call(dnnl_cache_log_callback_t callback,
        dnnl_cache_log_level_t level, const char *text, void *user)
{
    if (nested == MOST_NESTED) return;
    nested++;
    callback(level, text, user);
    nested--;
}

void log_note_onednn(void)
{
    atomic_store_explicit(&is_onednns, true, memory_order_relaxed);
}

/* Every line is a line of its own. Standard output has oneDNN's lines alone:
 * what an application writes there may be read by others. */
static void print(dnnl_cache_log_level_t level, const char *text)
{
    const bool is_verbose = atomic_load(&is_onednns);
    const char *name = !is_verbose && level == dnnl_cache_log_warning
                               ? "warning"
                               : level_name(level);
    for (const char *line = text;; line++) {
        size_t size = strcspn(line, "\n");
        (void)fprintf(stderr, "%s%s%s%.*s\n",
                is_verbose ? "onednn_verbose,v1,dnnl_cache," : "dnnl_cache: ",
                name, is_verbose ? "," : ": ",
                size < INT_MAX ? (int)size : INT_MAX, line);
        line += size;
        if (*line == '\0') return;
    }
}

static _Thread_local bool is_own_thread;

void log_note_own_thread(void)
{
    is_own_thread = true;
}

static void deliver(dnnl_cache_log_level_t level, const char *text)
{
    pthread_mutex_lock(&lock);
    dnnl_cache_log_callback_t callback = current_callback;
    void *user = current_user;
    pthread_mutex_unlock(&lock);
    if (callback != NULL) {
        if (!is_own_thread) call(callback, level, text, user);
        return;
    }
    start();
    if ((int)level <= threshold) print(level, text);
}

void log_profile(const char *text)
{
    pthread_mutex_lock(&lock);
    dnnl_cache_log_callback_t callback = current_callback;
    void *user = current_user;
    pthread_mutex_unlock(&lock);
    if (callback != NULL)
        call(callback, dnnl_cache_log_info, text, user);
    else
        printf("onednn_verbose,v1,%s\n", text);
}

/* Compilers end their words with newlines. */
static void trim(char *text)
{
    size_t size = strlen(text);
    while (size > 0 && strchr(" \t\r\n", text[size - 1]) != NULL)
        text[--size] = '\0';
}

void log_message(dnnl_cache_log_level_t level, const char *component,
        const char *format, ...)
{
    char brief[1024];
    char *text = brief;
    va_list args;
    va_start(args, format);
    int size = vsnprintf(NULL, 0, format, args);
    va_end(args);
    /* Build logs are long. Without memory for it the text is cut. */
    size_t room = strlen(component) + 3 + (size_t)(size > 0 ? size : 0);
    if (room > sizeof brief && (text = malloc(room)) == NULL) {
        text = brief;
        room = sizeof brief;
    }
    if (room < sizeof brief) room = sizeof brief;
    int prefix = snprintf(text, room, "%s: ", component);
    va_start(args, format);
    vsnprintf(text + prefix, room - (size_t)prefix, format, args);
    va_end(args);
    trim(text);
    deliver(level, text);
    if (text != brief) free(text);
}
