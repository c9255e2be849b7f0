/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/device/device.h"

#include "src/blob/blob.h"
#include "src/blob/id.h"
#include "src/common/byte_order.h"
#include "src/common/log.h"
#include "src/common/once.h"
#include "src/gpu/device/build_identity.h"
#include "src/gpu/device/cl_status.h"
#include "src/gpu/device/driver_build.h"
#include "src/gpu/device/driver_name.h"
#include "src/gpu/device/environment.h"
#include "src/gpu/device/finaliser.h"
#include "src/gpu/device/identity_watch.h"
#include "src/gpu/device/versions.h"
#include "src/platform/processor.h"

#include <CL/cl_ext.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* From cl_nv_device_attribute_query, cl_intel_device_attribute_query and
 * cl_amd_device_attribute_query; not in every cl_ext.h. */
enum {
    QUERY_NV_COMPUTE_CAPABILITY_MAJOR = 0x4000,
    QUERY_NV_COMPUTE_CAPABILITY_MINOR = 0x4001,
    QUERY_INTEL_IP_VERSION = 0x4250,
    QUERY_INTEL_DEVICE_ID = 0x4251,
    QUERY_AMD_PCIE_ID = 0x4034,
    QUERY_AMD_GFXIP_MAJOR = 0x404a,
    QUERY_AMD_GFXIP_MINOR = 0x404b,
    QUERY_DEVICE_UUID = 0x106a,
    QUERY_DRIVER_UUID = 0x106b,
    UUID_SIZE = 16
};

/* Collects the fields; the first thing that cannot be established ends it. */
struct identifier {
    cl_platform_id platform;
    cl_device_id device;
    struct id_builder id;
    struct buffer *components;    /* of the driver, a line each */
    struct identity_files *files; /* the driver's */
    char *extensions;
    char *reason; /* of a dnnl_runtime_error */
    size_t reason_size;
    dnnl_status_t status;
};

static void fail_with(
        struct identifier *x, dnnl_status_t status, const char *what)
{
    if (x->status != dnnl_success) return;
    x->status = status;
    if (status != dnnl_out_of_memory)
        snprintf(x->reason, x->reason_size, "%s could not be read", what);
}

static void fail(struct identifier *x, const char *what)
{
    fail_with(x, dnnl_runtime_error, what);
}

static void put_platform(
        struct identifier *x, enum id_tag tag, cl_platform_info name)
{
    if (x->status != dnnl_success) return;
    char *text = NULL;
    dnnl_status_t st = platform_string(x->platform, name, &text);
    if (st != dnnl_success)
        fail_with(x, st, id_field_name((uint16_t)tag));
    else
        id_put_string(&x->id, tag, text);
    free(text);
}

static void put_device(
        struct identifier *x, enum id_tag tag, cl_device_info name)
{
    if (x->status != dnnl_success) return;
    char *text = NULL;
    dnnl_status_t st = device_string(x->device, name, &text);
    if (st != dnnl_success)
        fail_with(x, st, id_field_name((uint16_t)tag));
    else
        id_put_string(&x->id, tag, text);
    free(text);
}

/* Reads a property of exactly that size. */
static cl_int read_property(const struct identifier *x, cl_device_info name,
        size_t size, void *value)
{
    size_t actual = 0;
    cl_int error = clGetDeviceInfo(x->device, name, 0, NULL, &actual);
    if (error != CL_SUCCESS) return error;
    if (actual != size) return CL_INVALID_VALUE;
    return clGetDeviceInfo(x->device, name, size, value, NULL);
}

static bool get_device(const struct identifier *x, cl_device_info name,
        size_t size, void *value)
{
    return read_property(x, name, size, value) == CL_SUCCESS;
}

/* The same for a property that the device may lack. That it could not be asked
 * is another matter: without the answer there is no identity. */
static bool get_optional(struct identifier *x, enum id_tag tag,
        cl_device_info name, size_t size, void *value)
{
    if (x->status != dnnl_success) return false;
    cl_int error = read_property(x, name, size, value);
    if (error != CL_SUCCESS && error != CL_INVALID_VALUE)
        fail(x, id_field_name((uint16_t)tag));
    return error == CL_SUCCESS;
}

static void put_device_u32(
        struct identifier *x, enum id_tag tag, cl_device_info name)
{
    cl_uint value = 0;
    if (x->status != dnnl_success) return;
    if (get_device(x, name, sizeof value, &value))
        id_put_u32(&x->id, tag, value);
    else
        fail(x, id_field_name((uint16_t)tag));
}

/* PoCL numbers its devices of a kind there: two equal ones differ in nothing
 * else. */
static void put_vendor_id(struct identifier *x)
{
    if (!driver_is(x->device, POCL_PLATFORM_NAME))
        put_device_u32(x, id_device_vendor_id, CL_DEVICE_VENDOR_ID);
}

/* Which machine code a driver makes for a CPU is decided by what the processor
 * is, and no name that drivers give says all of it. Emulators of accelerators
 * run on it, too. */
static void put_processor(struct identifier *x, cl_device_type type)
{
    struct processor processor;
    const bool is_gpu = (type & CL_DEVICE_TYPE_GPU) != 0
                        && (type & CL_DEVICE_TYPE_CPU) == 0;
    if (x->status != dnnl_success || is_gpu) return;
    if (!processor_read(&processor)) {
        fail(x, id_field_name(id_processor));
        return;
    }
    id_put_string(&x->id, id_processor, processor.name);
    id_put_digest(&x->id, id_processor_features, processor.features,
            strlen(processor.features));
}

/* A CPU's without its clock, in which nothing but speed differs. */
static void put_device_name(struct identifier *x, cl_device_type type)
{
    char *name = NULL;
    if (x->status != dnnl_success) return;
    const dnnl_status_t st = device_string(x->device, CL_DEVICE_NAME, &name);
    if (st != dnnl_success) {
        fail_with(x, st, id_field_name(id_device_name));
        return;
    }
    if ((type & CL_DEVICE_TYPE_CPU) != 0) processor_name_drop_clock(name);
    id_put_string(&x->id, id_device_name, name);
    free(name);
}

/* True if the blank-separated list has exactly this name. */
static bool has_extension(const char *list, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = strstr(list, name); at != NULL;
            at = strstr(at + length, name)) {
        bool starts = at == list || at[-1] == ' ';
        bool ends = at[length] == ' ' || at[length] == '\0';
        if (starts && ends) return true;
    }
    return false;
}

static void put_vendor(struct identifier *x)
{
    if (has_extension(x->extensions, "cl_nv_device_attribute_query")) {
        cl_uint major = 0;
        cl_uint minor = 0;
        if (get_device(x, QUERY_NV_COMPUTE_CAPABILITY_MAJOR, 4, &major)
                && get_device(
                        x, QUERY_NV_COMPUTE_CAPABILITY_MINOR, 4, &minor)) {
            uint8_t value[8];
            store_le32(value, major);
            store_le32(value + 4, minor);
            id_put(&x->id, id_nv_compute_capability, value, sizeof value);
        } else {
            fail(x, "nv_compute_capability");
        }
    }
    if (has_extension(x->extensions, "cl_intel_device_attribute_query")) {
        put_device_u32(x, id_intel_ip_version, QUERY_INTEL_IP_VERSION);
        put_device_u32(x, id_intel_device_id, QUERY_INTEL_DEVICE_ID);
    }
    if (has_extension(x->extensions, "cl_amd_device_attribute_query")) {
        cl_uint major = 0;
        cl_uint minor = 0;
        cl_uint pcie = 0;
        /* Added to the extension over time: take what there is. */
        if (get_optional(x, id_amd_isa_name, QUERY_AMD_GFXIP_MAJOR, 4, &major)
                && get_optional(
                        x, id_amd_isa_name, QUERY_AMD_GFXIP_MINOR, 4, &minor)) {
            char text[32];
            snprintf(text, sizeof text, "gfx%u.%u", major, minor);
            id_put_string(&x->id, id_amd_isa_name, text);
        }
        if (get_optional(x, id_amd_pcie_id, QUERY_AMD_PCIE_ID, 4, &pcie))
            id_put_u32(&x->id, id_amd_pcie_id, pcie);
    }
}

/* The driver's UUID counts only where it is not the device's in disguise: on
 * NVIDIA it is the card's serial number. */
static void put_driver_uuid(struct identifier *x)
{
    unsigned char device[UUID_SIZE];
    unsigned char driver[UUID_SIZE];
    if (x->status != dnnl_success
            || !has_extension(x->extensions, "cl_khr_device_uuid"))
        return;
    char *vendor = NULL;
    dnnl_status_t st =
            platform_string(x->platform, CL_PLATFORM_VENDOR, &vendor);
    if (st != dnnl_success) fail_with(x, st, id_field_name(id_platform_vendor));
    bool nvidia = vendor != NULL && strstr(vendor, "NVIDIA") != NULL;
    free(vendor);
    if (!nvidia
            && get_optional(
                    x, id_driver_uuid, QUERY_DEVICE_UUID, UUID_SIZE, device)
            && get_optional(
                    x, id_driver_uuid, QUERY_DRIVER_UUID, UUID_SIZE, driver)
            && memcmp(device, driver, UUID_SIZE) != 0)
        id_put(&x->id, id_driver_uuid, driver, UUID_SIZE);
}

/* Device queries that steer code. Sizes are the root device's; the number of
 * compute units is not among them. */
static void put_limits(struct identifier *x)
{
    size_t group = 0;
    cl_uint dimensions = 0;
    cl_device_fp_config fp = 0;
    if (x->status != dnnl_success) return;
    if (!get_device(x, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof group, &group)
            || !get_device(x, CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS,
                    sizeof dimensions, &dimensions)
            || !get_device(x, CL_DEVICE_SINGLE_FP_CONFIG, sizeof fp, &fp)) {
        fail(x, "device_limits");
        return;
    }
    struct buffer limits;
    buffer_init(&limits);
    buffer_append_u64(&limits, group);
    buffer_append_u32(&limits, dimensions);
    buffer_append_u64(&limits, fp);
    if (buffer_status(&limits) != dnnl_success)
        fail_with(x, buffer_status(&limits), "device_limits");
    else
        id_put(&x->id, id_device_limits, limits.data, limits.size);
    buffer_fini(&limits);
}

static void put_environment(struct identifier *x)
{
    if (x->status != dnnl_success) return;
    dnnl_status_t st = environment_put_id(&x->id);
    if (st != dnnl_success)
        fail_with(x, st, id_field_name(id_driver_environment));
}

static void put_all(struct identifier *x)
{
    cl_device_type type = 0;
    cl_bool little = CL_FALSE;
    id_put_u32(&x->id, id_backend, blob_backend_opencl);
    put_platform(x, id_platform_name, CL_PLATFORM_NAME);
    put_platform(x, id_platform_vendor, CL_PLATFORM_VENDOR);
    put_platform(x, id_platform_version, CL_PLATFORM_VERSION);
    put_platform(x, id_platform_profile, CL_PLATFORM_PROFILE);
    if (!get_device(x, CL_DEVICE_TYPE, sizeof type, &type))
        fail(x, id_field_name(id_device_type));
    put_device_name(x, type);
    put_device(x, id_device_vendor, CL_DEVICE_VENDOR);
    put_vendor_id(x);
    put_device(x, id_device_version, CL_DEVICE_VERSION);
    put_device(x, id_opencl_c_version, CL_DEVICE_OPENCL_C_VERSION);
    id_put_u64(&x->id, id_device_type, type);
    put_device_u32(x, id_address_bits, CL_DEVICE_ADDRESS_BITS);
    if (get_device(x, CL_DEVICE_ENDIAN_LITTLE, sizeof little, &little))
        id_put_u32(&x->id, id_byte_order, little == CL_TRUE ? 1 : 0);
    else
        fail(x, "byte_order");
    if (x->status != dnnl_success) return;
    dnnl_status_t st =
            device_string(x->device, CL_DEVICE_EXTENSIONS, &x->extensions);
    if (st != dnnl_success) {
        fail_with(x, st, "device_extensions");
        return;
    }
    /* A digest: the list runs to kilobytes. */
    id_put_digest(
            &x->id, id_device_extensions, x->extensions, strlen(x->extensions));
    put_limits(x);
    put_processor(x, type);
    put_vendor(x);
    put_driver_uuid(x);
    put_device(x, id_driver_version, CL_DRIVER_VERSION);
    if (x->status != dnnl_success) return;
    x->status = driver_build_put_id(x->platform, x->device, &x->id,
            x->components, &x->files, x->reason, x->reason_size);
    const struct finaliser *finaliser = finaliser_of(x->device);
    if (finaliser != NULL) id_put_string(&x->id, id_finaliser, finaliser->name);
    put_environment(x);
    /* Some drivers have other binaries for processes of 32 bits. */
    id_put_u32(&x->id, id_process_bits, 8 * (uint32_t)sizeof(void *));
}

/* What is the library's own depends on all of its sources. */
static void put_library(struct id_builder *id)
{
    id_put_string(id, id_library_version, dnnl_cache_version());
    id_put_string(id, id_library_source_digest, build_source_digest);
    id_put_string(id, id_library_git_hash, build_git_hash);
}

/* What is the application's, on these parts of it. */
static void put_versions(struct id_builder *id)
{
    id_put_u32(id, id_blob_format_version, BLOB_FORMAT_VERSION);
    id_put_u32(id, id_capture_version, CAPTURE_VERSION);
    id_put_u32(id, id_finaliser_version, FINALISER_VERSION);
    id_put_u32(id, id_identity_version, IDENTITY_VERSION);
    id_put_u32(id, id_include_scanner_version, INCLUDE_SCANNER_VERSION);
}

/* The fields that put_first puts, and then those of the device. */
static dnnl_status_t join_fields(void (*put_first)(struct id_builder *id),
        const struct id_builder *device, struct buffer *out)
{
    const uint8_t *fields = NULL;
    size_t size = 0;
    struct id_builder id;
    id_builder_init(&id, blob_kind_engine);
    put_first(&id);
    dnnl_status_t st =
            id_fields(device->bytes.data, device->bytes.size, &fields, &size);
    if (st == dnnl_success) {
        id_put_fields(&id, fields, size);
        st = id_builder_status(&id);
    }
    if (st == dnnl_success)
        st = id_fields(id.bytes.data, id.bytes.size, &fields, &size);
    if (st == dnnl_success) {
        buffer_append(out, fields, size);
        st = buffer_status(out);
    }
    id_builder_fini(&id);
    return st;
}

bool device_id_is_applications(const uint8_t *id, size_t size)
{
    struct id_reader reader;
    struct id_field first;
    return id_reader_init(&reader, id, size) == dnnl_success
           && reader.kind == blob_kind_program
           && id_reader_next(&reader, &first)
           && first.tag == id_blob_format_version;
}

const struct buffer *device_fields_of(
        const struct device_identity *identity, const uint8_t *id, size_t size)
{
    return device_id_is_applications(id, size) ? &identity->program_fields
                                               : &identity->fields;
}

/* Establishes the identity of a root device. */
static dnnl_status_t identify(
        struct device_identity *identity, struct buffer *components)
{
    struct identifier x;
    memset(&x, 0, sizeof x);
    x.device = identity->device;
    x.components = components;
    x.reason = identity->reason;
    x.reason_size = sizeof identity->reason;
    id_builder_init(&x.id, blob_kind_engine);
    if (clGetDeviceInfo(x.device, CL_DEVICE_PLATFORM, sizeof x.platform,
                &x.platform, NULL)
            != CL_SUCCESS)
        fail(&x, "platform");
    else
        put_all(&x);
    identity->platform = x.platform;
    identity->files = x.files;

    /* That something cannot be told is an answer; that memory lacks is none. */
    dnnl_status_t st = x.status == dnnl_out_of_memory
                               ? x.status
                               : buffer_status(components);
    if (st == dnnl_success && x.status == dnnl_success) {
        st = id_builder_status(&x.id);
        if (st == dnnl_success)
            st = join_fields(put_library, &x.id, &identity->fields);
        if (st == dnnl_success)
            st = join_fields(put_versions, &x.id, &identity->program_fields);
        if (st != dnnl_success) {
            buffer_fini(&identity->fields);
            buffer_fini(&identity->program_fields);
        }
    }
    id_builder_fini(&x.id);
    free(x.extensions);
    return st;
}

dnnl_status_t device_root(cl_device_id device, cl_device_id *root)
{
    for (;;) {
        cl_device_id parent = NULL;
        cl_int error = clGetDeviceInfo(
                device, CL_DEVICE_PARENT_DEVICE, sizeof parent, &parent, NULL);
        /* OpenCL 1.1 drivers do not know the query, nor sub-devices. */
        if (error == CL_INVALID_VALUE) error = CL_SUCCESS;
        if (error != CL_SUCCESS)
            return error == CL_INVALID_DEVICE
                           ? dnnl_invalid_arguments
                           : cl_status(error, "clGetDeviceInfo");
        if (parent == NULL) {
            *root = device;
            return dnnl_success;
        }
        device = parent;
    }
}

/* Identities made so far, or being made. Root devices are never freed while
 * the process runs, so neither are these. One that failed stays for those who
 * hold it, but is not found again: the next call tries anew, until so many have
 * failed that the device is not looked at any more. */
enum { MAX_ATTEMPTS = 1000 };

struct node {
    struct device_identity identity; /* fixed once it is done */
    struct once once;
    bool failed; /* guarded by lock */
    struct node *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* leaf */
static struct node *known;                               /* guarded by lock */

static struct node *find_or_add(cl_device_id root)
{
    pthread_mutex_lock(&lock);
    struct node *node = known;
    while (node != NULL && (node->identity.device != root || node->failed))
        node = node->next;
    if (node == NULL && (node = calloc(1, sizeof *node)) != NULL) {
        node->identity.device = root;
        once_init(&node->once);
        node->next = known;
        known = node;
    }
    pthread_mutex_unlock(&lock);
    return node;
}

/* *is_news: it is not the failure that another attempt has met before. */
static dnnl_status_t fill_in(
        struct node *node, struct buffer *components, bool *is_news)
{
    size_t attempts = 1;
    dnnl_status_t st = identify(&node->identity, components);
    *is_news = true;
    if (st != dnnl_success || node->identity.reason[0] == '\0') return st;
    pthread_mutex_lock(&lock);
    for (const struct node *other = known; other != NULL; other = other->next) {
        if (!other->failed || other->identity.device != node->identity.device)
            continue;
        attempts++;
        if (strcmp(other->identity.reason, node->identity.reason) == 0)
            *is_news = false;
    }
    node->failed = attempts < MAX_ATTEMPTS;
    pthread_mutex_unlock(&lock);
    return st;
}

/* For the log, once the identity is there: the callback may ask for it. If it
 * does so for a device that fails each time, it is told once. */
static void report(const struct device_identity *identity)
{
    const struct buffer *components = &identity->parts;
    static _Thread_local bool reporting;
    if (reporting) return;
    reporting = true;
    size_t count = 0;
    for (size_t at = 0; at < components->size; count++) {
        const char *line = (const char *)components->data + at;
        if (log_details())
            log_message(dnnl_cache_log_info, "identity", "driver: %s", line);
        at += strlen(line) + 1;
    }
    log_message(dnnl_cache_log_info, "identity",
            "the driver is made of %zu objects and data files", count);
    if (identity->reason[0] != '\0')
        log_message(dnnl_cache_log_warning, "identity",
                "the device is not cacheable: %s", identity->reason);
    reporting = false;
}

/* Of every device, once a variable of the environment has changed. */
static struct device_identity doubtful;
static pthread_once_t doubtful_made = PTHREAD_ONCE_INIT;

static void make_doubtful(void)
{
    snprintf(
            doubtful.reason, sizeof doubtful.reason, "%s", environment_doubt());
}

bool device_is_doubtful(const struct device_identity **out)
{
    if (environment_changed_at_a_glance() == NULL) return false;
    pthread_once(&doubtful_made, make_doubtful);
    *out = &doubtful;
    return true;
}

dnnl_status_t device_identify(
        cl_device_id device, const struct device_identity **out)
{
    cl_device_id root = NULL;
    environment_start();
    dnnl_status_t st = device_root(device, &root);
    if (st != dnnl_success) return st;
    if (device_is_doubtful(out)) return dnnl_success;
    struct node *node = find_or_add(root);
    if (node == NULL) return dnnl_out_of_memory;
    struct buffer components = {NULL, 0, 0, false};
    bool is_news = true;
    switch (once_begin(&node->once)) {
    case once_is_done:
        break;
    case once_is_ours:
        st = fill_in(node, &components, &is_news);
        if (st == dnnl_success) {
            node->identity.parts = components;
            buffer_init(&components);
        }
        once_end(&node->once, st == dnnl_success);
        if (st == dnnl_success && is_news) report(&node->identity);
        buffer_fini(&components);
        break;
    case once_is_nested:
        st = dnnl_runtime_error;
        break;
    }
    if (st == dnnl_success) *out = &node->identity;
    return st;
}

const void *device_driver(cl_device_id device)
{
    const struct device_identity *identity;
    return device_identify(device, &identity) == dnnl_success
                   ? identity->platform
                   : NULL;
}

dnnl_status_t dnnl_cache_find_changed_file_of_device(
        const char **path, cl_device_id device)
{
    const struct device_identity *identity;
    if (path == NULL) return dnnl_invalid_arguments;
    const dnnl_status_t st = device_identify(device, &identity);
    if (st == dnnl_success) *path = identity_changed_file(identity->platform);
    return st;
}
