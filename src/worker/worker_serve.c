/* SPDX-License-Identifier: Apache-2.0 */
#include "src/worker/worker.h"

#include <errno.h>

static int do_job(struct worker_service *service, struct message *order,
        struct message *answer)
{
    for (size_t i = 0; i < service->count; i++) {
        const struct worker_job *job = &service->jobs[i];
        if (job->subject != order->subject) continue;
        message_begin(answer, 0);
        if (!job->run(service->user, order, answer)) return worker_exit_failed;
        return answer->subject != 0
                               && message_send(
                                          answer, &service->channel, UINT64_MAX)
                                          != 0
                       ? worker_exit_failed
                       : worker_exit_done;
    }
    return worker_exit_version;
}

int worker_serve(struct worker_service *service, struct message *first)
{
    struct message order = {.data = NULL};
    struct message answer = {.data = NULL};
    int code = worker_exit_done;
    int error = channel_take_input(&service->channel);
    if (error == 0 && first != NULL) code = do_job(service, first, &answer);
    while (error == 0 && code == worker_exit_done) {
        error = message_receive(&order, &service->channel, UINT64_MAX);
        if (error == 0) code = do_job(service, &order, &answer);
    }
    channel_close(&service->channel);
    message_fini(&order);
    message_fini(&answer);
    if (error == 0 || error == EPIPE) return code;
    return error == EPROTO ? worker_exit_version : worker_exit_failed;
}
