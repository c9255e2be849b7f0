/* SPDX-License-Identifier: Apache-2.0 */
/* model_compile: compiles a model's programs for another process, which starts
 * it and tells it what to do (workers.h). Not for people. */
#include "model/api/loader.h"
#include "src/platform/environment.h"
#include "src/worker/worker.h"

#include <stdio.h>

struct compiler {
    bool is_begun;
    struct message model; /* owned: options and place point into it */
    struct loader_options options;
    struct worker_place place;
    struct loader loader;
};

static bool begin(void *user, struct message *order, struct message *answer)
{
    struct compiler *c = user;
    struct failure failure = {""};
    (void)answer;
    if (c->is_begun) return false;
    c->is_begun = true;
    c->model = *order;
    *order = (struct message){.data = NULL};
    if (!worker_place_read(&c->options, &c->place, &c->model)) return false;
    loader_init(&c->loader, &c->options);
    if (loader_serve(&c->loader, &c->place, &failure)) return true;
    if (failure.text[0] != '\0')
        fprintf(stderr, "model_compile: %s\n", failure.text);
    return false;
}

static bool compile(void *user, struct message *order, struct message *answer)
{
    struct compiler *c = user;
    return c->is_begun
           && workers_compile(&c->loader.runner, &c->loader.session.lookups,
                   order, answer);
}

int main(void)
{
    static const struct worker_job jobs[] = {
            {message_of_model, begin}, {message_of_model_step, compile}};
    struct compiler c = {.is_begun = false};
    struct worker_service service = {.jobs = jobs, .count = 2, .user = &c};
    process_ignore_write_signals();
    const int code = worker_serve(&service, NULL);
    if (!c.is_begun && code != worker_exit_done)
        fputs("model_compile: started by the library of dnnl_cache that loads "
              "models, not by hand\n",
                stderr);
    if (c.loader.options != NULL) loader_close(&c.loader);
    worker_place_fini(&c.options, &c.place);
    message_fini(&c.model);
    return code;
}
