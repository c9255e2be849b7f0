/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/run/timed_child.h"

#include "src/platform/channel.h"
#include "src/platform/clock.h"
#include "src/platform/file.h"
#include "src/platform/process.h"

#include <errno.h>
#include <stdint.h>

enum { limit_ms = 10000 };

/* False: it is late. */
static bool read_all(int fd, char out[], size_t capacity)
{
    const uint64_t end_ns = clock_ns() + limit_ms * UINT64_C(1000000);
    size_t size = 0;
    char rest[512];
    size_t got = 1;
    while (got > 0) {
        const uint64_t now_ns = clock_ns();
        const bool has_room = size + 1 < capacity;
        bool is_ready;
        if (now_ns >= end_ns) break;
        if (!channel_wait(&is_ready, NULL, 0, fd,
                    (unsigned)((end_ns - now_ns) / 1000000u) + 1))
            continue;
        (void)file_read_some(&got, fd, has_room ? out + size : rest,
                has_room ? capacity - 1 - size : sizeof rest);
        if (has_room) size += got;
    }
    out[size] = '\0';
    return got == 0;
}

static int start(struct process *process, struct process_plan *plan,
        const char *const *variables)
{
    struct process_variables all;
    process_variables_init(&all);
    for (; variables[0] != NULL; variables += 2)
        process_variables_set(&all, variables[0], variables[1]);
    plan->environment = all.list;
    plan->dies_with_parent = true;
    int error = file_open(
            &plan->error, file_here, "/dev/null", file_for_writing, 0);
    if (error == 0)
        error = all.has_failed ? ENOMEM : process_start(process, plan);
    (void)file_close(plan->error);
    process_variables_fini(&all);
    return error;
}

struct timed_child_end timed_child_run(char *const arguments[],
        const char *const *variables, char out[], size_t capacity)
{
    struct timed_child_end end = {.code = -1};
    struct process_plan plan = PROCESS_PLAN_NONE;
    struct process process;
    struct process_end ended;
    int reader;
    out[0] = '\0';
    if (file_pipe(&reader, &plan.output) != 0) return end;
    plan.program = arguments[0];
    plan.arguments = arguments;
    const int error = start(&process, &plan, variables);
    (void)file_close(plan.output);
    end.is_late = error == 0 && !read_all(reader, out, capacity);
    (void)file_close(reader);
    if (error != 0) return end;
    if (end.is_late) process_kill(&process);
    (void)process_ended(&process, &ended, UINT64_MAX);
    end.signal = ended.signal;
    end.code = ended.code;
    return end;
}
