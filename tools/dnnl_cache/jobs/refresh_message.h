/* SPDX-License-Identifier: Apache-2.0 */
/* refresh_message.h: what "dnnl-cache refresh" and a worker of it say to each
 * other; the jobs themselves are in folders (refresh_worker.h). */
#ifndef DNNL_CACHE_TOOLS_JOBS_REFRESH_MESSAGE_H
#define DNNL_CACHE_TOOLS_JOBS_REFRESH_MESSAGE_H

#include "src/worker/message.h"
#include "tools/dnnl_cache/jobs/refresh_worker.h"

/* Orders the job that is in work0 or work1, by '0' or '1'; what is read is one
 * of these. False: it is no order. */
void refresh_order_put(struct message *order, char turn);
bool refresh_order_read(char *turn, const struct message *order);

/* *code: enum refresh_worker_exit, or none that is known. False: no answer. */
void refresh_answer_put(struct message *answer, enum refresh_worker_exit code);
bool refresh_answer_read(int *code, const struct message *answer);

#endif /* DNNL_CACHE_TOOLS_JOBS_REFRESH_MESSAGE_H */
