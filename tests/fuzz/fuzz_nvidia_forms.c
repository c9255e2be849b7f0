/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as what NVIDIA's driver and its PTX compiler hand out: a byte that
 * is the device's compute capability, names of kernels, build options, the PTX,
 * and the CUBIN. The whole finaliser runs on them; the target has the place of
 * the driver and of the compiler. A CUBIN that is accepted has the kernels'
 * names in it, and none is that is cut.
 */
#include "pieces.h"
#include "src/gpu/device/driver_name.h"
#include "src/gpu/device/finaliser.h"
#include "src/gpu/device/nvidia_compiler.h"
#include "src/gpu/device/nvidia_cubin.h"
#include "src/gpu/device/nvidia_options.h"

#include <stdbool.h>

static unsigned capability;
static struct piece cubin;

/* ---- In place of the driver and of its compiler -------------------------- */

cl_int clGetDeviceInfo(cl_device_id device, cl_device_info what, size_t size,
        void *value, size_t *size_out)
{
    const cl_uint digit = what == 0x4000 ? capability / 10 : capability % 10;
    (void)device;
    REQUIRE(size == sizeof digit);
    memcpy(value, &digit, sizeof digit);
    if (size_out != NULL) *size_out = size;
    return CL_SUCCESS;
}

bool driver_is(cl_device_id device, const char *platform)
{
    (void)device;
    (void)platform;
    return true;
}

bool finaliser_takes_large(void)
{
    return false;
}

/* Not the self-test, which needs a device that loads. */
const struct nvidia_compiler *nvidia_compiler_of(cl_device_id device,
        bool (*self_test)(const struct nvidia_compiler *compiler, void *arg,
                struct blob_reason *reason),
        void *arg, struct blob_reason *reason)
{
    (void)device;
    (void)self_test;
    (void)arg;
    (void)reason;
    return (const struct nvidia_compiler *)&cubin;
}

dnnl_status_t nvidia_compiler_assemble(const struct nvidia_compiler *compiler,
        const char *ptx, int option_count, const char *const *options,
        struct buffer *out, struct blob_reason *reason)
{
    (void)reason;
    REQUIRE((const void *)compiler == &cubin && option_count > 0);
    touch(ptx, strlen(ptx) + 1);
    for (int i = 0; i < option_count; i++)
        touch(options[i], strlen(options[i]) + 1);
    uint8_t *room = buffer_reserve(out, cubin.size);
    if (room == NULL) return dnnl_out_of_memory;
    memcpy(room, cubin.data, cubin.size);
    out->size += cubin.size;
    return dnnl_success;
}

/* ---- The properties ------------------------------------------------------ */

static uint32_t count_names(const struct piece *names)
{
    uint32_t count = 0;
    for (size_t i = 0; i < names->size; i++)
        count += names->data[i] == '\0';
    return count;
}

static void check_cubin(const struct piece *names)
{
    struct blob_reason reason = {""};
    const char *kernels = (const char *)names->data;
    const uint32_t count = count_names(names);
    if (!nvidia_cubin_check(
                cubin.data, cubin.size, capability, kernels, count, &reason)) {
        REQUIRE(reason.text[0] != '\0');
        return;
    }
    for (uint32_t i = 0; i < count; i++, kernels += strlen(kernels) + 1)
        REQUIRE(memmem(cubin.data, cubin.size, kernels, strlen(kernels) + 1)
                != NULL);
    REQUIRE(!nvidia_cubin_check(cubin.data, cubin.size, capability ^ 1,
            (const char *)names->data, count, &reason));
    REQUIRE(!nvidia_cubin_check(cubin.data, 63, capability,
            (const char *)names->data, count, &reason));
}

static void finalise(
        const struct piece *names, const char *options, const struct piece *ptx)
{
    struct buffer out = {NULL, 0, 0, false};
    struct blob_reason reason = {""};
    const struct finaliser_source source = {.options = options,
            .binary = ptx->data,
            .size = ptx->size,
            .kernels = (const char *)names->data,
            .kernel_count = count_names(names)};
    const dnnl_status_t st = finaliser_nvidia.finalise(&source, &out, &reason);
    if (st == dnnl_success)
        REQUIRE(finaliser_nvidia.check(NULL, out.data, out.size, source.kernels,
                        source.kernel_count, true, &reason)
                && source.kernel_count > 0);
    else
        REQUIRE(st == dnnl_unimplemented && reason.text[0] != '\0');
    buffer_fini(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pieces pieces = {data, size};
    capability = pieces_byte(&pieces);
    struct piece names = pieces_next(&pieces);
    char *options = pieces_text(&pieces);
    struct piece ptx = pieces_next(&pieces);
    cubin = pieces_rest(&pieces);
    /* Names end. */
    if (names.size > 0) names.data[names.size - 1] = '\0';
    check_cubin(&names);
    finalise(&names, options, &ptx);
    free(names.data);
    free(options);
    free(ptx.data);
    free(cubin.data);
    return 0;
}
