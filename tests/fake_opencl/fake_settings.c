/* SPDX-License-Identifier: Apache-2.0 */
/* The keys of fake_opencl.h: defaults, environment, what a test has set. */
#include "fake_internal.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PREFIX "FAKE_OPENCL_"

static const struct {
    const char *key;
    const char *value;
} defaults[] = {
        {"PLATFORM_NAME", "Fake OpenCL"},
        {"PLATFORM_VENDOR", "Nobody"},
        {"PLATFORM_VERSION", "OpenCL 3.0 fake platform"},
        {"PLATFORM_PROFILE", "FULL_PROFILE"},
        {"DEVICE_NAME", "Fake GPU"},
        {"DEVICE_VENDOR", "Nobody"},
        {"DEVICE_VENDOR_ID", "0xfa4e"},
        {"DEVICE_PROFILE", "FULL_PROFILE"},
        {"DEVICE_VERSION", "OpenCL 3.0 fake device"},
        {"DRIVER_VERSION", "1.0"},
        {"OPENCL_C_VERSION", "OpenCL C 1.2 fake compiler"},
        {"ADDRESS_BITS", "64"},
        {"ENDIAN_LITTLE", "1"},
        {"EXTENSIONS", "cl_khr_byte_addressable_store cl_khr_subgroups"},
        {"DEVICE_TYPE", "gpu"},
        {"MAX_WORK_GROUP_SIZE", "256"},
        {"MAX_WORK_ITEM_DIMENSIONS", "3"},
        {"SINGLE_FP_CONFIG", "0x26"},
        {"LOCAL_MEM_SIZE", "32768"},
        {"GLOBAL_MEM_SIZE", "0x40000000"},
        {"MAX_MEM_ALLOC_SIZE", "0x20000000"},
        {"MEM_BASE_ADDR_ALIGN", "1024"},
        {"COMPUTE_UNITS", "8"},
        {"CLOCK_FREQUENCY", "1000"},
        {"HOST_UNIFIED_MEMORY", "0"},
        {"IL_VERSION", ""},
        {"DEVICES", "1"},
        {"NV_CC", ""},
        {"NV_PCI_BUS", ""},
        {"NV_PCI_SLOT", ""},
        {"NV_PCI_DOMAIN", ""},
        {"INTEL_IP_VERSION", ""},
        {"INTEL_DEVICE_ID", ""},
        {"AMD_BOARD", ""},
        {"AMD_PCIE_ID", ""},
        {"AMD_GFXIP", ""},
        {"AMD_TOPOLOGY", ""},
        {"DEVICE_UUID", ""},
        {"DRIVER_UUID", ""},
        {"PCI_BUS", ""},
        {"WG_MULTIPLE", "32"},
        {"KERNEL_WORK_GROUP_SIZE", ""},
        {"SUBGROUP_SIZE", "32"},
        {"ACCEPTS", ""},
        {"BUILD_LOG", ""},
        {"ERROR_PLACE", ""},
        {"BUILD_MS", "0"},
        {"BINARY_MS", "0"},
        {"SIZES_MS", "0"},
        {"SIZES_WORK_MS", "0"},
        {"BUILD_ERROR", "0"},
        {"CALLBACK_AND_STATUS", "0"},
        {"CALLBACK_LATER", "0"},
        {"INTEL_CPU", "0"},
        {"NVIDIA", "0"},
        {"NO_ROOM", "0"},
        {"PTX", "0"},
        {"REFUSES_CUBINS", "0"},
        {"DEADLY_CUBINS", "0"},
        {"LISTS_ROOT", "0"},
        {"LIST_ORDER", "0"},
        {"KEEPS_LAUNCHED", "0"},
        {"REFUSAL", ""},
        {"STRICT", "0"},
        {"TAKES_FOREIGN", "0"},
        {"DIE_ON_DAMAGED", "0"},
        {"DEADLY_BINARY", ""},
        {"DEADLY_SOURCES", "0"},
        {"OWN_HEADER", ""},
        {"OWN_CACHE", ""},
        {"SYNCS", ""},
        {"PRINTS", ""},
        {"REFUSED_BINARY", ""},
        {"VARIES", "0"},
        {"LOG", ""},
        {"FAIL", ""},
};

struct entry {
    struct entry *next;
    char *key; /* with the device, if there is one: "DEVICE_NAME_1" */
    char *value;
};

static struct entry *from_environment;
static struct entry *from_tests;
static bool environment_read;

static const char *default_of(const char *key, size_t length)
{
    for (size_t i = 0; i < sizeof(defaults) / sizeof(defaults[0]); i++)
        if (strncmp(defaults[i].key, key, length) == 0
                && defaults[i].key[length] == '\0')
            return defaults[i].value;
    return NULL;
}

/* The length of a key without the device behind it. */
static size_t bare_length(const char *key)
{
    size_t length = strlen(key);
    size_t bare = length;

    while (bare > 0 && isdigit((unsigned char)key[bare - 1]))
        bare--;
    return bare < length && bare > 1 && key[bare - 1] == '_' ? bare - 1
                                                             : length;
}

static struct entry **list_find(struct entry **list, const char *key)
{
    while (*list != NULL && strcmp((*list)->key, key) != 0)
        list = &(*list)->next;
    return list;
}

static void list_remove(struct entry **place)
{
    struct entry *entry = *place;

    *place = entry->next;
    free(entry->key);
    free(entry->value);
    free(entry);
}

static void list_set(struct entry **list, const char *key, const char *value)
{
    struct entry **place = list_find(list, key);
    struct entry *entry;

    if (default_of(key, bare_length(key)) == NULL) fatal("no key %s", key);
    if (*place != NULL) list_remove(place);
    if (value == NULL) return;
    entry = calloc(1, sizeof(*entry));
    if (entry == NULL) fatal("out of memory");
    entry->key = strdup(key);
    entry->value = strdup(value);
    if (entry->key == NULL || entry->value == NULL) fatal("out of memory");
    entry->next = *list;
    *list = entry;
}

static void list_clear(struct entry **list)
{
    while (*list != NULL)
        list_remove(list);
}

static void read_environment(void)
{
    size_t prefix = strlen(PREFIX);
    char key[64];

    environment_read = true;
    for (char **variable = environ; *variable != NULL; variable++) {
        const char *name = *variable + prefix;
        const char *equals = strchr(*variable, '=');
        size_t length;

        if (strncmp(*variable, PREFIX, prefix) != 0 || equals < name) continue;
        length = (size_t)(equals - name);
        if (length >= sizeof(key)) fatal("no key %s", name);
        memcpy(key, name, length);
        key[length] = '\0';
        list_set(&from_environment, key, equals + 1);
    }
}

static const char *look_up(const char *key)
{
    struct entry *entry = *list_find(&from_tests, key);

    if (entry == NULL) entry = *list_find(&from_environment, key);
    return entry != NULL ? entry->value : NULL;
}

const char *setting(const char *key, cl_uint device)
{
    char own[64];
    size_t length = strlen(key);
    const char *value;

    if (!environment_read) read_environment();
    /* Devices are numbered by one digit. */
    memcpy(own, key, length);
    own[length] = '_';
    own[length + 1] = (char)('0' + device);
    own[length + 2] = '\0';
    value = look_up(own);
    if (value == NULL) value = look_up(key);
    if (value == NULL) value = default_of(key, length);
    if (value == NULL) fatal("no key %s", key);
    return value;
}

uint64_t setting_number(const char *key, cl_uint device)
{
    const char *value = setting(key, device);
    char *end;
    unsigned long long number;

    if (value[0] == '\0' || value[0] == '!') return 0;
    errno = 0;
    number = strtoull(value, &end, 0);
    if (*end != '\0' || errno != 0) fatal("%s is no number: %s", key, value);
    return number;
}

cl_int setting_status(const char *key, cl_uint device)
{
    const char *value = setting(key, device);

    if (value[0] != '!') return CL_SUCCESS;
    return (cl_int)strtol(value + 1, NULL, 10);
}

void settings_set(const char *key, const char *value)
{
    list_set(&from_tests, key, value);
}

void settings_reset(void)
{
    list_clear(&from_tests);
    list_clear(&from_environment);
    environment_read = false;
}
