/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/program/describe/il.h"

#include "src/common/log.h"
#include "src/gpu/device/cl_status.h"

#include <CL/cl_ext.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* 201 for "OpenCL 2.1 ...", 0 for what is none. */
static dnnl_status_t read_version(cl_platform_id platform, int *version)
{
    size_t size = 0;
    dnnl_status_t st = cl_status(
            clGetPlatformInfo(platform, CL_PLATFORM_VERSION, 0, NULL, &size),
            "clGetPlatformInfo(CL_PLATFORM_VERSION)");
    if (st != dnnl_success) return st;
    char *text = calloc(size + 1, 1);
    if (text == NULL) return dnnl_out_of_memory;
    st = cl_status(
            clGetPlatformInfo(platform, CL_PLATFORM_VERSION, size, text, NULL),
            "clGetPlatformInfo(CL_PLATFORM_VERSION)");
    int major = 0;
    int minor = 0;
    /* NOLINTNEXTLINE(cert-err34-c): what is no number stays 0 */
    (void)sscanf(text, "OpenCL %4d.%4d", &major, &minor);
    free(text);
    *version = 100 * major + minor;
    return st;
}

/* The device's platform, and the version of OpenCL that its functions are
 * of. */
static dnnl_status_t read_platform(
        cl_device_id device, cl_platform_id *platform, int *version)
{
    dnnl_status_t st = cl_status(clGetDeviceInfo(device, CL_DEVICE_PLATFORM,
                                         sizeof *platform, platform, NULL),
            "clGetDeviceInfo(CL_DEVICE_PLATFORM)");
    if (st != dnnl_success) return st;
    return read_version(*platform, version);
}

dnnl_status_t il_version(cl_device_id device, char **version)
{
    size_t size = 0;
    cl_int error =
            clGetDeviceInfo(device, CL_DEVICE_IL_VERSION, 0, NULL, &size);
    /* Devices before OpenCL 2.1 do not know the query. */
    if (error == CL_INVALID_VALUE || (error == CL_SUCCESS && size < 2)) {
        log_message(dnnl_cache_log_info, "program",
                "the device takes no IL: its CL_DEVICE_IL_VERSION is empty");
        return dnnl_unimplemented;
    }
    dnnl_status_t st =
            cl_status(error, "clGetDeviceInfo(CL_DEVICE_IL_VERSION)");
    if (st != dnnl_success) return st;
    char *text = calloc(size + 1, 1);
    if (text == NULL) return dnnl_out_of_memory;
    st = cl_status(
            clGetDeviceInfo(device, CL_DEVICE_IL_VERSION, size, text, NULL),
            "clGetDeviceInfo(CL_DEVICE_IL_VERSION)");
    if (st == dnnl_success && text[0] == '\0') st = dnnl_unimplemented;
    if (st != dnnl_success) {
        free(text);
        return st;
    }
    *version = text;
    return dnnl_success;
}

/* What a driver answers to the caller's bytes and numbers is the caller's to
 * mend. */
static dnnl_status_t il_status(cl_int error, const char *function)
{
    if (error == CL_INVALID_OPERATION) {
        log_message(dnnl_cache_log_error, "program",
                "%s: the driver does not support it", function);
        return dnnl_unimplemented;
    }
    if (error != CL_INVALID_VALUE && error != CL_INVALID_SPEC_ID)
        return cl_status(error, function);
    log_message(dnnl_cache_log_error, "program", "%s answers %s", function,
            cl_error_name(error));
    return dnnl_invalid_arguments;
}

/* Of a platform of that version; from 2.1 on the call is in the core. */
static dnnl_status_t create(cl_platform_id platform, int version,
        cl_context context, const void *il, size_t size, cl_program *program)
{
    cl_int error;
    clCreateProgramWithILKHR_fn create_with_il = clCreateProgramWithIL;
    const char *function = "clCreateProgramWithIL";
    if (version < 201) {
        void *address = clGetExtensionFunctionAddressForPlatform(
                platform, "clCreateProgramWithILKHR");
        if (address == NULL) return dnnl_unimplemented;
        memcpy(&create_with_il, &address, sizeof create_with_il);
        function = "clCreateProgramWithILKHR";
    }
    cl_program made = create_with_il(context, il, size, &error);
    dnnl_status_t st = il_status(error, function);
    if (st == dnnl_success) *program = made;
    return st;
}

dnnl_status_t il_create_program(cl_context context, cl_device_id device,
        const void *il, size_t size, const struct spec_constant *constants,
        size_t count, cl_program *program)
{
    cl_platform_id platform;
    int version;
    cl_program made;
    dnnl_status_t st = read_platform(device, &platform, &version);
    if (st != dnnl_success) return st;
    if (count > 0 && version < 202) {
        log_message(dnnl_cache_log_info, "program",
                "specialization constants need a platform of OpenCL 2.2");
        return dnnl_unimplemented;
    }
    st = create(platform, version, context, il, size, &made);
    if (st != dnnl_success) return st;
    for (size_t i = 0; i < count && st == dnnl_success; i++)
        st = il_status(clSetProgramSpecializationConstant(made, constants[i].id,
                               constants[i].size, constants[i].value),
                "clSetProgramSpecializationConstant");
    if (st == dnnl_success)
        *program = made;
    else
        clReleaseProgram(made);
    return st;
}
