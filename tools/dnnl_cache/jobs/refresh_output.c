/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/dnnl_cache/jobs/refresh_output.h"

#include "src/platform/clock.h"
#include "src/platform/environment.h"
#include "src/platform/file.h"
#include "tools/common/text/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Longer lines are passed on in pieces. */
enum { most_line = 4096 };

/* One write for a line: others write to standard error, too. What cannot be
 * written is left out: who prints goes on. */
static void pass_on(const char *who, const char *line, size_t size)
{
    enum { patience_ms = 1000 };
    char prefix[64];
    (void)snprintf(prefix, sizeof prefix, "dnnl-cache: %s", who);
    char *text = text_line(prefix, line, size);
    if (text != NULL)
        (void)file_write_patiently(
                file_standard_error, text, strlen(text), patience_ms);
    free(text);
}

/* Whole lines of what is there, and the rest if it fills the buffer or is the
 * last. Returns how much is left of it, moved to the front. */
static size_t pass_on_lines(
        const char *who, char *buffer, size_t size, bool is_last)
{
    size_t begin = 0;
    for (size_t i = 0; i < size; i++) {
        if (buffer[i] != '\n') continue;
        pass_on(who, buffer + begin, i - begin);
        begin = i + 1;
    }
    const size_t left = size - begin;
    if (left > 0 && (is_last || left == most_line)) {
        pass_on(who, buffer + begin, left);
        return 0;
    }
    memmove(buffer, buffer + begin, left);
    return left;
}

/* Has nothing open but the pipe and standard error: descriptors of locks and
 * sockets tell others that their owner lives. */
static int read_all(void *who)
{
    char buffer[most_line];
    size_t size = 0;
    size_t got;
    process_set_name("dnnl-cache-out");
    process_ignore_write_signals();
    do {
        if (file_read_some(&got, file_standard_input, buffer + size,
                    sizeof buffer - size)
                != 0)
            got = 0;
        size = pass_on_lines(who, buffer, size + got, got == 0);
    } while (got > 0);
    return EXIT_SUCCESS;
}

static void begin_reader(struct refresh_output *output, const char *who)
{
    struct process_plan plan = PROCESS_PLAN_NONE;
    if (file_pipe(&plan.input, &output->to) != 0) return;
    /* It ends with those that it reads, whoever stops all of them. */
    plan.ignores_end = true;
    if (process_start_copy(
                &output->reader, &plan, read_all, (void *)(uintptr_t)who)
            != 0)
        refresh_output_leave(output);
    (void)file_close(plan.input);
}

void refresh_output_open(
        struct refresh_output *output, bool is_quiet, const char *who)
{
    *output = (struct refresh_output){.to = file_none};
    if (is_quiet)
        (void)file_open(
                &output->to, file_here, "/dev/null", file_for_writing, 0);
    else
        begin_reader(output, who);
}

void refresh_output_leave(struct refresh_output *output)
{
    (void)file_close(output->to);
    output->to = file_none;
}

void refresh_output_finish(struct refresh_output *output)
{
    static const uint64_t most_ns = 1000000000;
    struct process_end end;
    refresh_output_leave(output);
    /* One that was stopped would be left for ever. */
    process_resume(&output->reader);
    (void)process_ended(&output->reader, &end, clock_ns() + most_ns);
    output->reader = (struct process){.number = 0};
}
