/* SPDX-License-Identifier: Apache-2.0 */
/* What devices say of themselves: what the settings say. */
#include "fake_internal.h"

#include <stdio.h>
#include <string.h>

enum value_type {
    VALUE_STRING,
    VALUE_UINT,
    VALUE_ULONG,
    VALUE_SIZE,
    VALUE_MAJOR, /* cl_uint: the part of "9.0" before the point */
    VALUE_MINOR, /* and the one behind it */
};

/* One row a query with a plain answer: a setting's, or a fixed number's. */
struct row {
    cl_device_info param;
    enum value_type type;
    const char *key; /* NULL: fixed */
    cl_ulong fixed;
    bool optional; /* an empty setting: no such query */
};

static const struct row rows[] = {
        {CL_DEVICE_NAME, VALUE_STRING, "DEVICE_NAME", 0, false},
        {CL_DEVICE_VENDOR, VALUE_STRING, "DEVICE_VENDOR", 0, false},
        {CL_DEVICE_VENDOR_ID, VALUE_UINT, "DEVICE_VENDOR_ID", 0, false},
        {CL_DEVICE_PROFILE, VALUE_STRING, "DEVICE_PROFILE", 0, false},
        {CL_DEVICE_VERSION, VALUE_STRING, "DEVICE_VERSION", 0, false},
        {CL_DRIVER_VERSION, VALUE_STRING, "DRIVER_VERSION", 0, false},
        {CL_DEVICE_OPENCL_C_VERSION, VALUE_STRING, "OPENCL_C_VERSION", 0,
                false},
        {CL_DEVICE_ADDRESS_BITS, VALUE_UINT, "ADDRESS_BITS", 0, false},
        {CL_DEVICE_ENDIAN_LITTLE, VALUE_UINT, "ENDIAN_LITTLE", 0, false},
        {CL_DEVICE_MAX_WORK_GROUP_SIZE, VALUE_SIZE, "MAX_WORK_GROUP_SIZE", 0,
                false},
        {CL_DEVICE_LOCAL_MEM_SIZE, VALUE_ULONG, "LOCAL_MEM_SIZE", 0, false},
        {CL_DEVICE_GLOBAL_MEM_SIZE, VALUE_ULONG, "GLOBAL_MEM_SIZE", 0, false},
        {CL_DEVICE_MAX_MEM_ALLOC_SIZE, VALUE_ULONG, "MAX_MEM_ALLOC_SIZE", 0,
                false},
        {CL_DEVICE_MEM_BASE_ADDR_ALIGN, VALUE_UINT, "MEM_BASE_ADDR_ALIGN", 0,
                false},
        {CL_DEVICE_MAX_CLOCK_FREQUENCY, VALUE_UINT, "CLOCK_FREQUENCY", 0,
                false},
        {CL_DEVICE_HOST_UNIFIED_MEMORY, VALUE_UINT, "HOST_UNIFIED_MEMORY", 0,
                false},
        {CL_DEVICE_IL_VERSION, VALUE_STRING, "IL_VERSION", 0, false},
        {CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, VALUE_SIZE,
                "WG_MULTIPLE", 0, false},

        {CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV, VALUE_MAJOR, "NV_CC", 0, true},
        {CL_DEVICE_COMPUTE_CAPABILITY_MINOR_NV, VALUE_MINOR, "NV_CC", 0, true},
        {0x4008 /* CL_DEVICE_PCI_BUS_ID_NV */, VALUE_UINT, "NV_PCI_BUS", 0,
                true},
        {0x4009 /* CL_DEVICE_PCI_SLOT_ID_NV */, VALUE_UINT, "NV_PCI_SLOT", 0,
                true},
        {0x400A /* CL_DEVICE_PCI_DOMAIN_ID_NV */, VALUE_UINT, "NV_PCI_DOMAIN",
                0, true},
        {CL_DEVICE_IP_VERSION_INTEL, VALUE_UINT, "INTEL_IP_VERSION", 0, true},
        {CL_DEVICE_ID_INTEL, VALUE_UINT, "INTEL_DEVICE_ID", 0, true},
        {CL_DEVICE_BOARD_NAME_AMD, VALUE_STRING, "AMD_BOARD", 0, true},
        {CL_DEVICE_PCIE_ID_AMD, VALUE_UINT, "AMD_PCIE_ID", 0, true},
        {CL_DEVICE_GFXIP_MAJOR_AMD, VALUE_MAJOR, "AMD_GFXIP", 0, true},
        {CL_DEVICE_GFXIP_MINOR_AMD, VALUE_MINOR, "AMD_GFXIP", 0, true},

        {CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS, VALUE_UINT,
                "MAX_WORK_ITEM_DIMENSIONS", 0, false},
        {CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR, VALUE_UINT, NULL, 16, false},
        {CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT, VALUE_UINT, NULL, 8, false},
        {CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT, VALUE_UINT, NULL, 4, false},
        {CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG, VALUE_UINT, NULL, 2, false},
        {CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT, VALUE_UINT, NULL, 4, false},
        {CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE, VALUE_UINT, NULL, 0, false},
        {CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF, VALUE_UINT, NULL, 0, false},
        {CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR, VALUE_UINT, NULL, 16, false},
        {CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT, VALUE_UINT, NULL, 8, false},
        {CL_DEVICE_NATIVE_VECTOR_WIDTH_INT, VALUE_UINT, NULL, 4, false},
        {CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG, VALUE_UINT, NULL, 2, false},
        {CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, VALUE_UINT, NULL, 4, false},
        {CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE, VALUE_UINT, NULL, 0, false},
        {CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF, VALUE_UINT, NULL, 0, false},
        {CL_DEVICE_IMAGE_SUPPORT, VALUE_UINT, NULL, CL_FALSE, false},
        {CL_DEVICE_MAX_READ_IMAGE_ARGS, VALUE_UINT, NULL, 0, false},
        {CL_DEVICE_MAX_WRITE_IMAGE_ARGS, VALUE_UINT, NULL, 0, false},
        {CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS, VALUE_UINT, NULL, 0, false},
        {CL_DEVICE_IMAGE2D_MAX_WIDTH, VALUE_SIZE, NULL, 0, false},
        {CL_DEVICE_IMAGE2D_MAX_HEIGHT, VALUE_SIZE, NULL, 0, false},
        {CL_DEVICE_IMAGE3D_MAX_WIDTH, VALUE_SIZE, NULL, 0, false},
        {CL_DEVICE_IMAGE3D_MAX_HEIGHT, VALUE_SIZE, NULL, 0, false},
        {CL_DEVICE_IMAGE3D_MAX_DEPTH, VALUE_SIZE, NULL, 0, false},
        {CL_DEVICE_IMAGE_MAX_BUFFER_SIZE, VALUE_SIZE, NULL, 0, false},
        {CL_DEVICE_IMAGE_MAX_ARRAY_SIZE, VALUE_SIZE, NULL, 0, false},
        {CL_DEVICE_IMAGE_PITCH_ALIGNMENT, VALUE_UINT, NULL, 0, false},
        {CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT, VALUE_UINT, NULL, 0, false},
        {CL_DEVICE_MAX_SAMPLERS, VALUE_UINT, NULL, 0, false},
        {CL_DEVICE_MAX_PARAMETER_SIZE, VALUE_SIZE, NULL, 4096, false},
        {CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE, VALUE_UINT, NULL, 128, false},
        {CL_DEVICE_SINGLE_FP_CONFIG, VALUE_ULONG, "SINGLE_FP_CONFIG", 0, false},
        {CL_DEVICE_GLOBAL_MEM_CACHE_TYPE, VALUE_UINT, NULL, CL_READ_WRITE_CACHE,
                false},
        {CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE, VALUE_UINT, NULL, 64, false},
        {CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, VALUE_ULONG, NULL, 1 << 20, false},
        {CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE, VALUE_ULONG, NULL, 65536, false},
        {CL_DEVICE_MAX_CONSTANT_ARGS, VALUE_UINT, NULL, 8, false},
        {CL_DEVICE_LOCAL_MEM_TYPE, VALUE_UINT, NULL, CL_LOCAL, false},
        {CL_DEVICE_ERROR_CORRECTION_SUPPORT, VALUE_UINT, NULL, CL_FALSE, false},
        {CL_DEVICE_PROFILING_TIMER_RESOLUTION, VALUE_SIZE, NULL, 1, false},
        {CL_DEVICE_AVAILABLE, VALUE_UINT, NULL, CL_TRUE, false},
        {CL_DEVICE_COMPILER_AVAILABLE, VALUE_UINT, NULL, CL_TRUE, false},
        {CL_DEVICE_LINKER_AVAILABLE, VALUE_UINT, NULL, CL_TRUE, false},
        {CL_DEVICE_EXECUTION_CAPABILITIES, VALUE_ULONG, NULL, CL_EXEC_KERNEL,
                false},
        {CL_DEVICE_QUEUE_ON_HOST_PROPERTIES, VALUE_ULONG, NULL,
                CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE
                        | CL_QUEUE_PROFILING_ENABLE,
                false},
        {CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES, VALUE_ULONG, NULL, 0, false},
        {CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE, VALUE_UINT, NULL, 0, false},
        {CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE, VALUE_UINT, NULL, 0, false},
        {CL_DEVICE_MAX_ON_DEVICE_QUEUES, VALUE_UINT, NULL, 0, false},
        {CL_DEVICE_MAX_ON_DEVICE_EVENTS, VALUE_UINT, NULL, 0, false},
        {CL_DEVICE_PARTITION_AFFINITY_DOMAIN, VALUE_ULONG, NULL, 0, false},
        {CL_DEVICE_PREFERRED_INTEROP_USER_SYNC, VALUE_UINT, NULL, CL_TRUE,
                false},
        {CL_DEVICE_PRINTF_BUFFER_SIZE, VALUE_SIZE, NULL, 1 << 20, false},
        {CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE, VALUE_SIZE, NULL, 0, false},
        {CL_DEVICE_GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE, VALUE_SIZE, NULL, 0,
                false},
        {CL_DEVICE_SVM_CAPABILITIES, VALUE_ULONG, NULL, 0, false},
        {CL_DEVICE_MAX_PIPE_ARGS, VALUE_UINT, NULL, 0, false},
        {CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS, VALUE_UINT, NULL, 0, false},
        {CL_DEVICE_PIPE_MAX_PACKET_SIZE, VALUE_UINT, NULL, 0, false},
        {CL_DEVICE_PREFERRED_PLATFORM_ATOMIC_ALIGNMENT, VALUE_UINT, NULL, 0,
                false},
        {CL_DEVICE_PREFERRED_GLOBAL_ATOMIC_ALIGNMENT, VALUE_UINT, NULL, 0,
                false},
        {CL_DEVICE_PREFERRED_LOCAL_ATOMIC_ALIGNMENT, VALUE_UINT, NULL, 0,
                false},
        {CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS, VALUE_UINT, NULL,
                CL_FALSE, false},
        {CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES, VALUE_ULONG, NULL,
                CL_DEVICE_ATOMIC_ORDER_RELAXED
                        | CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP,
                false},
        {CL_DEVICE_ATOMIC_FENCE_CAPABILITIES, VALUE_ULONG, NULL,
                CL_DEVICE_ATOMIC_ORDER_RELAXED
                        | CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP,
                false},
        {CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT, VALUE_UINT, NULL, CL_FALSE,
                false},
        {CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT, VALUE_UINT, NULL,
                CL_FALSE, false},
        {CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT, VALUE_UINT, NULL, CL_FALSE,
                false},
        {CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES, VALUE_ULONG, NULL, 0, false},
        {CL_DEVICE_PIPE_SUPPORT, VALUE_UINT, NULL, CL_FALSE, false},
};

/* Extensions a device has because a setting of theirs is made. */
static const struct {
    const char *key;
    const char *extension;
} implied[] = {
        {"NV_CC", "cl_nv_device_attribute_query"},
        {"INTEL_IP_VERSION", "cl_intel_device_attribute_query"},
        {"INTEL_DEVICE_ID", "cl_intel_device_attribute_query"},
        {"AMD_BOARD", "cl_amd_device_attribute_query"},
        {"AMD_PCIE_ID", "cl_amd_device_attribute_query"},
        {"AMD_GFXIP", "cl_amd_device_attribute_query"},
        {"AMD_TOPOLOGY", "cl_amd_device_attribute_query"},
        {"DEVICE_UUID", "cl_khr_device_uuid"},
        {"DRIVER_UUID", "cl_khr_device_uuid"},
        {"PCI_BUS", "cl_khr_pci_bus_info"},
        {"IL_VERSION", "cl_khr_il_program"},
};

static bool has_word(const char *list, const char *word)
{
    size_t length = strlen(word);

    for (const char *at = list; (at = strstr(at, word)) != NULL; at += length)
        if ((at == list || at[-1] == ' ')
                && (at[length] == ' ' || at[length] == '\0'))
            return true;
    return false;
}

/* The setting, and what other settings imply. */
void device_extensions(cl_device_id device, char list[EXTENSIONS_SIZE])
{
    const char *own = setting("EXTENSIONS", device->index);

    /* A query that is made to fail: the compiler knows none. */
    if (setting_status("EXTENSIONS", device->index) != CL_SUCCESS) own = "";
    if (strlen(own) >= EXTENSIONS_SIZE / 2) fatal("EXTENSIONS is too long");
    strcpy(list, own);
    for (size_t i = 0; i < sizeof(implied) / sizeof(implied[0]); i++) {
        if (setting(implied[i].key, device->index)[0] == '\0'
                || has_word(list, implied[i].extension))
            continue;
        if (list[0] != '\0') strcat(list, " ");
        strcat(list, implied[i].extension);
    }
}

bool device_has_subgroups(cl_device_id device)
{
    char list[EXTENSIONS_SIZE];

    if (device_number(device, "SUBGROUP_SIZE") == 0) return false;
    device_extensions(device, list);
    return device_version(device) >= 21 || has_word(list, "cl_khr_subgroups");
}

cl_device_type device_type(cl_device_id device)
{
    static const struct {
        const char *name;
        cl_device_type type;
    } types[] = {
            {"gpu", CL_DEVICE_TYPE_GPU},
            {"cpu", CL_DEVICE_TYPE_CPU},
            {"accelerator", CL_DEVICE_TYPE_ACCELERATOR},
            {"custom", CL_DEVICE_TYPE_CUSTOM},
    };
    const char *name = setting("DEVICE_TYPE", device->index);

    if (name[0] == '!') return CL_DEVICE_TYPE_GPU;
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
        if (strcmp(types[i].name, name) == 0) return types[i].type;
    fatal("no DEVICE_TYPE %s", name);
}

static cl_int answer_row(
        cl_device_id device, const struct row *row, const struct answer *answer)
{
    const char *text = "";
    cl_ulong number = row->fixed;
    unsigned major = 0, minor = 0;
    cl_int st;

    if (row->key != NULL) {
        text = setting(row->key, device->index);
        st = setting_status(row->key, device->index);
        if (st != CL_SUCCESS) return st;
        if (row->optional && text[0] == '\0') return CL_INVALID_VALUE;
    }
    switch (row->type) {
    case VALUE_STRING:
        return answer_string(answer, text);
    case VALUE_MAJOR:
    case VALUE_MINOR:
        if (sscanf(text, "%u.%u", &major, &minor) != 2)
            fatal("%s is not major.minor: %s", row->key, text);
        return answer_uint(answer, row->type == VALUE_MAJOR ? major : minor);
    default:
        break;
    }
    if (row->key != NULL) number = device_number(device, row->key);
    if (row->type == VALUE_UINT) return answer_uint(answer, (cl_uint)number);
    if (row->type == VALUE_ULONG) return answer_ulong(answer, number);
    return answer_size(answer, (size_t)number);
}

static cl_int answer_uuid(
        cl_device_id device, const char *key, const struct answer *answer)
{
    const char *text = setting(key, device->index);
    cl_uchar uuid[CL_UUID_SIZE_KHR];
    cl_int st = setting_status(key, device->index);

    if (st != CL_SUCCESS) return st;
    if (text[0] == '\0') return CL_INVALID_VALUE;
    for (size_t i = 0; i < sizeof(uuid); i++)
        if (sscanf(text + 2 * i, "%2hhx", &uuid[i]) != 1)
            fatal("%s needs 32 hexadecimal digits: %s", key, text);
    return answer_bytes(answer, uuid, sizeof(uuid));
}

static cl_int answer_pci_bus(cl_device_id device, const struct answer *answer)
{
    const char *text = setting("PCI_BUS", device->index);
    cl_device_pci_bus_info_khr info;
    cl_int st = setting_status("PCI_BUS", device->index);

    if (st != CL_SUCCESS) return st;
    if (text[0] == '\0') return CL_INVALID_VALUE;
    if (sscanf(text, "%x:%x:%x.%x", &info.pci_domain, &info.pci_bus,
                &info.pci_device, &info.pci_function)
            != 4)
        fatal("PCI_BUS is not domain:bus:device.function: %s", text);
    return answer_bytes(answer, &info, sizeof(info));
}

static cl_int answer_topology(cl_device_id device, const struct answer *answer)
{
    const char *text = setting("AMD_TOPOLOGY", device->index);
    cl_device_topology_amd topology;
    unsigned bus, slot, function;
    cl_int st = setting_status("AMD_TOPOLOGY", device->index);

    if (st != CL_SUCCESS) return st;
    if (text[0] == '\0') return CL_INVALID_VALUE;
    if (sscanf(text, "%x:%x.%x", &bus, &slot, &function) != 3)
        fatal("AMD_TOPOLOGY is not bus:device.function: %s", text);
    memset(&topology, 0, sizeof(topology));
    topology.pcie.type = CL_DEVICE_TOPOLOGY_TYPE_PCIE_AMD;
    topology.pcie.bus = (cl_char)bus;
    topology.pcie.device = (cl_char)slot;
    topology.pcie.function = (cl_char)function;
    return answer_bytes(answer, &topology, sizeof(topology));
}

/* A list of names as a list of names with version 1.0.0. */
static cl_int answer_names(const char *list, const struct answer *answer)
{
    cl_name_version names[64];
    size_t count = 0, length;

    memset(names, 0, sizeof(names));
    for (; *list != '\0'; list += length) {
        list += strspn(list, " ");
        length = strcspn(list, " ");
        if (length == 0) break;
        if (count == 64 || length >= sizeof(names[0].name))
            fatal("too many or too long names: %s", list);
        names[count].version = CL_MAKE_VERSION(1, 0, 0);
        memcpy(names[count++].name, list, length);
    }
    return answer_bytes(answer, names, count * sizeof(names[0]));
}

static cl_int answer_extensions(
        cl_device_id device, bool versions, const struct answer *answer)
{
    char list[EXTENSIONS_SIZE];
    cl_int st = setting_status("EXTENSIONS", device->index);

    if (st != CL_SUCCESS) return st;
    device_extensions(device, list);
    return versions ? answer_names(list, answer) : answer_string(answer, list);
}

static cl_int answer_il_versions(
        cl_device_id device, const struct answer *answer)
{
    const char *text = setting("IL_VERSION", device->index);
    cl_name_version version;
    unsigned major = 1, minor = 0;

    if (text[0] == '\0') return answer_bytes(answer, NULL, 0);
    memset(&version, 0, sizeof(version));
    sscanf(text, "SPIR-V_%u.%u", &major, &minor);
    strcpy(version.name, "SPIR-V");
    version.version = CL_MAKE_VERSION(major, minor, 0);
    return answer_bytes(answer, &version, sizeof(version));
}

static cl_int answer_c_versions(
        cl_device_id device, const struct answer *answer)
{
    cl_name_version version;
    unsigned major = 0, minor = 0;

    memset(&version, 0, sizeof(version));
    sscanf(setting("OPENCL_C_VERSION", device->index), "OpenCL C %u.%u", &major,
            &minor);
    strcpy(version.name, "OpenCL C");
    version.version = CL_MAKE_VERSION(major, minor, 0);
    return answer_bytes(answer, &version, sizeof(version));
}

static cl_int answer_compute_units(
        cl_device_id device, const struct answer *answer)
{
    cl_int st = setting_status("COMPUTE_UNITS", device->index);

    if (st != CL_SUCCESS) return st;
    if (device->parent != NULL)
        return answer_uint(answer, device->compute_units);
    return answer_uint(answer, (cl_uint)device_number(device, "COMPUTE_UNITS"));
}

/* Queries whose answer is not one setting. */
static cl_int device_info_special(
        cl_device_id device, cl_device_info param, const struct answer *answer)
{
    static const cl_device_partition_property ways[] = {
            CL_DEVICE_PARTITION_EQUALLY};
    const cl_ulong double_config = CL_FP_ROUND_TO_NEAREST | CL_FP_ROUND_TO_ZERO
                                   | CL_FP_ROUND_TO_INF | CL_FP_INF_NAN
                                   | CL_FP_FMA | CL_FP_DENORM;
    const size_t most = (size_t)device_number(device, "MAX_WORK_GROUP_SIZE");
    const size_t sizes[3] = {most, most, most};
    const size_t subgroup = (size_t)device_number(device, "SUBGROUP_SIZE");
    char list[EXTENSIONS_SIZE];
    cl_int st;

    device_extensions(device, list);
    switch (param) {
    case CL_DEVICE_TYPE:
        st = setting_status("DEVICE_TYPE", device->index);
        return st != CL_SUCCESS ? st
                                : answer_ulong(answer, device_type(device));
    case CL_DEVICE_PLATFORM:
        return answer_pointer(answer, platform_get());
    case CL_DEVICE_BUILT_IN_KERNELS:
        return answer_string(answer, "");
    case CL_DEVICE_MAX_COMPUTE_UNITS:
        return answer_compute_units(device, answer);
    case CL_DEVICE_MAX_WORK_ITEM_SIZES:
        return answer_bytes(answer, sizes, sizeof(sizes));
    case CL_DEVICE_DOUBLE_FP_CONFIG:
        return answer_ulong(
                answer, has_word(list, "cl_khr_fp64") ? double_config : 0);
    case CL_DEVICE_HALF_FP_CONFIG:
        if (!has_word(list, "cl_khr_fp16")) return CL_INVALID_VALUE;
        return answer_ulong(answer, CL_FP_ROUND_TO_NEAREST | CL_FP_INF_NAN);
    case CL_DEVICE_EXTENSIONS:
        return answer_extensions(device, false, answer);
    case CL_DEVICE_EXTENSIONS_WITH_VERSION:
        return answer_extensions(device, true, answer);
    case CL_DEVICE_ILS_WITH_VERSION:
        return answer_il_versions(device, answer);
    case CL_DEVICE_OPENCL_C_ALL_VERSIONS:
        return answer_c_versions(device, answer);
    case CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION:
    case CL_DEVICE_OPENCL_C_FEATURES:
        return answer_bytes(answer, NULL, 0);
    case CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED:
        return answer_string(answer, "");
    case CL_DEVICE_NUMERIC_VERSION:
        return answer_uint(answer, CL_MAKE_VERSION(device_version(device) / 10,
                                           device_version(device) % 10, 0));
    case CL_DEVICE_MAX_NUM_SUB_GROUPS:
        return answer_uint(answer,
                device_has_subgroups(device) ? (cl_uint)(most / subgroup) : 0);
    case CL_DEVICE_PARENT_DEVICE:
        return answer_pointer(answer, device->parent);
    case CL_DEVICE_PARTITION_MAX_SUB_DEVICES:
        return answer_uint(
                answer, (cl_uint)device_number(device, "COMPUTE_UNITS"));
    case CL_DEVICE_PARTITION_PROPERTIES:
        return answer_bytes(answer, ways, sizeof(ways));
    case CL_DEVICE_PARTITION_TYPE:
        return answer_bytes(answer, device->partition,
                device->parent != NULL ? sizeof(device->partition) : 0);
    case CL_DEVICE_REFERENCE_COUNT:
        return answer_uint(answer, device->base.external);
    case CL_DEVICE_UUID_KHR:
        return answer_uuid(device, "DEVICE_UUID", answer);
    case CL_DRIVER_UUID_KHR:
        return answer_uuid(device, "DRIVER_UUID", answer);
    case CL_DEVICE_PCI_BUS_INFO_KHR:
        return answer_pci_bus(device, answer);
    case CL_DEVICE_TOPOLOGY_AMD:
        return answer_topology(device, answer);
    default:
        return CL_INVALID_VALUE;
    }
}

static cl_int device_info(
        cl_device_id device, cl_device_info param, const struct answer *answer)
{
    cl_int st = object_check(device, OBJECT_DEVICE);

    if (st != CL_SUCCESS) return st;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (rows[i].param == param) return answer_row(device, &rows[i], answer);
    return device_info_special(device, param, answer);
}

cl_int CL_API_CALL fake_clGetDeviceInfo(cl_device_id device,
        cl_device_info param, size_t capacity, void *value, size_t *size_ret)
{
    const struct answer answer = {capacity, value, size_ret};
    cl_int st = call_enter(CALL_clGetDeviceInfo, "device=%p param=0x%x",
            (const void *)device, param);

    if (st == CL_SUCCESS) st = device_info(device, param, &answer);
    return call_leave(CALL_clGetDeviceInfo, st);
}
