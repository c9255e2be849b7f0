/* SPDX-License-Identifier: Apache-2.0 */
#include "log_capture.h"

#include <stdio.h>
#include <string.h>

static void keep(dnnl_cache_log_level_t level, const char *text, void *user)
{
    struct log_capture *c = user;
    pthread_mutex_lock(&c->lock);
    c->counts[level]++;
    int n = snprintf(c->text + c->size, sizeof c->text - c->size, "%d %s\n",
            (int)level, text);
    if (n > 0) c->size += (size_t)n;
    if (c->size >= sizeof c->text) c->size = sizeof c->text - 1;
    pthread_mutex_unlock(&c->lock);
}

void log_capture_start(struct log_capture *capture)
{
    memset(capture, 0, sizeof *capture);
    pthread_mutex_init(&capture->lock, NULL);
    dnnl_cache_set_log_callback(keep, capture);
}

void log_capture_stop(struct log_capture *capture)
{
    dnnl_cache_set_log_callback(NULL, NULL);
    pthread_mutex_destroy(&capture->lock);
}

/* The first line at or after `at` that starts with the level; NULL if none. */
static const char *next_line(const char *at, dnnl_cache_log_level_t level)
{
    while (at != NULL && *at != '\0' && *at != '0' + (char)level) {
        at = strchr(at, '\n');
        if (at != NULL) at++;
    }
    return at != NULL && *at != '\0' ? at : NULL;
}

bool log_capture_has(struct log_capture *capture, dnnl_cache_log_level_t level,
        const char *part)
{
    bool has = false;
    pthread_mutex_lock(&capture->lock);
    const char *line = next_line(capture->text, level);
    while (line != NULL && !has) {
        const char *end = strchr(line, '\n');
        const char *found = strstr(line, part);
        has = found != NULL && (end == NULL || found < end);
        line = end != NULL ? next_line(end + 1, level) : NULL;
    }
    pthread_mutex_unlock(&capture->lock);
    return has;
}

unsigned log_capture_count(
        struct log_capture *capture, dnnl_cache_log_level_t level)
{
    pthread_mutex_lock(&capture->lock);
    unsigned count = capture->counts[level];
    pthread_mutex_unlock(&capture->lock);
    return count;
}
