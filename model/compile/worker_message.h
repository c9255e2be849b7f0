/* SPDX-License-Identifier: Apache-2.0 */
/*
 * worker_message.h: what workers.h and a worker of it say to each other. First
 * which model, for which device (message_of_model), which is not answered; then
 * numbers of steps (message_of_model_step), each with its answer.
 */
#ifndef DNNL_CACHE_MODEL_COMPILE_WORKER_MESSAGE_H
#define DNNL_CACHE_MODEL_COMPILE_WORKER_MESSAGE_H

#include "model/base/blob_list.h"
#include "model/compile/loader_options.h"
#include "src/worker/message.h"

/* What a worker is told but for options. */
struct worker_place {
    const char *device_name;
    const char *identity; /* session_identity() of the other process */
    bool has_blobs;       /* instead of a store */
    struct blob_list blobs;
};

/* place->blobs are not read if it has none. */
void worker_place_put(struct message *message,
        const struct loader_options *options, const struct worker_place *place);

/* Texts are the message's. False: it says none, or memory ran out.
 * worker_place_fini() in any case. */
bool worker_place_read(struct loader_options *options,
        struct worker_place *place, const struct message *message);
void worker_place_fini(
        struct loader_options *options, struct worker_place *place);

void worker_step_put(struct message *message, int step);
/* False: it is none. */
bool worker_step_read(int *step, const struct message *message);

/* What came of a step. */
struct worker_answer {
    bool is_done;
    uint64_t compiled;              /* programs, for this step */
    const struct blob_list *unkept; /* what the store did not keep */
};

void worker_answer_put(
        struct message *message, const struct worker_answer *answer);

/* Adds copies of what was not kept to a list. False: it is none. */
bool worker_answer_read(struct worker_answer *answer, struct blob_list *unkept,
        const struct message *message);

#endif /* DNNL_CACHE_MODEL_COMPILE_WORKER_MESSAGE_H */
