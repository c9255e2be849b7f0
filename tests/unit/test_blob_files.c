/* SPDX-License-Identifier: Apache-2.0 */
/* The files of tests/data/blobs: what was once read is read the same for
 * ever, and what was refused is refused for the same reason. */
#include "src/blob/reader.h"

#include "forge.h"

#include "test.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    dnnl_status_t status;
    const char *reason;
} files[] = {
        {"good-engine", dnnl_success, ""},
        {"good-primitive", dnnl_success, ""},
        {"good-program", dnnl_success, ""},
        {"good-applications-program", dnnl_success, ""},
        {"good-no-program", dnnl_success, ""},
        {"good-optional-section", dnnl_success, ""},
        {"good-user-data", dnnl_success, ""},
        {"good-included", dnnl_success, ""},
        {"good-finalised", dnnl_success, ""},
        {"good-finalised-alone", dnnl_success, ""},
        {"bad-magic", dnnl_cache_blob_corrupt, "wrong magic"},
        {"bad-text-mode", dnnl_cache_blob_corrupt, "wrong magic"},
        {"bad-cut-header", dnnl_cache_blob_corrupt, "40 bytes, written as 200"},
        {"bad-cut-body", dnnl_cache_blob_corrupt, "905 bytes, written as 906"},
        {"bad-trailing-byte", dnnl_cache_blob_corrupt,
                "907 bytes, written as 906"},
        {"bad-trailing-byte-counted", dnnl_cache_blob_corrupt,
                "1 bytes behind the last section"},
        {"bad-checksum", dnnl_cache_blob_corrupt, "wrong checksum"},
        {"bad-version-0", dnnl_cache_blob_corrupt, "format version 0"},
        {"bad-newer-version-cut", dnnl_cache_blob_corrupt, "written as"},
        {"bad-section-count", dnnl_cache_blob_corrupt, "4294967295 sections"},
        {"bad-section-overlap", dnnl_cache_blob_corrupt,
                "section 1: offset 96, not"},
        {"bad-section-gap", dnnl_cache_blob_corrupt,
                "section 1: offset 1048576, not"},
        {"bad-section-huge", dnnl_cache_blob_corrupt,
                "section 1: length 1099511627776, 24 left"},
        {"bad-section-wraps", dnnl_cache_blob_corrupt,
                "section 1: length 18446744073709551608, 24 left"},
        {"bad-section-empty", dnnl_cache_blob_corrupt, "section 2: length 0"},
        {"bad-section-twice", dnnl_cache_blob_corrupt,
                "section 3: tag 0x7777 is not above the one before"},
        {"bad-section-flags", dnnl_cache_blob_corrupt,
                "section 2: flags 0x2, not 0"},
        {"bad-no-id", dnnl_cache_blob_corrupt, "no ID"},
        {"bad-no-facts", dnnl_cache_blob_corrupt, "engine facts"},
        {"bad-id", dnnl_cache_blob_corrupt, "the blob's ID is no ID"},
        {"bad-id-kind", dnnl_cache_blob_corrupt,
                "the blob's ID is of kind 3, not 1"},
        {"bad-kind-contents", dnnl_cache_blob_corrupt,
                "the blob's ID is of kind 3, not 2"},
        {"bad-binary-size", dnnl_cache_blob_corrupt,
                "program 0: binary of 14 bytes, 13 stored"},
        {"bad-binary-offset", dnnl_cache_blob_corrupt,
                "binary 1: offset 0, not 16"},
        {"bad-raw-size", dnnl_cache_blob_corrupt,
                "program 1: binary of 4611686018427387904 bytes, 10 stored"},
        {"bad-log-size", dnnl_cache_blob_corrupt, "log 0: length 0"},
        {"bad-kernel-program", dnnl_cache_blob_corrupt,
                "kernel 1: program 2 of 2"},
        {"bad-kernel-twice", dnnl_cache_blob_corrupt,
                "kernels 0 and 2 are the same"},
        {"bad-kernel-name", dnnl_cache_blob_corrupt, "no NUL at its end"},
        {"bad-padding", dnnl_cache_blob_corrupt,
                "padding before it is not zero"},
        {"bad-user-data-flags", dnnl_cache_blob_corrupt,
                "section 3: flags 0x1, not 0"},
        {"bad-user-data-kind", dnnl_cache_blob_corrupt,
                "user data: only in a program's blob"},
        {"bad-included-flags", dnnl_cache_blob_corrupt,
                "section 3: flags 0x1, not 0"},
        {"bad-included-kind", dnnl_cache_blob_corrupt,
                "included files: only in a program's blob"},
        {"bad-included-head", dnnl_cache_blob_corrupt,
                "7 bytes of included files"},
        {"bad-included-reserved", dnnl_cache_blob_corrupt,
                "2 included files, reserved word 1"},
        {"bad-included-none", dnnl_cache_blob_corrupt, "0 included files"},
        {"bad-included-count", dnnl_cache_blob_corrupt,
                "included file 2: 0 bytes left"},
        {"bad-included-huge-count", dnnl_cache_blob_corrupt,
                "4294967295 included files"},
        {"bad-included-fewer", dnnl_cache_blob_corrupt,
                "30 bytes behind the included files"},
        {"bad-included-cut", dnnl_cache_blob_corrupt,
                "included file 1: a name of 11 bytes, 11 left"},
        {"bad-included-end", dnnl_cache_blob_corrupt,
                "included file 1: its name is none"},
        {"bad-included-empty-name", dnnl_cache_blob_corrupt,
                "included file 0: its name is none"},
        {"bad-included-nul", dnnl_cache_blob_corrupt,
                "included file 0: its name is none"},
        {"bad-included-place", dnnl_cache_blob_corrupt,
                "included file 0: its name is none"},
        {"bad-included-long-name", dnnl_cache_blob_corrupt,
                "included file 0: its name is none"},
        {"bad-finalised-flags", dnnl_cache_blob_corrupt,
                "section 4: flags 0x1, not 0"},
        {"bad-finalised-kind", dnnl_cache_blob_corrupt,
                "finalised forms without programs"},
        {"bad-finalised-program", dnnl_cache_blob_corrupt,
                "finalised form 0: program 1 of 1"},
        {"bad-finalised-order", dnnl_cache_blob_corrupt,
                "finalised form 1: program 0 is not behind the one before"},
        {"bad-finalised-swapped", dnnl_cache_blob_corrupt,
                "finalised form 0: not one of program 0's binary"},
        {"bad-finalised-binding", dnnl_cache_blob_corrupt,
                "finalised form 0: not one of program 0's binary"},
        {"bad-finalised-name", dnnl_cache_blob_corrupt,
                "finalised form 0: NUL in its name"},
        {"bad-finalised-long-name", dnnl_cache_blob_corrupt,
                "finalised form 0: name of 65 bytes"},
        {"bad-finalised-size", dnnl_cache_blob_corrupt,
                "finalised form 0: 12 bytes, 11 stored"},
        {"bad-finalised-cut", dnnl_cache_blob_corrupt,
                "finalised form 0: length 11, 10 left"},
        {"unsupported-finalised-codec", dnnl_cache_blob_unsupported,
                "finalised form 0: codec 2"},
        {"unsupported-version", dnnl_cache_blob_unsupported,
                "format version 2 > 1"},
        {"unsupported-section", dnnl_cache_blob_unsupported,
                "section 1: unknown mandatory tag 0x18"},
        {"unsupported-kind", dnnl_cache_blob_unsupported, "kind 4"},
        {"unsupported-codec", dnnl_cache_blob_unsupported,
                "program 1: codec 2"},
        {"unsupported-backend", dnnl_cache_blob_unsupported,
                "program 0: back-end 2"},
        {"unsupported-id-version", dnnl_cache_blob_unsupported,
                "the blob's ID is of a newer format"},
};

enum { file_count = sizeof files / sizeof files[0] };

/* The bytes of a file, in memory that ends where they end; NULL, and a failed
 * test, if it can't be read. */
static uint8_t *load(const char *name, size_t *size)
{
    char path[4096];
    (void)snprintf(path, sizeof path, "%s/blobs/%s.blob",
            DNNL_CACHE_TEST_DATA_DIR, name);
    uint8_t buffer[65536];
    FILE *file = fopen(path, "rb");
    size_t got = file != NULL ? fread(buffer, 1, sizeof buffer, file) : 0;
    if (file != NULL) (void)fclose(file);
    uint8_t *data = got != 0 ? malloc(got) : NULL;
    if (data == NULL) {
        test_fail(__FILE__, __LINE__, "cannot read %s", path);
        return NULL;
    }
    memcpy(data, buffer, got);
    *size = got;
    return data;
}

TEST_C(BlobFiles, AreReadOrRefusedAsEver)
{
    for (size_t i = 0; i < file_count; i++) {
        size_t size;
        uint8_t *data = load(files[i].name, &size);
        ASSERT_NOT_NULL(data);
        struct blob_reason reason = {""};
        struct blob_view view;
        dnnl_status_t st = blob_read(&view, data, size, &reason);
        if (st != files[i].status
                || strstr(reason.text, files[i].reason) == NULL)
            test_fail(__FILE__, __LINE__, "%s: status %d, \"%s\"",
                    files[i].name, (int)st, reason.text);
        if (st == dnnl_success) EXPECT_TRUE(forge_view_is_sound(&view));
        free(data);
    }
}

TEST_C(BlobFiles, AreAllListed)
{
    DIR *folder = opendir(DNNL_CACHE_TEST_DATA_DIR "/blobs");
    ASSERT_NOT_NULL(folder);
    size_t count = 0;
    for (struct dirent *e = readdir(folder); e != NULL; e = readdir(folder))
        if (strstr(e->d_name, ".blob") != NULL) count++;
    (void)closedir(folder);
    EXPECT_EQ(file_count, count);
}

/* Both directions against bytes that other code made: the writer writes them
 * and the reader finds in them what the writer was given. */
static void expect_golden(const char *name, const struct sample *s)
{
    size_t size;
    uint8_t *data = load(name, &size);
    ASSERT_NOT_NULL(data);
    EXPECT_BYTES_EQ(data, size, s->blob, s->size);

    const struct blob_contents *c = &s->contents;
    struct blob_view view;
    ASSERT_OK(blob_read(&view, data, size, NULL));
    EXPECT_PTR_EQ(data, view.data);
    EXPECT_EQ(size, view.size);
    EXPECT_EQ(1, view.format_version);
    EXPECT_EQ(c->kind, view.kind);
    EXPECT_BYTES_EQ(c->id, c->id_size, view.id, view.id_size);
    EXPECT_BYTES_EQ(c->engine_facts, c->engine_facts_size, view.engine_facts,
            view.engine_facts_size);
    EXPECT_BYTES_EQ(c->user_data, c->user_data_size, view.user_data,
            view.user_data_size);
    if (view.user_data_size == 0) EXPECT_NULL(view.user_data);
    EXPECT_BYTES_EQ(
            c->included, c->included_size, view.included, view.included_size);
    if (view.included_size == 0) EXPECT_NULL(view.included);
    ASSERT_EQ(c->program_count, view.program_count);
    ASSERT_EQ(c->kernel_count, view.kernel_count);
    uint64_t raw = 0;
    uint64_t stored = 0;
    for (uint32_t i = 0; i < c->program_count; i++) {
        const struct blob_program *expected = &c->programs[i];
        struct blob_program p;
        ASSERT_OK(blob_view_program(&view, i, &p));
        EXPECT_BYTES_EQ(expected->id, expected->id_size, p.id, p.id_size);
        EXPECT_BYTES_EQ(expected->binary, expected->binary_size, p.binary,
                p.binary_size);
        EXPECT_BYTES_EQ(expected->log, expected->log_size, p.log, p.log_size);
        EXPECT_EQ(expected->raw_size, p.raw_size);
        EXPECT_EQ(expected->codec, p.codec);
        EXPECT_EQ(expected->backend, p.backend);
        if (p.log_size == 0) EXPECT_NULL(p.log);
        EXPECT_BYTES_EQ(expected->finaliser, expected->finaliser_size,
                p.finaliser, p.finaliser_size);
        EXPECT_BYTES_EQ(expected->final_binary, expected->final_size,
                p.final_binary, p.final_size);
        EXPECT_EQ(expected->final_raw_size, p.final_raw_size);
        EXPECT_EQ(expected->final_codec, p.final_codec);
        if (p.final_size == 0) EXPECT_NULL(p.final_binary);
        raw += p.raw_size;
        stored += p.binary_size;
    }
    EXPECT_EQ(raw, view.binary_bytes);
    EXPECT_EQ(stored, view.stored_bytes);
    for (uint32_t i = 0; i < c->kernel_count; i++) {
        const struct blob_kernel *expected = &c->kernels[i];
        struct blob_kernel k;
        ASSERT_OK(blob_view_kernel(&view, i, &k));
        EXPECT_EQ(expected->program, k.program);
        EXPECT_STR_EQ(expected->name, k.name);
        EXPECT_EQ(expected->name_size, k.name_size);
        EXPECT_BYTES_EQ(
                expected->facts, expected->facts_size, k.facts, k.facts_size);
        if (k.facts_size == 0) EXPECT_NULL(k.facts);
    }
    free(data);
}

static void expect_kind_is_golden(const char *name, enum blob_kind kind)
{
    struct sample s;
    sample_init(&s, kind);
    expect_golden(name, &s);
    sample_fini(&s);
}

TEST_C(BlobFiles, EngineIsGolden)
{
    expect_kind_is_golden("good-engine", blob_kind_engine);
}

TEST_C(BlobFiles, PrimitiveIsGolden)
{
    expect_kind_is_golden("good-primitive", blob_kind_primitive);
}

TEST_C(BlobFiles, ProgramIsGolden)
{
    expect_kind_is_golden("good-program", blob_kind_program);
}

TEST_C(BlobFiles, ApplicationsProgramIsGolden)
{
    struct sample s;
    sample_init_applications(&s);
    expect_golden("good-applications-program", &s);
    sample_fini(&s);
}

TEST_C(BlobFiles, ProgramWithUserDataIsGolden)
{
    struct sample s;
    sample_init_with_user_data(&s);
    expect_golden("good-user-data", &s);
    sample_fini(&s);
}

TEST_C(BlobFiles, ProgramWithIncludedFilesIsGolden)
{
    struct sample s;
    sample_init_with_included(&s);
    expect_golden("good-included", &s);
    sample_fini(&s);
}

TEST_C(BlobFiles, FinalisedFormsAreGolden)
{
    struct sample s;
    sample_init_finalised(&s, blob_kind_program);
    expect_golden("good-finalised", &s);
    sample_fini(&s);
    sample_init_finalised(&s, blob_kind_primitive);
    expect_golden("good-finalised-alone", &s);
    sample_fini(&s);
}
