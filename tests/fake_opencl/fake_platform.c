/* SPDX-License-Identifier: Apache-2.0 */
/* The platform, and how the loader finds it. */
#include "fake_internal.h"

#include <string.h>

#define PLATFORM_EXTENSIONS "cl_khr_icd"

static cl_platform_id the_platform; /* guarded by the driver's lock */

cl_platform_id platform_get(void)
{
    if (the_platform == NULL
            && object_create(&the_platform, sizeof(*the_platform),
                       OBJECT_PLATFORM, NULL)
                       == CL_SUCCESS)
        object_make_eternal(the_platform);
    return the_platform;
}

static cl_int platform_ids(
        cl_uint capacity, cl_platform_id *platforms, cl_uint *count)
{
    cl_platform_id platform = platform_get();

    if (platform == NULL) return CL_OUT_OF_HOST_MEMORY;
    if ((platforms == NULL) == (capacity != 0)) return CL_INVALID_VALUE;
    if (platforms == NULL && count == NULL) return CL_INVALID_VALUE;
    if (platforms != NULL) platforms[0] = platform;
    if (count != NULL) *count = 1;
    return CL_SUCCESS;
}

cl_int CL_API_CALL fake_clGetPlatformIDs(
        cl_uint capacity, cl_platform_id *platforms, cl_uint *count)
{
    cl_int st = call_enter(CALL_clGetPlatformIDs, "%u", capacity);

    if (st == CL_SUCCESS) st = platform_ids(capacity, platforms, count);
    return call_leave(CALL_clGetPlatformIDs, st);
}

/* "OpenCL 2.1 ..." as a number that carries the version. */
static cl_version version_of(const char *text)
{
    unsigned major = 0, minor = 0;

    if (text[0] == 'O' && strlen(text) > 9) {
        major = (unsigned)(text[7] - '0');
        minor = (unsigned)(text[9] - '0');
    }
    return CL_MAKE_VERSION(major, minor, 0);
}

static cl_int platform_info(cl_platform_id platform, cl_platform_info param,
        const struct answer *answer)
{
    static const cl_name_version extensions[] = {
            {CL_MAKE_VERSION(1, 0, 0), PLATFORM_EXTENSIONS}};
    const char *key = NULL;
    cl_int st = object_check(platform, OBJECT_PLATFORM);

    if (st != CL_SUCCESS) return st;
    switch (param) {
    case CL_PLATFORM_PROFILE:
        key = "PLATFORM_PROFILE";
        break;
    case CL_PLATFORM_VERSION:
        key = "PLATFORM_VERSION";
        break;
    case CL_PLATFORM_NAME:
        key = "PLATFORM_NAME";
        break;
    case CL_PLATFORM_VENDOR:
        key = "PLATFORM_VENDOR";
        break;
    case CL_PLATFORM_EXTENSIONS:
        return answer_string(answer, PLATFORM_EXTENSIONS);
    case CL_PLATFORM_ICD_SUFFIX_KHR:
        return answer_string(answer, "FAKE");
    case CL_PLATFORM_HOST_TIMER_RESOLUTION:
        return answer_ulong(answer, 0);
    case CL_PLATFORM_NUMERIC_VERSION:
        return answer_uint(answer, version_of(setting("PLATFORM_VERSION", 0)));
    case CL_PLATFORM_EXTENSIONS_WITH_VERSION:
        return answer_bytes(answer, extensions, sizeof(extensions));
    default:
        return CL_INVALID_VALUE;
    }
    st = setting_status(key, 0);
    return st != CL_SUCCESS ? st : answer_string(answer, setting(key, 0));
}

cl_int CL_API_CALL fake_clGetPlatformInfo(cl_platform_id platform,
        cl_platform_info param, size_t capacity, void *value, size_t *size_ret)
{
    const struct answer answer = {capacity, value, size_ret};
    cl_int st = call_enter(CALL_clGetPlatformInfo, "param=0x%x", param);

    if (st == CL_SUCCESS) st = platform_info(platform, param, &answer);
    return call_leave(CALL_clGetPlatformInfo, st);
}

cl_int CL_API_CALL fake_clUnloadPlatformCompiler(cl_platform_id platform)
{
    cl_int st = call_enter(CALL_clUnloadPlatformCompiler, " ");

    if (st == CL_SUCCESS) st = object_check(platform, OBJECT_PLATFORM);
    return call_leave(CALL_clUnloadPlatformCompiler, st);
}

cl_int CL_API_CALL fake_clUnloadCompiler(void)
{
    cl_int st = call_enter(CALL_clUnloadCompiler, " ");

    return call_leave(CALL_clUnloadCompiler, st);
}

void *CL_API_CALL fake_clGetExtensionFunctionAddress(const char *name)
{
    cl_int st = call_enter(CALL_clGetExtensionFunctionAddress, "%s", name);
    void *address = st == CL_SUCCESS ? dispatch_find(name) : NULL;

    call_leave(CALL_clGetExtensionFunctionAddress, st);
    return address;
}

void *CL_API_CALL fake_clGetExtensionFunctionAddressForPlatform(
        cl_platform_id platform, const char *name)
{
    cl_int st = call_enter(
            CALL_clGetExtensionFunctionAddressForPlatform, "%s", name);
    void *address = NULL;

    if (st == CL_SUCCESS) st = object_check(platform, OBJECT_PLATFORM);
    if (st == CL_SUCCESS) address = dispatch_find(name);
    call_leave(CALL_clGetExtensionFunctionAddressForPlatform, st);
    return address;
}

/* ---- what the loader looks up by name ---- */

FAKE_OPENCL_API cl_int CL_API_CALL clIcdGetPlatformIDsKHR(
        cl_uint capacity, cl_platform_id *platforms, cl_uint *count)
{
    cl_int st = call_enter(CALL_clIcdGetPlatformIDsKHR, "%u", capacity);

    if (st == CL_SUCCESS) st = platform_ids(capacity, platforms, count);
    return call_leave(CALL_clIcdGetPlatformIDsKHR, st);
}

FAKE_OPENCL_API cl_int CL_API_CALL clGetPlatformInfo(cl_platform_id platform,
        cl_platform_info param, size_t capacity, void *value, size_t *size_ret)
{
    return fake_clGetPlatformInfo(platform, param, capacity, value, size_ret);
}

FAKE_OPENCL_API void *CL_API_CALL clGetExtensionFunctionAddress(
        const char *name)
{
    return fake_clGetExtensionFunctionAddress(name);
}
