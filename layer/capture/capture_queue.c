/* SPDX-License-Identifier: Apache-2.0 */
#include "layer/capture/capture_queue.h"

#include "layer/settings/statistics.h"

/* What was linked is alone in its program. */
static bool is_in_program_locked(
        const struct layer_program *program, const struct build *build)
{
    if (build->substitute != NULL) return build->lendings == 0;
    return build->kind == build_linked
           || (build->generation != 0
                   && build->generation == program->handle_generation);
}

/* Where it is in the list; NULL: the one in the application's program. */
static struct build **find_locked(
        struct layer_program *program, const struct build *build)
{
    struct build **place = &program->waiting;
    while (*place != NULL
            && (build != NULL ? *place != build : (*place)->substitute != NULL))
        place = &(*place)->next;
    return place;
}

/* With the reference that the list had; NULL: it does not wait, or needs
 * nothing more of the driver's program. */
static struct build *take_unasked_locked(
        struct layer_program *program, const struct build *build)
{
    struct build **place = find_locked(program, build);
    struct build *found = *place;
    if (found == NULL || found->is_asked) return NULL;
    *place = found->next;
    return found;
}

static void drop_unused(struct build *build)
{
    if (build != NULL) statistics_count_not_kept(layer_reason_unused, 0);
    build_release(build);
}

/* ---- Waiting ------------------------------------------------------------- */

bool capture_queue_add(struct layer_program *program, struct build *build)
{
    pthread_mutex_lock(&program->lock);
    const bool is_in_program = is_in_program_locked(program, build);
    if (is_in_program) {
        build_hold(build);
        build->is_capturing = false;
        build->is_asked = false;
        build->next = program->waiting;
        program->waiting = build;
    }
    pthread_mutex_unlock(&program->lock);
    if (!is_in_program) statistics_count_not_kept(layer_reason_unused, 0);
    return is_in_program;
}

/* As one that is asked for, and never is. */
void capture_queue_give_up(struct layer_program *program, struct build *build)
{
    if (capture_queue_begin_asking(program, build))
        drop_unused(capture_queue_take(program, build));
}

bool capture_queue_holds_handle(struct layer_program *program)
{
    pthread_mutex_lock(&program->lock);
    const bool waits = *find_locked(program, NULL) != NULL;
    pthread_mutex_unlock(&program->lock);
    return waits;
}

struct build *capture_queue_find_same(
        struct layer_program *program, const struct build *build)
{
    pthread_mutex_lock(&program->lock);
    struct build *found = program->waiting;
    while (found != NULL && !build_is_same(found, build))
        found = found->next;
    if (found != NULL) build_hold(found);
    pthread_mutex_unlock(&program->lock);
    return found;
}

/* ---- Being asked for ----------------------------------------------------- */

/* True if the build waits; from now on it is being asked for. What is lent just
 * now may be another one already: it waits no more. */
bool capture_queue_begin_asking(
        struct layer_program *program, struct build *build)
{
    struct build *lent = NULL;
    pthread_mutex_lock(&program->lock);
    if (build->lendings > 0 && !build->is_capturing)
        lent = take_unasked_locked(program, build);
    const bool waits =
            *find_locked(program, build) != NULL && !build->is_capturing;
    if (waits) build->is_capturing = true;
    pthread_mutex_unlock(&program->lock);
    drop_unused(lent);
    return waits;
}

void capture_queue_stop_asking(
        struct layer_program *program, struct build *build)
{
    pthread_mutex_lock(&program->lock);
    build->is_capturing = false;
    pthread_mutex_unlock(&program->lock);
}

void capture_queue_end_asking(
        struct layer_program *program, struct build *build)
{
    pthread_mutex_lock(&program->lock);
    build->is_asked = true;
    pthread_mutex_unlock(&program->lock);
}

struct build *capture_queue_take(
        struct layer_program *program, const struct build *build)
{
    pthread_mutex_lock(&program->lock);
    struct build **place = find_locked(program, build);
    struct build *found = *place;
    if (found != NULL) *place = found->next;
    pthread_mutex_unlock(&program->lock);
    return found;
}

/* ---- Other builds in the same place -------------------------------------- */

/* In one step: a build of another thread that begins to wait here would be kept
 * with what is made now. */
struct build *capture_queue_begin_handle(
        struct layer_program *program, struct build *build)
{
    pthread_mutex_lock(&program->capture_lock);
    pthread_mutex_lock(&program->lock);
    struct build **place = find_locked(program, NULL);
    struct build *waited = *place;
    struct build *asked = NULL;
    if (waited != NULL) *place = waited->next;
    if (waited != NULL && waited->is_asked) {
        asked = waited;
        waited = NULL;
    }
    if (build == NULL) build = waited;
    program->is_used = true;
    program->handle_generation++;
    if (build != NULL)
        build->generation =
                program->handle_builders == 0 ? program->handle_generation : 0;
    program->handle_builders++;
    pthread_mutex_unlock(&program->lock);
    pthread_mutex_unlock(&program->capture_lock);
    build_release(asked);
    return waited;
}

void capture_queue_end_handle(struct layer_program *program)
{
    pthread_mutex_lock(&program->lock);
    program->handle_builders--;
    pthread_mutex_unlock(&program->lock);
}

static struct build *substitute_owner(struct build *build)
{
    return build->lender != NULL ? build->lender : build;
}

/* In one step: a build that another thread has not ended would else wait here
 * for what is made in its substitute now. */
bool capture_queue_lend(struct layer_program *program, struct build *build)
{
    struct build *owner = substitute_owner(build);
    pthread_mutex_lock(&program->lock);
    const bool is_free = *find_locked(program, owner) == NULL;
    if (is_free) owner->lendings++;
    pthread_mutex_unlock(&program->lock);
    return is_free;
}

void capture_queue_lend_begin(
        struct layer_program *program, struct build *build)
{
    pthread_mutex_lock(&program->capture_lock); /* the driver is not asked */
    pthread_mutex_lock(&program->lock);
    substitute_owner(build)->lendings++;
    pthread_mutex_unlock(&program->lock);
    pthread_mutex_unlock(&program->capture_lock);
}

void capture_queue_lend_end(
        struct layer_program *program, struct build *build, bool is_spoilt)
{
    struct build *owner = substitute_owner(build);
    struct build *waited = NULL;
    pthread_mutex_lock(&program->lock);
    if (is_spoilt)
        waited = take_unasked_locked(program, owner);
    else
        owner->lendings--;
    pthread_mutex_unlock(&program->lock);
    drop_unused(waited);
}
