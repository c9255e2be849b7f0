/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cache blob IDs of programs: what the program itself adds to its device's
 * identity, and the programs that have none.
 */
#include "log_capture.h"
#include "programs.h"
#include "rig.h"

#include "src/blob/blob.h"
#include "src/common/byte_order.h"
#include "src/gpu/device/versions.h"

#include "test.h"

#include <stdio.h>
#include <string.h>

TEST_RIG(ProgramId, FollowsTheRuleOfSizes)
{
    dnnl_cache_program_desc_t desc = describe(rig->engine, scale_source, NULL);
    expect_size_query(query_program_id, desc);
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
}

TEST_RIG(ProgramId, BuildsNothing)
{
    dnnl_cache_program_desc_t desc = describe(rig->engine, scale_source, NULL);
    struct bytes id = program_id(desc);
    EXPECT_EQ(0, fake_opencl_source_builds());
    EXPECT_EQ(0, fake_opencl_binary_builds());
    EXPECT_EQ(0, fake_opencl_count("clCreateProgramWithSource"));
    bytes_free(&id);
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
}

/* Processes of 32 bits get other binaries from some drivers. */
TEST_RIG(ProgramId, HasTheSizeOfAddressesInTheProcess)
{
    const char bits[4] = {sizeof(void *) * 8};
    dnnl_cache_id_field_t field = DNNL_CACHE_ID_FIELD_INIT;
    size_t index = 0;
    dnnl_status_t st;
    dnnl_cache_program_desc_t desc = describe(rig->engine, scale_source, NULL);
    struct bytes id = program_id(desc);
    do
        st = dnnl_cache_id_get_field(id.size, id.data, index++, &field);
    while (st == dnnl_success && strcmp(field.name, "process_bits") != 0);
    EXPECT_OK(st);
    EXPECT_BYTES_EQ(bits, sizeof bits, field.value, field.size);
    bytes_free(&id);
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
}

TEST_RIG(ProgramId, IsTheSameForTheSameProgram)
{
    dnnl_engine_t other = NULL;
    ASSERT_OK(dnnl_engine_create(&other, dnnl_gpu, 0));
    expect_ids("", describe(rig->engine, scale_source, "-DA"),
            describe(other, scale_source, "-DA"));
    EXPECT_OK(dnnl_engine_destroy(other));
}

static uint32_t number_of(const dnnl_cache_id_field_t *field)
{
    return field->size == 4 ? load_le32(field->value) : UINT32_MAX;
}

/* In the library's build's place; another build has other entries of what is
 * the library's own only. */
TEST_RIG(ProgramId, BeginsWithTheVersionsOfWhatShapesItsBlob)
{
    static const struct {
        const char *name;
        uint32_t number;
    } versions[] = {{"blob_format_version", BLOB_FORMAT_VERSION},
            {"capture_version", CAPTURE_VERSION},
            {"finaliser_version", FINALISER_VERSION},
            {"identity_version", IDENTITY_VERSION},
            {"include_scanner_version", INCLUDE_SCANNER_VERSION}};
    enum { count = sizeof versions / sizeof versions[0] };
    dnnl_cache_id_field_t field = DNNL_CACHE_ID_FIELD_INIT;
    dnnl_cache_program_desc_t desc = describe(rig->engine, scale_source, NULL);
    struct bytes id = program_id(desc);
    for (size_t i = 0; dnnl_cache_id_get_field(id.size, id.data, i, &field)
                       == dnnl_success;
            i++) {
        EXPECT_NULL(strstr(field.name, "library"));
        if (i >= count) continue;
        EXPECT_STR_EQ(versions[i].name, field.name);
        EXPECT_EQ(versions[i].number, number_of(&field));
    }
    bytes_free(&id);
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
}

TEST_RIG(ProgramId, HasTheSource)
{
    expect_ids("source",
            describe(rig->engine, "__kernel void k(void) { int i = 0; }", NULL),
            describe(
                    rig->engine, "__kernel void k(void) { int i = 1; }", NULL));
}

TEST_RIG(ProgramId, HasTheOptions)
{
    expect_ids("build_options", describe(rig->engine, scale_source, "-DA=1"),
            describe(rig->engine, scale_source, "-DA=2"));
    expect_ids("build_options", describe(rig->engine, scale_source, ""),
            describe(rig->engine, scale_source, "-cl-fast-relaxed-math"));
    expect_ids("build_options", describe(rig->engine, scale_source, "-DA -DB"),
            describe(rig->engine, scale_source, "-DB -DA"));
}

TEST_RIG(ProgramId, OfNoOptionsIsThatOfEmptyOnes)
{
    expect_ids("", describe(rig->engine, scale_source, NULL),
            describe(rig->engine, scale_source, ""));
}

/* Sources against options: what belongs to which is part of the ID. */
TEST_RIG(ProgramId, DoesNotMixSourceAndOptions)
{
    expect_ids("source, build_options", describe(rig->engine, "a -w", " -w"),
            describe(rig->engine, "a", " -w -w"));
}

static dnnl_cache_program_desc_t describe_split(dnnl_engine_t engine,
        const char *first, const char *second, const size_t *lengths)
{
    const char *const sources[] = {first, second};
    dnnl_cache_program_desc_t desc = NULL;
    EXPECT_OK(dnnl_cache_program_desc_create(
            &desc, engine, 2, sources, lengths, NULL));
    return desc;
}

/* A compiler may number lines by the strings it gets. */
TEST_RIG(ProgramId, HasTheSplitOfTheSource)
{
    expect_ids("source",
            describe_split(rig->engine, "__kernel void k", "(void) {}", NULL),
            describe_split(rig->engine, "__kernel void ", "k(void) {}", NULL));
    expect_ids("source",
            describe(rig->engine, "__kernel void k(void) {}", NULL),
            describe_split(rig->engine, "__kernel void ", "k(void) {}", NULL));
}

TEST_RIG(ProgramId, HasTheOrderOfTheSources)
{
    expect_ids("source",
            describe_split(rig->engine, "int a(void);", "int b(void);", NULL),
            describe_split(rig->engine, "int b(void);", "int a(void);", NULL));
}

TEST_RIG(ProgramId, DoesNotDependOnHowLengthsAreGiven)
{
    static const size_t lengths[] = {2, 0};
    expect_ids("", describe_split(rig->engine, "ab", "cd", NULL),
            describe_split(rig->engine, "abXX", "cd", lengths));
}

/* ---- Keys of the application --------------------------------------------- */

static dnnl_cache_program_desc_t describe_with_keys(
        dnnl_engine_t engine, const char *first, const char *second)
{
    dnnl_cache_program_desc_t desc = describe(engine, scale_source, NULL);
    if (first != NULL)
        EXPECT_OK(dnnl_cache_program_desc_add_key(desc, strlen(first), first));
    if (second != NULL)
        EXPECT_OK(
                dnnl_cache_program_desc_add_key(desc, strlen(second), second));
    return desc;
}

TEST_RIG(ProgramId, HasTheApplicationsKey)
{
    expect_ids("application_key", describe_with_keys(rig->engine, "a", NULL),
            describe_with_keys(rig->engine, "b", NULL));
    expect_ids("application_key", describe_with_keys(rig->engine, NULL, NULL),
            describe_with_keys(rig->engine, "a", NULL));
    expect_ids("", describe_with_keys(rig->engine, "a", "b"),
            describe_with_keys(rig->engine, "a", "b"));
}

TEST_RIG(ProgramId, HasTheOrderOfKeys)
{
    expect_ids("application_key", describe_with_keys(rig->engine, "a", "b"),
            describe_with_keys(rig->engine, "b", "a"));
}

TEST_RIG(ProgramId, HasTheBoundsOfKeys)
{
    expect_ids("application_key", describe_with_keys(rig->engine, "ab", "c"),
            describe_with_keys(rig->engine, "a", "bc"));
    expect_ids("application_key", describe_with_keys(rig->engine, "abc", NULL),
            describe_with_keys(rig->engine, "ab", "c"));
}

TEST_RIG(ProgramId, TakesKeysOfAnyBytes)
{
    static const char zeros[2] = {0, 0};
    dnnl_cache_program_desc_t one = describe(rig->engine, scale_source, NULL);
    dnnl_cache_program_desc_t two = describe(rig->engine, scale_source, NULL);
    EXPECT_OK(dnnl_cache_program_desc_add_key(one, 1, zeros));
    EXPECT_OK(dnnl_cache_program_desc_add_key(two, 2, zeros));
    expect_ids("application_key", one, two);
}

TEST_RIG(ProgramId, TakesNoKeyOnceItIsKnown)
{
    dnnl_cache_program_desc_t desc = describe(rig->engine, scale_source, NULL);
    struct bytes before = program_id(desc);
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_cache_program_desc_add_key(desc, 1, "a"));
    struct bytes after = program_id(desc);
    EXPECT_TRUE(bytes_equal(&before, &after));
    bytes_free(&before);
    bytes_free(&after);
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
}

/* A program's key decides which program is shared, too. */
TEST_RIG(ProgramId, WithAnotherKeyIsAnotherProgram)
{
    dnnl_cache_program_desc_t a = describe_with_keys(rig->engine, "a", NULL);
    dnnl_cache_program_desc_t b = describe_with_keys(rig->engine, "b", NULL);
    dnnl_cache_program_t one = create(a);
    dnnl_cache_program_t two = create(b);
    EXPECT_EQ(2, fake_opencl_source_builds());
    EXPECT_OK(dnnl_cache_program_destroy(one));
    EXPECT_OK(dnnl_cache_program_destroy(two));
    EXPECT_OK(dnnl_cache_program_desc_destroy(a));
    EXPECT_OK(dnnl_cache_program_desc_destroy(b));
}

/* ---- Programs without one ------------------------------------------------ */

/* A program that is described and compiled, but has no ID and no blob. */
static void expect_not_cacheable(const struct rig *rig, const char *source,
        const char *options, const char *reason)
{
    uint8_t byte = 0xa5;
    size_t size = 1;
    dnnl_cache_program_desc_t desc = describe(rig->engine, source, options);
    EXPECT_OK(dnnl_cache_program_desc_get_cache_blob_id(desc, &size, &byte));
    EXPECT_EQ(0, size);
    dnnl_cache_program_t program = NULL;
    dnnl_status_t st = dnnl_cache_program_create(&program, desc);
    /* The fake compiler has no files to include. */
    if (st == dnnl_success) {
        size = 1;
        EXPECT_OK(dnnl_cache_program_get_cache_blob(program, &size, &byte));
        EXPECT_EQ(0, size);
        EXPECT_STATUS(dnnl_unimplemented, dnnl_cache_program_capture(program));
        EXPECT_NOT_NULL(strstr(info_of(program).not_cacheable_reason, reason));
    } else {
        EXPECT_STATUS(dnnl_runtime_error, st);
    }
    EXPECT_EQ(0xa5, byte);
    if (test_has_failed()) printf("the source is: %s\n", source);
    EXPECT_OK(dnnl_cache_program_destroy(program));
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
}

static void expect_sources_not_cacheable(
        const char *const *sources, size_t count, const char *reason)
{
    struct rig rig;
    struct log_capture log;
    rig_open(&rig, 0);
    log_capture_start(&log);
    for (size_t i = 0; i < count && !test_has_failed(); i++)
        expect_not_cacheable(&rig, sources[i], NULL, reason);
    log_capture_stop(&log);
    rig_close(&rig);
}

#define KERNEL "__kernel void k(void) {}\n"

TEST_C(ProgramId, IsEmptyIfTheSourceIncludes)
{
    static const char *const sources[] = {"#include \"file.h\"\n" KERNEL,
            "#include <file.h>\n" KERNEL, KERNEL "#include \"file.h\"",
            "  #  include \"file.h\"\n" KERNEL,
            "#\tinclude\t\"file.h\"\n" KERNEL, "#import \"file.h\"\n" KERNEL,
            "#include_next <file.h>\n" KERNEL,
            "/* a */ # /* b */ include /* c */ \"file.h\"\n" KERNEL,
            "#inc\\\nlude \"file.h\"\n" KERNEL,
            "#\\\n include \"file.h\"\n" KERNEL,
            "/* a comment\n */#include \"file.h\"\n" KERNEL,
            "// a comment\n#include \"file.h\"\n" KERNEL,
            "char *s = \"//\";\n#include \"file.h\"\n" KERNEL,
            "%:include \"file.h\"\n" KERNEL};
    expect_sources_not_cacheable(
            sources, sizeof sources / sizeof sources[0], "includes");
}

/* Under an #if that may be false, too: that is not for us to tell. */
TEST_C(ProgramId, IsEmptyIfTheSourceMayInclude)
{
    static const char *const sources[] = {
            "#if 0\n#include \"file.h\"\n#endif\n" KERNEL,
            "#ifdef NOT_DEFINED\n#import <file.h>\n#endif\n" KERNEL,
            "#if 0\n#define NAME \"file.h\"\n#include NAME\n#endif\n" KERNEL};
    expect_sources_not_cacheable(
            sources, sizeof sources / sizeof sources[0], "includes");
}

/* A directive that two strings make together. */
TEST_RIG(ProgramId, IsEmptyIfTheJoinedSourcesInclude)
{
    dnnl_cache_program_desc_t desc = describe_split(
            rig->engine, "#inc", "lude \"file.h\"\n" KERNEL, NULL);
    struct bytes id = program_id(desc);
    EXPECT_EQ(0, id.size);
    bytes_free(&id);
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
}

TEST_RIG(ProgramId, IsEmptyIfAnOptionIncludes)
{
    static const char *const options[] = {"-include file.h",
            "-DA -include file.h", "-include\tfile.h", "-imacros file.h",
            "--include file.h"};
    struct log_capture log;
    log_capture_start(&log);
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
        expect_not_cacheable(rig, KERNEL, options[i], "include");
    log_capture_stop(&log);
}

TEST_RIG(ProgramId, IsThereIfNothingIsIncluded)
{
    static const char *const sources[] = {KERNEL,
            "// #include \"file.h\"\n" KERNEL,
            "/* \n#include \"file.h\"\n */" KERNEL,
            "char *s = \"\\\n#include <file.h>\";\n" KERNEL,
            "#define include 1\n" KERNEL, "#pragma once\n" KERNEL,
            "#define includes \"file.h\"\n" KERNEL,
            "int a; #include \"x\"\n" KERNEL,
            "int include; int import;\n" KERNEL};
    for (size_t i = 0; i < sizeof sources / sizeof sources[0]; i++) {
        dnnl_cache_program_desc_t desc =
                describe(rig->engine, sources[i], "-I. -Dinclude=1");
        struct bytes id = program_id(desc);
        EXPECT_GT(id.size, 0);
        if (id.size == 0) printf("the source is: %s\n", sources[i]);
        bytes_free(&id);
        EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    }
}

TEST_RIG(ProgramId, MissingMeansThatNothingIsShared)
{
    static const char *const source =
            "#if 0\n#include \"file.h\"\n#endif\n" KERNEL;
    dnnl_cache_program_t one = build(rig->engine, source, NULL);
    dnnl_cache_program_t two = build(rig->engine, source, NULL);
    EXPECT_EQ(2, fake_opencl_source_builds());
    EXPECT_EQ(dnnl_cache_origin_compiled, info_of(two).origin);
    EXPECT_OK(dnnl_cache_program_destroy(one));
    EXPECT_OK(dnnl_cache_program_destroy(two));
}

TEST_C(ProgramId, IsEmptyOnAnUnidentifiedDevice)
{
    struct rig rig;
    struct log_capture log;
    rig_open_unidentified(&rig);
    log_capture_start(&log);
    expect_not_cacheable(&rig, KERNEL, NULL, "driver_version");
    log_capture_stop(&log);
    rig_close(&rig);
}

/* No blob is one of a program without an ID. */
TEST_RIG(ProgramId, MissingRefusesEveryBlob)
{
    struct log_capture log;
    dnnl_cache_program_t program = (dnnl_cache_program_t)rig;
    dnnl_cache_program_t good = build(rig->engine, KERNEL, NULL);
    struct bytes blob = program_blob(good);
    dnnl_cache_program_desc_t desc = describe(
            rig->engine, "#if 0\n#include \"x\"\n#endif\n" KERNEL, NULL);
    log_capture_start(&log);
    EXPECT_STATUS(dnnl_cache_blob_stale,
            dnnl_cache_program_create_from_cache_blob(
                    &program, desc, blob.size, blob.data));
    EXPECT_PTR_EQ(rig, program);
    EXPECT_EQ(0, fake_opencl_binary_bytes_seen());
    log_capture_stop(&log);
    bytes_free(&blob);
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    EXPECT_OK(dnnl_cache_program_destroy(good));
}
