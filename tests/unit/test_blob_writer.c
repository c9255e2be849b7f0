/* SPDX-License-Identifier: Apache-2.0 */
#include "src/blob/writer.h"

#include "forge.h"
#include "src/blob/format.h"
#include "src/blob/included.h"

#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const enum blob_kind kinds[] = {
        blob_kind_engine, blob_kind_primitive, blob_kind_program};

TEST_C(BlobWriter, MeasuresWhatItWrites)
{
    for (size_t i = 0; i < 3; i++) {
        struct sample s;
        sample_init(&s, kinds[i]);
        size_t size = 0;
        EXPECT_OK(blob_write(&s.contents, NULL, 0, &size));
        EXPECT_EQ(s.size, size);
        uint8_t *out = malloc(size + 8);
        ASSERT_NOT_NULL(out);
        memset(out, 0x5a, size + 8);
        EXPECT_OK(blob_write(&s.contents, out, size + 8, &size));
        EXPECT_EQ(s.size, size);
        EXPECT_BYTES_EQ("\x5a\x5a\x5a\x5a\x5a\x5a\x5a\x5a", 8, out + size, 8);
        free(out);
        sample_fini(&s);
    }
}

TEST_C(BlobWriter, GivesTheSameBytesAgain)
{
    for (size_t i = 0; i < 3; i++) {
        struct sample a;
        struct sample b;
        sample_init(&a, kinds[i]);
        sample_init(&b, kinds[i]);
        /* Whatever was in the memory must not shine through. */
        memset(b.blob, 0xff, b.size);
        ASSERT_OK(blob_write(&b.contents, b.blob, b.size, &b.size));
        EXPECT_BYTES_EQ(a.blob, a.size, b.blob, b.size);
        sample_fini(&a);
        sample_fini(&b);
    }
}

TEST_SAMPLE(BlobWriter, WritesNothingIfTheRoomIsTooSmall, blob_kind_primitive)
{
    uint8_t *out = malloc(s->size);
    uint8_t *untouched = malloc(s->size);
    ASSERT_TRUE(out != NULL && untouched != NULL);
    memset(out, 0x5a, s->size);
    memset(untouched, 0x5a, s->size);
    for (size_t capacity = 0; capacity < s->size; capacity++) {
        size_t size = 0;
        EXPECT_STATUS(dnnl_invalid_arguments,
                blob_write(&s->contents, out, capacity, &size));
        EXPECT_EQ(s->size, size);
        EXPECT_BYTES_EQ(untouched, s->size, out, s->size);
    }
    free(out);
    free(untouched);
}

TEST_SAMPLE(BlobWriter, WritesAPrimitiveThatNeedsNoProgram, blob_kind_primitive)
{
    s->contents.program_count = 0;
    s->contents.kernel_count = 0;
    size_t size = 0;
    ASSERT_OK(blob_write(&s->contents, s->blob, s->size, &size));
    struct blob_view view;
    ASSERT_OK(blob_read(&view, s->blob, size, NULL));
    EXPECT_EQ(0, view.program_count);
    EXPECT_EQ(0, view.kernel_count);
    EXPECT_EQ(1, view.section_count);
}

TEST_SAMPLE(BlobWriter, StoresAProgramsIdOnceIfItIsTheBlobs, blob_kind_program)
{
    struct blob_view view;
    ASSERT_OK(blob_read(&view, s->blob, s->size, NULL));
    struct blob_program program;
    ASSERT_OK(blob_view_program(&view, 0, &program));
    EXPECT_PTR_EQ(view.id, program.id);
    EXPECT_EQ(view.id_size, program.id_size);
}

TEST_C(BlobWriter, WritesTheMostUserDataThereMayBe)
{
    struct sample s;
    sample_init_with_user_data(&s);
    uint8_t *most = malloc(BLOB_MAX_USER_DATA_SIZE);
    ASSERT_NOT_NULL(most);
    memset(most, 0x5a, BLOB_MAX_USER_DATA_SIZE);
    s.contents.user_data = most;
    s.contents.user_data_size = BLOB_MAX_USER_DATA_SIZE;
    size_t size = 0;
    ASSERT_OK(blob_write(&s.contents, NULL, 0, &size));
    uint8_t *blob = malloc(size);
    ASSERT_NOT_NULL(blob);
    ASSERT_OK(blob_write(&s.contents, blob, size, &size));
    struct blob_view view;
    ASSERT_OK(blob_read(&view, blob, size, NULL));
    EXPECT_BYTES_EQ(
            most, BLOB_MAX_USER_DATA_SIZE, view.user_data, view.user_data_size);
    free(blob);
    free(most);
    sample_fini(&s);
}

/* ---- What it refuses ----------------------------------------------------- */

static void expect_refused(const char *what, const struct blob_contents *c)
{
    uint8_t byte = 0x5a;
    size_t size = 77;
    dnnl_status_t measured = blob_write(c, NULL, 0, &size);
    dnnl_status_t written = blob_write(c, &byte, 1, &size);
    test_asserts();
    if (measured != dnnl_invalid_arguments || written != dnnl_invalid_arguments
            || size != 77 || byte != 0x5a)
        test_fail(__FILE__, __LINE__, "%s: status %d and %d, size %zu", what,
                (int)measured, (int)written, size);
}

TEST_SAMPLE(BlobWriter, RefusesNull, blob_kind_engine)
{
    expect_refused("no contents", NULL);
    EXPECT_STATUS(dnnl_invalid_arguments,
            blob_write(&s->contents, s->blob, s->size, NULL));
}

TEST_SAMPLE(BlobWriter, RefusesBadIds, blob_kind_engine)
{
    const struct blob_contents good = s->contents;
    s->contents.id = NULL;
    expect_refused("no ID", &s->contents);
    s->contents = good;
    s->contents.id_size = 0;
    expect_refused("empty ID", &s->contents);
    s->contents = good;
    s->contents.id_size--;
    expect_refused("ID cut short", &s->contents);
    s->contents = good;
    s->contents.kind = blob_kind_primitive;
    expect_refused("ID of another kind", &s->contents);
    s->contents.kind = (enum blob_kind)0;
    expect_refused("no kind", &s->contents);
}

TEST_SAMPLE(BlobWriter, RefusesWhatDoesNotGoWithTheKind, blob_kind_engine)
{
    const struct blob_contents good = s->contents;
    s->contents.engine_facts_size = 0;
    expect_refused("engine without facts", &s->contents);
    s->contents = good;
    s->contents.engine_facts = NULL;
    expect_refused("engine with NULL facts", &s->contents);
    s->contents = good;
    s->contents.programs = s->programs;
    s->contents.program_count = 1;
    expect_refused("engine with a program", &s->contents);
    s->contents = good;
    s->contents.kernels = s->kernels;
    s->contents.kernel_count = 1;
    expect_refused("engine with a kernel", &s->contents);
    sample_fini(s);

    sample_init(s, blob_kind_primitive);
    s->contents.engine_facts = s->blob;
    s->contents.engine_facts_size = 1;
    expect_refused("primitive with engine facts", &s->contents);
    sample_fini(s);

    sample_init(s, blob_kind_program);
    s->contents.program_count = 0;
    expect_refused("program without a program", &s->contents);
}

TEST_C(BlobWriter, RefusesBadUserData)
{
    for (size_t i = 0; i < 2; i++) {
        struct sample other;
        sample_init(&other, kinds[i]);
        other.contents.user_data = other.blob;
        other.contents.user_data_size = 1;
        expect_refused("user data of no program", &other.contents);
        sample_fini(&other);
    }
    struct sample s;
    sample_init_with_user_data(&s);
    s.contents.user_data_size = BLOB_MAX_USER_DATA_SIZE + 1;
    expect_refused("too much user data", &s.contents);
    s.contents.user_data_size = 1;
    s.contents.user_data = NULL;
    expect_refused("NULL user data", &s.contents);
    sample_fini(&s);
}

TEST_C(BlobWriter, RefusesBadIncludedFiles)
{
    for (size_t i = 0; i < 2; i++) {
        struct sample s;
        struct sample other;
        sample_init_with_included(&s);
        sample_init(&other, kinds[i]);
        other.contents.included = s.contents.included;
        other.contents.included_size = s.contents.included_size;
        expect_refused("included files of no program", &other.contents);
        sample_fini(&other);
        sample_fini(&s);
    }
    struct sample s;
    sample_init_with_included(&s);
    s.contents.included_size--;
    expect_refused("included files that are cut", &s.contents);
    s.contents.included = NULL;
    expect_refused("NULL included files", &s.contents);
    sample_fini(&s);
}

/* ---- The section of included files --------------------------------------- */

static const uint8_t some_digest[32] = {
        1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17};

static void expect_names(const struct buffer *section, const char *expected)
{
    struct included_file file;
    char names[256] = "";
    size_t at = 0;
    ASSERT_OK(buffer_status(section));
    ASSERT_OK(included_check(section->data, section->size, NULL));
    while (included_next(&file, &at, section->data, section->size)) {
        EXPECT_EQ(strlen(file.name), file.name_size);
        EXPECT_BYTES_EQ(some_digest, included_digest_size, file.digest,
                included_digest_size);
        strcat(names, file.name);
        strcat(names, " ");
    }
    EXPECT_STR_EQ(expected, names);
}

/* What a source spells stays; no folder of a user's does. */
TEST_C(BlobIncluded, KeepsNamesWithoutTheirPlace)
{
    struct buffer section = {NULL, 0, 0, false};
    EXPECT_TRUE(included_append(&section, "tile.h", some_digest));
    EXPECT_TRUE(included_append(&section, "../math/half.h", some_digest));
    EXPECT_TRUE(included_append(
            &section, "/home/somebody/secret/a.h", some_digest));
    EXPECT_TRUE(included_append(&section, "tile.h", some_digest));
    expect_names(&section, "tile.h ../math/half.h a.h tile.h ");
    buffer_fini(&section);
}

TEST_C(BlobIncluded, RefusesNamesThatNoReaderTakes)
{
    static char name[BLOB_MAX_FILE_NAME_SIZE + 2];
    struct buffer section = {NULL, 0, 0, false};
    memset(name, 'n', sizeof name - 1);
    EXPECT_FALSE(included_append(&section, "", some_digest));
    EXPECT_FALSE(included_append(&section, "/folder/", some_digest));
    EXPECT_FALSE(included_append(&section, name, some_digest));
    EXPECT_EQ(0, section.size);
    name[BLOB_MAX_FILE_NAME_SIZE] = '\0';
    EXPECT_TRUE(included_append(&section, name, some_digest));
    EXPECT_OK(included_check(section.data, section.size, NULL));
    buffer_fini(&section);
}

TEST_C(BlobIncluded, HasAsManyFilesAsAReaderTakes)
{
    struct buffer section = {NULL, 0, 0, false};
    for (uint32_t i = 0; i < BLOB_MAX_FILES; i++)
        EXPECT_TRUE(included_append(&section, "a.h", some_digest));
    const size_t size = section.size;
    EXPECT_FALSE(included_append(&section, "a.h", some_digest));
    EXPECT_EQ(size, section.size);
    EXPECT_OK(included_check(section.data, section.size, NULL));
    buffer_fini(&section);
}

TEST_SAMPLE(BlobWriter, RefusesBadPrograms, blob_kind_primitive)
{
    const struct blob_contents good_contents = s->contents;
    struct blob_program *p = &s->programs[1];
    const struct blob_program good = *p;
#define REFUSES(change)                        \
    do {                                       \
        change;                                \
        expect_refused(#change, &s->contents); \
        *p = good;                             \
        s->contents = good_contents;           \
    } while (0)
    REFUSES(s->contents.programs = NULL);
    REFUSES(s->contents.program_count = BLOB_MAX_PROGRAMS + 1);
    REFUSES(p->binary = NULL);
    REFUSES(p->binary_size = 0);
    REFUSES(p->raw_size = 0);
    REFUSES(p->raw_size = BLOB_MAX_BINARY_SIZE + 1);
    REFUSES(p->codec = 2);
    REFUSES(p->codec = blob_codec_none);
    REFUSES(p->backend = 0);
    REFUSES(p->backend = 2);
    REFUSES(p->id = NULL);
    REFUSES(p->id_size--);
    REFUSES(p->log_size = 1);
    REFUSES((p->id = s->contents.id, p->id_size = s->contents.id_size));
    REFUSES((p->id = s->programs[0].id, p->id_size = s->programs[0].id_size));
    /* Never read: a blob of that size is refused while measuring. */
    REFUSES((p->log = "", p->log_size = SIZE_MAX - 100));
}

TEST_SAMPLE(BlobWriter, RefusesBadKernels, blob_kind_primitive)
{
    const struct blob_contents good_contents = s->contents;
    struct blob_kernel *p = &s->kernels[2];
    const struct blob_kernel good = *p;
    REFUSES(s->contents.kernels = NULL);
    REFUSES(s->contents.kernel_count = BLOB_MAX_KERNELS + 1);
    REFUSES(p->program = 2);
    REFUSES(p->name = NULL);
    REFUSES(p->name_size = 0);
    REFUSES(p->name_size = 5);
    REFUSES((p->name = "a\0b", p->name_size = 3));
    REFUSES((p->facts = NULL, p->facts_size = 1));
    REFUSES(p->program = 0);
    REFUSES(p->name = "fill");
#undef REFUSES
}

/* ---- Many ---------------------------------------------------------------- */

/* As many programs and kernels as there may be: no hash is alone any more, so
 * the exact search for duplicates is in use. */
struct crowd {
    struct sample sample;
    struct id_builder *ids;
    struct blob_program *programs;
    struct blob_kernel *kernels;
    char (*names)[16];
};

static void crowd_init(struct crowd *crowd)
{
    sample_init(&crowd->sample, blob_kind_primitive);
    struct blob_contents *c = &crowd->sample.contents;
    crowd->ids = calloc(BLOB_MAX_PROGRAMS, sizeof *crowd->ids);
    crowd->programs = calloc(BLOB_MAX_PROGRAMS, sizeof *crowd->programs);
    crowd->kernels = calloc(BLOB_MAX_KERNELS, sizeof *crowd->kernels);
    crowd->names = calloc(BLOB_MAX_KERNELS, sizeof *crowd->names);
    if (crowd->ids == NULL || crowd->programs == NULL || crowd->kernels == NULL
            || crowd->names == NULL)
        abort();
    for (uint32_t i = 0; i < BLOB_MAX_PROGRAMS; i++) {
        id_builder_init(&crowd->ids[i], blob_kind_program);
        id_put_u32(&crowd->ids[i], id_application_key, i);
        crowd->programs[i] = crowd->sample.programs[i % 2];
        crowd->programs[i].id = crowd->ids[i].bytes.data;
        crowd->programs[i].id_size = crowd->ids[i].bytes.size;
    }
    for (uint32_t i = 0; i < BLOB_MAX_KERNELS; i++) {
        (void)snprintf(crowd->names[i], sizeof *crowd->names, "k%u", i / 2);
        crowd->kernels[i] = (struct blob_kernel){i % 2, crowd->names[i],
                strlen(crowd->names[i]), (const uint8_t *)crowd->names[i],
                i % 3};
    }
    c->programs = crowd->programs;
    c->program_count = BLOB_MAX_PROGRAMS;
    c->kernels = crowd->kernels;
    c->kernel_count = BLOB_MAX_KERNELS;
}

static void crowd_fini(struct crowd *crowd)
{
    for (uint32_t i = 0; i < BLOB_MAX_PROGRAMS; i++)
        id_builder_fini(&crowd->ids[i]);
    free(crowd->ids);
    free(crowd->programs);
    free(crowd->kernels);
    free(crowd->names);
    sample_fini(&crowd->sample);
}

TEST_C(BlobWriter, WritesAsManyAsThereMayBe)
{
    struct crowd crowd;
    crowd_init(&crowd);
    const struct blob_contents *c = &crowd.sample.contents;
    size_t size = 0;
    ASSERT_OK(blob_write(c, NULL, 0, &size));
    uint8_t *blob = malloc(size);
    ASSERT_NOT_NULL(blob);
    ASSERT_OK(blob_write(c, blob, size, &size));
    struct blob_view view;
    struct blob_reason reason = {""};
    ASSERT_OK(blob_read(&view, blob, size, &reason));
    EXPECT_EQ(BLOB_MAX_PROGRAMS, view.program_count);
    EXPECT_EQ(BLOB_MAX_KERNELS, view.kernel_count);
    EXPECT_TRUE(forge_view_is_sound(&view));
    free(blob);
    crowd_fini(&crowd);
}

TEST_C(BlobWriter, FindsDuplicatesAmongMany)
{
    struct crowd crowd;
    crowd_init(&crowd);
    const struct blob_contents *c = &crowd.sample.contents;
    const struct blob_kernel kernel = crowd.kernels[BLOB_MAX_KERNELS - 1];
    crowd.kernels[BLOB_MAX_KERNELS - 1] = crowd.kernels[7];
    expect_refused("two equal kernels", c);
    crowd.kernels[BLOB_MAX_KERNELS - 1] = kernel;
    crowd.programs[BLOB_MAX_PROGRAMS - 1].id = crowd.programs[3].id;
    expect_refused("two equal programs", c);
    crowd_fini(&crowd);
}
