/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All programs of an engine that wait to be captured, at once.
 */
#include "src/gpu/program/create/capture_all.h"

#include "src/gpu/engine/engine.h"
#include "src/platform/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { second_ns = 1000000000 };

/* One call. */
struct captures {
    struct program **programs; /* owned, each retained */
    size_t count;
    uint64_t start_ns;
    dnnl_cache_capture_options_t options;
    dnnl_cache_capture_callback_t callback;
    void *user;
    dnnl_cache_capture_progress_t progress;
    uint64_t compile_ns;      /* of all programs */
    uint64_t done_compile_ns; /* of those that were tried */
    bool is_told;
};

static int compare(const void *a, const void *b)
{
    const struct program *x = *(struct program *const *)a;
    const struct program *y = *(struct program *const *)b;
    if (x->compile_ns != y->compile_ns)
        return x->compile_ns < y->compile_ns ? -1 : 1;
    return x->made < y->made ? -1 : x->made > y->made;
}

/* Leaves those that wait, the cheapest first. */
static void keep_waiting(struct captures *c)
{
    size_t kept = 0;
    for (size_t i = 0; i < c->count; i++) {
        struct program *p = c->programs[i];
        if (once_get_done(&p->captured) || !program_is_wanted(p)) {
            program_release(p);
            continue;
        }
        c->compile_ns += p->compile_ns;
        c->programs[kept++] = p;
    }
    c->count = kept;
    c->progress.total = kept;
    qsort(c->programs, kept, sizeof(struct program *), compare);
}

/* Captures take as long as compiling did, times what it was so far. */
static void estimate(struct captures *c)
{
    const size_t tried = c->progress.done + c->progress.failed;
    c->progress.elapsed_ns = clock_ns() - c->start_ns;
    const double share = c->compile_ns > 0 ? (double)c->done_compile_ns
                                                     / (double)c->compile_ns
                                           : (double)tried / (double)c->count;
    c->progress.left_ns = share > 0 ? (uint64_t)((double)c->progress.elapsed_ns
                                                 * (1 - share) / share)
                                    : 0;
}

static void tell(struct captures *c)
{
    const dnnl_cache_capture_progress_t *p = &c->progress;
    const size_t tried = p->done + p->failed;
    if (c->is_told || !c->options.tell || tried == 0 || tried == p->total
            || p->elapsed_ns + p->left_ns < second_ns)
        return;
    c->is_told = true;
    (void)fprintf(stderr,
            "dnnl_cache: keeping %zu of %zu programs, %llu s left; interrupt "
            "safely\n",
            tried + 1, p->total,
            (unsigned long long)((p->left_ns + second_ns - 1) / second_ns));
}

/* False: the callback ends it. */
static bool report(struct captures *c)
{
    estimate(c);
    tell(c);
    return c->callback == NULL
           || c->callback(&c->progress, c->user) == dnnl_success;
}

static void capture_one(struct captures *c, struct program *p)
{
    dnnl_status_t st = dnnl_success;
    if (!once_get_done(&p->captured) && program_is_worth_capturing(p))
        st = program_capture(p);
    ++*(st == dnnl_success ? &c->progress.done : &c->progress.failed);
    c->done_compile_ns += p->compile_ns;
}

static dnnl_status_t capture_each(struct captures *c)
{
    if (c->count > 0 && !report(c)) return dnnl_not_required;
    for (size_t i = 0; i < c->count; i++) {
        if (clock_ns() - c->start_ns >= c->options.timeout_ns)
            return dnnl_not_required;
        capture_one(c, c->programs[i]);
        if (!report(c) && i + 1 < c->count) return dnnl_not_required;
    }
    return c->progress.failed > 0 ? dnnl_runtime_error : dnnl_success;
}

dnnl_status_t capture_programs(struct program **programs, size_t count,
        const dnnl_cache_capture_options_t *options,
        dnnl_cache_capture_callback_t progress, void *user)
{
    struct captures c = {.programs = programs,
            .count = count,
            .start_ns = clock_ns(),
            .options = *options,
            .callback = progress,
            .user = user,
            .progress = {.struct_size = sizeof c.progress}};
    keep_waiting(&c);
    const dnnl_status_t st = capture_each(&c);
    for (size_t i = 0; i < c.count; i++)
        program_release(c.programs[i]);
    free(c.programs);
    return st;
}

/* Copies what a newer or older caller declared. */
static bool read_options(dnnl_cache_capture_options_t *out,
        const dnnl_cache_capture_options_t *options)
{
    *out = (dnnl_cache_capture_options_t)DNNL_CACHE_CAPTURE_OPTIONS_INIT;
    if (options == NULL) return true;
    if (options->struct_size != sizeof *options) return false;
    *out = *options;
    return true;
}

dnnl_status_t dnnl_cache_engine_capture(dnnl_engine_t engine,
        const dnnl_cache_capture_options_t *options,
        dnnl_cache_capture_callback_t progress, void *user)
{
    dnnl_cache_capture_options_t ours;
    struct program **programs;
    size_t count;
    if (engine == NULL || engine->kind != dnnl_gpu
            || !read_options(&ours, options))
        return dnnl_invalid_arguments;
    const dnnl_status_t st =
            waiting_list(engine->context, engine->device, &programs, &count);
    if (st != dnnl_success) return st;
    return capture_programs(programs, count, &ours, progress, user);
}
