/* SPDX-License-Identifier: Apache-2.0 */
#include "play.h"

#include "answers.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { numbers = 8, most_kernels = 8 };

/* ---- Places -------------------------------------------------------------- */

static void hold_program(struct held *held, cl_program program)
{
    held->references = 1;
    held->program = program;
    held->seen[0] = '\0';
    held->is_linked = false;
    held->is_loaded = false;
    held->is_built = false;
    handle_set_name(program, held->name);
}

static void hold_kernel(struct held *held, cl_kernel kernel)
{
    held->references = 1;
    held->kernel = kernel;
    held->seen[0] = '\0';
    handle_set_name(kernel, held->name);
}

static void release_kernel(struct held *held)
{
    if (held->references == 0) return;
    if (--held->references == 0) handle_forget(held->kernel);
    answer("release %s: %s", held->name,
            status_name(clReleaseKernel(held->kernel)));
}

/* The place for a new kernel: what was there goes. */
static struct held *empty_kernel_place(struct player *player, unsigned place)
{
    struct held *held = &player->kernels[place];
    while (held->references > 0)
        release_kernel(held);
    return held;
}

static bool has_kernels(const struct player *player)
{
    for (size_t i = 0; i < walk_kernels; i++)
        if (player->kernels[i].references > 0) return true;
    return false;
}

static void release_program(struct player *player, struct held *held)
{
    if (held->references == 0
            || (held->references == 1 && player->world->is_intel
                    && has_kernels(player)))
        return;
    if (--held->references == 0) handle_forget(held->program);
    answer("release %s: %s", held->name,
            status_name(clReleaseProgram(held->program)));
}

/* The place for a new program: what was there goes. */
static struct held *empty_place(struct player *player, unsigned place)
{
    struct held *held = &player->programs[place];
    while (held->references > 0) {
        const unsigned before = held->references;
        release_program(player, held);
        if (held->references == before) return NULL;
    }
    return held;
}

/* ---- Arguments ----------------------------------------------------------- */

struct devices {
    cl_uint count;
    const cl_device_id *list;
    cl_device_id room[world_devices];
};

static void make_devices(
        const struct player *player, enum walk_devices kind, struct devices *d)
{
    const struct place *place = player->place;
    const cl_uint last = place->count - 1;
    const cl_device_id part = player->world->part;
    d->count = 1;
    d->list = d->room;
    d->room[0] = place->devices[0];
    d->room[1] = place->devices[last];
    switch (kind) {
    case devices_all:
        d->count = 0;
        d->list = NULL;
        break;
    case devices_each:
        d->count = place->count;
        break;
    case devices_reversed:
        d->count = place->count;
        d->room[0] = place->devices[last];
        d->room[1] = place->devices[0];
        break;
    case devices_last:
        d->room[0] = place->devices[last];
        break;
    case devices_part:
        if (part != NULL && !player->world->is_frail) d->room[0] = part;
        break;
    case devices_twice:
        d->count = 2;
        d->room[1] = d->room[0];
        break;
    case devices_foreign:
        d->room[0] = player->world->elsewhere.devices[0];
        break;
    case devices_null:
        if (!player->world->is_frail) d->room[0] = NULL;
        break;
    case devices_count:
        d->list = NULL;
        break;
    case devices_list:
        d->count = 0;
        break;
    default:
        break;
    }
}

/* The first device in place of one that the context does not have. */
static void leave_out_strangers(const struct place *place, struct devices *d)
{
    for (cl_uint i = 0; i < world_devices; i++) {
        bool is_known = false;
        for (cl_uint k = 0; k < place->count; k++)
            if (d->room[i] == place->devices[k]) is_known = true;
        if (!is_known) d->room[i] = place->devices[0];
    }
}

static const char *const options[options_kinds] = {[options_none] = "",
        [options_null] = NULL,
        [options_two] = "-DBY=2",
        [options_three] = "-DBY=3 -cl-kernel-arg-info",
        [options_wrong] = "-DWRONG",
        [options_nameless] = "-DBY=2 -imacros /dev/null",
        [options_unknown] = "-no-such-option",
        [options_text] = "no option",
        [options_library] = "-create-library"};

static const char *options_of(
        const struct player *player, const struct call *call)
{
    return options[call->options == options_text && player->world->is_rusticl
                           ? options_unknown
                           : call->options];
}

static const char *link_options_of(
        const struct player *player, const struct call *call)
{
    const bool is_known =
            call->options == options_null || call->options == options_library;
    return player->world->is_intel && !is_known ? "" : options_of(player, call);
}

/* ---- Callbacks ----------------------------------------------------------- */

struct notice {
    pthread_mutex_t lock; /* guards all below */
    pthread_cond_t told;
    unsigned count;
    cl_program program;
    cl_device_id device;
    cl_build_status status;
};

/* What it was built to is known by now, and may be asked here. */
static void CL_CALLBACK notify(cl_program program, void *user)
{
    struct notice *notice = user;
    cl_build_status status = CL_BUILD_NONE;
    (void)clGetProgramBuildInfo(program, notice->device,
            CL_PROGRAM_BUILD_STATUS, sizeof status, &status, NULL);
    pthread_mutex_lock(&notice->lock);
    notice->count++;
    notice->program = program;
    notice->status = status;
    pthread_cond_signal(&notice->told);
    pthread_mutex_unlock(&notice->lock);
}

/* A call that is refused may call back or not; one that is not does. */
static void await(
        const struct player *player, struct notice *notice, cl_int status)
{
    if (player->world->calls_back_late)
        (void)clUnloadPlatformCompiler(player->world->platform);
    pthread_mutex_lock(&notice->lock);
    while (status == CL_SUCCESS && notice->count == 0)
        pthread_cond_wait(&notice->told, &notice->lock);
    pthread_mutex_unlock(&notice->lock);
    answer("called back %u times for <%s>, status %d", notice->count,
            handle_name(notice->program), notice->status);
}

/* ---- Calls --------------------------------------------------------------- */

static void make_source(struct player *player, const struct call *call)
{
    struct held *held = empty_place(player, call->program);
    const char *text = source_text(player->world, call->source);
    cl_context context = player->place->context;
    cl_int status = CL_SUCCESS;
    if (held == NULL) return;
    const bool is_il = call->source == source_il && player->world->has_il;
    cl_program program =
            is_il ? clCreateProgramWithIL(context, text, strlen(text), &status)
                  : clCreateProgramWithSource(context, 1, &text, NULL, &status);
    answer("%s", status_name(status));
    if (program != NULL) hold_program(held, program);
}

struct header {
    cl_uint count;
    const cl_program *programs;
    const char **names;
    const char *name;
    cl_program program;
};

static void make_header(const struct player *player, enum walk_headers kind,
        struct header *header)
{
    const char *text = source_text(player->world, source_header);
    memset(header, 0, sizeof *header);
    if (kind == headers_none) return;
    header->program = clCreateProgramWithSource(
            player->place->context, 1, &text, NULL, NULL);
    header->name = kind == headers_nothing ? "other.h" : "some.h";
    header->count = kind == headers_number ? 0 : 1;
    header->programs = &header->program;
    header->names = &header->name;
}

static void build_or_compile(struct player *player, const struct call *call)
{
    struct held *held = &player->programs[call->program];
    struct notice notice = {.lock = PTHREAD_MUTEX_INITIALIZER,
            .told = PTHREAD_COND_INITIALIZER,
            .device = player->place->devices[0]};
    struct devices d;
    struct header header;
    cl_int status;
    if (held->references == 0
            || (player->world->is_frail
                    && (held->is_linked
                            || (held->is_loaded && held->is_built))))
        return;
    held->is_built = true;
    make_devices(player, call->devices, &d);
    if (call->kind == call_compile && player->world->dies_of_strangers)
        leave_out_strangers(player->place, &d);
    void(CL_CALLBACK * callback)(cl_program, void *) =
            call->notify == notify_callback ? notify : NULL;
    void *user = call->notify != notify_none ? &notice : NULL;
    if (call->kind == call_build) {
        status = clBuildProgram(held->program, d.count, d.list,
                options_of(player, call), callback, user);
    } else {
        make_header(player, call->headers, &header);
        status = clCompileProgram(held->program, d.count, d.list,
                options_of(player, call), header.count, header.programs,
                header.names, callback, user);
        if (header.program != NULL) clReleaseProgram(header.program);
    }
    answer("%s", status_name(status));
    if (callback != NULL) await(player, &notice, status);
}

static bool is_linkable(const struct player *player, cl_program program)
{
    const struct place *place = player->place;
    for (cl_uint i = 0; i < place->count; i++) {
        cl_build_status status = CL_BUILD_NONE;
        cl_program_binary_type type = CL_PROGRAM_BINARY_TYPE_NONE;
        (void)clGetProgramBuildInfo(program, place->devices[i],
                CL_PROGRAM_BUILD_STATUS, sizeof status, &status, NULL);
        (void)clGetProgramBuildInfo(program, place->devices[i],
                CL_PROGRAM_BINARY_TYPE, sizeof type, &type, NULL);
        if ((player->world->is_frail && status != CL_BUILD_SUCCESS)
                || (player->world->dies_of_blind_links
                        && type != CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT))
            return false;
    }
    return true;
}

/* Of one program, or of two. */
static void link_programs(struct player *player, const struct call *call)
{
    const struct held *first = &player->programs[call->other];
    const struct held *second = &player->programs[call->number % walk_programs];
    const cl_program inputs[] = {first->program, second->program};
    const bool are_two = second->references > 0
                         && (second != first || call->number % 8 == 0)
                         && !(second == first && player->world->is_rusticl)
                         && is_linkable(player, second->program);
    const struct place *place = player->place;
    struct notice notice = {.lock = PTHREAD_MUTEX_INITIALIZER,
            .told = PTHREAD_COND_INITIALIZER,
            .device = place->devices[0]};
    const bool has_callback = call->notify == notify_callback;
    struct devices d;
    cl_int status = 4711;
    if (first->references == 0 || !is_linkable(player, first->program)
            || (player->world->is_frail && place->count > 1))
        return;
    make_devices(player, call->devices, &d);
    cl_program program = clLinkProgram(place->context, d.count, d.list,
            link_options_of(player, call), are_two ? 2 : 1, inputs,
            has_callback ? notify : NULL,
            call->notify != notify_none ? &notice : NULL, &status);
    answer("%s, %s", status_name(status), program != NULL ? "there" : "none");
    if (has_callback) await(player, &notice, status);
    struct held *held = empty_place(player, call->program);
    if (held != NULL && program != NULL) {
        hold_program(held, program);
        held->is_linked = true;
    } else if (program != NULL) {
        clReleaseProgram(program);
    }
}

/* Of a driver that dies of what is not linked: false. */
static bool may_have_kernels(const struct player *player, cl_program program)
{
    cl_program_binary_type type = CL_PROGRAM_BINARY_TYPE_NONE;
    if (!player->world->dies_of_unlinked_kernels) return true;
    for (cl_uint i = 0; i < player->place->count; i++) {
        (void)clGetProgramBuildInfo(program, player->place->devices[i],
                CL_PROGRAM_BINARY_TYPE, sizeof type, &type, NULL);
        if (type != CL_PROGRAM_BINARY_TYPE_EXECUTABLE) return false;
    }
    return true;
}

static void make_kernel(struct player *player, const struct call *call)
{
    static const char *const names[] = {
            "scale", "scale", "scale", "other", "nothing"};
    const struct held *held = &player->programs[call->program];
    cl_int status = CL_SUCCESS;
    if (held->references == 0 || !may_have_kernels(player, held->program))
        return;
    struct held *place = empty_kernel_place(player, call->kernel);
    cl_kernel kernel = clCreateKernel(held->program,
            names[call->number % (sizeof names / sizeof names[0])], &status);
    answer("%s", status_name(status));
    if (kernel != NULL) hold_kernel(place, kernel);
}

/* All but one are given up at once. */
static void make_kernels(struct player *player, const struct call *call)
{
    const struct held *held = &player->programs[call->program];
    cl_kernel kernels[most_kernels] = {NULL};
    cl_uint count = 4711;
    if (held->references == 0 || !may_have_kernels(player, held->program)
            || player->world->is_rusticl)
        return;
    struct held *place = empty_kernel_place(player, call->kernel);
    const cl_int status = clCreateKernelsInProgram(
            held->program, call->number % 3, kernels, &count);
    answer("%s, %u", status_name(status), count);
    for (cl_uint i = 1; i < most_kernels; i++)
        if (kernels[i] != NULL) clReleaseKernel(kernels[i]);
    if (kernels[0] != NULL) hold_kernel(place, kernels[0]);
}

static void answer_numbers(const float *values)
{
    char text[256] = "";
    for (size_t i = 0; i < numbers; i++) {
        const size_t length = strlen(text);
        (void)snprintf(
                text + length, sizeof text - length, " %g", (double)values[i]);
    }
    answer("numbers%s", text);
}

/* rusticl's thread has a reference to a kernel for a moment after it ran. */
static void wait_for_references(cl_kernel kernel, cl_uint references)
{
    const struct timespec a_while = {.tv_nsec = 100000};
    cl_uint now = references;
    for (int i = 0; i < 100000; i++) {
        (void)clGetKernelInfo(
                kernel, CL_KERNEL_REFERENCE_COUNT, sizeof now, &now, NULL);
        if (now <= references) return;
        nanosleep(&a_while, NULL);
    }
}

static void launch(struct player *player, const struct call *call)
{
    static const size_t global = numbers;
    static const size_t local = 4;
    const struct held *held = &player->kernels[call->kernel];
    const struct place *place = player->place;
    cl_command_queue queue = place->queues[call->number % place->count];
    float values[numbers];
    const float by = 2;
    cl_int status = CL_SUCCESS;
    cl_uint references = 0;
    if (held->references == 0) return;
    (void)clGetKernelInfo(held->kernel, CL_KERNEL_REFERENCE_COUNT,
            sizeof references, &references, NULL);
    for (int i = 0; i < numbers; i++)
        values[i] = (float)i;
    cl_mem memory = clCreateBuffer(place->context,
            CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof values, values,
            &status);
    if (status == CL_SUCCESS)
        status = clSetKernelArg(held->kernel, 0, sizeof memory, &memory);
    if (status == CL_SUCCESS)
        status = clSetKernelArg(held->kernel, 1, sizeof by, &by);
    if (status == CL_SUCCESS)
        status = clEnqueueNDRangeKernel(
                queue, held->kernel, 1, NULL, &global, &local, 0, NULL, NULL);
    if (status == CL_SUCCESS)
        status = clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, sizeof values,
                values, 0, NULL, NULL);
    (void)clFinish(queue);
    if (status == CL_SUCCESS)
        answer_numbers(values);
    else
        answer("%s", status_name(status));
    if (memory != NULL) clReleaseMemObject(memory);
    wait_for_references(held->kernel, references);
}

static void retain(struct held *held)
{
    if (held->references == 0) return;
    held->references++;
    answer("%s", status_name(clRetainProgram(held->program)));
}

static void retain_kernel(struct held *held)
{
    if (held->references == 0) return;
    held->references++;
    answer("%s", status_name(clRetainKernel(held->kernel)));
}

/* rusticl (22.3) does not count a clone among a program's kernels, which forbid
 * a build, but counts its end. */
static void clone_kernel(struct player *player, const struct call *call)
{
    const struct held *held = &player->kernels[call->kernel];
    const unsigned place = call->number % walk_kernels;
    cl_int status = CL_SUCCESS;
    if (held->references == 0 || place == call->kernel
            || player->world->is_rusticl)
        return;
    struct held *to = empty_kernel_place(player, place);
    cl_kernel kernel = clCloneKernel(held->kernel, &status);
    answer("%s", status_name(status));
    if (kernel != NULL) hold_kernel(to, kernel);
}

/* Of IL; of source it is refused. */
static void set_constant(struct player *player, const struct call *call)
{
    const struct held *held = &player->programs[call->program];
    const cl_uint value = call->number;
    if (held->references == 0
            || (player->world->is_frail && !is_linkable(player, held->program)))
        return;
    answer("%s", status_name(clSetProgramSpecializationConstant(held->program,
                         call->number % 4, sizeof value, &value)));
}

/* ---- Binaries ------------------------------------------------------------ */

struct binaries {
    size_t sizes[world_devices];
    unsigned char *bytes[world_devices];
};

/* A driver may write other bytes each time, and others of what it loaded. PoCL
 * (3.1) has them in the order of the list that the program was built for, from
 * which it makes no program; of what was loaded they are in OpenCL's. */
static void answer_binary(const struct world *world, size_t device, size_t size,
        const unsigned char *bytes)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    if (!world->has_exact_binaries) {
        answer("binary %zu: %s", device, size > 0 ? "some" : "none");
        return;
    }
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
    answer("binary %zu: %zu bytes, %llx", device, size,
            (unsigned long long)hash);
}

static void free_binaries(struct binaries *binaries)
{
    for (size_t i = 0; i < world_devices; i++)
        free(binaries->bytes[i]);
}

/* True: there is one for each device of the program. */
static bool ask_binaries(const struct player *player, const struct held *held,
        struct binaries *binaries)
{
    const size_t count = player->place->count;
    bool has_all = true;
    memset(binaries, 0, sizeof *binaries);
    cl_int status = clGetProgramInfo(held->program, CL_PROGRAM_BINARY_SIZES,
            count * sizeof binaries->sizes[0], binaries->sizes, NULL);
    answer("sizes: %s", status_name(status));
    if (status != CL_SUCCESS) return false;
    for (size_t i = 0; i < count; i++) {
        binaries->bytes[i] = calloc(1, binaries->sizes[i] + 1);
        if (binaries->bytes[i] == NULL) abort();
    }
    for (size_t i = 0; i < count; i++)
        if (binaries->sizes[i] == 0) has_all = false;
    if (!has_all && player->world->is_rusticl) return false;
    status = clGetProgramInfo(held->program, CL_PROGRAM_BINARIES,
            count * sizeof binaries->bytes[0], (void *)binaries->bytes, NULL);
    answer("binaries: %s", status_name(status));
    for (size_t i = 0; i < count; i++) {
        answer_binary(player->world, i, binaries->sizes[i], binaries->bytes[i]);
        if (binaries->sizes[i] == 0) has_all = false;
    }
    return status == CL_SUCCESS && has_all;
}

static void read_binaries(struct player *player, const struct call *call)
{
    const struct held *held = &player->programs[call->program];
    struct binaries binaries;
    if (held->references == 0
            || (player->world->is_frail && player->place->count > 1))
        return;
    (void)ask_binaries(player, held, &binaries);
    free_binaries(&binaries);
}

static void load_binaries(struct player *player, const struct call *call)
{
    const struct held *from = &player->programs[call->other];
    const struct place *place = player->place;
    struct binaries binaries;
    cl_int states[world_devices] = {77, 77};
    cl_int status = CL_SUCCESS;
    if (from->references == 0 || (player->world->is_frail && place->count > 1))
        return;
    if (ask_binaries(player, from, &binaries)) {
        cl_program program = clCreateProgramWithBinary(place->context,
                place->count, place->devices, binaries.sizes,
                (const unsigned char **)(void *)binaries.bytes, states,
                &status);
        answer("%s, %d, %d", status_name(status), states[0], states[1]);
        struct held *held = empty_place(player, call->program);
        if (held != NULL && program != NULL) {
            hold_program(held, program);
            held->is_loaded = true;
            /* Intel's dies of what it is asked of it before. */
            if (player->world->is_intel)
                answer("built: %s", status_name(clBuildProgram(
                                            program, 0, NULL, "", NULL, NULL)));
        } else if (program != NULL) {
            clReleaseProgram(program);
        }
    }
    free_binaries(&binaries);
}

/* ---- A walk -------------------------------------------------------------- */

static void do_call(struct player *player, const struct call *call)
{
    switch (call->kind) {
    case call_source:
        make_source(player, call);
        break;
    case call_build:
    case call_compile:
        build_or_compile(player, call);
        break;
    case call_link:
        link_programs(player, call);
        break;
    case call_kernel:
        make_kernel(player, call);
        break;
    case call_kernels:
        make_kernels(player, call);
        break;
    case call_launch:
        launch(player, call);
        break;
    case call_release_kernel:
        release_kernel(&player->kernels[call->kernel]);
        break;
    case call_retain_kernel:
        retain_kernel(&player->kernels[call->kernel]);
        break;
    case call_clone:
        clone_kernel(player, call);
        break;
    case call_retain:
        retain(&player->programs[call->program]);
        break;
    case call_release:
        release_program(player, &player->programs[call->program]);
        break;
    case call_binaries:
        read_binaries(player, call);
        break;
    case call_load:
        load_binaries(player, call);
        break;
    case call_look:
        look_at_all(player);
        break;
    case call_examine:
        examine(player, &player->programs[call->program]);
        break;
    case call_constant:
        set_constant(player, call);
        break;
    case call_unload:
        answer("%s",
                status_name(clUnloadPlatformCompiler(player->world->platform)));
        break;
    case call_kinds:
        abort();
    }
}

static void name_places(struct player *player)
{
    for (unsigned i = 0; i < walk_programs; i++)
        (void)snprintf(player->programs[i].name,
                sizeof player->programs[i].name, "p%u", i);
    for (unsigned i = 0; i < walk_kernels; i++)
        (void)snprintf(player->kernels[i].name, sizeof player->kernels[i].name,
                "k%u", i);
}

static void release_kernels(struct player *player)
{
    for (unsigned i = 0; i < walk_kernels; i++)
        (void)empty_kernel_place(player, i);
}

/* The programs first, or the kernels. */
static void release_all(struct player *player, bool are_programs_first)
{
    if (!are_programs_first || player->world->is_intel) release_kernels(player);
    for (unsigned i = 0; i < walk_programs; i++)
        (void)empty_place(player, i);
    release_kernels(player);
}

void play(struct world *world, const struct walk *walk, const bool *is_left_out)
{
    static struct player player; /* too large for a stack */
    static char scene[32];       /* answers.c has it from then on */
    char words[256];
    memset(&player, 0, sizeof player);
    player.world = world;
    player.place = &world->places[walk->context];
    name_places(&player);
    (void)snprintf(scene, sizeof scene, "%u", walk->number);
    answers_begin(scene);
    for (size_t i = 0; i < walk->count; i++) {
        if (is_left_out != NULL && is_left_out[i]) continue;
        walk_describe(words, sizeof words, &walk->calls[i]);
        answer("call %zu: %s", i, words);
        do_call(&player, &walk->calls[i]);
        if (walk->looks) look_at_all(&player);
    }
    look_at_all(&player);
    release_all(&player, walk->number % 2 == 0);
}
