/* SPDX-License-Identifier: Apache-2.0 */
/*
 * NVIDIA's driver hands out PTX, a text that it assembles at every load. This
 * assembles it once, to the machine code (CUBIN) that the driver would make.
 */
#include "src/gpu/device/driver_name.h"
#include "src/gpu/device/finaliser.h"
#include "src/gpu/device/nvidia_compiler.h"
#include "src/gpu/device/nvidia_cubin.h"
#include "src/gpu/device/nvidia_options.h"

#include <stdio.h>
#include <string.h>

enum {
    /* Its directives are at the beginning, behind a comment. */
    HEAD_SIZE = 4096,
    LINE_SIZE = 64
};

/* From cl_nv_device_attribute_query. */
enum { QUERY_MAJOR = 0x4000, QUERY_MINOR = 0x4001 };

#define REFUSE(...) \
    (void)snprintf(reason->text, sizeof reason->text, __VA_ARGS__)

static bool accepts(cl_device_id device)
{
    return driver_is(device, "NVIDIA CUDA");
}

/* The compute capability of a device, 90 for 9.0; 0: not known. */
static unsigned sm_of(cl_device_id device)
{
    cl_uint major = 0;
    cl_uint minor = 0;
    if (clGetDeviceInfo(device, QUERY_MAJOR, sizeof major, &major, NULL)
                    != CL_SUCCESS
            || clGetDeviceInfo(device, QUERY_MINOR, sizeof minor, &minor, NULL)
                       != CL_SUCCESS
            || major > 99 || minor > 9)
        return 0;
    return major * 10 + minor;
}

/* ---- The PTX ------------------------------------------------------------- */

/* What its first directives say. */
struct head {
    char version[LINE_SIZE]; /* the whole line */
    char target[LINE_SIZE];
    char address_size[LINE_SIZE];
    unsigned sm;
};

/* Copies the first line that starts with the directive. */
static bool find_line(const char *text, const char *directive, char *line)
{
    const size_t size = strlen(directive);
    for (const char *at = text; *at != '\0' && at - text < HEAD_SIZE;) {
        const size_t length = strcspn(at, "\r\n");
        if (strncmp(at, directive, size) == 0 && at[size] == ' '
                && length < LINE_SIZE) {
            memcpy(line, at, length);
            line[length] = '\0';
            return true;
        }
        at += length;
        at += strspn(at, "\r\n");
    }
    return false;
}

/* True if the bytes are a text with one NUL or more at its end. */
static bool is_text(const uint8_t *bytes, size_t size)
{
    const uint8_t *end = size > 0 ? memchr(bytes, '\0', size) : NULL;
    if (end == NULL || end == bytes) return false;
    for (const uint8_t *at = end; at < bytes + size; at++)
        if (*at != '\0') return false;
    return true;
}

static bool read_head(const struct finaliser_source *source, struct head *head,
        struct blob_reason *reason)
{
    const char *text = (const char *)source->binary;
    if (!is_text(source->binary, source->size)) {
        REFUSE("the driver's binary is not PTX");
        return false;
    }
    if (source->size > driver_most_ptx && !finaliser_takes_large()) {
        REFUSE("%zu bytes of PTX, more than %d", source->size,
                (int)driver_most_ptx);
        return false;
    }
    /* The driver (580.159) crashes on machine code that prints, loaded in the
     * process that built it. It is the one function that no program has. */
    if (strstr(text, "vprintf") != NULL || strstr(text, ".extern") != NULL) {
        REFUSE("it calls functions of the driver, as printf() does");
        return false;
    }
    char rest = '\0';
    if (!find_line(text, ".version", head->version)
            || !find_line(text, ".target", head->target)
            || !find_line(text, ".address_size", head->address_size)
            || sscanf(head->target, ".target sm_%3u%c", &head->sm, &rest) < 1
            || (rest != '\0' && rest != ',' && rest != ' ')) {
        REFUSE("the driver's binary is not PTX of a known form");
        return false;
    }
    return true;
}

/* ---- Self-test ----------------------------------------------------------- */

struct trial {
    const struct finaliser_source *source;
    const struct head *head;
};

static const char trial_kernel[] = "dnnl_cache_self_test";

/* Loads a CUBIN of the trial's text, and asks for its kernel. */
static bool is_loadable(
        const struct finaliser_source *source, const struct buffer *cubin)
{
    const unsigned char *bytes = cubin->data;
    const size_t size = cubin->size;
    cl_uint arguments = 0;
    cl_int error = CL_SUCCESS;
    cl_program program = clCreateProgramWithBinary(
            source->context, 1, &source->device, &size, &bytes, NULL, &error);
    if (program == NULL) return false;
    if (error == CL_SUCCESS)
        error = clBuildProgram(program, 1, &source->device, "", NULL, NULL);
    cl_kernel kernel = NULL;
    if (error == CL_SUCCESS)
        kernel = clCreateKernel(program, trial_kernel, &error);
    if (kernel != NULL) {
        error = clGetKernelInfo(
                kernel, CL_KERNEL_NUM_ARGS, sizeof arguments, &arguments, NULL);
        clReleaseKernel(kernel);
    }
    clReleaseProgram(program);
    return error == CL_SUCCESS && arguments == 1;
}

static dnnl_status_t assemble(const struct nvidia_compiler *compiler,
        const struct head *head, const char *ptx,
        const struct nvidia_options *options, struct buffer *out,
        struct blob_reason *reason)
{
    char gpu_name[32];
    const char *list[NVIDIA_MOST_OPTIONS + 1] = {gpu_name};
    int count = 1;
    snprintf(gpu_name, sizeof gpu_name, "--gpu-name=sm_%u", head->sm);
    for (size_t i = 0; options != NULL && i < options->count; i++)
        list[count++] = options->text[i];
    return nvidia_compiler_assemble(compiler, ptx, count, list, out, reason);
}

/* Assembles a known text and loads what comes out. */
static bool self_test(const struct nvidia_compiler *compiler, void *arg,
        struct blob_reason *reason)
{
    const struct trial *trial = arg;
    const struct head *head = trial->head;
    struct buffer cubin = {NULL, 0, 0, false};
    char ptx[1024];
    snprintf(ptx, sizeof ptx,
            "%s\n%s\n%s\n\n"
            ".entry %s(\n\t.param .u64 .ptr .global .align 4 %s_param_0\n)\n"
            "{\n\t.reg .b32 %%r<2>;\n\t.reg .b64 %%rd<2>;\n"
            "\tld.param.u64 %%rd1, [%s_param_0];\n\tmov.u32 %%r1, 42;\n"
            "\tst.global.u32 [%%rd1], %%r1;\n\tret;\n}\n",
            head->version, head->target, head->address_size, trial_kernel,
            trial_kernel, trial_kernel);
    bool is_good =
            assemble(compiler, head, ptx, NULL, &cubin, reason) == dnnl_success
            && nvidia_cubin_check(
                    cubin.data, cubin.size, head->sm, trial_kernel, 1, reason);
    if (is_good && !is_loadable(trial->source, &cubin)) {
        REFUSE("the driver does not load what its PTX compiler makes");
        is_good = false;
    }
    buffer_fini(&cubin);
    return is_good;
}

/* ---- A program ----------------------------------------------------------- */

static dnnl_status_t finalise(const struct finaliser_source *source,
        struct buffer *out, struct blob_reason *reason)
{
    struct head head;
    struct nvidia_options options;
    if (source->kernel_count == 0) { /* to be linked: of PTX alone */
        REFUSE("it has no kernels");
        return dnnl_unimplemented;
    }
    if (!nvidia_options_read(source->options, &options, reason)
            || !read_head(source, &head, reason))
        return dnnl_unimplemented;
    const unsigned sm = sm_of(source->device);
    if (sm != head.sm) {
        REFUSE("PTX for sm_%u on a device of sm_%u", head.sm, sm);
        return dnnl_unimplemented;
    }
    struct trial trial = {source, &head};
    const struct nvidia_compiler *compiler =
            nvidia_compiler_of(source->device, self_test, &trial, reason);
    if (compiler == NULL) return dnnl_unimplemented;
    dnnl_status_t st = assemble(compiler, &head, (const char *)source->binary,
            &options, out, reason);
    if (st == dnnl_success
            && !nvidia_cubin_check(out->data, out->size, sm, source->kernels,
                    source->kernel_count, reason))
        st = dnnl_unimplemented;
    return st;
}

static bool check(cl_device_id device, const uint8_t *form, size_t size,
        const char *kernels, uint32_t kernel_count, bool has_known_launches,
        struct blob_reason *reason)
{
    (void)has_known_launches; /* It has code for all. */
    return nvidia_cubin_check(
            form, size, sm_of(device), kernels, kernel_count, reason);
}

const struct finaliser finaliser_nvidia = {.name = DRIVER_PTX_FINALISER "1",
        .accepts = accepts,
        .finalise = finalise,
        .check = check};
