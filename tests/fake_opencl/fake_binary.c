/* SPDX-License-Identifier: Apache-2.0 */
#include "fake_binary.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAGIC "FAKEBIN1"
#define HEADER_SIZE 32
#define CHECKSUM_SIZE 8

static void put(uint8_t *to, uint64_t value, unsigned size)
{
    for (unsigned i = 0; i < size; i++)
        to[i] = (uint8_t)(value >> (8 * i));
}

static uint64_t get(const uint8_t *from, unsigned size)
{
    uint64_t value = 0;

    for (unsigned i = 0; i < size; i++)
        value |= (uint64_t)from[i] << (8 * i);
    return value;
}

static uint64_t hash(const void *data, size_t size)
{
    const uint8_t *bytes = data;
    uint64_t value = 0xcbf29ce484222325u;

    for (size_t i = 0; i < size; i++)
        value = (value ^ bytes[i]) * 0x100000001b3u;
    return value;
}

static uint64_t device_hash(cl_device_id device)
{
    const char *name = setting("DEVICE_NAME", device->index);

    return hash(name, strlen(name));
}

/* ---- units ---- */

static uint8_t *units_grow(struct units *units, size_t size)
{
    uint8_t *grown = realloc(units->data, units->size + size);

    if (grown == NULL) return NULL;
    units->data = grown;
    grown += units->size;
    units->size += size;
    return grown;
}

static bool add_text(struct units *units, const char *text)
{
    size_t length = strlen(text);
    uint8_t *to = units_grow(units, 4 + length + 1);

    if (to == NULL) return false;
    put(to, length, 4);
    memcpy(to + 4, text, length + 1);
    return true;
}

cl_int units_add_source(struct units *units, const struct source_input *input)
{
    uint8_t *to = units_grow(units, 4);
    bool fine = to != NULL;

    if (fine) put(to, input->nheaders, 4);
    fine = fine && add_text(units, input->text)
           && add_text(units, input->options);
    for (size_t i = 0; i < input->nheaders && fine; i++)
        fine = add_text(units, input->header_names[i])
               && add_text(units, input->headers[i]);
    units->count++;
    return fine ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
}

cl_int units_add_binary(struct units *units, const uint8_t *binary, size_t size)
{
    size_t payload = size - HEADER_SIZE - CHECKSUM_SIZE;
    uint8_t *to = units_grow(units, payload);

    if (to == NULL) return CL_OUT_OF_HOST_MEMORY;
    memcpy(to, binary + HEADER_SIZE, payload);
    units->count += (uint32_t)get(binary + 12, 4);
    return CL_SUCCESS;
}

void units_fini(struct units *units)
{
    free(units->data);
}

cl_int binary_wrap(struct build *build, const struct units *units,
        cl_program_binary_type type, cl_device_id device)
{
    size_t size = HEADER_SIZE + units->size + CHECKSUM_SIZE;
    uint8_t *binary = malloc(size);

    if (binary == NULL) return CL_OUT_OF_HOST_MEMORY;
    memcpy(binary, MAGIC, 8);
    put(binary + 8, type, 4);
    put(binary + 12, units->count, 4);
    put(binary + 16, device_hash(device), 8);
    put(binary + 24, units->size, 8);
    memcpy(binary + HEADER_SIZE, units->data, units->size);
    put(binary + size - CHECKSUM_SIZE, hash(binary, size - CHECKSUM_SIZE),
            CHECKSUM_SIZE);
    build->binary = binary;
    build->binary_size = size;
    return CL_SUCCESS;
}

/* ---- reading ---- */

enum binary_state binary_check(
        const uint8_t *binary, size_t size, cl_device_id device)
{
    if (size < HEADER_SIZE + CHECKSUM_SIZE || memcmp(binary, MAGIC, 8) != 0
            || get(binary + 24, 8) != size - HEADER_SIZE - CHECKSUM_SIZE
            || get(binary + size - CHECKSUM_SIZE, CHECKSUM_SIZE)
                       != hash(binary, size - CHECKSUM_SIZE))
        return BINARY_DAMAGED;
    return get(binary + 16, 8) == device_hash(device) ? BINARY_GOOD
                                                      : BINARY_FOREIGN;
}

cl_program_binary_type binary_type(const uint8_t *binary)
{
    return (cl_program_binary_type)get(binary + 8, 4);
}

bool binary_holds(const uint8_t *binary, size_t size, const char *word)
{
    size_t length = strlen(word);

    if (length == 0 || size < length) return false;
    for (size_t i = HEADER_SIZE; i <= size - length; i++)
        if (memcmp(binary + i, word, length) == 0) return true;
    return false;
}

static const char *next_text(const uint8_t **at)
{
    const char *text = (const char *)*at + 4;

    *at += 4 + get(*at, 4) + 1;
    return text;
}

/* Reads a unit: its texts stay where they are, the lists are made. */
static cl_int read_unit(const uint8_t **at, struct source_input *input)
{
    size_t count = (size_t)get(*at, 4);

    input->header_names = calloc(count + 1, sizeof(char *));
    input->headers = calloc(count + 1, sizeof(char *));
    if (input->header_names == NULL || input->headers == NULL)
        return CL_OUT_OF_HOST_MEMORY;
    *at += 4;
    input->nheaders = count;
    input->text = next_text(at);
    input->options = next_text(at);
    for (size_t i = 0; i < count; i++) {
        input->header_names[i] = next_text(at);
        input->headers[i] = next_text(at);
    }
    return CL_SUCCESS;
}

/* What the compiler itself defines for a device. */
static char *predefined_text(cl_device_id device)
{
    unsigned version = device_version(device), c_version[2] = {1, 0};
    char extensions[EXTENSIONS_SIZE];
    char *text = NULL, *word, *rest = extensions;
    size_t size;
    FILE *to = open_memstream(&text, &size);

    if (to == NULL) return NULL;
    sscanf(setting("OPENCL_C_VERSION", device->index), "OpenCL C %u.%u",
            &c_version[0], &c_version[1]);
    fprintf(to,
            "#define __OPENCL_VERSION__ %u\n#define __OPENCL_C_VERSION__ %u\n"
            "#define CL_VERSION_1_0 100\n#define CL_VERSION_1_1 110\n"
            "#define CL_VERSION_1_2 120\n#define CL_VERSION_2_0 200\n"
            "#define CL_VERSION_3_0 300\n",
            version * 10, c_version[0] * 100 + c_version[1] * 10);
    if (device_number(device, "ENDIAN_LITTLE") != 0)
        fputs("#define __ENDIAN_LITTLE__ 1\n", to);
    device_extensions(device, extensions);
    while ((word = strtok_r(rest, " ", &rest)) != NULL)
        fprintf(to, "#define %s 1\n", word);
    return fclose(to) == 0 ? text : NULL;
}

/* Adds one list to another, which must not have a kernel of the same name. */
static cl_int merge(
        struct kernel_list *all, struct kernel_list *more, char **error)
{
    struct kernel_decl *grown = realloc(
            all->items, (all->count + more->count + 1) * sizeof(*grown));

    if (grown == NULL) return CL_OUT_OF_HOST_MEMORY;
    all->items = grown;
    for (size_t i = 0; i < more->count; i++) {
        if (kernel_list_find(all, more->items[i].name) == NULL) continue;
        *error = strdup("kernels of the same name");
        return *error != NULL ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    }
    memcpy(grown + all->count, more->items, more->count * sizeof(*grown));
    all->count += more->count;
    /* Its kernels belong to the other now. */
    more->count = 0;
    return CL_SUCCESS;
}

static cl_int scan_unit(const uint8_t **at, const char *predefined,
        struct kernel_list *kernels, char **error)
{
    struct source_input input = {.predefined = predefined};
    struct kernel_list found = {0, NULL};
    cl_int st = read_unit(at, &input);

    if (st == CL_SUCCESS) st = source_scan(&input, &found, error);
    if (st == CL_SUCCESS && *error == NULL) st = merge(kernels, &found, error);
    kernel_list_fini(&found);
    free(input.header_names);
    free(input.headers);
    return st;
}

cl_int binary_scan(const uint8_t *binary, size_t size, cl_device_id device,
        struct kernel_list *kernels, char **error)
{
    const uint8_t *at = binary + HEADER_SIZE;
    const uint8_t *end = binary + size - CHECKSUM_SIZE;
    char *predefined = predefined_text(device);
    cl_int st = predefined != NULL ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;

    *error = NULL;
    while (st == CL_SUCCESS && *error == NULL && at < end)
        st = scan_unit(&at, predefined, kernels, error);
    if (st != CL_SUCCESS || *error != NULL) kernel_list_fini(kernels);
    free(predefined);
    return st;
}
