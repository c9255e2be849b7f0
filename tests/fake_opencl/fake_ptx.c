/* SPDX-License-Identifier: Apache-2.0 */
#include "fake_ptx.h"

#include "fake_binary.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char mark[] = "// FAKEBIN ";

/* The compute capability, 90 for 9.0. */
static unsigned sm_of(cl_device_id device)
{
    unsigned major = 0, minor = 0;

    sscanf(setting("NV_CC", device->index), "%u.%u", &major, &minor);
    return major * 10 + minor;
}

char *ptx_of_build(const struct build *build, cl_device_id device, size_t *size)
{
    char *text = NULL;
    FILE *to = open_memstream(&text, size);

    if (to == NULL) return NULL;
    fprintf(to,
            "//\n// Made by the fake driver\n//\n\n.version 7.8\n"
            ".target sm_%u, texmode_independent\n.address_size 64\n\n%s",
            sm_of(device), mark);
    for (size_t i = 0; i < build->binary_size; i++)
        fprintf(to, "%02x", build->binary[i]);
    fputc('\n', to);
    for (size_t i = 0; i < build->kernels.count; i++)
        fprintf(to, ".entry %s(\n)\n{\n\tret;\n}\n",
                build->kernels.items[i].name);
    fputc('\0', to);
    return fclose(to) == 0 ? text : NULL;
}

static int digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
                                  : -1;
}

/* The bytes that a text has in hexadecimal digits. */
static cl_int unpack_text(
        const char *text, uint8_t **binary, size_t *binary_size)
{
    const char *at = strstr(text, mark);
    size_t count = 0;
    uint8_t *bytes;

    if (at == NULL) return CL_INVALID_BINARY;
    at += sizeof(mark) - 1;
    bytes = malloc(strlen(at) / 2 + 1);
    if (bytes == NULL) return CL_OUT_OF_HOST_MEMORY;
    for (; digit(at[0]) >= 0 && digit(at[1]) >= 0; at += 2)
        bytes[count++] = (uint8_t)(digit(at[0]) * 16 + digit(at[1]));
    *binary = bytes;
    *binary_size = count;
    return CL_SUCCESS;
}

static cl_int copy(const uint8_t *bytes, size_t size, uint8_t **binary,
        size_t *binary_size)
{
    *binary = malloc(size > 0 ? size : 1);
    if (*binary == NULL) return CL_OUT_OF_HOST_MEMORY;
    memcpy(*binary, bytes, size);
    *binary_size = size;
    return CL_SUCCESS;
}

/* A text that no build made, as in a test of the compiler: its one kernel. */
static cl_int make_kernel(const char *name, cl_device_id device,
        uint8_t **binary, size_t *binary_size)
{
    char text[256];
    struct units units = {NULL, 0, 0};
    struct build build;
    struct source_input input = {.text = text, .options = ""};
    cl_int st;

    memset(&build, 0, sizeof(build));
    snprintf(text, sizeof(text), "kernel void %.100s(global uint *x) {}", name);
    st = units_add_source(&units, &input);
    if (st == CL_SUCCESS)
        st = binary_wrap(
                &build, &units, CL_PROGRAM_BINARY_TYPE_EXECUTABLE, device);
    units_fini(&units);
    *binary = build.binary;
    *binary_size = build.binary_size;
    return st;
}

/* One whose sections are where they say. */
static cl_int unpack_elf(const uint8_t *given, size_t size, cl_device_id device,
        uint8_t **binary, size_t *binary_size)
{
    Elf64_Ehdr h;
    Elf64_Shdr names, s;
    const char *kernel = NULL;

    memcpy(&h, given, sizeof(h));
    if ((h.e_flags & 0xff) != sm_of(device)
            || h.e_shoff + h.e_shnum * sizeof(s) > size)
        return CL_INVALID_BINARY;
    memcpy(&names, given + h.e_shoff + h.e_shstrndx * sizeof(s), sizeof(names));
    for (unsigned i = 0; i < h.e_shnum; i++) {
        memcpy(&s, given + h.e_shoff + i * sizeof(s), sizeof(s));
        const char *name = (const char *)given + names.sh_offset + s.sh_name;
        if (strcmp(name, ".fakebin") == 0)
            return s.sh_offset + s.sh_size > size
                           ? CL_INVALID_BINARY
                           : copy(given + s.sh_offset, (size_t)s.sh_size,
                                   binary, binary_size);
        if (strncmp(name, ".text.", 6) == 0) kernel = name + 6;
    }
    return kernel != NULL ? make_kernel(kernel, device, binary, binary_size)
                          : CL_INVALID_BINARY;
}

cl_int ptx_unpack(const uint8_t *given, size_t size, cl_device_id device,
        uint8_t **binary, size_t *binary_size)
{
    if (size > sizeof(Elf64_Ehdr) && memcmp(given, ELFMAG, SELFMAG) == 0)
        return unpack_elf(given, size, device, binary, binary_size);
    return given[size - 1] == '\0'
                   ? unpack_text((const char *)given, binary, binary_size)
                   : CL_INVALID_BINARY;
}
