/* SPDX-License-Identifier: Apache-2.0 */
#include "src/binaries/binary_form.h"

#include "src/binaries/intel_binary.h"
#include "src/binaries/pocl_layout.h"
#include "src/blob/codec.h"
#include "src/common/byte_order.h"

#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    capacity = DNNL_CACHE_BINARY_TEXT_SIZE,
    spirv_magic = 0x07230203,
    cuda_machine = 190, /* EM_CUDA */
    largest_decoded = 64 << 20
};

/* Intermediate code is a file that is not empty. */
static void describe_pocl(const uint8_t *binary, size_t size, char *text)
{
    struct pocl_layout layout;
    struct pocl_files files;
    struct pocl_file file;
    bool has_code = false;
    if (!pocl_layout_read(&layout, binary, size)) {
        snprintf(text, capacity, "PoCL, layout %" PRIu32,
                load_le32(binary + 16));
        return;
    }
    if (pocl_files_of_program(&layout, &files))
        while (pocl_files_next(&files, &file))
            if (file.size > 0) has_code = true;
    snprintf(text, capacity, "PoCL, layout %" PRIu32 ", %s", layout.version,
            has_code ? "with intermediate code" : "machine code alone");
}

static void describe_intel(const struct intel_binary *binary, char *text)
{
    const char *name = intel_binary_device_name(binary);
    const char *spirv = binary->has_spirv ? "with SPIR-V" : "without SPIR-V";
    const char *kind = binary->is_zebin ? "product" : "core family";
    if (name != NULL)
        snprintf(text, capacity, "Intel, %s, %s", name, spirv);
    else if (binary->has_device)
        snprintf(text, capacity, "Intel, %s %" PRIu32 ", %s", kind,
                binary->device, spirv);
    else
        snprintf(text, capacity, "Intel, %s", spirv);
}

static bool is_cubin(const uint8_t *binary, size_t size)
{
    return size >= sizeof(Elf64_Ehdr) && memcmp(binary, ELFMAG, SELFMAG) == 0
           && load_le16(binary + offsetof(Elf64_Ehdr, e_machine))
                      == cuda_machine;
}

/* A text with the directive that every module begins with. */
static bool is_ptx(const uint8_t *binary, size_t size)
{
    static const char word[] = ".version";
    const size_t length = sizeof word - 1;
    const size_t most = size < 4096 ? size : 4096;
    for (size_t i = 0; i + length <= most && binary[i] != 0; i++)
        if (memcmp(binary + i, word, length) == 0
                && (i == 0 || binary[i - 1] == '\n'))
            return true;
    return false;
}

void binary_form_of_bytes(const uint8_t *binary, size_t size,
        char text[DNNL_CACHE_BINARY_TEXT_SIZE])
{
    struct intel_binary intel;
    text[0] = '\0';
    if (pocl_layout_is(binary, size))
        describe_pocl(binary, size, text);
    else if (intel_binary_read(&intel, binary, size))
        describe_intel(&intel, text);
    else if (is_cubin(binary, size))
        snprintf(text, capacity, "NVIDIA, CUBIN");
    else if (is_ptx(binary, size))
        snprintf(text, capacity, "NVIDIA, PTX");
    else if (size >= 20 && load_le32(binary) == spirv_magic)
        snprintf(text, capacity, "SPIR-V");
    else if (size >= 4 && memcmp(binary, "BC\xc0\xde", 4) == 0)
        snprintf(text, capacity, "LLVM bitcode");
}

void binary_form_describe(const struct blob_program *program,
        char text[DNNL_CACHE_BINARY_TEXT_SIZE])
{
    text[0] = '\0';
    if (program->codec == blob_codec_none) {
        binary_form_of_bytes(program->binary, program->binary_size, text);
        return;
    }
    if (program->raw_size > largest_decoded) return;
    uint8_t *decoded = malloc((size_t)program->raw_size);
    if (decoded != NULL
            && codec_decode((enum blob_codec)program->codec, program->binary,
                       program->binary_size, decoded, (size_t)program->raw_size)
                       == dnnl_success)
        binary_form_of_bytes(decoded, (size_t)program->raw_size, text);
    free(decoded);
}
