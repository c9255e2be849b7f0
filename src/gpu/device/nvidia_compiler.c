/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/device/nvidia_compiler.h"

#include "src/common/once.h"
#include "src/gpu/device/cl_status.h"
#include "src/gpu/device/driver_build.h"
#include "src/platform/library.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_SIZE = 1200, SUCCESS = 0 };

/* nvPTXCompilerHandle, and the calls, each of which returns 0 for success. */
typedef struct nv_handle *handle_t;
struct calls {
    int (*get_version)(unsigned *major, unsigned *minor);
    int (*create)(handle_t *handle, size_t size, const char *ptx);
    int (*compile)(handle_t handle, int count, const char *const *options);
    int (*get_size)(handle_t handle, size_t *size);
    int (*get_program)(handle_t handle, void *program);
    int (*get_log_size)(handle_t handle, size_t *size);
    int (*get_log)(handle_t handle, char *log);
    int (*destroy)(handle_t *handle);
};

/* Once made, it stays: what it opened is not closed. */
struct nvidia_compiler {
    char path[PATH_SIZE];
    struct once once; /* what follows is fixed once it is done */
    bool is_good;
    struct blob_reason reason;
    struct calls calls;
    struct nvidia_compiler *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* leaf */
static struct nvidia_compiler *known;                    /* guarded by lock */

static struct nvidia_compiler *find_or_add(const char *path)
{
    pthread_mutex_lock(&lock);
    struct nvidia_compiler *c = known;
    while (c != NULL && strcmp(c->path, path) != 0)
        c = c->next;
    if (c == NULL && (c = calloc(1, sizeof *c)) != NULL) {
        snprintf(c->path, sizeof c->path, "%s", path);
        once_init(&c->once);
        c->next = known;
        known = c;
    }
    pthread_mutex_unlock(&lock);
    return c;
}

#define REFUSE(...) \
    (void)snprintf(reason->text, sizeof reason->text, __VA_ARGS__)

/* ---- Which file ---------------------------------------------------------- */

/* The platform's version ends in "CUDA 13.0.84": what the driver implements. */
static bool read_cuda_version(
        cl_platform_id platform, unsigned *major, unsigned *minor)
{
    char *text = NULL;
    if (platform_string(platform, CL_PLATFORM_VERSION, &text) != dnnl_success)
        return false;
    const char *cuda = strstr(text, "CUDA ");
    char *end = NULL;
    bool is_there = cuda != NULL;
    if (is_there) {
        *major = (unsigned)strtoul(cuda + 5, &end, 10);
        is_there = *end == '.';
    }
    if (is_there) *minor = (unsigned)strtoul(end + 1, NULL, 10);
    free(text);
    return is_there;
}

/* The folder that the driver was loaded from, and its version. */
static bool find_path(cl_platform_id platform, cl_device_id device, char *path,
        struct blob_reason *reason)
{
    char folder[PATH_SIZE / 2];
    char *version = NULL;
    if (!driver_folder(platform, device, folder, sizeof folder)) {
        REFUSE("the folder of the driver is not known");
        return false;
    }
    if (device_string(device, CL_DRIVER_VERSION, &version) != dnnl_success) {
        REFUSE("the version of the driver is not known");
        return false;
    }
    bool is_good = version[0] != '\0' && strlen(version) < 64
                   && strspn(version, "0123456789.") == strlen(version);
    if (is_good)
        snprintf(path, PATH_SIZE, "%s/libnvidia-ptxjitcompiler.so.%s", folder,
                version);
    else
        REFUSE("'%.40s' is no version of NVIDIA's driver", version);
    free(version);
    return is_good;
}

/* ---- Opening it ---------------------------------------------------------- */

static bool find_calls(struct library *library, struct calls *calls,
        struct blob_reason *reason)
{
    const struct {
        const char *name;
        void *place;
    } symbols[] = {
            {"nvPTXCompilerGetVersion", &calls->get_version},
            {"nvPTXCompilerCreate", &calls->create},
            {"nvPTXCompilerCompile", &calls->compile},
            {"nvPTXCompilerGetCompiledProgramSize", &calls->get_size},
            {"nvPTXCompilerGetCompiledProgram", &calls->get_program},
            {"nvPTXCompilerGetErrorLogSize", &calls->get_log_size},
            {"nvPTXCompilerGetErrorLog", &calls->get_log},
            {"nvPTXCompilerDestroy", &calls->destroy},
    };
    for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; i++) {
        if (library_find(library, symbols[i].name, symbols[i].place)) continue;
        REFUSE("NVIDIA's PTX compiler has no %s", symbols[i].name);
        return false;
    }
    return true;
}

static bool open_library(struct nvidia_compiler *c, cl_platform_id platform,
        struct blob_reason *reason)
{
    unsigned major = 0;
    unsigned minor = 0;
    unsigned their_major = 0;
    unsigned their_minor = 0;
    if (!read_cuda_version(platform, &major, &minor)) {
        REFUSE("the driver does not tell its version of CUDA");
        return false;
    }
    const char *why;
    struct library *library = library_open(c->path, false, &why);
    if (library == NULL) {
        REFUSE("NVIDIA's PTX compiler: %.120s", why);
        return false;
    }
    bool is_good = find_calls(library, &c->calls, reason);
    if (is_good
            && (c->calls.get_version(&their_major, &their_minor) != SUCCESS
                    || their_major != major || their_minor != minor)) {
        REFUSE("NVIDIA's PTX compiler is of CUDA %u.%u, the driver of %u.%u",
                their_major, their_minor, major, minor);
        is_good = false;
    }
    if (!is_good) library_close(library);
    return is_good;
}

const struct nvidia_compiler *nvidia_compiler_of(cl_device_id device,
        bool (*self_test)(const struct nvidia_compiler *compiler, void *arg,
                struct blob_reason *reason),
        void *arg, struct blob_reason *reason)
{
    char path[PATH_SIZE];
    cl_platform_id platform = NULL;
    if (clGetDeviceInfo(
                device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL)
            != CL_SUCCESS) {
        REFUSE("the platform is not known");
        return NULL;
    }
    if (!find_path(platform, device, path, reason)) return NULL;
    struct nvidia_compiler *c = find_or_add(path);
    if (c == NULL) {
        REFUSE("no memory");
        return NULL;
    }
    switch (once_begin(&c->once)) {
    case once_is_done:
        break;
    case once_is_ours:
        c->is_good = open_library(c, platform, &c->reason)
                     && self_test(c, arg, &c->reason);
        once_end(&c->once, true);
        break;
    case once_is_nested:
        REFUSE("NVIDIA's PTX compiler is being tried out");
        return NULL;
    }
    if (c->is_good) return c;
    *reason = c->reason;
    return NULL;
}

/* ---- Using it ------------------------------------------------------------ */

/* What the compiler has against the text, in one line. */
static void read_log(const struct calls *calls, handle_t handle,
        const char *what, struct blob_reason *reason)
{
    enum { MOST = 1 << 16 };
    size_t size = 0;
    char *log = NULL;
    if (calls->get_log_size(handle, &size) == SUCCESS && size > 0
            && size < MOST)
        log = calloc(size + 1, 1);
    if (log != NULL && calls->get_log(handle, log) == SUCCESS)
        log[strcspn(log, "\r\n")] = '\0';
    REFUSE("NVIDIA's PTX compiler: %s: %.100s", what, log != NULL ? log : "");
    free(log);
}

/* Appends what was compiled. */
static dnnl_status_t take_program(const struct calls *calls, handle_t handle,
        struct buffer *out, struct blob_reason *reason)
{
    size_t size = 0;
    if (calls->get_size(handle, &size) != SUCCESS || size == 0
            || size > BLOB_MAX_BINARY_SIZE) {
        REFUSE("NVIDIA's PTX compiler gives no program");
        return dnnl_unimplemented;
    }
    uint8_t *room = buffer_reserve(out, size);
    if (room == NULL) return dnnl_out_of_memory;
    memset(room, 0, size);
    if (calls->get_program(handle, room) != SUCCESS) {
        REFUSE("NVIDIA's PTX compiler does not give its program");
        return dnnl_unimplemented;
    }
    out->size += size;
    return dnnl_success;
}

dnnl_status_t nvidia_compiler_assemble(const struct nvidia_compiler *compiler,
        const char *ptx, int option_count, const char *const *options,
        struct buffer *out, struct blob_reason *reason)
{
    const struct calls *calls = &compiler->calls;
    handle_t handle = NULL;
    if (calls->create(&handle, strlen(ptx), ptx) != SUCCESS) {
        REFUSE("NVIDIA's PTX compiler does not take the text");
        return dnnl_unimplemented;
    }
    dnnl_status_t st = dnnl_unimplemented;
    if (calls->compile(handle, option_count, options) != SUCCESS)
        read_log(calls, handle, "refused", reason);
    else
        st = take_program(calls, handle, out, reason);
    (void)calls->destroy(&handle);
    return st;
}
