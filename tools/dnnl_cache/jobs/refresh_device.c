/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/dnnl_cache/jobs/refresh_device.h"

#include "src/platform/processor.h"
#include "tools/common/id/fields.h"
#include "tools/dnnl_cache/jobs/refresh_id.h"

#include <stdlib.h>
#include <string.h>

enum { most_platforms = 32, most_devices = 64 };

/* Is a text that the driver tells the value of a field? */
static bool is_value(
        size_t id_size, const uint8_t *id, const char *name, const char *text)
{
    dnnl_cache_id_field_t field;
    size_t at = 0;
    return refresh_id_find(&field, &at, id_size, id, name)
           && field.size == strlen(text)
           && memcmp(field.value, text, field.size) == 0;
}

/* The next field that is not of the environment. */
static bool next_fixed(dnnl_cache_id_field_t *field, size_t *position,
        size_t size, const uint8_t *id)
{
    do
        if (!fields_next(field, position, size, id)) return false;
    while (strcmp(field->name, REFRESH_ENVIRONMENT) == 0);
    return true;
}

/* Where the device's fields begin: those before are the library's versions, of
 * which engines and programs have different ones. */
static bool find_device_fields(size_t *position, size_t size, const uint8_t *id)
{
    dnnl_cache_id_field_t field;
    size_t next = 0;
    do {
        *position = next;
        if (!fields_next(&field, &next, size, id)) return false;
    } while (strcmp(field.name, "platform_name") != 0);
    return true;
}

/* Does the program's ID have all the device's fields, the environment apart? */
static bool has_device_fields(size_t id_size, const uint8_t *id,
        size_t device_size, const uint8_t *device_id)
{
    dnnl_cache_id_field_t theirs, ours;
    size_t at;
    size_t device_at;
    if (!find_device_fields(&at, id_size, id)
            || !find_device_fields(&device_at, device_size, device_id))
        return false;
    while (next_fixed(&ours, &device_at, device_size, device_id))
        if (!next_fixed(&theirs, &at, id_size, id) || theirs.tag != ours.tag
                || theirs.size != ours.size
                || memcmp(theirs.value, ours.value, ours.size) != 0)
            return false;
    return true;
}

/* Unsets variables that the device's ID has and the program's has not. */
static bool clean_environment(size_t id_size, const uint8_t *id,
        size_t device_size, const uint8_t *device_id)
{
    dnnl_cache_id_field_t field;
    size_t at = 0;
    bool is_changed = false;
    while (refresh_id_find(
            &field, &at, device_size, device_id, REFRESH_ENVIRONMENT)) {
        const char *end = memchr(field.value, '=', field.size);
        const size_t size =
                end != NULL ? (size_t)(end - (const char *)field.value) : 0;
        if (size == 0
                || refresh_id_has_variable(id_size, id, field.value, size))
            continue;
        char *name = strndup((const char *)field.value, size);
        is_changed = name != NULL && unsetenv(name) == 0;
        free(name);
    }
    return is_changed;
}

static uint8_t *read_device_id(cl_device_id device, size_t *size)
{
    *size = 0;
    if (dnnl_ocl_interop_engine_get_cache_blob_id(device, size, NULL)
                    != dnnl_success
            || *size == 0)
        return NULL;
    uint8_t *id = malloc(*size);
    if (id != NULL
            && dnnl_ocl_interop_engine_get_cache_blob_id(device, size, id)
                       == dnnl_success)
        return id;
    free(id);
    return NULL;
}

static bool is_it(struct refresh_device *device, cl_device_id candidate,
        size_t id_size, const uint8_t *id)
{
    char name[1024] = "";
    size_t size;
    if (clGetDeviceInfo(candidate, CL_DEVICE_NAME, sizeof name, name, NULL)
            != CL_SUCCESS)
        return false;
    /* As IDs of CPUs have it; no other device's name has a clock. */
    if (!is_value(id_size, id, "device_name", name))
        processor_name_drop_clock(name);
    if (!is_value(id_size, id, "device_name", name)) return false;
    uint8_t *device_id = read_device_id(candidate, &size);
    if (device_id == NULL) return false;
    const bool is_equal = has_device_fields(id_size, id, size, device_id);
    device->is_other_driver = !is_equal;
    if (is_equal) {
        device->id = candidate;
        device->is_environment_changed =
                clean_environment(id_size, id, size, device_id);
    }
    free(device_id);
    return is_equal;
}

static bool find(
        struct refresh_device *device, size_t id_size, const uint8_t *id)
{
    cl_platform_id platforms[most_platforms];
    cl_uint count = 0;
    if (clGetPlatformIDs(most_platforms, platforms, &count) != CL_SUCCESS)
        return false;
    for (cl_uint p = 0; p < count && p < most_platforms; p++) {
        char name[256] = "";
        cl_device_id devices[most_devices];
        cl_uint devices_count = 0;
        if (clGetPlatformInfo(
                    platforms[p], CL_PLATFORM_NAME, sizeof name, name, NULL)
                        != CL_SUCCESS
                || !is_value(id_size, id, "platform_name", name)
                || clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL,
                           most_devices, devices, &devices_count)
                           != CL_SUCCESS)
            continue;
        device->is_pocl = strcmp(name, "Portable Computing Language") == 0;
        for (cl_uint d = 0; d < devices_count && d < most_devices; d++)
            if (is_it(device, devices[d], id_size, id)) return true;
    }
    return false;
}

bool refresh_device_open(
        struct refresh_device *device, size_t id_size, const uint8_t *id)
{
    if (device->context != NULL && is_it(device, device->id, id_size, id))
        return true;
    refresh_device_close(device);
    device->is_other_driver = false;
    if (!find(device, id_size, id)) return false;
    if (device->is_environment_changed) return true;
    cl_int error;
    device->context = clCreateContext(NULL, 1, &device->id, NULL, NULL, &error);
    return error == CL_SUCCESS;
}

struct include_driver refresh_device_driver(cl_device_id device)
{
    struct include_driver driver = {.is_cpu = false};
    char name[sizeof driver.platform] = "";
    cl_platform_id platform = NULL;
    cl_device_type type = 0;
    (void)clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof type, &type, NULL);
    driver.is_cpu = (type & CL_DEVICE_TYPE_CPU) != 0;
    if (clGetDeviceInfo(
                device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL)
                    == CL_SUCCESS
            && clGetPlatformInfo(
                       platform, CL_PLATFORM_NAME, sizeof name, name, NULL)
                       == CL_SUCCESS)
        strcpy(driver.platform, name);
    return driver;
}

void refresh_device_close(struct refresh_device *device)
{
    if (device->context != NULL) clReleaseContext(device->context);
    *device =
            (struct refresh_device){.is_other_driver = device->is_other_driver};
}
