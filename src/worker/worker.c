/* SPDX-License-Identifier: Apache-2.0 */
#include "src/worker/worker.h"

#include "src/platform/clock.h"
#include "src/platform/file.h"

int worker_start(struct worker *worker, const struct process_plan *plan)
{
    struct process_plan own = *plan;
    *worker = (struct worker){.channel = CHANNEL_NONE};
    int error = channel_open(&worker->channel, &own.input);
    if (error == 0) error = process_start(&worker->process, &own);
    (void)file_close(own.input);
    if (error != 0) channel_close(&worker->channel);
    return error;
}

struct process_end worker_end(struct worker *worker, uint64_t patience_ns)
{
    struct process_end end = {.code = -1};
    if (!worker_is_there(worker)) return end;
    channel_end(&worker->channel);
    if (!process_ended(&worker->process, &end, clock_ns() + patience_ns)) {
        process_kill(&worker->process);
        (void)process_ended(&worker->process, &end, UINT64_MAX);
    }
    channel_close(&worker->channel);
    return end;
}
