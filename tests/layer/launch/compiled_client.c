/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compiled_client PLATFORM STEP ...: builds programs from source, launches
 * their kernels and checks every value. A program has a number, 0 to 7, and a
 * text: a: kernels f, g; b: f, h; c: r, which requires 16 work-items; d: p, q.
 *
 *     build/0/a            builds program 0 of text a
 *     object/0/a           compiles program 0 of text a
 *     link/1/0             links program 1 of program 0
 *     builds               builds 0 of a and 1 of b at one time
 *     launch/0/f/64/16     launches 64 work-items in groups of 16, 0: as the
 *                          driver likes; /5 behind it: with that offset
 *     hold                 from now on kernels are released at the end
 *     again/f/64/8         launches the kernel that was held first
 *     drop                 releases the kernels that are held
 *     gone                 no folder of a program is there any more
 *     release/0            releases the program
 *     ask/0                reads its binary, which has nothing of ours
 *     write/0              writes it to a file beside the store
 *     read/0/a             builds program 0, which is of text a, of that file
 *     atexit/0             does that while the process ends
 *     both                 from now on programs are of two devices
 *     context              from now on programs are of a second context
 *     storm/COUNT/own      two threads build COUNT programs each, launch and
 *                          release them, while a third launches program 0 in
 *                          all local sizes; their kernels have names of their
 *                          own, or "same": those of the other thread's
 *     random/SEED/0/9/N    programs 0 to 8 of those that follow from the seed.
 * N is 1: each is launched in at most two classes; 2: in three others; more: in
 * any. A line on standard error for each launch, and for each program with a
 * launched kernel whose name no other program has wait/MS exit ends the
 * process, and releases nothing kill                 ends it by SIGKILL
 *
 * Exits with 0 if every value was right, 1 for a wrong one, 2 if a call failed.
 */
#include <CL/cl.h>

#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { most_items = 1 << 17, most_programs = 8, most_held = 64 };

/* Each value tells the kernel's number, and where its work-item was. */
#define KERNEL(attribute, name, number)                              \
    "kernel " attribute " void " name "(global uint *out)\n"         \
    "{ const uint at = get_global_id(0) - get_global_offset(0);\n"   \
    "  out[at] = " number "u * 1000003u + get_local_id(0) * 8191u\n" \
    "      + get_group_id(0) * 31u + get_local_size(0)\n"            \
    "      + (uint)get_global_offset(0) * 7u; }\n"

static const struct {
    char text;
    const char *source;
} texts[] = {{'a', KERNEL("", "f", "3") KERNEL("", "g", "4")},
        {'b', KERNEL("", "f", "5") KERNEL("", "h", "6")},
        {'c', KERNEL("__attribute__((reqd_work_group_size(16, 1, 1)))", "r",
                      "7")},
        {'d', KERNEL("", "p", "8") KERNEL("", "q", "9")}};

static cl_device_id devices[2];
static cl_uint device_count = 1;
static cl_program programs[most_programs];
static char text_of[most_programs];

/* Where programs are launched, by one thread at a time. */
struct place {
    cl_context context;
    cl_command_queue queue;
    cl_mem out;
};

static struct place places[2]; /* of two contexts */
static struct place *place = &places[0];
static struct place *place_of[most_programs];
static cl_kernel held[most_held];
static size_t held_count;
static bool is_holding;
static size_t asked_at_exit;

static void check(cl_int status, const char *what)
{
    if (status == CL_SUCCESS) return;
    fprintf(stderr, "%s: %d\n", what, (int)status);
    exit(2);
}

static void find_devices(const char *wanted)
{
    cl_platform_id platforms[16];
    cl_uint count = 0;
    check(clGetPlatformIDs(16, platforms, &count), "clGetPlatformIDs");
    for (cl_uint i = 0; i < count && i < 16; i++) {
        char name[256] = "";
        clGetPlatformInfo(
                platforms[i], CL_PLATFORM_NAME, sizeof name, name, NULL);
        if (strstr(name, wanted) != NULL
                && clGetDeviceIDs(
                           platforms[i], CL_DEVICE_TYPE_ALL, 2, devices, NULL)
                           == CL_SUCCESS)
            return;
    }
    check(CL_DEVICE_NOT_FOUND, wanted);
}

/* A NULL context: a new one. */
static void place_open(struct place *new, cl_context context)
{
    cl_int status;
    new->context = context;
    if (context == NULL) {
        new->context = clCreateContext(
                NULL, device_count, devices, NULL, NULL, &status);
        check(status, "clCreateContext");
    } else {
        check(clRetainContext(context), "clRetainContext");
    }
    new->queue = clCreateCommandQueue(new->context, devices[0], 0, &status);
    check(status, "clCreateCommandQueue");
    new->out = clCreateBuffer(new->context, CL_MEM_READ_WRITE,
            most_items * sizeof(cl_uint), NULL, &status);
    check(status, "clCreateBuffer");
}

static void place_close(struct place *old)
{
    if (old->context == NULL) return;
    clReleaseMemObject(old->out);
    clReleaseCommandQueue(old->queue);
    clReleaseContext(old->context);
    old->context = NULL;
}

static void open_context(void)
{
    if (place->context == NULL) place_open(place, NULL);
}

static cl_program build_source(const char *source)
{
    cl_int status;
    open_context();
    cl_program program = clCreateProgramWithSource(
            place->context, 1, &source, NULL, &status);
    check(status, "clCreateProgramWithSource");
    check(clBuildProgram(program, device_count, devices, "", NULL, NULL),
            "clBuildProgram");
    return program;
}

static void build(size_t at, char text)
{
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (texts[i].text == text) programs[at] = build_source(texts[i].source);
    text_of[at] = text;
    place_of[at] = place;
}

static void compile_object(size_t at, char text)
{
    const char *source = NULL;
    cl_int status;
    open_context();
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (texts[i].text == text) source = texts[i].source;
    programs[at] = clCreateProgramWithSource(
            place->context, 1, &source, NULL, &status);
    check(status, "clCreateProgramWithSource");
    check(clCompileProgram(programs[at], device_count, devices, "-DA=1", 0,
                  NULL, NULL, NULL, NULL),
            "clCompileProgram");
    text_of[at] = text;
    place_of[at] = place;
}

static void link_object(size_t at, size_t from)
{
    cl_int status;
    programs[at] = clLinkProgram(place->context, device_count, devices, "", 1,
            &programs[from], NULL, NULL, &status);
    check(status, "clLinkProgram");
    text_of[at] = text_of[from];
    place_of[at] = place;
}

static void *build_second(void *unused)
{
    build(1, 'b');
    return unused;
}

/* Two programs, the second in a thread of its own. */
static void build_at_one_time(void)
{
    pthread_t thread;
    open_context();
    if (pthread_create(&thread, NULL, build_second, NULL) != 0) exit(2);
    build(0, 'a');
    pthread_join(thread, NULL);
}

static unsigned number_of(char text, char kernel)
{
    switch (kernel) {
    case 'f':
        return text == 'a' ? 3 : 5;
    case 'g':
        return 4;
    case 'h':
        return 6;
    case 'r':
        return 7;
    default:
        return kernel == 'p' ? 8 : 9;
    }
}

static bool is_right(const cl_uint *values, size_t count, size_t local,
        size_t offset, unsigned number)
{
    /* The driver's choice is in the first value: its group and item are 0. */
    if (local == 0)
        local = values[0] - number * 1000003u - (cl_uint)offset * 7u;
    if (local == 0 || local > count) return false;
    for (size_t i = 0; i < count; i++)
        if (values[i]
                != number * 1000003u + (cl_uint)(i % local) * 8191u
                           + (cl_uint)(i / local) * 31u + (cl_uint)local
                           + (cl_uint)offset * 7u)
            return false;
    return true;
}

static void run_kernel(const struct place *at, cl_kernel kernel,
        unsigned number, size_t count, size_t local, size_t offset)
{
    cl_uint *values = calloc(count, sizeof *values);
    check(clSetKernelArg(kernel, 0, sizeof at->out, &at->out),
            "clSetKernelArg");
    check(clEnqueueNDRangeKernel(at->queue, kernel, 1,
                  offset != 0 ? &offset : NULL, &count,
                  local != 0 ? &local : NULL, 0, NULL, NULL),
            "clEnqueueNDRangeKernel");
    check(clEnqueueReadBuffer(at->queue, at->out, CL_TRUE, 0,
                  count * sizeof *values, values, 0, NULL, NULL),
            "clEnqueueReadBuffer");
    const bool ok =
            values != NULL && is_right(values, count, local, offset, number);
    free(values);
    if (ok) return;
    fprintf(stderr, "kernel %u: wrong in groups of %zu at %zu\n", number, local,
            offset);
    exit(1);
}

static void drop_held(void)
{
    while (held_count > 0)
        clReleaseKernel(held[--held_count]);
}

static void launch(const struct place *at, cl_program program, const char *name,
        unsigned number, size_t count, size_t local, size_t offset)
{
    cl_int status;
    cl_kernel kernel = clCreateKernel(program, name, &status);
    check(status, "clCreateKernel");
    run_kernel(at, kernel, number, count, local, offset);
    if (is_holding && held_count < most_held)
        held[held_count++] = kernel;
    else
        clReleaseKernel(kernel);
}

/* ---- The binary ---------------------------------------------------------- */

static bool has_mark(const unsigned char *binary, size_t size)
{
    static const char mark[] = "no code is here";
    for (size_t i = 0; i + sizeof mark <= size; i++)
        if (memcmp(binary + i, mark, sizeof mark - 1) == 0) return true;
    return false;
}

static FILE *open_file(const char *mode)
{
    char path[512];
    const char *store = getenv("DNNL_CACHE_DIR");
    if (store == NULL
            || (size_t)snprintf(path, sizeof path, "%s-binary", store)
                       >= sizeof path)
        return NULL;
    return fopen(path, mode);
}

static bool write_binary(const unsigned char *binary, size_t size)
{
    FILE *file = open_file("we");
    const bool ok = file != NULL && fwrite(binary, 1, size, file) == size;
    return file != NULL && fclose(file) == 0 && ok;
}

static void build_binary(size_t at, char text)
{
    static unsigned char bytes[1 << 22];
    const unsigned char *binary = bytes;
    FILE *file = open_file("re");
    const size_t size = file != NULL ? fread(bytes, 1, sizeof bytes, file) : 0;
    cl_int status;
    if (file != NULL) (void)fclose(file);
    open_context();
    programs[at] = clCreateProgramWithBinary(
            place->context, 1, devices, &size, &binary, NULL, &status);
    place_of[at] = place;
    check(status, "clCreateProgramWithBinary");
    check(clBuildProgram(programs[at], 1, devices, "", NULL, NULL),
            "clBuildProgram");
    text_of[at] = text;
}

/* is_written: that of the first device. */
static bool ask(size_t at, bool is_written)
{
    size_t sizes[2] = {0};
    unsigned char *binaries[2] = {NULL};
    bool ok = clGetProgramInfo(programs[at], CL_PROGRAM_BINARY_SIZES,
                      device_count * sizeof *sizes, sizes, NULL)
              == CL_SUCCESS;
    for (cl_uint i = 0; i < device_count; i++) {
        ok = ok && sizes[i] > 0;
        binaries[i] = malloc(sizes[i] + 1);
    }
    ok = ok
         && clGetProgramInfo(programs[at], CL_PROGRAM_BINARIES,
                    device_count * sizeof *binaries, binaries, NULL)
                    == CL_SUCCESS;
    for (cl_uint i = 0; ok && i < device_count; i++)
        ok = !has_mark(binaries[i], sizes[i]);
    if (ok && is_written) ok = write_binary(binaries[0], sizes[0]);
    for (cl_uint i = 0; i < device_count; i++)
        free(binaries[i]);
    return ok;
}

/* PoCL's, of a program, with its own cache off. */
static bool has_folder(void)
{
    DIR *folder = opendir(getenv("POCL_CACHE_DIR"));
    const struct dirent *entry;
    bool has = folder == NULL;
    while (folder != NULL && (entry = readdir(folder)) != NULL)
        has = has || strncmp(entry->d_name, "_UNCACHED_", 10) == 0;
    if (folder != NULL) closedir(folder);
    return has;
}

static void ask_at_exit(void)
{
    if (!ask(asked_at_exit, false)) _Exit(1);
}

/* ---- Programs that follow from a seed ------------------------------------ */

static uint64_t state;

static unsigned draw(unsigned limit)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (unsigned)((state >> 16) % limit);
}

static void start(uint64_t seed, uint64_t program, uint64_t phase)
{
    state = (seed * 1000003u + program * 8191u + phase * 31u + 1u)
            * UINT64_C(0x9e3779b97f4a7c15);
    for (int i = 0; i < 8; i++)
        (void)draw(2);
}

/* A program is launched in the first classes when it is captured, in the others
 * when it is loaded. */
enum {
    most_kernels = 3,
    captured_classes = 2,
    most_classes = 5,
    all_sizes = 128
};

/* A launch as a class: those of one program are of different ones. */
struct drawn_launch {
    unsigned kernel;
    size_t local;
    size_t count;
    size_t offset;
};

struct drawn {
    unsigned kernels;
    unsigned numbers[most_kernels];
    unsigned required[most_kernels]; /* 0: none */
    char names[most_kernels][32];
    struct drawn_launch launches[most_classes]; /* of no items: none */
    char source[2048];
};

/* Names may be those of another program. */
static void draw_kernels(struct drawn *d, unsigned program)
{
    size_t at = 0;
    d->kernels = 1 + draw(most_kernels);
    for (unsigned i = 0; i < d->kernels; i++) {
        char attribute[80] = "";
        d->numbers[i] = program * most_kernels + i + 10;
        d->required[i] = draw(6) == 0 ? 1 + draw(64) : 0;
        if (draw(8) == 0)
            snprintf(d->names[i], sizeof d->names[i], "shared_%u", i);
        else
            snprintf(d->names[i], sizeof d->names[i], "k_%u_%u", program, i);
        if (d->required[i] != 0)
            snprintf(attribute, sizeof attribute,
                    "__attribute__((reqd_work_group_size(%u, 1, 1)))",
                    d->required[i]);
        at += (size_t)snprintf(d->source + at, sizeof d->source - at,
                "kernel %s void %s(global uint *out)\n"
                "{ const uint at = get_global_id(0) - get_global_offset(0);\n"
                "  out[at] = %uu * 1000003u + get_local_id(0) * 8191u\n"
                "      + get_group_id(0) * 31u + get_local_size(0)\n"
                "      + (uint)get_global_offset(0) * 7u; }\n",
                attribute, d->names[i], d->numbers[i]);
    }
}

/* size: the local size, if the kernel requires no other. */
static struct drawn_launch draw_launch(const struct drawn *d, size_t size)
{
    struct drawn_launch launch = {.kernel = draw(d->kernels)};
    const size_t required = d->required[launch.kernel];
    launch.local = required != 0 ? required : size;
    const bool is_large = draw(8) == 0;
    const size_t groups = is_large ? 65536 / launch.local + 1 : 1 + draw(8);
    launch.count = groups * launch.local;
    launch.offset = draw(4) == 0 ? 1 + draw(9) : 0;
    return launch;
}

static bool is_large(const struct drawn_launch *launch)
{
    return launch->count >= 65535;
}

static bool are_of_one_class(
        const struct drawn_launch *a, const struct drawn_launch *b)
{
    return a->kernel == b->kernel && a->local == b->local
           && (a->offset != 0) == (b->offset != 0)
           && is_large(a) == is_large(b);
}

static bool has_class(const struct drawn *d, const struct drawn_launch *launch)
{
    for (unsigned i = 0; i < most_classes; i++)
        if (d->launches[i].count > 0
                && are_of_one_class(&d->launches[i], launch))
            return true;
    return false;
}

/* Programs that follow each other have each local size in turn. A kernel that
 * requires one has four classes. */
static void draw_classes(struct drawn *d, uint64_t seed, unsigned program)
{
    enum { tries = 16, step = 37 };
    const unsigned first = draw(8) == 0 ? captured_classes : 0;
    for (unsigned i = first; i < most_classes; i++) {
        const uint64_t number = seed + program * most_classes + i;
        size_t size = 1 + number * step % all_sizes;
        for (unsigned k = 0; k < tries && d->launches[i].count == 0; k++) {
            const struct drawn_launch launch = draw_launch(d, size);
            if (!has_class(d, &launch)) d->launches[i] = launch;
            size = 1 + draw(all_sizes);
        }
    }
}

static void draw_program(struct drawn *d, uint64_t seed, unsigned program)
{
    memset(d, 0, sizeof *d);
    start(seed, program, 0);
    draw_kernels(d, program);
    draw_classes(d, seed, program);
}

/* A function for any grid, once loaded, also serves launches on a small one. */
static bool is_served(
        const struct drawn_launch *by, const struct drawn_launch *launch)
{
    return by->count > 0 && by->kernel == launch->kernel
           && by->local == launch->local
           && (by->offset != 0) == (launch->offset != 0)
           && (is_large(by) || !is_large(launch));
}

/* For which launches the driver needs a function that the process lacks. */
static void tell_class(const struct drawn_launch *launches, unsigned at)
{
    for (unsigned i = 0; i < at; i++)
        if (is_served(&launches[i], &launches[at])) return;
    fprintf(stderr, "launched in a class\n");
}

static void launch_all(cl_program program, const struct drawn *d,
        const struct drawn_launch *launches, unsigned count)
{
    bool has_own = false;
    for (unsigned i = 0; i < count; i++) {
        const unsigned kernel = launches[i].kernel;
        if (launches[i].count == 0) continue;
        launch(place, program, d->names[kernel], d->numbers[kernel],
                launches[i].count, launches[i].local, launches[i].offset);
        tell_class(launches, i);
        has_own = has_own || d->names[kernel][0] == 'k';
    }
    if (has_own) fprintf(stderr, "launched by a name of its own\n");
}

static void launch_drawn(
        cl_program program, const struct drawn *d, unsigned phase)
{
    struct drawn_launch any[most_classes];
    if (phase == 1) {
        launch_all(program, d, d->launches, captured_classes);
    } else if (phase == 2) {
        launch_all(program, d, d->launches + captured_classes,
                most_classes - captured_classes);
    } else {
        for (unsigned i = 0; i < most_classes; i++)
            any[i] = draw_launch(d, 1 + draw(all_sizes));
        launch_all(program, d, any, most_classes);
    }
}

static void run_drawn(uint64_t seed, unsigned from, unsigned to, unsigned phase)
{
    cl_program waiting = NULL; /* two are there at a time */
    for (unsigned i = from; i < to; i++) {
        struct drawn d;
        draw_program(&d, seed, i);
        cl_program program = build_source(d.source);
        start(seed, i, phase + 1);
        launch_drawn(program, &d, phase);
        const bool is_left = draw(10) == 0;
        if (waiting != NULL) clReleaseProgram(waiting);
        waiting = is_left ? NULL : program;
    }
    if (waiting != NULL) clReleaseProgram(waiting);
}

/* ---- Threads ------------------------------------------------------------- */

struct builder {
    unsigned thread; /* 0 or 1 */
    unsigned count;
    bool has_own_names;
};

static atomic_bool is_over;

static void *build_many(void *argument)
{
    const struct builder *b = argument;
    struct place own;
    place_open(&own, place->context);
    for (unsigned i = 0; i < b->count; i++) {
        const unsigned number = 100 + 2 * i + b->thread;
        char name[32];
        char text[512];
        snprintf(name, sizeof name, "k_%u",
                b->has_own_names ? number : 100 + 2 * i);
        snprintf(text, sizeof text,
                "kernel void %s(global uint *out)\n"
                "{ const uint at = get_global_id(0) - get_global_offset(0);\n"
                "  out[at] = %uu * 1000003u + get_local_id(0) * 8191u\n"
                "      + get_group_id(0) * 31u + get_local_size(0)\n"
                "      + (uint)get_global_offset(0) * 7u; }\n",
                name, number);
        cl_program program = build_source(text);
        launch(&own, program, name, number, 256, 32, 0);
        launch(&own, program, name, number, 240, 24, b->thread);
        clReleaseProgram(program);
    }
    place_close(&own);
    return NULL;
}

static void *launch_meanwhile(void *unused)
{
    struct place own;
    size_t local = 1;
    place_open(&own, place->context);
    while (!atomic_load(&is_over)) {
        launch(&own, programs[0], "f", number_of(text_of[0], 'f'), 2 * local,
                local, 0);
        local = local % 128 + 1;
    }
    place_close(&own);
    return unused;
}

static void storm(unsigned count, bool has_own_names)
{
    struct builder builders[] = {
            {0, count, has_own_names}, {1, count, has_own_names}};
    pthread_t threads[3];
    if (pthread_create(&threads[0], NULL, build_many, &builders[0]) != 0
            || pthread_create(&threads[1], NULL, build_many, &builders[1]) != 0
            || pthread_create(&threads[2], NULL, launch_meanwhile, NULL) != 0)
        exit(2);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    atomic_store(&is_over, true);
    pthread_join(threads[2], NULL);
}

/* ---- Steps --------------------------------------------------------------- */

static void wait_ms(long ms)
{
    const struct timespec pause = {
            .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    nanosleep(&pause, NULL);
}

static void take(const char *step)
{
    const char *rest = strchr(step, '/');
    unsigned at = 0;
    unsigned from = 0;
    char name[2] = "";
    size_t count = 0, local = 0, offset = 0;
    unsigned long long seed = 0;
    unsigned phase = 0;
    if (rest != NULL) at = (unsigned)strtoul(rest + 1, NULL, 10);
    if (sscanf(step, "random/%llu/%u/%u/%u", &seed, &from, &at, &phase) == 4) {
        run_drawn(seed, from, at, phase);
    } else if (sscanf(step, "launch/%u/%1[a-z]/%zu/%zu/%zu", &at, name, &count,
                       &local, &offset)
                       >= 4
               && at < most_programs && count <= most_items) {
        launch(place_of[at], programs[at], name,
                number_of(text_of[at], name[0]), count, local, offset);
    } else if (sscanf(step, "again/%1[a-z]/%zu/%zu", name, &count, &local) == 3
               && held_count > 0 && count <= most_items) {
        run_kernel(place_of[0], held[0], number_of(text_of[0], name[0]), count,
                local, 0);
    } else if (strcmp(step, "drop") == 0) {
        drop_held();
    } else if (strcmp(step, "gone") == 0) {
        check(has_folder() ? CL_INVALID_PROGRAM : CL_SUCCESS, "gone");
    } else if (strncmp(step, "build/", 6) == 0 && at < most_programs) {
        build(at, step[strlen(step) - 1]);
    } else if (strncmp(step, "object/", 7) == 0 && at < most_programs) {
        compile_object(at, step[strlen(step) - 1]);
    } else if (sscanf(step, "link/%u/%u", &at, &from) == 2 && at < most_programs
               && from < most_programs) {
        link_object(at, from);
    } else if (strcmp(step, "builds") == 0) {
        build_at_one_time();
    } else if (strncmp(step, "release/", 8) == 0 && at < most_programs) {
        check(clReleaseProgram(programs[at]), "clReleaseProgram");
        programs[at] = NULL;
    } else if (strncmp(step, "ask/", 4) == 0 && at < most_programs) {
        if (!ask(at, false)) exit(1);
    } else if (strncmp(step, "write/", 6) == 0 && at < most_programs) {
        if (!ask(at, true)) exit(1);
    } else if (strncmp(step, "read/", 5) == 0 && at < most_programs) {
        build_binary(at, step[strlen(step) - 1]);
    } else if (strncmp(step, "atexit/", 7) == 0 && at < most_programs) {
        asked_at_exit = at;
        (void)atexit(ask_at_exit);
    } else if (strncmp(step, "wait/", 5) == 0) {
        wait_ms(at);
    } else if (strcmp(step, "both") == 0) {
        device_count = 2;
    } else if (strcmp(step, "context") == 0) {
        place = &places[1];
    } else if (strncmp(step, "storm/", 6) == 0) {
        storm(at, strcmp(step + strlen(step) - 3, "own") == 0);
    } else if (strcmp(step, "hold") == 0) {
        is_holding = true;
    } else if (strcmp(step, "exit") == 0) {
        exit(0);
    } else if (strcmp(step, "kill") == 0) {
        raise(SIGKILL);
    } else {
        exit(64);
    }
}

int main(int argc, char **argv)
{
    if (argc < 2) return 64;
    find_devices(argv[1]);
    for (int i = 2; i < argc; i++)
        take(argv[i]);
    drop_held();
    for (size_t i = 0; i < most_programs; i++)
        if (programs[i] != NULL) clReleaseProgram(programs[i]);
    place_close(&places[0]);
    place_close(&places[1]);
    return 0;
}
