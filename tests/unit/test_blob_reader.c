/* SPDX-License-Identifier: Apache-2.0 */
#include "src/blob/reader.h"

#include "forge.h"
#include "src/blob/format.h"
#include "src/blob/included.h"
#include "src/common/byte_order.h"

#include "test.h"

#include <stdlib.h>
#include <string.h>

/* Reads bytes that must be refused, from memory that ends where they end. */
static void expect_refused(int line, const char *what, dnnl_status_t status,
        const char *why, const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size + 1);
    if (copy == NULL) abort();
    memcpy(copy + 1, data, size);
    struct blob_view view;
    struct blob_view untouched;
    memset(&view, 0x5a, sizeof view);
    memset(&untouched, 0x5a, sizeof untouched);
    struct blob_reason reason = {""};
    dnnl_status_t got = blob_read(&view, copy + 1, size, &reason);
    dnnl_status_t again = blob_read(&view, copy + 1, size, NULL);
    test_asserts();
    if (got != status || again != status || strstr(reason.text, why) == NULL)
        test_fail(__FILE__, line, "%s: status %d, \"%s\" for \"%s\"", what,
                (int)got, reason.text, why);
    if (memcmp(&view, &untouched, sizeof view) != 0)
        test_fail(__FILE__, line, "%s: the view was written", what);
    free(copy);
}

#define EXPECT_CORRUPT(why, data, size) \
    expect_refused(__LINE__, #data, dnnl_cache_blob_corrupt, why, data, size)

TEST_C(BlobReader, RefusesNullAndEmpty)
{
    const uint8_t byte = 0;
    struct blob_view view;
    struct blob_reason reason = {""};
    EXPECT_STATUS(dnnl_invalid_arguments, blob_read(NULL, &byte, 1, NULL));
    EXPECT_STATUS(dnnl_invalid_arguments, blob_read(&view, NULL, 1, NULL));
    EXPECT_STATUS(dnnl_invalid_arguments, blob_read(&view, &byte, 0, &reason));
    EXPECT_STR_EQ("no blob given", reason.text);
}

TEST_SAMPLE(BlobReader, LeavesTheReasonAloneOnSuccess, blob_kind_engine)
{
    struct blob_view view;
    struct blob_reason reason = {"before"};
    EXPECT_OK(blob_read(&view, s->blob, s->size, &reason));
    EXPECT_STR_EQ("before", reason.text);
}

TEST_SAMPLE(BlobReader, ReadsAtAnyAddress, blob_kind_primitive)
{
    uint8_t *shifted = malloc(s->size + 8);
    ASSERT_NOT_NULL(shifted);
    for (size_t shift = 0; shift < 8; shift++) {
        memcpy(shifted + shift, s->blob, s->size);
        struct blob_view view;
        ASSERT_OK(blob_read(&view, shifted + shift, s->size, NULL));
        EXPECT_TRUE(forge_view_is_sound(&view));
    }
    free(shifted);
}

TEST_SAMPLE(BlobReader, ViewRefusesBadIndices, blob_kind_primitive)
{
    struct blob_view view;
    ASSERT_OK(blob_read(&view, s->blob, s->size, NULL));
    struct blob_program program;
    struct blob_program no_program;
    memset(&program, 0x5a, sizeof program);
    memset(&no_program, 0x5a, sizeof no_program);
    struct blob_kernel kernel;
    struct blob_kernel no_kernel;
    memset(&kernel, 0x5a, sizeof kernel);
    memset(&no_kernel, 0x5a, sizeof no_kernel);
    EXPECT_STATUS(
            dnnl_invalid_arguments, blob_view_program(&view, 2, &program));
    EXPECT_STATUS(dnnl_invalid_arguments, blob_view_kernel(&view, 3, &kernel));
    EXPECT_STATUS(dnnl_invalid_arguments, blob_view_program(NULL, 0, &program));
    EXPECT_STATUS(dnnl_invalid_arguments, blob_view_kernel(NULL, 0, &kernel));
    EXPECT_STATUS(dnnl_invalid_arguments, blob_view_program(&view, 0, NULL));
    EXPECT_STATUS(dnnl_invalid_arguments, blob_view_kernel(&view, 0, NULL));
    EXPECT_BYTES_EQ(&no_program, sizeof program, &program, sizeof program);
    EXPECT_BYTES_EQ(&no_kernel, sizeof kernel, &kernel, sizeof kernel);
}

/* ---- Damage -------------------------------------------------------------- */

static const enum blob_kind kinds[] = {
        blob_kind_engine, blob_kind_primitive, blob_kind_program};

TEST_C(BlobReader, RefusesEveryTruncation)
{
    for (size_t i = 0; i < 3; i++) {
        struct sample s;
        sample_init(&s, kinds[i]);
        for (size_t size = 1; size < s.size; size++)
            EXPECT_CORRUPT("", s.blob, size);
        sample_fini(&s);
    }
}

/* Cut and then sealed again: now the sections have to tell. */
TEST_SAMPLE(BlobReader, RefusesEveryTruncationThatIsSealed, blob_kind_primitive)
{
    uint8_t *copy = malloc(s->size);
    ASSERT_NOT_NULL(copy);
    for (size_t size = 1; size < s->size; size++) {
        memcpy(copy, s->blob, size);
        forge_repair(copy, size);
        EXPECT_CORRUPT("", copy, size);
    }
    free(copy);
}

/* Magic, version and total size are right, and there is nothing else. */
TEST_SAMPLE(BlobReader, RefusesLessThanAHeader, blob_kind_engine)
{
    for (size_t size = 24; size < format_header_size; size++) {
        store_le64(s->blob + format_at_total_size, size);
        EXPECT_CORRUPT("bytes are no header", s->blob, size);
    }
}

TEST_SAMPLE(BlobReader, RefusesTrailingBytes, blob_kind_program)
{
    uint8_t *longer = calloc(1, s->size + 8);
    ASSERT_NOT_NULL(longer);
    for (size_t extra = 1; extra <= 8; extra++) {
        memcpy(longer, s->blob, s->size);
        EXPECT_CORRUPT("written as", longer, s->size + extra);
        forge_repair(longer, s->size + extra);
        EXPECT_CORRUPT(
                "bytes behind the last section", longer, s->size + extra);
    }
    free(longer);
}

/* What the first bytes alone say decides about a newer format; every other
 * bit is under the checksum. */
static dnnl_status_t status_of_flip(size_t byte, unsigned bit)
{
    bool newer = byte >= format_at_version && byte < format_at_kind
                 && !(byte == format_at_version && bit == 0);
    return newer ? dnnl_cache_blob_unsupported : dnnl_cache_blob_corrupt;
}

TEST_C(BlobReader, RefusesEveryFlippedBit)
{
    for (size_t i = 0; i < 3; i++) {
        struct sample s;
        sample_init(&s, kinds[i]);
        for (size_t byte = 0; byte < s.size; byte++) {
            for (unsigned bit = 0; bit < 8; bit++) {
                s.blob[byte] ^= (uint8_t)(1u << bit);
                expect_refused(__LINE__, "flipped bit",
                        status_of_flip(byte, bit), "", s.blob, s.size);
                s.blob[byte] ^= (uint8_t)(1u << bit);
            }
        }
        sample_fini(&s);
    }
}

/* A small generator, so that a seed gives the same test everywhere. */
static uint64_t next_random(uint64_t *state)
{
    *state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = *state;
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

TEST_SAMPLE(BlobReader, RefusesRandomDamage, blob_kind_primitive)
{
    uint64_t random = test_seed();
    uint8_t *copy = malloc(s->size);
    ASSERT_NOT_NULL(copy);
    for (int i = 0; i < 10000; i++) {
        memcpy(copy, s->blob, s->size);
        uint64_t flips = 1 + next_random(&random) % 8;
        for (uint64_t k = 0; k < flips; k++) {
            size_t body = s->size - format_header_size;
            size_t at =
                    format_header_size + (size_t)(next_random(&random) % body);
            copy[at] = (uint8_t)(copy[at] ^ (1 + next_random(&random) % 255));
        }
        /* Flips may undo each other. */
        if (memcmp(copy, s->blob, s->size) == 0) continue;
        EXPECT_CORRUPT("wrong checksum", copy, s->size);
        if (test_has_failed()) break;
    }
    free(copy);
}

/* With the checksum made right, whatever is still read must be sound. */
static void expect_sound_if_read(const struct sample *s, uint64_t random)
{
    uint8_t *copy = malloc(s->size);
    ASSERT_NOT_NULL(copy);
    for (int i = 0; i < 50000; i++) {
        memcpy(copy, s->blob, s->size);
        uint64_t flips = 1 + next_random(&random) % 3;
        for (uint64_t k = 0; k < flips; k++)
            copy[next_random(&random) % s->size] ^=
                    (uint8_t)(1u << next_random(&random) % 8);
        forge_repair(copy, s->size);
        struct blob_view view;
        if (blob_read(&view, copy, s->size, NULL) != dnnl_success) continue;
        ASSERT_TRUE(forge_view_is_sound(&view));
    }
    free(copy);
}

TEST_SAMPLE(
        BlobReader, ReadsNothingUnsoundFromForgedDamage, blob_kind_primitive)
{
    expect_sound_if_read(s, test_seed());
    sample_fini(s);
    sample_init_finalised(s, blob_kind_primitive);
    expect_sound_if_read(s, test_seed());
}

/* ---- Single numbers, under a right checksum ------------------------------ */

/* A number in the sample primitive blob. */
struct place {
    uint32_t tag; /* of the section it is in; 0: the head of the blob */
    size_t at;    /* offset in there */
};

#define HEADER(member) ((struct place){0, format_at_##member})
#define SECTION(index, member)                                          \
    ((struct place){0, format_header_size + (index)*format_section_size \
                               + format_section_at_##member})
#define PROGRAMS(offset) ((struct place){format_tag_programs, offset})
#define PROGRAM(index, member)                                      \
    PROGRAMS(format_table_header_size + (index)*format_program_size \
             + format_program_at_##member)
#define KERNELS(offset) ((struct place){format_tag_kernels, offset})
#define KERNEL(index, member)                                     \
    KERNELS(format_table_header_size + (index)*format_kernel_size \
            + format_kernel_at_##member)

static const dnnl_status_t corrupt = dnnl_cache_blob_corrupt;
static const dnnl_status_t unsupported = dnnl_cache_blob_unsupported;

/* Replaces the number, makes the checksum right and expects a refusal. */
static void expect_number_refused(int line, const struct sample *s,
        struct place place, size_t bytes, uint64_t value, dnnl_status_t status,
        const char *why)
{
    uint8_t *copy = malloc(s->size);
    if (copy == NULL) abort();
    memcpy(copy, s->blob, s->size);
    uint8_t *number = copy + place.at;
    if (place.tag != 0) number += forge_find(copy, place.tag, NULL);
    for (size_t i = 0; i < bytes; i++)
        number[i] = (uint8_t)(value >> 8 * i);
    forge_repair(copy, s->size);
    expect_refused(line, why, status, why, copy, s->size);
    free(copy);
}

#define REFUSES32(place, value, status, why) \
    expect_number_refused(__LINE__, s, place, 4, value, status, why)
#define REFUSES64(place, value, status, why) \
    expect_number_refused(__LINE__, s, place, 8, value, status, why)

static const uint64_t huge = UINT64_MAX;

TEST_SAMPLE(BlobReader, RefusesBadHeaderNumbers, blob_kind_primitive)
{
    REFUSES32(HEADER(version), 0, corrupt, "format version 0");
    REFUSES32(HEADER(version), 2, unsupported, "format version 2 > 1");
    REFUSES32(HEADER(version), UINT32_MAX, unsupported, "4294967295 > 1");
    REFUSES32(HEADER(kind), 0, unsupported, "kind 0");
    REFUSES32(HEADER(kind), 4, unsupported, "kind 4");
    REFUSES32(HEADER(kind), blob_kind_engine, corrupt, "engine");
    REFUSES32(HEADER(kind), blob_kind_program, corrupt, "kind 2, not 3");
    REFUSES32(HEADER(reserved), 1, corrupt, "reserved word 1");
    REFUSES32(HEADER(section_count), 0, corrupt, "bytes behind the last");
    REFUSES32(HEADER(section_count), 4, corrupt, "section 0: offset");
    REFUSES32(HEADER(section_count), 6, corrupt, "section 0: offset");
    REFUSES32(HEADER(section_count), 65, corrupt, "65 sections");
    REFUSES32(HEADER(section_count), 0x0aaaaaab, corrupt, "sections");
}

TEST_SAMPLE(BlobReader, BelievesATotalSizeOnlyIfItIsTheSize, blob_kind_engine)
{
    uint8_t *total = s->blob + format_at_total_size;
    const uint64_t wrong[] = {0, 1, s->size - 1, s->size + 1, huge,
            (UINT64_C(1) << 32) + s->size};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        store_le64(total, wrong[i]);
        EXPECT_CORRUPT("written as", s->blob, s->size);
    }
}

TEST_SAMPLE(BlobReader, RefusesBadSectionNumbers, blob_kind_primitive)
{
    uint64_t second =
            load_le64(s->blob + format_header_size + format_section_size
                      + format_section_at_offset);
    REFUSES64(SECTION(1, offset), second - 8, corrupt, "section 1: offset");
    REFUSES64(SECTION(1, offset), second + 8, corrupt, "section 1: offset");
    REFUSES64(SECTION(1, offset), second + 1, corrupt, "section 1: offset");
    REFUSES64(SECTION(1, offset), 0, corrupt, "section 1: offset 0");
    REFUSES64(SECTION(1, offset), huge, corrupt, "section 1: offset");
    REFUSES64(SECTION(1, offset), second + (UINT64_C(1) << 32), corrupt,
            "section 1: offset");
    REFUSES64(SECTION(4, size), 27, corrupt, "section 4: length 27, 26 left");
    REFUSES64(SECTION(4, size), 25, corrupt, "1 bytes behind the last");
    REFUSES64(SECTION(4, size), huge, corrupt, "section 4: length");
    REFUSES64(SECTION(4, size), 0, corrupt, "section 4: length 0");
    REFUSES64(SECTION(3, size), huge - 64, corrupt, "section 3: length");
    REFUSES32(SECTION(1, tag), format_tag_id, corrupt, "is not above");
    REFUSES32(SECTION(0, tag), format_tag_kernels, corrupt, "is not above");
    REFUSES32(SECTION(0, tag), 1, unsupported, "unknown mandatory tag 0x1");
    REFUSES32(SECTION(3, tag), 0x51, corrupt, "log 0: length 19, 0 left");
    REFUSES32(SECTION(0, flags), 0, corrupt, "flags 0, not 0x1");
    REFUSES32(SECTION(0, flags), 3, corrupt, "flags 0x3, not 0x1");
    REFUSES32(SECTION(3, flags), 1, corrupt, "flags 0x1, not 0");
}

TEST_SAMPLE(BlobReader, RefusesBadProgramNumbers, blob_kind_primitive)
{
    size_t programs;
    (void)forge_find(s->blob, format_tag_programs, &programs);
    REFUSES32(PROGRAMS(0), 0, corrupt, "0 programs");
    REFUSES32(PROGRAMS(0), 1, corrupt, "program ID 0: offset");
    REFUSES32(PROGRAMS(0), 3, corrupt, "program ID 0: offset");
    REFUSES32(PROGRAMS(0), 1000, corrupt, "1000 programs");
    REFUSES32(PROGRAMS(0), BLOB_MAX_PROGRAMS + 1, corrupt, "1025 programs");
    REFUSES32(PROGRAMS(0), UINT32_MAX, corrupt, "4294967295 programs");
    REFUSES32(PROGRAMS(4), 1, corrupt, "reserved word 1");
    REFUSES32(PROGRAM(0, backend), 0, unsupported, "back-end 0");
    REFUSES32(PROGRAM(1, backend), 2, unsupported, "back-end 2");
    REFUSES32(PROGRAM(0, codec), 2, unsupported, "codec 2");
    REFUSES32(PROGRAM(1, codec), 0, corrupt, "100 bytes, 10 stored");
    REFUSES64(PROGRAM(1, raw_size), 0, corrupt, "binary of 0 bytes");
    REFUSES64(PROGRAM(1, raw_size), BLOB_MAX_BINARY_SIZE + 1, corrupt,
            "binary of 1073741825 bytes");
    REFUSES64(PROGRAM(1, raw_size), huge, corrupt, "binary of 1844");
    REFUSES64(PROGRAM(0, id_offset), 0, corrupt, "program ID 0: offset 0");
    REFUSES64(PROGRAM(0, id_offset), huge, corrupt, "program ID 0: offset");
    REFUSES64(PROGRAM(1, id_offset), 136, corrupt, "program ID 1: offset 136");
    REFUSES64(PROGRAM(0, id_size), 0, corrupt, "program ID 0: length 0");
    REFUSES64(PROGRAM(0, id_size), 8, corrupt, "program's ID is no ID");
    REFUSES64(PROGRAM(1, id_size), programs, corrupt, "program ID 1: length");
    REFUSES64(PROGRAM(1, id_size), huge, corrupt, "program ID 1: length");
    REFUSES64(PROGRAM(0, binary_offset), 8, corrupt, "binary 0: offset 8");
    REFUSES64(PROGRAM(1, binary_offset), 8, corrupt, "binary 1: offset 8");
    REFUSES64(PROGRAM(1, binary_offset), 13, corrupt, "binary 1: offset 13");
    REFUSES64(PROGRAM(1, binary_size), 9, corrupt, "1 bytes behind the last");
    REFUSES64(PROGRAM(1, binary_size), 11, corrupt, "length 11, 10 left");
    REFUSES64(PROGRAM(1, binary_size), 0, corrupt, "binary 1: length 0");
    REFUSES64(PROGRAM(1, binary_size), huge, corrupt, "binary 1: length");
    REFUSES64(PROGRAM(0, log_offset), 1, corrupt, "log 0: offset 1");
    REFUSES64(PROGRAM(0, log_size), 0, corrupt, "behind the last log");
    REFUSES64(PROGRAM(0, log_size), 17, corrupt, "log 0: no NUL");
    REFUSES64(PROGRAM(0, log_size), 19, corrupt, "log 0: length 20, 19 left");
    REFUSES64(PROGRAM(0, log_size), huge, corrupt, "log 0: length 0");
    REFUSES64(PROGRAM(1, log_offset), 24, corrupt, "log 1: starts past");
    REFUSES64(PROGRAM(1, log_size), 1, corrupt, "log 1: starts past");
}

TEST_SAMPLE(BlobReader, RefusesBadKernelNumbers, blob_kind_primitive)
{
    REFUSES32(KERNELS(0), 0, corrupt, "0 kernels");
    REFUSES32(KERNELS(0), BLOB_MAX_KERNELS + 1, corrupt, "4097 kernels");
    REFUSES32(KERNELS(0), 100, corrupt, "100 kernels");
    REFUSES32(KERNELS(4), 1, corrupt, "reserved word 1");
    REFUSES32(KERNEL(0, program), 2, corrupt, "kernel 0: program 2 of 2");
    REFUSES32(KERNEL(0, program), UINT32_MAX, corrupt, "of 2");
    REFUSES32(KERNEL(0, program), 1, corrupt, "kernels 0 and 2 are the same");
    REFUSES32(KERNEL(2, reserved), 1, corrupt, "kernel 2: reserved word 1");
    REFUSES64(KERNEL(0, name_offset), 0, corrupt, "kernel 0: offset 0");
    REFUSES64(KERNEL(1, name_offset), 128, corrupt, "kernel 1: offset 128");
    REFUSES64(KERNEL(1, name_size), 0, corrupt, "kernel 1: length 0");
    REFUSES64(KERNEL(1, name_size), 3, corrupt, "kernel 1: no NUL");
    REFUSES64(KERNEL(1, name_size), 5, corrupt, "kernel 1: NUL in its name");
    REFUSES64(KERNEL(1, name_size), huge, corrupt, "kernel 1: length 0");
    REFUSES64(KERNEL(1, name_size), huge - 1, corrupt, "kernel 1: length");
    REFUSES64(KERNEL(2, facts_size), 7, corrupt, "1 bytes behind the last");
    REFUSES64(KERNEL(2, facts_size), 9, corrupt, "length 9, 8 left");
    REFUSES64(KERNEL(2, facts_size), 0, corrupt, "length 0");
    REFUSES64(KERNEL(2, facts_offset), 0, corrupt, "offset 0");
    REFUSES64(KERNEL(1, facts_size), 8, corrupt, "offset 0, not");
    REFUSES64(KERNEL(1, facts_offset), 152, corrupt, "length 0");
}

TEST_SAMPLE(BlobReader, RefusesNonzeroPadding, blob_kind_primitive)
{
    size_t kernels_size;
    size_t id_size;
    size_t id = forge_find(s->blob, format_tag_id, &id_size);
    size_t kernels = forge_find(s->blob, format_tag_kernels, &kernels_size);
    const size_t padding[] = {id + id_size, kernels + 128 + 5,
            kernels + 136 + 7, forge_find(s->blob, format_tag_logs, NULL) + 19,
            forge_find(s->blob, format_tag_binaries, NULL) + 13};
    for (size_t i = 0; i < sizeof padding / sizeof padding[0]; i++) {
        ASSERT_EQ(0, s->blob[padding[i]]);
        s->blob[padding[i]] = 1;
        forge_repair(s->blob, s->size);
        EXPECT_CORRUPT("padding before it is not zero", s->blob, s->size);
        s->blob[padding[i]] = 0;
    }
}

/* ---- Whole sections ------------------------------------------------------ */

/* The sections of a sample blob, to be left out, changed or joined by more. */
static uint32_t take_apart(
        const struct sample *s, struct forge_section sections[8])
{
    static const uint32_t tags[] = {format_tag_id, format_tag_programs,
            format_tag_kernels, format_tag_engine_facts, format_tag_logs,
            format_tag_user_data, format_tag_included, format_tag_binaries};
    uint32_t count = 0;
    for (size_t i = 0; i < 8; i++) {
        bool has_facts = s->contents.kind == blob_kind_engine;
        bool has_programs = s->contents.program_count != 0;
        bool has_kernels = s->contents.kernel_count != 0;
        if (tags[i] == format_tag_engine_facts && !has_facts) continue;
        if (tags[i] == format_tag_kernels && !has_kernels) continue;
        bool is_user_data = tags[i] == format_tag_user_data;
        bool is_included = tags[i] == format_tag_included;
        if (is_user_data && s->contents.user_data_size == 0) continue;
        if (is_included && s->contents.included_size == 0) continue;
        if (tags[i] != format_tag_id && tags[i] != format_tag_engine_facts
                && !has_programs)
            continue;
        struct forge_section *to = &sections[count++];
        to->tag = tags[i];
        bool is_optional =
                tags[i] == format_tag_logs || is_user_data || is_included;
        to->flags = is_optional ? 0 : FORMAT_SECTION_MANDATORY;
        to->data = s->blob + forge_find(s->blob, tags[i], &to->size);
    }
    return count;
}

static void expect_sections(int line, dnnl_status_t status, const char *why,
        uint32_t kind, const struct forge_section *sections, uint32_t count)
{
    size_t size;
    uint8_t *blob = forge_blob(kind, sections, count, &size);
    struct blob_view view;
    test_asserts();
    if (status != dnnl_success)
        expect_refused(line, why, status, why, blob, size);
    else if (blob_read(&view, blob, size, NULL) != dnnl_success
             || !forge_view_is_sound(&view))
        test_fail(__FILE__, line, "forged blob was not read");
    free(blob);
}

#define EXPECT_SECTIONS(status, why, kind, sections, count) \
    expect_sections(__LINE__, status, why, kind, sections, count)

TEST_C(BlobReader, ReadsAForgedBlobThatIsGood)
{
    for (size_t i = 0; i < 3; i++) {
        struct sample s;
        sample_init(&s, kinds[i]);
        struct forge_section sections[8];
        uint32_t count = take_apart(&s, sections);
        size_t size;
        uint8_t *blob = forge_blob(kinds[i], sections, count, &size);
        EXPECT_BYTES_EQ(s.blob, s.size, blob, size);
        free(blob);
        sample_fini(&s);
    }
}

TEST_SAMPLE(BlobReader, NeedsEverySection, blob_kind_primitive)
{
    static const char *const why[] = {"no ID", "programs without binaries", "",
            "log 0: length 19, 0 left", "programs without binaries"};
    for (uint32_t missing = 0; missing < 5; missing++) {
        struct forge_section sections[8];
        uint32_t count = take_apart(s, sections);
        ASSERT_EQ(5, count);
        memmove(&sections[missing], &sections[missing + 1],
                (4 - missing) * sizeof sections[0]);
        bool kernels = missing == 2;
        EXPECT_SECTIONS(kernels ? dnnl_success : corrupt, why[missing],
                blob_kind_primitive, sections, 4);
    }
}

TEST_C(BlobReader, RefusesSectionsThatDoNotGoTogether)
{
    struct sample p;
    struct sample e;
    sample_init(&p, blob_kind_primitive);
    sample_init(&e, blob_kind_engine);
    struct forge_section of_p[8];
    struct forge_section of_e[8];
    ASSERT_EQ(5, take_apart(&p, of_p));
    ASSERT_EQ(2, take_apart(&e, of_e));

    const struct forge_section kernels_only[] = {of_p[0], of_p[2]};
    EXPECT_SECTIONS(corrupt, "kernels or logs without programs",
            blob_kind_primitive, kernels_only, 2);
    const struct forge_section logs_only[] = {of_p[0], of_p[3]};
    EXPECT_SECTIONS(corrupt, "kernels or logs without programs",
            blob_kind_primitive, logs_only, 2);
    const struct forge_section binaries_only[] = {of_p[0], of_p[4]};
    EXPECT_SECTIONS(corrupt, "programs without binaries", blob_kind_primitive,
            binaries_only, 2);
    const struct forge_section with_facts[] = {of_p[0], of_e[1]};
    EXPECT_SECTIONS(
            corrupt, "engine facts", blob_kind_primitive, with_facts, 2);
    const struct forge_section no_facts[] = {of_e[0]};
    EXPECT_SECTIONS(corrupt, "engine facts", blob_kind_engine, no_facts, 1);
    const struct forge_section with_programs[] = {
            of_e[0], of_p[1], of_e[1], of_p[3], of_p[4]};
    EXPECT_SECTIONS(corrupt, "programs in an engine's blob", blob_kind_engine,
            with_programs, 5);
    EXPECT_SECTIONS(corrupt, "without a program", blob_kind_program, of_p, 1);
    EXPECT_SECTIONS(corrupt, "no ID", blob_kind_primitive, NULL, 0);
    sample_fini(&p);
    sample_fini(&e);
}

TEST_C(BlobReader, RefusesUserDataOfNoProgram)
{
    const enum blob_kind others[] = {blob_kind_engine, blob_kind_primitive};
    struct sample s;
    for (size_t i = 0; i < 2; i++) {
        sample_init(&s, others[i]);
        struct forge_section sections[8];
        uint32_t count = take_apart(&s, sections);
        uint32_t at = count;
        /* Before the binaries, by its tag. */
        if (others[i] == blob_kind_primitive) {
            sections[count] = sections[count - 1];
            at--;
        }
        sections[at] =
                (struct forge_section){format_tag_user_data, 0, "of users", 8};
        EXPECT_SECTIONS(corrupt, "user data: only in a program's blob",
                others[i], sections, count + 1);
        sample_fini(&s);
    }
}

/* In memory that ends where they end: no byte behind them is read. */
TEST_C(BlobReader, RefusesIncludedFilesThatAreCutAnywhere)
{
    struct sample s;
    struct forge_section sections[8];
    sample_init_with_included(&s);
    const uint32_t count = take_apart(&s, sections);
    ASSERT_EQ(5, count);
    ASSERT_EQ(format_tag_included, sections[3].tag);
    const size_t whole = sections[3].size;
    const void *data = sections[3].data;
    for (size_t size = 1; size < whole; size++) {
        uint8_t *cut = malloc(size);
        ASSERT_NOT_NULL(cut);
        memcpy(cut, data, size);
        EXPECT_STATUS(dnnl_cache_blob_corrupt, included_check(cut, size, NULL));
        sections[3].data = cut;
        sections[3].size = size;
        EXPECT_SECTIONS(
                corrupt, "included file", blob_kind_program, sections, count);
        free(cut);
    }
    sample_fini(&s);
}

TEST_C(BlobReader, RefusesTooMuchUserData)
{
    struct sample s;
    struct forge_section sections[8];
    sample_init_with_user_data(&s);
    uint8_t *data = calloc(1, BLOB_MAX_USER_DATA_SIZE + 1);
    ASSERT_NOT_NULL(data);
    uint32_t count = take_apart(&s, sections);
    ASSERT_EQ(5, count);
    ASSERT_EQ(format_tag_user_data, sections[3].tag);
    sections[3].data = data;
    sections[3].size = BLOB_MAX_USER_DATA_SIZE + 1;
    EXPECT_SECTIONS(corrupt, "16777217 bytes of user data", blob_kind_program,
            sections, count);
    free(data);
    sample_fini(&s);
}

TEST_SAMPLE(BlobReader, IgnoresUnknownOptionalSectionsOnly, blob_kind_engine)
{
    struct forge_section sections[8];
    uint32_t count = take_apart(s, sections);
    for (uint32_t i = 0; i < 4; i++)
        sections[count + i] =
                (struct forge_section){0x1000 + i, 0, "later", 1 + i};
    EXPECT_SECTIONS(dnnl_success, "", blob_kind_engine, sections, count + 4);
    sections[count + 3].flags = FORMAT_SECTION_MANDATORY;
    EXPECT_SECTIONS(unsupported, "section 5: unknown mandatory tag 0x1003",
            blob_kind_engine, sections, count + 4);
    sections[count + 3].flags = 2;
    EXPECT_SECTIONS(corrupt, "section 5: flags 0x2", blob_kind_engine, sections,
            count + 4);
    sections[count + 3].flags = 0;
    sections[count + 3].tag = 0x1002;
    EXPECT_SECTIONS(corrupt, "section 5: tag 0x1002 is not above",
            blob_kind_engine, sections, count + 4);
}

TEST_SAMPLE(BlobReader, RefusesMoreSectionsThanThereMayBe, blob_kind_engine)
{
    struct forge_section sections[BLOB_MAX_SECTIONS + 1];
    uint32_t count = take_apart(s, sections);
    for (uint32_t i = count; i <= BLOB_MAX_SECTIONS; i++)
        sections[i] = (struct forge_section){0x1000 + i, 0, "x", 1};
    EXPECT_SECTIONS(
            dnnl_success, "", blob_kind_engine, sections, BLOB_MAX_SECTIONS);
    EXPECT_SECTIONS(corrupt, "65 sections", blob_kind_engine, sections,
            BLOB_MAX_SECTIONS + 1);
}

TEST_SAMPLE(
        BlobReader, RefusesTablesWithoutRoomForTheirHead, blob_kind_primitive)
{
    for (uint32_t which = 1; which <= 2; which++) {
        for (size_t size = 1; size < format_table_header_size; size++) {
            struct forge_section sections[8];
            uint32_t count = take_apart(s, sections);
            sections[which].size = size;
            EXPECT_SECTIONS(
                    corrupt, "table", blob_kind_primitive, sections, count);
        }
    }
}

/* ---- IDs ----------------------------------------------------------------- */

TEST_SAMPLE(BlobReader, RefusesIdsOfANewerFormat, blob_kind_primitive)
{
    size_t id = forge_find(s->blob, format_tag_id, NULL);
    size_t program = forge_find(s->blob, format_tag_programs, NULL) + 136;
    store_le32(s->blob + id + 4, 2);
    forge_repair(s->blob, s->size);
    expect_refused(__LINE__, "blob's", unsupported,
            "the blob's ID is of a newer format", s->blob, s->size);
    store_le32(s->blob + id + 4, 1);
    store_le32(s->blob + program + 4, 2);
    forge_repair(s->blob, s->size);
    expect_refused(__LINE__, "program's", unsupported,
            "the program's ID is of a newer format", s->blob, s->size);
}

TEST_SAMPLE(BlobReader, RefusesProgramsUnderAnotherKindsId, blob_kind_primitive)
{
    size_t program = forge_find(s->blob, format_tag_programs, NULL) + 136;
    store_le32(s->blob + program + 8, blob_kind_primitive);
    forge_repair(s->blob, s->size);
    EXPECT_CORRUPT("the program's ID is of kind 2, not 3", s->blob, s->size);
}

TEST_SAMPLE(BlobReader, RefusesTwoProgramsOfOneId, blob_kind_program)
{
    /* Both entries say "the blob's ID". */
    uint8_t table[8 + 2 * 64];
    size_t size;
    const uint8_t *programs =
            s->blob + forge_find(s->blob, format_tag_programs, &size);
    ASSERT_EQ(8 + 64, size);
    memcpy(table, programs, size);
    memcpy(table + 8 + 64, programs + 8, 64);
    store_le32(table, 2);
    uint8_t *second = table + 8 + 64;
    store_le64(second + format_program_at_binary_offset, 16);
    store_le64(second + format_program_at_log_offset, 0);
    store_le64(second + format_program_at_log_size, 0);
    size_t id_size;
    size_t log_size;
    const uint8_t *id = s->blob + forge_find(s->blob, format_tag_id, &id_size);
    const uint8_t *log =
            s->blob + forge_find(s->blob, format_tag_logs, &log_size);
    const struct forge_section two[] = {
            {format_tag_id, FORMAT_SECTION_MANDATORY, id, id_size},
            {format_tag_programs, FORMAT_SECTION_MANDATORY, table,
                    sizeof table},
            {format_tag_logs, 0, log, log_size},
            {format_tag_binaries, FORMAT_SECTION_MANDATORY,
                    "thirteen byte\0\0\0thirteen byte", 29},
    };
    EXPECT_SECTIONS(corrupt, "programs 0 and 1 have the same ID",
            blob_kind_program, two, 4);
}

TEST_SAMPLE(BlobReader, RefusesTheBlobsIdStoredTwice, blob_kind_program)
{
    size_t size;
    size_t id_size;
    const uint8_t *programs =
            s->blob + forge_find(s->blob, format_tag_programs, &size);
    const uint8_t *id = s->blob + forge_find(s->blob, format_tag_id, &id_size);
    uint8_t table[1024];
    ASSERT_TRUE(size + id_size <= sizeof table);
    memcpy(table, programs, size);
    memcpy(table + size, id, id_size);
    store_le64(table + 8 + format_program_at_id_offset, size);
    store_le64(table + 8 + format_program_at_id_size, id_size);
    struct forge_section sections[8];
    uint32_t count = take_apart(s, sections);
    sections[1].data = table;
    sections[1].size = size + id_size;
    EXPECT_SECTIONS(corrupt, "program 0: the blob's ID again",
            blob_kind_program, sections, count);
}
