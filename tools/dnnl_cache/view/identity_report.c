/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/dnnl_cache/view/identity_report.h"

#include "src/platform/processor.h"
#include "tools/common/id/fields.h"

#include <dnnl_cache.h>
#include <dnnl_cache/sys/layer.h>
#include <stdlib.h>
#include <string.h>

enum { most_platforms = 32, most_devices = 64 };

static uint8_t *read_id(bool *failed, size_t *size, cl_device_id device)
{
    *size = 0;
    dnnl_status_t st =
            dnnl_ocl_interop_engine_get_cache_blob_id(device, size, NULL);
    if (st == dnnl_out_of_memory) *failed = true;
    if (st != dnnl_success || *size == 0) return NULL;
    uint8_t *id = malloc(*size);
    if (id != NULL)
        st = dnnl_ocl_interop_engine_get_cache_blob_id(device, size, id);
    if (id == NULL || st == dnnl_out_of_memory) *failed = true;
    if (st == dnnl_success) return id;
    free(id);
    return NULL;
}

/* The caller frees it; NULL if memory ran out or the device cannot be asked. */
static char *read_parts(bool *failed, cl_device_id device)
{
    size_t size = 0;
    dnnl_status_t st = dnnl_cache_device_get_driver_parts(device, &size, NULL);
    char *text = st == dnnl_success ? malloc(size) : NULL;
    if (text != NULL)
        st = dnnl_cache_device_get_driver_parts(device, &size, text);
    if (st == dnnl_out_of_memory || (st == dnnl_success && text == NULL))
        *failed = true;
    if (st == dnnl_success) return text;
    free(text);
    return NULL;
}

static void write_fields(struct json *json, size_t size, const uint8_t *id)
{
    dnnl_cache_id_field_t field;
    size_t position = 0;
    json_begin_array(json, "fields");
    while (fields_next(&field, &position, size, id)) {
        json_begin_object(json, NULL);
        json_text(json, "name", field.name);
        fields_write_value(json, &field);
        json_end_object(json);
    }
    json_end_array(json);
}

/* Ends the text at the next mark, and returns what follows the mark. */
static char *cut(char *text, char mark)
{
    char *end = strchr(text, mark);
    if (end == NULL) return text + strlen(text);
    *end = '\0';
    return end + 1;
}

/* The parts that are there, or the places of what is not. */
enum which { which_parts, which_missing };

static void write_part(struct json *json, char *line, enum which which)
{
    const char *name = line;
    char *how = cut(line, '\t');
    char *digest = cut(how, '\t');
    char *bytes = cut(digest, '\t');
    char *why = cut(bytes, '\t');
    const char *path = cut(why, '\t');
    const bool is_missing = strcmp(how, "missing") == 0;
    if (is_missing != (which == which_missing)) return;
    if (is_missing) {
        json_text(json, NULL, path);
        return;
    }
    json_begin_object(json, NULL);
    json_text(json, "name", name);
    json_text(json, "how", how);
    json_text(json, "digest", digest);
    if (bytes[0] != '-')
        json_number(json, "bytes", strtoull(bytes, NULL, 10));
    else
        json_null(json, "bytes");
    json_bool(json, "counts", why[0] == '\0');
    json_text(json, "why_not", why[0] != '\0' ? why : NULL);
    json_text(json, "path", path[0] != '\0' ? path : NULL);
    json_end_object(json);
}

/* False: out of memory. */
static bool write_parts(struct json *json, const char *parts, enum which which)
{
    char *copy = strdup(parts != NULL ? parts : "");
    if (copy == NULL) return false;
    for (char *line = copy; line[0] != '\0';) {
        char *next = cut(line, '\n');
        write_part(json, line, which);
        line = next;
    }
    free(copy);
    return true;
}

/* What a CPU's IDs have a digest of, a text each; of others there are none. */
static void write_processor(struct json *json, bool is_cpu)
{
    struct processor processor;
    char *place = NULL;
    const bool is_known = is_cpu && processor_read(&processor);
    json_begin_array(json, "processor_features");
    for (char *word = is_known ? strtok_r(processor.features, " ", &place)
                               : NULL;
            word != NULL; word = strtok_r(NULL, " ", &place))
        json_text(json, NULL, word);
    json_end_array(json);
}

static void write_device(struct json *json, bool *failed, cl_device_id device,
        const char *platform)
{
    char name[1024] = "";
    size_t size;
    cl_device_type type = 0;
    uint8_t *id = read_id(failed, &size, device);
    char *parts = read_parts(failed, device);
    (void)clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL);
    (void)clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof type, &type, NULL);
    const bool is_cpu = (type & CL_DEVICE_TYPE_CPU) != 0;
    if (is_cpu) processor_name_drop_clock(name); /* as its IDs have it */
    json_begin_object(json, NULL);
    json_text(json, "platform", platform);
    json_text(json, "device", name);
    json_bool(json, "has_identity", id != NULL);
    write_fields(json, size, id);
    write_processor(json, is_cpu || (type & CL_DEVICE_TYPE_GPU) == 0);
    json_begin_array(json, "driver_parts");
    if (!write_parts(json, parts, which_parts)) *failed = true;
    json_end_array(json);
    json_begin_array(json, "driver_looks_for");
    if (!write_parts(json, parts, which_missing)) *failed = true;
    json_end_array(json);
    json_end_object(json);
    free(parts);
    free(id);
}

static void write_platform(
        struct json *json, bool *failed, cl_platform_id platform)
{
    char name[256] = "";
    cl_device_id devices[most_devices];
    cl_uint count = 0;
    if (clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof name, name, NULL)
                    != CL_SUCCESS
            || clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, most_devices,
                       devices, &count)
                       != CL_SUCCESS)
        return;
    for (cl_uint i = 0; i < count && i < most_devices; i++)
        write_device(json, failed, devices[i], name);
}

bool identity_report_write(FILE *out)
{
    cl_platform_id platforms[most_platforms];
    cl_uint count = 0;
    bool failed = false;
    struct json json;
    const char *changed;
    (void)dnnl_cache_find_changed_variable(&changed); /* the library starts */
    if (clGetPlatformIDs(most_platforms, platforms, &count) != CL_SUCCESS)
        count = 0;
    json_init(&json, out);
    json_begin_object(&json, NULL);
    json_text(&json, "command", "identity");
    json_text(&json, "library", dnnl_cache_version());
    json_begin_array(&json, "devices");
    for (cl_uint i = 0; i < count && i < most_platforms; i++)
        write_platform(&json, &failed, platforms[i]);
    json_end_array(&json);
    json_end_object(&json);
    return !failed;
}
