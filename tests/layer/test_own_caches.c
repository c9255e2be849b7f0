/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Drivers with caches of their own, PoCL's and Mesa's, which answer with what
 * was compiled for another ID: nothing of that is kept. Each step is a process.
 */
#include "layer_process.h"
#include "src/drivers/build_marks.h"
#include "test.h"

#include <CL/cl.h>

#include <ftw.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

enum { path_size = 700, no_driver = 77, no_namespace = 78, failed = 79 };

struct step {
    const char *platform; /* a part of its name */
    const char *source;
    bool links;
    bool has_other_headers; /* of clang, in a namespace of its own */
    const char *options;    /* NULL: "" */
    /* What the library tells the layer before it builds; NULL: it is no
     * library's program. */
    const char *mark;
};

/* ---- A client ------------------------------------------------------------ */

static cl_device_id find_device(const char *platform)
{
    cl_platform_id all[16];
    cl_uint count = 0;
    if (clGetPlatformIDs(16, all, &count) != CL_SUCCESS) count = 0;
    for (cl_uint i = 0; i < count && i < 16; i++) {
        char name[256] = "";
        cl_device_id device = NULL;
        clGetPlatformInfo(all[i], CL_PLATFORM_NAME, sizeof name, name, NULL);
        if (strstr(name, platform) != NULL
                && clGetDeviceIDs(all[i], CL_DEVICE_TYPE_ALL, 1, &device, NULL)
                           == CL_SUCCESS)
            return device;
    }
    return NULL;
}

static void announce(const char *mark, cl_device_id device)
{
    cl_platform_id platform = NULL;
    union {
        void *object;
        build_mark_note_function note;
    } found = {NULL};
    clGetDeviceInfo(
            device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL);
    found.object = clGetExtensionFunctionAddressForPlatform(
            platform, BUILD_MARK_NOTE_NAME);
    if (found.object != NULL) found.note(mark);
}

static cl_program make_program(
        const struct step *step, cl_context context, cl_device_id device)
{
    cl_int error = CL_SUCCESS;
    const char *source = step->source;
    cl_program program =
            clCreateProgramWithSource(context, 1, &source, NULL, &error);
    if (program == NULL) return NULL;
    if (step->mark != NULL) announce(step->mark, device);
    if (!step->links)
        return clBuildProgram(program, 1, &device,
                       step->options != NULL ? step->options : "", NULL,
                       NULL) == CL_SUCCESS
                       ? program
                       : NULL;
    if (clCompileProgram(program, 1, &device, "", 0, NULL, NULL, NULL, NULL)
            != CL_SUCCESS)
        return NULL;
    cl_program linked = clLinkProgram(
            context, 1, &device, "", 1, &program, NULL, NULL, &error);
    clReleaseProgram(program);
    return error == CL_SUCCESS ? linked : NULL;
}

/* What its kernel f writes. */
static int run_program(
        cl_context context, cl_device_id device, cl_program program)
{
    cl_int error = CL_SUCCESS;
    cl_int result = 0;
    const size_t one = 1;
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &error);
    cl_mem buffer =
            clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                    sizeof result, &result, &error);
    cl_kernel kernel = clCreateKernel(program, "f", &error);
    if (queue == NULL || buffer == NULL || kernel == NULL
            || clSetKernelArg(kernel, 0, sizeof buffer, &buffer) != CL_SUCCESS
            || clEnqueueNDRangeKernel(
                       queue, kernel, 1, NULL, &one, &one, 0, NULL, NULL)
                       != CL_SUCCESS
            || clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof result,
                       &result, 0, NULL, NULL)
                       != CL_SUCCESS)
        return failed;
    clReleaseKernel(kernel);
    clReleaseMemObject(buffer);
    clReleaseCommandQueue(queue);
    return result;
}

/* Copies with one more macro in place of clang's headers. */
static bool put_other_headers(void)
{
    char command[4 * path_size];
    (void)snprintf(command, sizeof command,
            "for h in $(find -L /usr/lib/llvm-*/lib/clang /usr/lib/clang "
            "/usr/lib64/clang -name opencl-c-base.h 2>/dev/null |"
            " xargs -r readlink -f | sort -u); do"
            " c='%.500s'/$(echo \"$h\" | tr / _);"
            " [ -e \"$c\" ] || { echo '#define OTHER 1'; cat \"$h\"; } >\"$c\";"
            " mount --bind \"$c\" \"$h\" || exit 1; done",
            test_directory());
    return unshare(CLONE_NEWNS) == 0
           && mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0
           && system(command) == 0;
}

/* The result; exit() by the caller, so that the layer does what it does then.
 */
static int run_step(void *user)
{
    const struct step *step = user;
    cl_int error = CL_SUCCESS;
    if (step->has_other_headers && !put_other_headers()) return no_namespace;
    cl_device_id device = find_device(step->platform);
    if (device == NULL) return no_driver;
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    if (context == NULL) return failed;
    cl_program program = make_program(step, context, device);
    const int result =
            program != NULL ? run_program(context, device, program) : failed;
    if (program != NULL) clReleaseProgram(program);
    clReleaseContext(context);
    exit(result);
}

/* ---- Its processes ------------------------------------------------------- */

enum { most_variables = 12 };

/* With the layer, or without; with these variables up to a NULL. */
static int run(
        const struct step *step, bool has_layer, const char *const *variables)
{
    static char own[3][path_size];
    const char *all[most_variables + 1] = {own[0], own[1], own[2],
            "RUSTICL_ENABLE=llvmpipe", "DNNL_CACHE_CAPTURE_NOW=1"};
    size_t count = 5;
    (void)snprintf(
            own[0], path_size, "POCL_CACHE_DIR=%.500s/pocl", test_directory());
    (void)snprintf(own[1], path_size, "MESA_SHADER_CACHE_DIR=%.500s/mesa",
            test_directory());
    (void)snprintf(
            own[2], path_size, "DNNL_CACHE_DIR=%.500s/store", test_directory());
    static char statistics[path_size];
    (void)snprintf(statistics, path_size, "DNNL_CACHE_STATS=%.500s/statistics",
            test_directory());
    all[count++] = statistics;
    if (has_layer) all[count++] = "OPENCL_LAYERS=" LAYER;
    for (; *variables != NULL && count < most_variables; variables++)
        all[count++] = *variables;
    (void)unlink(strchr(statistics, '=') + 1);
    return layer_process_run(all, run_step, (void *)(uintptr_t)step);
}

/* A number of the last process's statistics. */
static unsigned long counted(const char *name)
{
    char path[path_size];
    char quoted[64];
    unsigned long number = 0;
    (void)snprintf(path, sizeof path, "%.500s/statistics", test_directory());
    (void)snprintf(quoted, sizeof quoted, "\"%s\":", name);
    char *text = layer_process_read_file(path);
    EXPECT_NOT_NULL(text);
    const char *at = text != NULL ? strstr(text, quoted) : NULL;
    if (at != NULL) number = strtoul(at + strlen(quoted), NULL, 10);
    free(text);
    return number;
}

static size_t machine_codes;

static int count_machine_code(
        const char *path, const struct stat *st, int kind, struct FTW *at)
{
    (void)st;
    if (kind == FTW_F && strcmp(path + at->base, "f.so") == 0
            && strstr(path, "/1-1-1-") != NULL)
        machine_codes++;
    return 0;
}

/* The kernels that PoCL has compiled into its cache for their launch. */
static size_t count_of_pocl(void)
{
    char path[path_size];
    (void)snprintf(path, sizeof path, "%.500s/pocl", test_directory());
    machine_codes = 0;
    (void)nftw(path, count_machine_code, 8, FTW_PHYS);
    return machine_codes;
}

/* ---- PoCL ---------------------------------------------------------------- */

static const char *const with_cache[] = {"POCL_KERNEL_CACHE=1", NULL};
static const char *const without_cache[] = {"POCL_KERNEL_CACHE=0", NULL};
/* It is in IDs, and PoCL's key lacks it. */
static const char *const otherwise[] = {
        "POCL_KERNEL_CACHE=1", "POCL_WILOOPS_MAX_UNROLL_COUNT=1", NULL};

static const char constant[] = "kernel void f(global int *o) { o[0] = 7; }";

TEST_C(OwnCaches, OfPoCLDoesNotAnswerForAnotherID)
{
    const struct step step = {
            .platform = "Portable Computing Language", .source = constant};
    const int result = run(&step, false, otherwise);
    if (result == no_driver) SKIP_TEST("no PoCL");
    EXPECT_EQ(7, result);
    EXPECT_EQ(1, count_of_pocl());
    EXPECT_EQ(7, run(&step, true, with_cache));
    EXPECT_EQ(1, counted("kept"));
    EXPECT_EQ(2, count_of_pocl());
    EXPECT_EQ(7, run(&step, true, with_cache));
    EXPECT_EQ(1, counted("hits"));
}

/* Users have it on: where the layer has no entry, it spares a compilation. */
TEST_C(OwnCaches, OfPoCLAnswersForTheSameID)
{
    static const char *const unkept[] = {
            "POCL_KERNEL_CACHE=1", "DNNL_CACHE_DIR=/dev/null/none", NULL};
    const struct step step = {
            .platform = "Portable Computing Language", .source = constant};
    const int result = run(&step, true, unkept);
    if (result == no_driver) SKIP_TEST("no PoCL");
    EXPECT_EQ(7, result);
    EXPECT_EQ(1, count_of_pocl());
    EXPECT_EQ(7, run(&step, true, unkept));
    EXPECT_EQ(1, count_of_pocl());
}

/* Its linker takes no option that would tell programs apart. */
TEST_C(OwnCaches, OfPoCLIsNotAskedForWhatIsLinked)
{
    const struct step step = {.platform = "Portable Computing Language",
            .source = constant,
            .links = true};
    const int result = run(&step, false, otherwise);
    if (result == no_driver) SKIP_TEST("no PoCL");
    EXPECT_EQ(7, result);
    EXPECT_EQ(7, run(&step, true, with_cache));
    EXPECT_EQ(1, counted("kept")); /* the object */
    EXPECT_EQ(1, counted("unsupported"));
    EXPECT_EQ(7, run(&step, true, without_cache));
    EXPECT_EQ(1, counted("kept")); /* what is linked of it */
    EXPECT_EQ(0, counted("not_kept"));
    EXPECT_EQ(7, run(&step, true, with_cache));
    EXPECT_EQ(0, counted("misses"));
}

/* ---- The library's own mark ---------------------------------------------- */

#define DIGEST "00112233445566778899aabbccddeeff"
#define OTHER_DIGEST "102132435465768798a9babbdcedfe0f"
#define MARK "-D__dnnl_cache_" DIGEST
#define OTHER_MARK "-D__dnnl_cache_" OTHER_DIGEST

/* It is another one on each machine, and no part of what an entry is for. */
TEST_C(OwnCaches, MarkOfTheLibrarysDoesNotPartEntries)
{
    static const char source[] = "kernel void f(global int *o) { o[0] = X; }";
    struct step step = {.platform = "Portable Computing Language",
            .source = source,
            .options = MARK " -DX=7",
            .mark = MARK};
    const int result = run(&step, true, without_cache);
    if (result == no_driver) SKIP_TEST("no PoCL");
    EXPECT_EQ(7, result);
    EXPECT_EQ(1, counted("kept"));
    step.options = OTHER_MARK " -DX=7";
    step.mark = OTHER_MARK;
    EXPECT_EQ(7, run(&step, true, without_cache));
    EXPECT_EQ(1, counted("hits"));
    step.options = "-DX=7";
    EXPECT_EQ(7, run(&step, true, without_cache));
    EXPECT_EQ(1, counted("hits"));
}

/* A macro of the application's is one, whatever it looks like. */
TEST_C(OwnCaches, MacroThatLooksLikeAMarkIsTheApplications)
{
    static const char source[] = "#ifdef __dnnl_cache_" DIGEST "\n"
                                 "#define X 1\n"
                                 "#else\n"
                                 "#define X 2\n"
                                 "#endif\n"
                                 "kernel void f(global int *o) { o[0] = X; }";
    struct step step = {.platform = "Portable Computing Language",
            .source = source,
            .options = MARK};
    const int result = run(&step, true, without_cache);
    if (result == no_driver) SKIP_TEST("no PoCL");
    EXPECT_EQ(1, result);
    step.options = OTHER_MARK;
    EXPECT_EQ(2, run(&step, true, without_cache));
    EXPECT_EQ(0, counted("hits"));
    step.mark = MARK; /* not the one of the options */
    EXPECT_EQ(2, run(&step, true, without_cache));
    EXPECT_EQ(1, counted("hits"));
}

/* ---- rusticl ------------------------------------------------------------- */

static const char *const nothing[] = {NULL};

TEST_C(OwnCaches, OfMesaDoesNotAnswerForOtherHeaders)
{
    static const char *const no_mesa[] = {"MESA_SHADER_CACHE_DISABLE=1", NULL};
    static const char source[] = "kernel void f(global int *o) {\n"
                                 "#ifdef OTHER\no[0] = 2;\n"
                                 "#else\no[0] = 1;\n#endif\n}\n";
    struct step step = {.platform = "rusticl", .source = source};
    const int result = run(&step, false, no_mesa);
    if (result == no_driver) SKIP_TEST("no rusticl");
    EXPECT_EQ(1, result);
    step.has_other_headers = true;
    const int other = run(&step, false, no_mesa);
    if (other == no_namespace) SKIP_TEST("no mount namespaces: run it as root");
    if (other == 1) SKIP_TEST("this rusticl does not read clang's header");
    EXPECT_EQ(2, other);
    step.has_other_headers = false;
    EXPECT_EQ(1, run(&step, true, nothing));
    EXPECT_EQ(1, counted("kept"));
    step.has_other_headers = true;
    EXPECT_EQ(2, run(&step, true, nothing));
    EXPECT_EQ(1, counted("kept"));
    EXPECT_EQ(2, run(&step, true, nothing));
    EXPECT_EQ(1, counted("hits"));
    step.has_other_headers = false;
    EXPECT_EQ(1, run(&step, true, nothing));
    EXPECT_EQ(1, counted("hits"));
}
