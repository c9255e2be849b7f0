/* SPDX-License-Identifier: Apache-2.0 */
#include "layer/programs/launches.h"

#include "layer/driver/next_layer.h"
#include "layer/driver/quirks.h"
#include "layer/programs/notes.h"
#include "layer/programs/records.h"
#include "layer/settings/statistics.h"
#include "layer/trace/trace.h"
#include "src/drivers/launch_choice.h"

#include <stdlib.h>
#include <string.h>

/* A class of a kernel of a build on one of its devices. */
struct build_launch {
    struct build_launch *next;
    size_t device; /* index */
    struct launch_class class;
    _Atomic(bool) is_in_binary; /* set once */
    char kernel[];
};

/* Of one build: an application may choose another size each time, and no binary
 * has more. */
enum { most_launches = launch_classes_max };

/* Guards the launches of all builds; a leaf. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void before_fork(void)
{
    pthread_mutex_lock(&lock);
}

static void after_fork(void)
{
    pthread_mutex_unlock(&lock);
}

__attribute__((constructor)) static void survive_forks(void)
{
    (void)pthread_atfork(before_fork, after_fork, after_fork);
}

/* ---- Launches that have been seen ---------------------------------------- */

/* False until there is a driver that compiles classes. */
static atomic_bool is_watching;

/* Counts kernels that were released. */
static atomic_uint_least64_t generation;

/* Fingerprints of launches that have been looked at. An entry that is
 * overwritten costs a closer look; a launch that has another's fingerprint, of
 * 64 bits, is not noted. */
enum { seen_count = 1024, seen_shift = 64 - 10 };
static atomic_uint_least64_t seen[seen_count];

static uint64_t turn(uint64_t value, unsigned bits)
{
    return value << bits | value >> (64 - bits);
}

/* A sum of products, which a processor makes at the same time. */
static uint64_t fingerprint(
        cl_command_queue queue, cl_kernel kernel, const struct launch *launch)
{
    /* The driver chooses the local size by the global one. */
    const size_t *of = launch->local != NULL ? launch->local : launch->global;
    uint64_t sizes = of[0];
    if (launch->dimensions > 1) sizes ^= turn(of[1], 21);
    if (launch->dimensions > 2) sizes ^= turn(of[2], 42);
    const uint64_t kind =
            atomic_load_explicit(&generation, memory_order_relaxed) << 5
            | (uint64_t)(launch->local != NULL) << 4 | launch->dimensions << 2
            | (uint64_t)launch_has_offset(launch) << 1
            | (uint64_t)launch_is_small(launch);
    uint64_t hash = (uintptr_t)kernel * UINT64_C(0x9e3779b97f4a7c15)
                    + (uintptr_t)queue * UINT64_C(0xc2b2ae3d27d4eb4f)
                    + sizes * UINT64_C(0x165667b19e3779f9)
                    + kind * UINT64_C(0xd6e8feb86659fd93);
    hash = (hash ^ hash >> 32) * UINT64_C(0x9fb21c651e98df25);
    return hash != 0 ? hash : 1; /* 0 is no launch */
}

/* ---- A closer look ------------------------------------------------------- */

static void find_limits(
        struct launch_limits *limits, cl_kernel kernel, cl_device_id device)
{
    cl_uint units = 0;
    memset(limits, 0, sizeof *limits);
    (void)next_layer->clGetDeviceInfo(device, CL_DEVICE_MAX_WORK_ITEM_SIZES,
            sizeof limits->items, limits->items, NULL);
    (void)next_layer->clGetDeviceInfo(device, CL_DEVICE_MAX_WORK_GROUP_SIZE,
            sizeof limits->group, &limits->group, NULL);
    (void)next_layer->clGetDeviceInfo(
            device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL);
    (void)next_layer->clGetKernelWorkGroupInfo(kernel, device,
            CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE,
            sizeof limits->multiple, &limits->multiple, NULL);
    limits->units = units;
}

static struct build_launch *find_locked(const struct build *build,
        size_t device, const char *kernel, const struct launch_class *class)
{
    struct build_launch *l = build->launches;
    while (l != NULL
            && (l->device != device || !launch_class_is_same(&l->class, class)
                    || strcmp(l->kernel, kernel) != 0))
        l = l->next;
    return l;
}

/* The new launch; NULL: it has been met before, or there is no memory. */
static const struct build_launch *add_launch(struct build *build, size_t device,
        const char *kernel, const struct launch_class *class)
{
    const size_t size = strlen(kernel) + 1;
    struct build_launch *launch = NULL;
    pthread_mutex_lock(&lock);
    if (build->launch_count < most_launches
            && find_locked(build, device, kernel, class) == NULL)
        launch = malloc(sizeof *launch + size);
    if (launch != NULL) {
        *launch = (struct build_launch){.next = build->launches,
                .device = device,
                .class = *class,
                .is_in_binary =
                        build->is_loaded ? facts_have_launch(
                                &build->devices[device].facts, kernel, class)
                                         : !build->is_frozen};
        memcpy(launch->kernel, kernel, size);
        build->launches = launch;
        build->launch_count++;
    }
    pthread_mutex_unlock(&lock);
    return launch;
}

/* A program that was loaded compiles after all. */
static void note_incomplete(struct layer_program *program, struct build *build,
        const struct built_device *d, const struct build_launch *launch)
{
    char text[launch_class_text_size];
    launch_class_write(text, &launch->class);
    trace_incomplete(d->id_size, d->id, launch->kernel, text);
    if (!atomic_exchange(&build->is_incomplete, true)) {
        statistics_count_incomplete(build->saved_ns);
        notes_add_build(program, build, NULL);
        notes_add_facts(d, &d->facts);
    }
}

/* NULL: the layer does not know the kernel, or nobody asks for its launches. */
static struct build *watched_build(const struct layer_kernel *kernel)
{
    struct build *build = kernel != NULL ? kernel->build : NULL;
    return build != NULL
                           && (atomic_load(&build->is_watched)
                                   || records_are_on())
                   ? build
                   : NULL;
}

static void look_closely(
        cl_command_queue queue, cl_kernel handle, const struct launch *launch)
{
    struct launch_class class;
    const struct layer_kernel *kernel = objects_find_kernel(handle);
    struct build *build = watched_build(kernel);
    cl_device_id device = NULL;
    char own_name[512];
    const char *name = kernel != NULL ? kernel->name : "";
    if (build == NULL || !launch_class_of(&class, launch)
            || next_layer->clGetCommandQueueInfo(
                       queue, CL_QUEUE_DEVICE, sizeof device, &device, NULL)
                       != CL_SUCCESS)
        return;
    const struct built_device *d = build_device(build, device);
    if (d == NULL || d->id == NULL) return;
    if (name[0] == '\0') {
        if (next_layer->clGetKernelInfo(handle, CL_KERNEL_FUNCTION_NAME,
                    sizeof own_name, own_name, NULL)
                != CL_SUCCESS)
            return;
        name = own_name;
    }
    if (records_are_on())
        records_add_launch(d, name, launch->dimensions, &class);
    if (!atomic_load(&build->is_watched)) return;
    if (class.is_auto) {
        struct launch_limits limits;
        find_limits(&limits, handle, device);
        launch_class_choose(&class, &limits);
        if (class.is_auto) return; /* the device has no such limits */
    }
    const struct build_launch *added =
            add_launch(build, (size_t)(d - build->devices), name, &class);
    if (added == NULL || (build->is_loaded && added->is_in_binary)) return;
    if (build->is_loaded) note_incomplete(kernel->program, build, d, added);
    notes_add_launch(d, name, launch->dimensions, &class);
}

void launches_note(
        cl_command_queue queue, cl_kernel kernel, const struct launch *launch)
{
    if (!atomic_load_explicit(&is_watching, memory_order_relaxed)
            || launch->dimensions < 1 || launch->dimensions > 3
            || launch->global == NULL)
        return;
    const uint64_t hash = fingerprint(queue, kernel, launch);
    atomic_uint_least64_t *place = &seen[hash >> seen_shift];
    if (atomic_load_explicit(place, memory_order_relaxed) == hash) return;
    look_closely(queue, kernel, launch);
    atomic_store_explicit(place, hash, memory_order_relaxed);
}

void launches_forget(void)
{
    if (atomic_load_explicit(&is_watching, memory_order_relaxed))
        atomic_fetch_add_explicit(&generation, 1, memory_order_relaxed);
}

/* Has PoCL compile classes when it is asked for a binary. */
static const char naming_variable[] = "POCL_BINARY_SPECIALIZE_WG";

/* ---- Builds -------------------------------------------------------------- */

void launches_watch(struct build *build)
{
    if (build->kind == build_object || build->devices[0].id == NULL) return;
    if (records_are_on()) atomic_store(&is_watching, true);
    if (!quirk_compiles_launches(build->devices[0].device)) return;
    atomic_store(&build->is_watched, true);
    atomic_store(&is_watching, true);
}

void launches_freeze(struct build *build)
{
    if (!atomic_load(&build->is_watched)) return;
    const char *named = getenv(naming_variable);
    pthread_mutex_lock(&lock);
    if (!build->is_frozen && named != NULL) build->named = strdup(named);
    build->is_frozen = true;
    pthread_mutex_unlock(&lock);
}

/* What is named is in the binary of every kernel. */
static bool add_named(struct facts *facts, const char *list)
{
    struct launch_class class;
    bool ok = true;
    while (list != NULL && ok && launch_class_read_next(&class, &list))
        for (uint32_t i = 0; i < facts->kernel_count && ok; i++)
            ok = facts_add_class(&facts->kernels[i], &class);
    return ok;
}

bool launches_add_facts(struct build *build, size_t device, struct facts *facts)
{
    bool ok = true;
    facts->has_classes = atomic_load(&build->is_watched);
    if (!facts->has_classes) return true;
    pthread_mutex_lock(&lock);
    for (const struct build_launch *l = build->launches; l != NULL && ok;
            l = l->next)
        for (uint32_t i = 0; i < facts->kernel_count && ok; i++)
            if (l->device == device && l->is_in_binary
                    && strcmp(facts->kernels[i].name, l->kernel) == 0)
                ok = facts_add_class(&facts->kernels[i], &l->class);
    const char *named =
            build->is_frozen ? build->named : getenv(naming_variable);
    ok = ok && add_named(facts, named);
    pthread_mutex_unlock(&lock);
    return ok;
}

size_t launches_count(const struct build *build, size_t device)
{
    size_t count = 0;
    pthread_mutex_lock(&lock);
    for (const struct build_launch *l = build->launches; l != NULL; l = l->next)
        if (l->device == device && l->is_in_binary) count++;
    pthread_mutex_unlock(&lock);
    return count;
}

bool launches_are_in(
        const struct build *build, size_t device, const struct facts *facts)
{
    bool are = true;
    pthread_mutex_lock(&lock);
    for (const struct build_launch *l = build->launches; l != NULL && are;
            l = l->next) {
        are = l->device != device
              || facts_have_launch(facts, l->kernel, &l->class);
    }
    pthread_mutex_unlock(&lock);
    return are;
}

bool launches_have(
        const struct build *build, size_t device, const struct facts *facts)
{
    bool have = facts->has_classes;
    pthread_mutex_lock(&lock);
    for (uint32_t i = 0; i < facts->kernel_count && have; i++) {
        const struct kernel_facts *kernel = &facts->kernels[i];
        for (uint32_t k = 0; k < kernel->class_count && have; k++) {
            const struct build_launch *launch = find_locked(
                    build, device, kernel->name, &kernel->classes[k]);
            have = launch != NULL && launch->is_in_binary;
        }
    }
    pthread_mutex_unlock(&lock);
    return have;
}

bool launches_for_each(const struct build *build, size_t device,
        bool is_in_binary,
        bool (*visit)(void *user, const char *kernel,
                const struct launch_class *class),
        void *user)
{
    /* Launches are added in front, and stay there. */
    pthread_mutex_lock(&lock);
    const struct build_launch *l = build->launches;
    pthread_mutex_unlock(&lock);
    for (; l != NULL; l = l->next)
        if (l->device == device && l->is_in_binary == is_in_binary
                && !visit(user, l->kernel, &l->class))
            return false;
    return true;
}

void launches_add_to_binary(struct build *build, size_t device,
        const char *kernel, const struct launch_class *class)
{
    pthread_mutex_lock(&lock);
    struct build_launch *launch = find_locked(build, device, kernel, class);
    if (launch != NULL) launch->is_in_binary = true;
    pthread_mutex_unlock(&lock);
}

bool launches_are_there(const struct build *build)
{
    pthread_mutex_lock(&lock);
    const bool are = build->launches != NULL;
    pthread_mutex_unlock(&lock);
    return are;
}

bool launches_have_kernel(const struct build *build, const char *kernel)
{
    pthread_mutex_lock(&lock);
    const struct build_launch *l = build->launches;
    while (l != NULL && strcmp(l->kernel, kernel) != 0)
        l = l->next;
    pthread_mutex_unlock(&lock);
    return l != NULL;
}

void launches_free(struct build *build)
{
    free(build->named);
    while (build->launches != NULL) {
        struct build_launch *launch = build->launches;
        build->launches = launch->next;
        free(launch);
    }
}
