/* SPDX-License-Identifier: Apache-2.0 */
#include "layer/programs/objects.h"

#include "layer/driver/next_layer.h"

#include <stdlib.h>
#include <string.h>

/* Entries are spread over buckets by their handles, and buckets over locks: a
 * look-up takes one lock for some tens of nanoseconds, and threads seldom meet.
 * Fewer locks than buckets, since fork() takes them all. */
enum { bucket_count = 256, lock_count = 32 };

static struct bucket {
    struct layer_program *programs;
    struct layer_kernel *kernels;
} buckets[bucket_count];

/* Each guards the lists of its buckets and the counts in their entries; a
 * leaf. */
static struct bucket_lock {
    _Alignas(64) pthread_mutex_t mutex;
} locks[lock_count];

static void before_fork(void)
{
    for (size_t i = 0; i < lock_count; i++)
        pthread_mutex_lock(&locks[i].mutex);
}

static void after_fork(void)
{
    for (size_t i = 0; i < lock_count; i++)
        pthread_mutex_unlock(&locks[i].mutex);
}

/* A thread that captured, or was about to look at a program, is not there to
 * give its lock back. */
static void after_fork_in_child(void)
{
    for (size_t i = 0; i < bucket_count; i++)
        for (struct layer_program *p = buckets[i].programs; p != NULL;
                p = p->next) {
            pthread_mutex_init(&p->load_lock, NULL);
            pthread_mutex_init(&p->capture_lock, NULL);
            pthread_mutex_init(&p->constants_lock, NULL);
            pthread_mutex_init(&p->lock, NULL);
        }
    after_fork();
}

void objects_init(void)
{
    for (size_t i = 0; i < lock_count; i++)
        pthread_mutex_init(&locks[i].mutex, NULL);
    pthread_atfork(before_fork, after_fork, after_fork_in_child);
    engines_init();
}

static void lock_bucket(const struct bucket *bucket)
{
    pthread_mutex_lock(&locks[(bucket - buckets) % lock_count].mutex);
}

static void unlock_bucket(const struct bucket *bucket)
{
    pthread_mutex_unlock(&locks[(bucket - buckets) % lock_count].mutex);
}

/* The bucket of a handle, locked. */
static struct bucket *lock_bucket_of(const void *handle)
{
    /* The middle bits of the product: heap addresses differ in the lower ones
     * by what they are aligned to, and not in the upper ones. */
    const uint64_t mixed =
            (uint64_t)(uintptr_t)handle * UINT64_C(0x9e3779b97f4a7c15);
    struct bucket *bucket = &buckets[(mixed >> 40) % bucket_count];
    lock_bucket(bucket);
    return bucket;
}

static struct layer_program **find_program(
        struct bucket *bucket, cl_program handle)
{
    struct layer_program **place = &bucket->programs;
    while (*place != NULL && (*place)->handle != handle)
        place = &(*place)->next;
    return place;
}

static struct layer_kernel **find_kernel(
        struct bucket *bucket, cl_kernel handle)
{
    struct layer_kernel **place = &bucket->kernels;
    while (*place != NULL && (*place)->handle != handle)
        place = &(*place)->next;
    return place;
}

/* ---- Programs ------------------------------------------------------------ */

void program_input_fini(struct program_input *input)
{
    free(input->source);
    free(input->il);
    memset(input, 0, sizeof *input);
}

void objects_add_program(cl_program handle, cl_context context,
        const struct program_input *input)
{
    struct layer_program *program = calloc(1, sizeof *program);
    struct program_input given = *input;
    if (program == NULL) {
        program_input_fini(&given);
        return;
    }
    pthread_mutex_init(&program->lock, NULL);
    pthread_mutex_init(&program->load_lock, NULL);
    pthread_mutex_init(&program->capture_lock, NULL);
    pthread_mutex_init(&program->constants_lock, NULL);
    program->handle = handle;
    program->context = context;
    program->is_counted = engines_add_program(context);
    program->input = given;
    program->references = 1;
    program->app_references = 1;
    atomic_init(&program->kernels, 0);
    atomic_init(&program->is_folder_named, false);
    struct bucket *bucket = lock_bucket_of(handle);
    program->next = bucket->programs;
    bucket->programs = program;
    unlock_bucket(bucket);
}

static void release_builds(struct build *list)
{
    while (list != NULL) {
        struct build *build = list;
        list = build->next;
        build_release(build);
    }
}

/* Gives back the driver's reference, and with it the handle. */
static void program_destroy(struct layer_program *program)
{
    /* Before the program, which keeps the context alive. */
    if (program->is_counted) engines_remove_program(program->context);
    if (!program->is_forgotten) next_layer->clReleaseProgram(program->handle);
    build_release(program->build); /* the last, of a program that was linked */
    release_builds(program->waiting);
    program_input_fini(&program->input);
    free(program->constants);
    pthread_mutex_destroy(&program->load_lock);
    pthread_mutex_destroy(&program->capture_lock);
    pthread_mutex_destroy(&program->constants_lock);
    pthread_mutex_destroy(&program->lock);
    free(program);
}

struct layer_program *objects_get_program(cl_program handle)
{
    struct bucket *bucket = lock_bucket_of(handle);
    struct layer_program *program = *find_program(bucket, handle);
    if (program != NULL) program->references++;
    unlock_bucket(bucket);
    return program;
}

void objects_hold_program(struct layer_program *program)
{
    struct bucket *bucket = lock_bucket_of(program->handle);
    program->references++;
    unlock_bucket(bucket);
}

void objects_put_program(struct layer_program *program)
{
    struct bucket *bucket = lock_bucket_of(program->handle);
    const bool is_last = --program->references == 0;
    if (is_last) {
        struct layer_program **place = &bucket->programs;
        while (*place != program)
            place = &(*place)->next;
        *place = program->next;
    }
    unlock_bucket(bucket);
    if (is_last) program_destroy(program);
}

struct build *objects_hold_build(struct layer_program *program)
{
    pthread_mutex_lock(&program->lock);
    struct build *build = program->build;
    if (build != NULL) build_hold(build);
    pthread_mutex_unlock(&program->lock);
    return build;
}

struct build *objects_hold_substitute(struct layer_program *program)
{
    struct build *build = objects_hold_build(program);
    if (build == NULL || build->substitute != NULL || build->is_loaded)
        return build;
    build_release(build);
    return NULL;
}

cl_program objects_working_handle(
        const struct layer_program *program, const struct build *build)
{
    return build != NULL && build->substitute != NULL ? build->substitute
                                                      : program->handle;
}

/* The programs of a bucket, a reference to each; malloc'ed. NULL: none, or no
 * memory. */
static struct layer_program **hold_programs(
        struct bucket *bucket, size_t *count)
{
    size_t i = 0;
    lock_bucket(bucket);
    *count = 0;
    for (const struct layer_program *p = bucket->programs; p != NULL;
            p = p->next)
        ++*count;
    struct layer_program **held =
            *count > 0 ? malloc(*count * sizeof(struct layer_program *)) : NULL;
    for (struct layer_program *p = bucket->programs; held != NULL && p != NULL;
            p = p->next) {
        p->references++;
        held[i++] = p;
    }
    unlock_bucket(bucket);
    return held;
}

void objects_for_each_program(void (*visit)(struct layer_program *program))
{
    for (size_t b = 0; b < bucket_count; b++) {
        size_t count;
        struct layer_program **held = hold_programs(&buckets[b], &count);
        for (size_t i = 0; held != NULL && i < count; i++) {
            visit(held[i]);
            objects_put_program(held[i]);
        }
        free(held);
    }
}

unsigned objects_app_references(const struct layer_program *program)
{
    struct bucket *bucket = lock_bucket_of(program->handle);
    const unsigned references = program->app_references;
    unlock_bucket(bucket);
    return references;
}

bool objects_retain_program(cl_program handle)
{
    bool is_first = false;
    struct bucket *bucket = lock_bucket_of(handle);
    struct layer_program *program = *find_program(bucket, handle);
    /* It may have the handle from a kernel, after it gave up its own. */
    if (program != NULL && program->app_references++ == 0) {
        program->references++;
        is_first = true;
    }
    unlock_bucket(bucket);
    return !is_first;
}

bool objects_release_program(cl_program handle, struct layer_program **last)
{
    *last = NULL;
    struct bucket *bucket = lock_bucket_of(handle);
    struct layer_program *program = *find_program(bucket, handle);
    /* Its part of all references becomes the caller's. */
    if (program != NULL && program->app_references > 0
            && --program->app_references == 0)
        *last = program;
    unlock_bucket(bucket);
    return *last == NULL;
}

/* Counts the application's kernels of a build. False: the driver has more
 * references of one. A kernel in the list is the driver's as long as the bucket
 * is locked; the driver calls nobody for this. */
static bool count_idle_kernels(
        struct bucket *bucket, const struct build *build, cl_uint *count)
{
    bool are_idle = true;
    lock_bucket(bucket);
    for (const struct layer_kernel *k = bucket->kernels; k != NULL && are_idle;
            k = k->next) {
        cl_uint references = 0;
        if (k->build != build) continue;
        are_idle = next_layer->clGetKernelInfo(k->handle,
                           CL_KERNEL_REFERENCE_COUNT, sizeof references,
                           &references, NULL)
                           == CL_SUCCESS
                   && references == k->app_references;
        ++*count;
    }
    unlock_bucket(bucket);
    return are_idle;
}

bool objects_are_idle(struct layer_program *program, const struct build *build)
{
    const bool is_own = build->substitute == NULL;
    const unsigned of_app = is_own ? objects_app_references(program) : 1;
    cl_uint references = 0;
    cl_uint expected = of_app > 0 ? of_app : 1;
    expected += is_own ? program->adoptions : build->adoptions;
    for (size_t i = 0; i < bucket_count; i++)
        if (!count_idle_kernels(&buckets[i], build, &expected)) return false;
    return next_layer->clGetProgramInfo(objects_working_handle(program, build),
                   CL_PROGRAM_REFERENCE_COUNT, sizeof references, &references,
                   NULL)
                   == CL_SUCCESS
           && references == expected;
}

/* ---- Kernels ------------------------------------------------------------- */

bool objects_add_kernel(cl_kernel handle, struct layer_program *program,
        struct build *build, const char *name)
{
    const size_t size = strlen(name) + 1;
    struct layer_kernel *kernel = calloc(1, sizeof *kernel + size);
    if (kernel == NULL) return false;
    kernel->handle = handle;
    kernel->app_references = 1;
    kernel->program = program;
    kernel->build = build;
    memcpy(kernel->name, name, size);
    objects_hold_program(program);
    if (build != NULL) build_hold(build);
    atomic_fetch_add(&program->kernels, 1);
    struct bucket *bucket = lock_bucket_of(handle);
    kernel->next = bucket->kernels;
    bucket->kernels = kernel;
    unlock_bucket(bucket);
    return true;
}

struct layer_kernel *objects_find_kernel(cl_kernel handle)
{
    struct bucket *bucket = lock_bucket_of(handle);
    struct layer_kernel *kernel = *find_kernel(bucket, handle);
    unlock_bucket(bucket);
    return kernel;
}

void objects_retain_kernel(cl_kernel handle)
{
    struct bucket *bucket = lock_bucket_of(handle);
    struct layer_kernel *kernel = *find_kernel(bucket, handle);
    if (kernel != NULL) kernel->app_references++;
    unlock_bucket(bucket);
}

struct layer_kernel *objects_release_kernel(cl_kernel handle)
{
    struct layer_kernel *last = NULL;
    struct bucket *bucket = lock_bucket_of(handle);
    struct layer_kernel **place = find_kernel(bucket, handle);
    if (*place != NULL && --(*place)->app_references == 0) {
        last = *place;
        *place = last->next;
    }
    unlock_bucket(bucket);
    return last;
}

void layer_kernel_destroy(struct layer_kernel *kernel)
{
    atomic_fetch_sub(&kernel->program->kernels, 1);
    build_release(kernel->build);
    objects_put_program(kernel->program);
    free(kernel);
}

/* ---- The end of the drivers ---------------------------------------------- */

static struct layer_kernel *take_kernels(struct bucket *bucket)
{
    lock_bucket(bucket);
    struct layer_kernel *kernels = bucket->kernels;
    bucket->kernels = NULL;
    unlock_bucket(bucket);
    return kernels;
}

/* One that the application still has, with the application's part of its
 * references, which it has no more: the driver's are the application's own
 * then. NULL: there is none. */
static struct layer_program *take_from_application(struct bucket *bucket)
{
    lock_bucket(bucket);
    struct layer_program *program = bucket->programs;
    while (program != NULL && program->app_references == 0)
        program = program->next;
    if (program != NULL) {
        program->app_references = 0;
        program->is_forgotten = true;
    }
    unlock_bucket(bucket);
    return program;
}

/* Another thread may be in a call for it yet, and have the entry. */
static void drop_builds(struct layer_program *program)
{
    pthread_mutex_lock(&program->lock);
    struct build *build = program->build;
    struct build *waiting = program->waiting;
    program->build = NULL;
    program->waiting = NULL;
    pthread_mutex_unlock(&program->lock);
    build_release(build);
    release_builds(waiting);
}

void objects_forget(void)
{
    struct layer_program *program;
    for (size_t i = 0; i < bucket_count; i++) {
        struct layer_kernel *kernel = take_kernels(&buckets[i]);
        while (kernel != NULL) {
            struct layer_kernel *next = kernel->next;
            layer_kernel_destroy(kernel);
            kernel = next;
        }
    }
    for (size_t i = 0; i < bucket_count; i++)
        while ((program = take_from_application(&buckets[i])) != NULL) {
            drop_builds(program);
            objects_put_program(program);
        }
}
