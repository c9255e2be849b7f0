/* SPDX-License-Identifier: Apache-2.0 */
#include "layer/settings/print.h"

#include "src/platform/environment.h"
#include "src/platform/file.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { line_size = 2048 }; /* longer ones are cut */

/* Prefix, text and the end of the line in one write(), which threads and
 * processes do not interrupt; stdio is the application's. */
__attribute__((format(printf, 2, 0))) static void print_line(
        const char *stage, const char *format, va_list arguments)
{
    const int error = errno;
    char line[line_size];
    int n = snprintf(line, sizeof line, "dnnl_cache layer: %s%s", stage,
            stage[0] != '\0' ? ": " : "");
    const int m =
            vsnprintf(line + n, sizeof line - (size_t)n, format, arguments);
    n = m < 0 ? n : n + m;
    if (n > line_size - 2) n = line_size - 2;
    line[n++] = '\n';
    /* If stderr is closed the message is lost. */
    (void)file_write_all(file_standard_error, line, (size_t)n);
    errno = error;
}

void print_failure(const char *stage, const char *format, ...)
{
    va_list arguments;
    if (!layer_settings()->print_debug) return;
    va_start(arguments, format);
    print_line(stage, format, arguments);
    va_end(arguments);
}

/* Settings are being read when this is called: it must not ask for them. */
void print_warning(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_line("", format, arguments);
    va_end(arguments);
}

bool print_is_for_a_person(void)
{
    return layer_settings()->print_debug || process_has_terminal(stderr);
}

void print_progress(const char *format, ...)
{
    const int error = errno;
    va_list arguments;
    if (print_is_for_a_person()) {
        va_start(arguments, format);
        print_line("", format, arguments);
        va_end(arguments);
    }
    errno = error;
}

void print_log(dnnl_cache_log_level_t level, const char *text, void *user)
{
    if (level != dnnl_cache_log_info) print_failure(user, "%s", text);
}

void print_report(const struct settings_output *output, const char *stage,
        const char *text, size_t size)
{
    const int saved = errno;
    int fd = file_standard_error;
    int error = 0;
    if (output->path[0] != '\0')
        error = file_open(&fd, file_here, output->path,
                file_for_writing | file_for_appending | file_made_if_missing
                        | file_no_wait,
                0600);
    if (error == 0) error = file_write_all(fd, text, size);
    if (error != 0)
        print_failure(stage, "%s: %s",
                output->path[0] != '\0' ? output->path : "stderr",
                strerror(error));
    if (fd != file_standard_error) (void)file_close(fd);
    errno = saved;
}
