/* SPDX-License-Identifier: Apache-2.0 */
/* Whose binaries are which: vectors of tests/data/binaries, and drafts. */
#include "pocl_draft.h"
#include "src/binaries/binary_form.h"
#include "src/binaries/intel_binary.h"
#include "src/blob/codec.h"
#include "src/common/byte_order.h"

#include "test.h"

#include <elf.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void read_vector(const char *name, struct buffer *out)
{
    char path[4096];
    char chunk[4096];
    snprintf(path, sizeof path, "%s/binaries/%s.bin", DNNL_CACHE_TEST_DATA_DIR,
            name);
    FILE *file = fopen(path, "rb");
    ASSERT_TRUE(file != NULL);
    for (size_t n; (n = fread(chunk, 1, sizeof chunk, file)) > 0;)
        buffer_append(out, chunk, n);
    fclose(file);
    ASSERT_STATUS(dnnl_success, buffer_status(out));
}

/* As it is, and from a blob's record that is compressed. */
static void expect_text(const char *text, const uint8_t *bytes, size_t size)
{
    char told[DNNL_CACHE_BINARY_TEXT_SIZE];
    struct buffer frame = {NULL, 0, 0, false};
    binary_form_of_bytes(bytes, size, told);
    EXPECT_STR_EQ(text, told);
    ASSERT_STATUS(dnnl_success,
            codec_encode(blob_codec_zstd, 3, bytes, size, &frame));
    struct blob_program program = {.binary = frame.data,
            .binary_size = frame.size,
            .raw_size = size,
            .codec = blob_codec_zstd};
    binary_form_describe(&program, told);
    EXPECT_STR_EQ(text, told);
    program.raw_size++;
    binary_form_describe(&program, told);
    EXPECT_STR_EQ("", told);
    buffer_fini(&frame);
}

static void expect_vector(const char *name, const char *text)
{
    struct buffer bytes = {NULL, 0, 0, false};
    read_vector(name, &bytes);
    expect_text(text, bytes.data, bytes.size);
    buffer_fini(&bytes);
}

TEST_C(BinaryForm, TellsIntelsDeviceAndIntermediateCode)
{
    expect_vector("intel-zebin-tgllp", "Intel, tgllp, with SPIR-V");
    expect_vector("intel-zebin-dg2", "Intel, dg2, with SPIR-V");
    expect_vector("intel-zebin-pvc", "Intel, pvc, with SPIR-V");
    expect_vector("intel-zebin-pvc-alone", "Intel, pvc, without SPIR-V");
    expect_vector("intel-old-skl", "Intel, Gen9, with SPIR-V");
    expect_vector("intel-old-tgllp", "Intel, Gen12LP, with SPIR-V");
    expect_vector("intel-old-dg2", "Intel, XE_HPG, with SPIR-V");
    expect_vector("intel-old-dg2-alone", "Intel, XE_HPG, without SPIR-V");
    expect_vector("intel-old-pvc", "Intel, XE_HPC, with SPIR-V");
}

TEST_C(BinaryForm, TellsTheNumberOfAnUnknownDevice)
{
    struct buffer bytes = {NULL, 0, 0, false};
    read_vector("intel-zebin-dg2", &bytes);
    uint8_t *note = memmem(bytes.data, bytes.size, "IntelGT", 8);
    ASSERT_TRUE(note != NULL);
    note[9] ^= 1;
    expect_text("Intel, product 1526, with SPIR-V", bytes.data, bytes.size);
    buffer_fini(&bytes);
}

/* Each length, in a room of exactly its size. The last eight bytes may be
 * padding. */
TEST_C(BinaryForm, IsNotMisledByWhatIsCutShort)
{
    static const char *const names[] = {"intel-zebin-dg2", "intel-old-dg2"};
    for (size_t i = 0; i < COUNT(names); i++) {
        struct buffer bytes = {NULL, 0, 0, false};
        struct intel_binary binary;
        read_vector(names[i], &bytes);
        for (size_t size = 0; size + 8 <= bytes.size; size++) {
            uint8_t *cut = malloc(size > 0 ? size : 1);
            ASSERT_TRUE(cut != NULL);
            memcpy(cut, bytes.data, size);
            if (intel_binary_read(&binary, cut, size))
                test_fail(__FILE__, __LINE__, "%s: %zu bytes", names[i], size);
            free(cut);
        }
        EXPECT_TRUE(intel_binary_read(&binary, bytes.data, bytes.size));
        buffer_fini(&bytes);
    }
}

/* ---- Intel's, changed -----------------------------------------------------
 */

/* Entries of sections lie anywhere: their fields are read and written by bytes.
 */
static uint8_t *section_of_type(struct buffer *bytes, uint32_t type)
{
    const Elf64_Ehdr *head = (const Elf64_Ehdr *)(void *)bytes->data;
    for (size_t i = 0; i < head->e_shnum; i++) {
        uint8_t *at = bytes->data + head->e_shoff + i * sizeof(Elf64_Shdr);
        if (load_le32(at + offsetof(Elf64_Shdr, sh_type)) == type) return at;
    }
    return NULL;
}

static void set_place(uint8_t *section, uint64_t offset, uint64_t size)
{
    store_le64(section + offsetof(Elf64_Shdr, sh_offset), offset);
    store_le64(section + offsetof(Elf64_Shdr, sh_size), size);
}

static Elf64_Ehdr *read_elf(const char *name, struct buffer *bytes)
{
    buffer_fini(bytes);
    read_vector(name, bytes);
    return (Elf64_Ehdr *)(void *)bytes->data;
}

static bool is_intels(const struct buffer *bytes)
{
    struct intel_binary binary;
    return intel_binary_read(&binary, bytes->data, bytes->size);
}

TEST_C(BinaryForm, IsIntelsByEachFieldOfTheHead)
{
    static const char name[] = "intel-zebin-dg2";
    struct buffer bytes = {NULL, 0, 0, false};
    read_elf(name, &bytes)->e_ident[EI_MAG1] = 'e';
    EXPECT_FALSE(is_intels(&bytes));
    read_elf(name, &bytes)->e_ident[EI_CLASS] = ELFCLASS32;
    EXPECT_FALSE(is_intels(&bytes));
    read_elf(name, &bytes)->e_ident[EI_DATA] = ELFDATA2MSB;
    EXPECT_FALSE(is_intels(&bytes));
    read_elf(name, &bytes)->e_shentsize++;
    EXPECT_FALSE(is_intels(&bytes));
    read_elf(name, &bytes)->e_shoff = UINT64_MAX;
    EXPECT_FALSE(is_intels(&bytes));
    read_elf(name, &bytes)->e_shnum = UINT16_MAX;
    EXPECT_FALSE(is_intels(&bytes));
    /* Either the machine or the type tells it. */
    read_elf(name, &bytes)->e_type = ET_EXEC;
    EXPECT_TRUE(is_intels(&bytes));
    Elf64_Ehdr *head = read_elf(name, &bytes);
    head->e_type = 0xff12; /* a type of theirs */
    head->e_machine = EM_X86_64;
    EXPECT_TRUE(is_intels(&bytes));
    head->e_type = ET_EXEC;
    EXPECT_FALSE(is_intels(&bytes));
    head->e_type = 0xfffe;
    EXPECT_FALSE(is_intels(&bytes));
    buffer_fini(&bytes);
}

TEST_C(BinaryForm, NoSectionOfIntelsLiesBeyondTheEnd)
{
    struct buffer bytes = {NULL, 0, 0, false};
    read_elf("intel-zebin-dg2", &bytes);
    uint8_t *note = section_of_type(&bytes, SHT_NOTE);
    ASSERT_TRUE(note != NULL);
    set_place(note, bytes.size + 1, 0);
    EXPECT_FALSE(is_intels(&bytes));
    set_place(note, bytes.size, 1);
    EXPECT_FALSE(is_intels(&bytes));
    set_place(note, 1, UINT64_MAX);
    EXPECT_FALSE(is_intels(&bytes));
    /* It has no bytes in the file, wherever it is said to be. */
    store_le32(note + offsetof(Elf64_Shdr, sh_type), SHT_NOBITS);
    EXPECT_TRUE(is_intels(&bytes));
    buffer_fini(&bytes);
}

TEST_C(BinaryForm, ADeviceOfIntelsIsToldByItsNoteAlone)
{
    static const struct {
        size_t at;
        uint8_t value;
    } changes[] = {
            {0, 7}, {0, 80}, {4, 8}, {4, 255}, {8, 99}, {12, 'i'}, {3, 255}};
    struct buffer bytes = {NULL, 0, 0, false};
    for (size_t i = 0; i < COUNT(changes); i++) {
        read_elf("intel-zebin-dg2", &bytes);
        uint8_t *section = section_of_type(&bytes, SHT_NOTE);
        uint8_t *note = memmem(bytes.data, bytes.size, "IntelGT", 8);
        ASSERT_TRUE(section != NULL && note != NULL);
        set_place(section, (uint64_t)(note - 12 - bytes.data), 24); /* alone */
        expect_text("Intel, dg2, with SPIR-V", bytes.data, bytes.size);
        note[(ptrdiff_t)changes[i].at - 12] = changes[i].value;
        expect_text("Intel, with SPIR-V", bytes.data, bytes.size);
    }
    read_elf("intel-old-dg2", &bytes);
    uint8_t *device = section_of_type(&bytes, 0xff000005);
    ASSERT_TRUE(device != NULL);
    const uint64_t at = load_le64(device + offsetof(Elf64_Shdr, sh_offset));
    const uint64_t size = load_le64(device + offsetof(Elf64_Shdr, sh_size));
    set_place(device, at, 11);
    expect_text("Intel, with SPIR-V", bytes.data, bytes.size);
    set_place(device, at, size);
    bytes.data[at]++;
    expect_text("Intel, with SPIR-V", bytes.data, bytes.size);
    /* Nothing in it: no intermediate code. */
    uint8_t *code = section_of_type(&bytes, 0xff000009);
    ASSERT_TRUE(code != NULL);
    set_place(code, at, 0);
    expect_text("Intel, without SPIR-V", bytes.data, bytes.size);
    buffer_fini(&bytes);
}

/* ---- Others -----------------------------------------------------------------
 */

TEST_C(BinaryForm, TellsPoclsWithAndWithoutIntermediateCode)
{
    struct pocl_draft draft = pocl_draft_good(9);
    struct buffer bytes = {NULL, 0, 0, false};
    pocl_draft_write(&draft, &bytes);
    expect_text(
            "PoCL, layout 9, with intermediate code", bytes.data, bytes.size);
    buffer_fini(&bytes);
    draft = pocl_draft_good(11);
    draft.files[0] = (struct pocl_draft_file){"/final", 0};
    pocl_draft_write(&draft, &bytes);
    expect_text("PoCL, layout 11, machine code alone", bytes.data, bytes.size);
    expect_text("PoCL, layout 11", bytes.data, bytes.size - 1);
    buffer_fini(&bytes);
    draft = pocl_draft_good(13);
    pocl_draft_write(&draft, &bytes);
    expect_text("PoCL, layout 13", bytes.data, bytes.size);
    buffer_fini(&bytes);
}

TEST_C(BinaryForm, TellsTheOthers)
{
    static const char ptx[] = "//\n// Generated by\n//\n.version 8.4\n"
                              ".target sm_90\n";
    static const char not_ptx[] = "a text about a .version of something\n";
    uint8_t cubin[64] = {0x7f, 'E', 'L', 'F', 2, 1};
    cubin[18] = 190;
    expect_text("NVIDIA, PTX", (const uint8_t *)ptx, sizeof ptx);
    expect_text("NVIDIA, CUBIN", cubin, sizeof cubin);
    expect_text("LLVM bitcode", (const uint8_t *)"BC\xc0\xde....", 8);
    expect_text("", (const uint8_t *)not_ptx, sizeof not_ptx);
    expect_text("", (const uint8_t *)"FAKEBIN1", 8);
    expect_text("", (const uint8_t *)"x", 1);
    expect_vector("spirv", "SPIR-V");
}
