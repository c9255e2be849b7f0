/* SPDX-License-Identifier: Apache-2.0 */
/* Programs from source: before, after and between builds. */
#include "answers.h"
#include "client.h"
#include "questions.h"

#include <pthread.h>
#include <string.h>

/* The first string is followed by what is not part of it. */
static const char *const strings[] = {
        "/* one */\n#warning \"heed this\"\nHere the length ends.",
        "#ifndef BY\n#define BY 1\n#endif\n",
        "struct pair { float a; int b; };\n"
        "__kernel __attribute__((reqd_work_group_size(4, 1, 1)))\n"
        "__attribute__((vec_type_hint(float4)))\n"
        "void shift(__global float *restrict x, const float by)\n"
        "{ x[get_global_id(0)] += by + BY; }\n"
        "__kernel void gather(__global const volatile float *restrict in,\n"
        "        __constant float4 *table, __local float *scratch,\n"
        "        __global float *out, struct pair pair, uchar n, float4 v)\n"
        "{\n"
        "    __local float own[32];\n"
        "    size_t i = get_local_id(0);\n"
        "    scratch[i] = in[i] * pair.a + (float)n;\n"
        "    own[i % 32] = scratch[i];\n"
        "    barrier(CLK_LOCAL_MEM_FENCE);\n"
        "    out[i] = own[(i + 1) % 4] + table[i].x + v.y;\n"
        "}\n"
        "#ifdef __IMAGE_SUPPORT__\n"
        "__kernel void draw(__read_only image2d_t from, sampler_t how,\n"
        "        __write_only image2d_t to)\n"
        "{ write_imagef(to, (int2)(0), read_imagef(from, how, (int2)(0))); }\n"
        "#endif\n"
        "__kernel void afresh(__global float *x, float by)\n"
        "{ x[get_global_id(0)] *= by * BY; }\n",
};

static cl_program make_rich_program(const struct client *client)
{
    size_t lengths[3] = {strlen(strings[0]) - strlen("Here the length ends."),
            0, strlen(strings[2])};
    cl_program program = clCreateProgramWithSource(client->context, 3,
            (const char **)(const void *)strings, lengths, NULL);

    handle_set_name(program, "rich");
    return program;
}

/* ---- Kernels of a built program ------------------------------------------ */

enum { MAX_KERNELS = 8 };

static const char *kernel_name(cl_kernel kernel)
{
    static char name[64];

    name[0] = 0;
    clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof(name), name, NULL);
    return name;
}

static void make_all_kernels(cl_program program)
{
    cl_kernel kernels[MAX_KERNELS];
    cl_uint count = 4711;

    memset(kernels, 0, sizeof(kernels));
    answer_status("no room for kernels",
            clCreateKernelsInProgram(program, 1, kernels, &count));
    answer("which leaves %u and %s", count, handle_name(kernels[0]));
    count = 0;
    answer_status("number of kernels",
            clCreateKernelsInProgram(program, 0, NULL, &count));
    answer("which is %u", count);
    answer_status("nothing of kernels",
            clCreateKernelsInProgram(program, 0, NULL, NULL));
    answer_status("all kernels",
            clCreateKernelsInProgram(program, MAX_KERNELS, kernels, NULL));
    answer("program has %u references", program_references(program));
    for (cl_uint i = 0; i < count && i < MAX_KERNELS; i++) {
        if (kernels[i] == NULL) continue;
        answer("kernel %u is %s, references %u", i, kernel_name(kernels[i]),
                kernel_references(kernels[i]));
        clReleaseKernel(kernels[i]);
    }
    answer("program has %u references", program_references(program));
}

static void ask_one_kernel(
        const struct client *client, cl_program program, const char *name)
{
    cl_kernel kernel = make_kernel(program, name);

    if (kernel == NULL) return;
    ask_kernel(name, kernel);
    ask_work_groups(name, kernel, client->device);
    if (strcmp(name, "gather") == 0) {
        answer_status("scratch", clSetKernelArg(kernel, 2, 100, NULL));
        ask_work_groups("gather with scratch", kernel, client->device);
    }
    forget_kernel(kernel);
}

static void ask_all_kernels(const struct client *client, cl_program program)
{
    ask_one_kernel(client, program, "shift");
    ask_one_kernel(client, program, "gather");
    ask_one_kernel(client, program, "draw");
    ask_one_kernel(client, program, "afresh");
    ask_one_kernel(client, program, "unknown");
    ask_one_kernel(client, program, "");
}

static void run_named(
        const struct client *client, cl_program program, const char *name)
{
    cl_kernel kernel = make_kernel(program, name);

    if (kernel == NULL) return;
    run_kernel(client->context, client->queue, name, kernel);
    forget_kernel(kernel);
}

void scene_source(const struct client *client)
{
    const cl_uint number = 4;
    cl_program program = make_rich_program(client);
    cl_kernel kernel;

    if (program == NULL) return;
    ask_program("unbuilt", program, 1);
    ask_build("unbuilt", program, client->device);
    run_named(client, program, "shift");
    make_all_kernels(program);
    build_program(program, "-DBY=3  -cl-mad-enable ");
    answer_status(
            "constant of source", clSetProgramSpecializationConstant(
                                          program, 1, sizeof(number), &number));
    ask_program("built", program, 0);
    ask_build("built", program, client->device);
    ask_build("built, no device", program, NULL);
    make_all_kernels(program);
    ask_all_kernels(client, program);
    run_named(client, program, "shift");
    run_named(client, program, "afresh");
    kernel = make_kernel(program, "afresh");
    if (kernel != NULL) ask_work_groups("run", kernel, NULL);
    forget_kernel(kernel);
    forget_program(program);
}

void scene_arguments(const struct client *client)
{
    cl_program program = make_rich_program(client);

    if (program == NULL) return;
    build_program(program, "-cl-kernel-arg-info");
    ask_build("built", program, client->device);
    ask_all_kernels(client, program);
    forget_program(program);
}

/* ---- Several builds of one program --------------------------------------- */

/* What the program itself says is asked of the first build only: rusticl 22.3
 * adds the kernels of all. */
static void rebuild_and_ask(const struct client *client, cl_program program,
        const char *subject, const char *options)
{
    build_program(program, options);
    ask_build(subject, program, client->device);
    run_named(client, program, "scale");
}

void scene_rebuild(const struct client *client)
{
    cl_program program = make_program(client->context, "again", scale_source);
    cl_kernel kernel;

    if (program == NULL) return;
    rebuild_and_ask(client, program, "first", "-DBY=2");
    ask_program("first", program, 0);
    kernel = make_kernel(program, "scale");
    answer("a kernel is attached");
    rebuild_and_ask(client, program, "attached", "-DBY=5");
    if (kernel != NULL)
        run_kernel(client->context, client->queue, "attached", kernel);
    forget_kernel(kernel);
    rebuild_and_ask(client, program, "second", "-DBY=7");
    kernel = make_kernel(program, "scale");
    if (kernel != NULL) ask_kernel("second", kernel);
    answer("second: %u references", program_references(program));
    forget_kernel(kernel);
    answer("second: %u references", program_references(program));
    rebuild_and_ask(client, program, "as first", "-DBY=2");
    rebuild_and_ask(client, program, "no options", NULL);
    forget_program(program);
}

void scene_failure(const struct client *client)
{
    cl_program program = make_program(client->context, "failing",
            "#ifdef WRONG\n#error this is wrong\n#endif\n"
            "__kernel void scale(__global float *x, float by)\n"
            "{ x[get_global_id(0)] *= by; }\n");

    if (program == NULL) return;
    rebuild_and_ask(client, program, "fails", "-DWRONG");
    ask_program("fails", program, 0);
    rebuild_and_ask(client, program, "fails again", "-DWRONG");
    rebuild_and_ask(client, program, "works", "");
    rebuild_and_ask(client, program, "fails at last", "-DWRONG=1");
    build_program(program, "-no-such-option-of-any-compiler");
    forget_program(program);
}

/* Of functions alone. Drivers differ in whether they tell a number of kernels,
 * names, and of a list with room for none. */
void scene_no_kernels(const struct client *client)
{
    cl_kernel kernels[MAX_KERNELS] = {NULL};
    cl_uint count = 4711;
    cl_program program = make_program(client->context, "functions",
            "float helper(float x);\n"
            "float helper(float x) { return x + 1; }\n");

    if (program == NULL) return;
    build_program(program, "");
    ask_program("functions", program, 0);
    ask_build("functions", program, client->device);
    answer_status("room for no kernels",
            clCreateKernelsInProgram(program, 0, kernels, &count));
    answer("which leaves %u", count);
    make_all_kernels(program);
    make_kernel(program, "helper");
    forget_program(program);
}

/* Not the log: Intel's driver for CPUs adds to that of the build before. */
static void answer_state(
        const struct client *client, cl_program program, const char *call)
{
    cl_build_status status = CL_BUILD_NONE;
    cl_program_binary_type type = 77;
    char options[64] = "";

    clGetProgramBuildInfo(program, client->device, CL_PROGRAM_BUILD_STATUS,
            sizeof(status), &status, NULL);
    clGetProgramBuildInfo(program, client->device, CL_PROGRAM_BINARY_TYPE,
            sizeof(type), &type, NULL);
    clGetProgramBuildInfo(program, client->device, CL_PROGRAM_BUILD_OPTIONS,
            sizeof(options), options, NULL);
    answer("%s: status %d, type %u, options \"%s\"", call, status, type,
            options);
}

static void build_and_tell(
        const struct client *client, cl_program program, const char *options)
{
    build_program(program, options);
    answer_state(client, program, "build");
}

static void compile_and_tell(
        const struct client *client, cl_program program, const char *options)
{
    answer_status(
            handle_name(program), clCompileProgram(program, 0, NULL, options, 0,
                                          NULL, NULL, NULL, NULL));
    answer_state(client, program, "compile");
}

/* What a call leaves of the one before, if it fails or does the same. */
void scene_over(const struct client *client)
{
    static const char source[] =
            "#ifdef WRONG\n#error this is wrong\n#endif\n"
            "__kernel void scale(__global float *x, float by)\n"
            "{ x[get_global_id(0)] *= by; }\n";
    cl_program built = make_program(client->context, "built over", source);
    cl_program object = make_program(client->context, "compiled over", source);
    cl_program spoiled = make_program(client->context, "spoiled", source);

    build_and_tell(client, built, "-DBY=2");
    build_and_tell(client, built, "-DWRONG");
    build_and_tell(client, built, "-DBY=2");
    compile_and_tell(client, object, "-DBY=3");
    compile_and_tell(client, object, "-DBY=3");
    compile_and_tell(client, object, "-DBY=4");
    compile_and_tell(client, spoiled, "-DBY=3");
    compile_and_tell(client, spoiled, "-DWRONG");
    compile_and_tell(client, spoiled, "-DBY=3");
    forget_program(built);
    forget_program(object);
    forget_program(spoiled);
}

/* ---- Callbacks ----------------------------------------------------------- */

struct notice {
    pthread_mutex_t lock; /* guards all below */
    pthread_cond_t told;
    unsigned count;
    cl_program program;
    cl_build_status status;
    cl_device_id device;
};

static void CL_CALLBACK notify(cl_program program, void *user)
{
    struct notice *notice = user;
    cl_build_status status = CL_BUILD_NONE;

    /* What it was built for is known by now, and may be asked here. */
    clGetProgramBuildInfo(program, notice->device, CL_PROGRAM_BUILD_STATUS,
            sizeof(status), &status, NULL);
    pthread_mutex_lock(&notice->lock);
    notice->count++;
    notice->program = program;
    notice->status = status;
    pthread_cond_signal(&notice->told);
    pthread_mutex_unlock(&notice->lock);
}

static void build_with_callback(
        const struct client *client, cl_program program, const char *options)
{
    struct notice notice = {.lock = PTHREAD_MUTEX_INITIALIZER,
            .told = PTHREAD_COND_INITIALIZER,
            .device = client->device};
    cl_int status = clBuildProgram(program, 0, NULL, options, notify, &notice);

    /* A driver may tell of a failure that it sees at once by the callback,
     * too, or not. */
    answer_status("build with a callback", status);
    pthread_mutex_lock(&notice.lock);
    while (status == CL_SUCCESS && notice.count == 0)
        pthread_cond_wait(&notice.told, &notice.lock);
    pthread_mutex_unlock(&notice.lock);
    answer("called back %u times for <%s>, status %d", notice.count,
            handle_name(notice.program), notice.status);
    ask_build("called back", program, client->device);
}

/* Each in a program of its own: what some drivers answer after a build that
 * failed is left from the one before. */
void scene_callback(const struct client *client)
{
    cl_program program =
            make_program(client->context, "notified", scale_source);
    cl_program failing =
            make_program(client->context, "notified, too", scale_source);

    if (program != NULL) {
        build_with_callback(client, program, "-DBY=2");
        run_named(client, program, "scale");
    }
    if (failing != NULL) build_with_callback(client, failing, "-DBY=-");
    forget_program(program);
    forget_program(failing);
}
