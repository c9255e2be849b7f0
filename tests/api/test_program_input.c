/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs with embedded headers and programs of IL: what they add to the ID,
 * how they reach the compiler, and that they come back from their blobs.
 */
#include "blob_edit.h"
#include "log_capture.h"
#include "programs.h"
#include "rig.h"

#include "test.h"

#include <stdio.h>
#include <string.h>

#define KERNEL "__kernel void k(void) {}\n"

static void *const untouched = (void *)(uintptr_t)0x5a5a5a5a;

/* ---- Headers ------------------------------------------------------------- */

struct named {
    const char *name; /* NULL: the end of a list */
    const char *text;
};

static dnnl_cache_program_desc_t describe_with(
        dnnl_engine_t engine, const char *source, const struct named *headers)
{
    dnnl_cache_program_desc_t desc = describe(engine, source, NULL);
    for (; headers->name != NULL; headers++)
        EXPECT_OK(dnnl_cache_program_desc_add_header(
                desc, headers->name, 0, headers->text));
    return desc;
}

static const char with_a[] = "#include \"a.h\"\n" KERNEL;

TEST_RIG(ProgramHeaders, AreInTheId)
{
    static const struct named none[] = {{NULL, NULL}};
    static const struct named one[] = {{"a.h", "1"}, {NULL, NULL}};
    static const struct named other[] = {{"a.h", "2"}, {NULL, NULL}};
    static const struct named renamed[] = {{"b.h", "1"}, {NULL, NULL}};
    static const struct named both[] = {
            {"a.h", "1"}, {"b.h", "2"}, {NULL, NULL}};
    static const struct named turned[] = {
            {"b.h", "2"}, {"a.h", "1"}, {NULL, NULL}};
    static const struct named swapped[] = {
            {"a.h", "2"}, {"b.h", "1"}, {NULL, NULL}};
    dnnl_engine_t e = rig->engine;
    expect_ids("header", describe_with(e, KERNEL, one),
            describe_with(e, KERNEL, other));
    expect_ids("header_name", describe_with(e, KERNEL, one),
            describe_with(e, KERNEL, renamed));
    expect_ids("header_name, header", describe_with(e, KERNEL, none),
            describe_with(e, KERNEL, one));
    expect_ids("header", describe_with(e, KERNEL, both),
            describe_with(e, KERNEL, swapped));
    expect_ids("", describe_with(e, with_a, both),
            describe_with(e, with_a, turned));
}

TEST_RIG(ProgramHeaders, MakeAnIncludeCacheable)
{
    static const struct named headers[] = {
            {"a.h", "#include <d/b.h>\n"}, {"d/b.h", "\n"}, {NULL, NULL}};
    dnnl_cache_program_desc_t desc =
            describe_with(rig->engine, with_a, headers);
    struct bytes id = program_id(desc);
    EXPECT_GT(id.size, 0);
    bytes_free(&id);
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
}

static void expect_reason(const struct rig *rig, const char *source,
        const struct named *headers, const char *reason)
{
    size_t size = 1;
    dnnl_cache_program_t program = NULL;
    dnnl_cache_program_desc_t desc =
            describe_with(rig->engine, source, headers);
    EXPECT_OK(dnnl_cache_program_desc_get_cache_blob_id(desc, &size, NULL));
    EXPECT_EQ(0, size);
    ASSERT_OK(dnnl_cache_program_create(&program, desc));
    EXPECT_STR_EQ(reason, info_of(program).not_cacheable_reason);
    EXPECT_OK(dnnl_cache_program_get_cache_blob(program, &size, NULL));
    EXPECT_EQ(0, size);
    EXPECT_OK(dnnl_cache_program_destroy(program));
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
}

TEST_RIG(ProgramHeaders, ThatAreMissingAreTheReason)
{
    static const struct named other[] = {{"b.h", "\n"}, {NULL, NULL}};
    static const struct named deeper[] = {
            {"a.h", "#if 0\n#include \"c.h\"\n#endif\n"}, {NULL, NULL}};
    expect_reason(rig, "#if 0\n#include \"a.h\"\n#endif\n" KERNEL, other,
            "the source includes a.h, which is not embedded");
    expect_reason(rig, with_a, deeper,
            "the header a.h includes c.h, which is not embedded");
}

TEST_RIG(ProgramHeaders, ReachTheCompiler)
{
    static const struct named headers[] = {
            {"a.h", "#include \"d/b.h\"\n#define NAME made\n"},
            {"d/b.h", "#include \"c.h\"\n"}, {"d/c.h", "#define ARGS void\n"},
            {NULL, NULL}};
    dnnl_cache_program_desc_t desc = describe_with(rig->engine,
            "#include <a.h>\n__kernel void NAME(ARGS) {}\n", headers);
    dnnl_cache_program_t program = create(desc);
    expect_kernel(program, "made");
    EXPECT_EQ(1, fake_opencl_count("clCompileProgram"));
    EXPECT_EQ(1, fake_opencl_count("clLinkProgram"));
    EXPECT_EQ(0, fake_opencl_count("clBuildProgram"));
    EXPECT_OK(dnnl_cache_program_destroy(program));
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
}

TEST_C(ProgramHeaders, OfSeveralSourcesAreOfAllOfThem)
{
    static const char *const sources[] = {
            "#inc", "lude \"a.h\"\n", "__kernel void NAME(void) {}\n"};
    static const size_t lengths[] = {4, 0, 0};
    struct rig rig;
    dnnl_cache_program_desc_t desc = NULL;
    rig_open(&rig, 0);
    EXPECT_OK(dnnl_cache_program_desc_create(
            &desc, rig.engine, 3, sources, lengths, NULL));
    EXPECT_OK(dnnl_cache_program_desc_add_header(
            desc, "a.h", 17, "#define NAME made???"));
    dnnl_cache_program_t program = create(desc);
    expect_kernel(program, "made");
    EXPECT_OK(dnnl_cache_program_destroy(program));
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    rig_close(&rig);
}

TEST_C(ProgramHeaders, AreNotNeededWarm)
{
    static const struct named headers[] = {
            {"a.h", "#define NAME made\n"}, {NULL, NULL}};
    static const char source[] =
            "#include \"a.h\"\n__kernel void NAME(void) {}\n";
    struct rig rig;
    dnnl_engine_t other = NULL;
    rig_open(&rig, 0);
    dnnl_cache_program_desc_t desc = describe_with(rig.engine, source, headers);
    dnnl_cache_program_t program = create(desc);
    struct bytes blob = program_blob(program);
    EXPECT_OK(dnnl_engine_create(&other, dnnl_gpu, 0));
    dnnl_cache_program_desc_t again = describe_with(other, source, headers);
    unsigned long compiled = fake_opencl_source_builds();
    dnnl_cache_program_t warm = create_from(again, &blob);
    expect_kernel(warm, "made");
    EXPECT_EQ(compiled, fake_opencl_source_builds());
    struct bytes same = program_blob(warm);
    EXPECT_TRUE(bytes_equal(&blob, &same));
    bytes_free(&blob);
    bytes_free(&same);
    EXPECT_OK(dnnl_cache_program_destroy(warm));
    EXPECT_OK(dnnl_cache_program_destroy(program));
    EXPECT_OK(dnnl_cache_program_desc_destroy(again));
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    EXPECT_OK(dnnl_engine_destroy(other));
    rig_close(&rig);
}

/* Compiling and linking: what fails says why. */
TEST_RIG(ProgramHeaders, FailWithTheCompilersWords)
{
    static const struct named broken[] = {
            {"a.h", "#error these words\n"}, {NULL, NULL}};
    static const struct named fine[] = {{"a.h", "\n"}, {NULL, NULL}};
    struct log_capture log;
    dnnl_cache_program_t program = untouched;
    log_capture_start(&log);
    dnnl_cache_program_desc_t desc = describe_with(rig->engine, with_a, broken);
    EXPECT_STATUS(
            dnnl_runtime_error, dnnl_cache_program_create(&program, desc));
    EXPECT_TRUE(log_capture_has(&log, dnnl_cache_log_error, "these words"));
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    desc = describe_with(rig->engine, with_a, fine);
    fake_opencl_fail("clLinkProgram", 1, CL_LINK_PROGRAM_FAILURE);
    EXPECT_STATUS(
            dnnl_runtime_error, dnnl_cache_program_create(&program, desc));
    EXPECT_TRUE(log_capture_has(
            &log, dnnl_cache_log_error, "CL_LINK_PROGRAM_FAILURE"));
    EXPECT_PTR_EQ(untouched, program);
    program = create(desc);
    expect_kernel(program, "k");
    log_capture_stop(&log);
    EXPECT_OK(dnnl_cache_program_destroy(program));
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
}

/* The compilation's words, then the link's. */
TEST_RIG(ProgramHeaders, KeepBothLogs)
{
    static const struct named headers[] = {{"a.h", "\n"}, {NULL, NULL}};
    char log[64] = "";
    size_t size = sizeof log;
    fake_opencl_set("BUILD_LOG", "words.");
    dnnl_cache_program_desc_t desc =
            describe_with(rig->engine, with_a, headers);
    dnnl_cache_program_t program = create(desc);
    EXPECT_OK(dnnl_cache_program_get_build_log(program, &size, log));
    EXPECT_STR_EQ("words.words.", log);
    EXPECT_EQ(strlen(log) + 1, size);
    struct bytes blob = program_blob(program);
    dnnl_cache_blob_info_t info = DNNL_CACHE_BLOB_INFO_INIT;
    EXPECT_OK(dnnl_cache_blob_inspect(blob.size, blob.data, &info));
    EXPECT_BYTES_EQ("words.words.", 12, info.build_log, info.build_log_size);
    bytes_free(&blob);
    EXPECT_OK(dnnl_cache_program_destroy(program));
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
}

TEST_RIG(ProgramHeaders, AreRefusedWhereTheyCannotBe)
{
    dnnl_cache_program_desc_t desc = describe(rig->engine, KERNEL, NULL);
    EXPECT_OK(dnnl_cache_program_desc_add_header(desc, "a.h", 0, "1"));
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_cache_program_desc_add_header(desc, "a.h", 0, "1"));
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_cache_program_desc_add_header(desc, "../a.h", 0, "1"));
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_cache_program_desc_add_header(NULL, "b.h", 0, "1"));
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_cache_program_desc_add_header(desc, NULL, 0, "1"));
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_cache_program_desc_add_header(desc, "b.h", 0, NULL));
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_cache_program_desc_set_spec_constant(desc, 1, 4, "four"));
    struct bytes before = program_id(desc);
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_cache_program_desc_add_header(desc, "b.h", 0, "1"));
    struct bytes after = program_id(desc);
    EXPECT_TRUE(bytes_equal(&before, &after));
    bytes_free(&before);
    bytes_free(&after);
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
}

/* ---- IL ------------------------------------------------------------------ */

/* The fake compiler reads what follows SPIR-V's magic number as text. */
#define IL "\x03\x02\x23\x07" KERNEL

static void il_rig_open(struct rig *rig)
{
    fake_opencl_set("IL_VERSION", "SPIR-V_1.2");
    rig_open(rig, 0);
}

#define TEST_IL_RIG(suite, name) \
    TEST_WITH(suite, name, struct rig, rig, il_rig_open(rig), rig_close(rig))

static dnnl_cache_program_desc_t describe_il(
        dnnl_engine_t engine, const char *il, const char *options)
{
    dnnl_cache_program_desc_t desc = NULL;
    EXPECT_OK(dnnl_cache_program_desc_create_with_il(
            &desc, engine, strlen(il), il, options));
    return desc;
}

static void set(dnnl_cache_program_desc_t desc, uint32_t id, uint32_t value)
{
    EXPECT_OK(dnnl_cache_program_desc_set_spec_constant(
            desc, id, sizeof value, &value));
}

static dnnl_cache_program_desc_t describe_constants(
        dnnl_engine_t engine, uint32_t id, uint32_t value)
{
    dnnl_cache_program_desc_t desc = describe_il(engine, IL, NULL);
    set(desc, id, value);
    return desc;
}

TEST_RIG(ProgramIl, NeedsADeviceThatTakesIt)
{
    dnnl_cache_program_desc_t desc = untouched;
    EXPECT_STATUS(
            dnnl_unimplemented, dnnl_cache_program_desc_create_with_il(&desc,
                                        rig->engine, sizeof IL - 1, IL, NULL));
    /* Before OpenCL 2.1 the query is not known. */
    fake_opencl_set("IL_VERSION", "!-30");
    EXPECT_STATUS(
            dnnl_unimplemented, dnnl_cache_program_desc_create_with_il(&desc,
                                        rig->engine, sizeof IL - 1, IL, NULL));
    fake_opencl_set("IL_VERSION", "!-6");
    EXPECT_STATUS(
            dnnl_out_of_memory, dnnl_cache_program_desc_create_with_il(&desc,
                                        rig->engine, sizeof IL - 1, IL, NULL));
    EXPECT_PTR_EQ(untouched, desc);
}

TEST_IL_RIG(ProgramIl, IsInTheId)
{
    expect_ids("", describe_il(rig->engine, IL, NULL),
            describe_il(rig->engine, IL, ""));
    expect_ids("il", describe_il(rig->engine, IL, NULL),
            describe_il(rig->engine, IL "\n", NULL));
    expect_ids("build_options", describe_il(rig->engine, IL, NULL),
            describe_il(rig->engine, IL, "-cl-mad-enable"));
    expect_ids("source, il, il_version", describe(rig->engine, IL, NULL),
            describe_il(rig->engine, IL, NULL));
    dnnl_cache_program_desc_t old = describe_il(rig->engine, IL, NULL);
    fake_opencl_set("IL_VERSION", "SPIR-V_1.2 SPIR-V_1.4");
    expect_ids("il_version", old, describe_il(rig->engine, IL, NULL));
}

/* S0.14 and S0.15: specialization constants by ID and value. */
TEST_IL_RIG(ProgramIl, ConstantsAreInTheId)
{
    dnnl_engine_t e = rig->engine;
    expect_ids("", describe_constants(e, 1, 5), describe_constants(e, 1, 5));
    expect_ids("spec_constant", describe_constants(e, 1, 5),
            describe_constants(e, 1, 6));
    expect_ids("spec_constant", describe_constants(e, 1, 5),
            describe_constants(e, 2, 5));
    expect_ids("spec_constant", describe_il(e, IL, NULL),
            describe_constants(e, 1, 0));
    dnnl_cache_program_desc_t shorter = describe_il(e, IL, NULL);
    EXPECT_OK(dnnl_cache_program_desc_set_spec_constant(shorter, 1, 2, "\0\0"));
    expect_ids("spec_constant", shorter, describe_constants(e, 1, 0));
}

TEST_IL_RIG(ProgramIl, ConstantsHaveNoOrderAndTheLastValue)
{
    dnnl_cache_program_desc_t one = describe_il(rig->engine, IL, NULL);
    dnnl_cache_program_desc_t other = describe_il(rig->engine, IL, NULL);
    set(one, 3, 30);
    set(one, 1, 10);
    set(one, 2, 20);
    set(other, 2, 99);
    EXPECT_OK(dnnl_cache_program_desc_set_spec_constant(
            other, 1, 8, "\1\1\1\1\1\1\1\1"));
    set(other, 1, 10);
    set(other, 3, 30);
    set(other, 2, 20);
    expect_ids("", one, other);
}

TEST_IL_RIG(ProgramIl, ComesBackFromItsBlob)
{
    dnnl_engine_t other = NULL;
    dnnl_cache_program_desc_t desc = describe_constants(rig->engine, 1, 5);
    dnnl_cache_program_t program = create(desc);
    expect_kernel(program, "k");
    EXPECT_EQ(1, fake_opencl_count("clCreateProgramWithIL"));
    EXPECT_EQ(1, fake_opencl_count("clSetProgramSpecializationConstant"));
    struct bytes blob = program_blob(program);
    EXPECT_OK(dnnl_engine_create(&other, dnnl_gpu, 0));
    dnnl_cache_program_desc_t again = describe_constants(other, 1, 5);
    dnnl_cache_program_t warm = create_from(again, &blob);
    expect_kernel(warm, "k");
    EXPECT_EQ(1, fake_opencl_source_builds());
    EXPECT_EQ(1, fake_opencl_count("clSetProgramSpecializationConstant"));
    struct bytes same = program_blob(warm);
    EXPECT_TRUE(bytes_equal(&blob, &same));

    /* Other constants, another program. */
    struct log_capture log;
    log_capture_start(&log);
    dnnl_cache_program_desc_t differs = describe_constants(other, 1, 6);
    dnnl_cache_program_t none = untouched;
    EXPECT_STATUS(dnnl_cache_blob_stale,
            dnnl_cache_program_create_from_cache_blob(
                    &none, differs, blob.size, blob.data));
    EXPECT_PTR_EQ(untouched, none);
    EXPECT_TRUE(log_capture_has(&log, dnnl_cache_log_info, "spec_constant"));
    log_capture_stop(&log);
    bytes_free(&blob);
    bytes_free(&same);
    EXPECT_OK(dnnl_cache_program_destroy(warm));
    EXPECT_OK(dnnl_cache_program_destroy(program));
    EXPECT_OK(dnnl_cache_program_desc_destroy(differs));
    EXPECT_OK(dnnl_cache_program_desc_destroy(again));
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    EXPECT_OK(dnnl_engine_destroy(other));
}

/* The constants make the binary another one: they do reach the compiler. */
TEST_IL_RIG(ProgramIl, ConstantsReachTheCompiler)
{
    struct bytes blobs[2];
    for (uint32_t i = 0; i < 2; i++) {
        dnnl_cache_program_desc_t desc = describe_constants(rig->engine, 1, i);
        dnnl_cache_program_t program = create(desc);
        struct bytes blob = program_blob(program);
        struct blob_edit edit;
        blob_edit_open(&edit, &blob);
        blobs[i] = bytes_copy(
                edit.programs[0].binary, edit.programs[0].binary_size);
        blob_edit_close(&edit);
        bytes_free(&blob);
        EXPECT_OK(dnnl_cache_program_destroy(program));
        EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    }
    EXPECT_FALSE(bytes_equal(&blobs[0], &blobs[1]));
    bytes_free(&blobs[0]);
    bytes_free(&blobs[1]);
}

TEST_IL_RIG(ProgramIl, ThatIsNoneIsTheCallersMistake)
{
    struct log_capture log;
    dnnl_cache_program_t program = untouched;
    log_capture_start(&log);
    dnnl_cache_program_desc_t desc =
            describe_il(rig->engine, "not SPIR-V", NULL);
    EXPECT_STATUS(
            dnnl_invalid_arguments, dnnl_cache_program_create(&program, desc));
    EXPECT_TRUE(log_capture_has(
            &log, dnnl_cache_log_error, "clCreateProgramWithIL"));
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    desc = describe_constants(rig->engine, 1, 5);
    fake_opencl_fail(
            "clSetProgramSpecializationConstant", 1, CL_INVALID_SPEC_ID);
    EXPECT_STATUS(
            dnnl_invalid_arguments, dnnl_cache_program_create(&program, desc));
    EXPECT_TRUE(
            log_capture_has(&log, dnnl_cache_log_error, "CL_INVALID_SPEC_ID"));
    EXPECT_PTR_EQ(untouched, program);
    log_capture_stop(&log);
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
}

/* Drivers of older OpenCL have the extension's function, and no constants. */
TEST_IL_RIG(ProgramIl, ServesDriversBeforeItWasInTheCore)
{
    fake_opencl_set("PLATFORM_VERSION", "OpenCL 1.2 fake");
    dnnl_cache_program_desc_t desc = describe_il(rig->engine, IL, NULL);
    dnnl_cache_program_t program = create(desc);
    expect_kernel(program, "k");
    EXPECT_OK(dnnl_cache_program_destroy(program));
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    fake_opencl_set("PLATFORM_VERSION", "OpenCL 2.1 fake");
    desc = describe_constants(rig->engine, 1, 5);
    program = untouched;
    EXPECT_STATUS(
            dnnl_unimplemented, dnnl_cache_program_create(&program, desc));
    EXPECT_PTR_EQ(untouched, program);
    fake_opencl_set("PLATFORM_VERSION", "OpenCL 2.2 fake");
    program = create(desc);
    expect_kernel(program, "k");
    EXPECT_OK(dnnl_cache_program_destroy(program));
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
}

TEST_IL_RIG(ProgramIl, RefusesWhatMakesNoSense)
{
    dnnl_cache_program_desc_t desc = untouched;
    dnnl_engine_t host = NULL;
    EXPECT_OK(dnnl_engine_create(&host, dnnl_cpu, 0));
    EXPECT_STATUS(
            dnnl_invalid_arguments, dnnl_cache_program_desc_create_with_il(
                                            NULL, rig->engine, 4, IL, NULL));
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_cache_program_desc_create_with_il(&desc, NULL, 4, IL, NULL));
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_cache_program_desc_create_with_il(&desc, host, 4, IL, NULL));
    EXPECT_STATUS(
            dnnl_invalid_arguments, dnnl_cache_program_desc_create_with_il(
                                            &desc, rig->engine, 0, IL, NULL));
    EXPECT_STATUS(
            dnnl_invalid_arguments, dnnl_cache_program_desc_create_with_il(
                                            &desc, rig->engine, 4, NULL, NULL));
    EXPECT_PTR_EQ(untouched, desc);
    desc = describe_il(rig->engine, IL, NULL);
    static const size_t sizes[] = {0, 3, 5, 6, 7, 9, 16};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        EXPECT_STATUS(dnnl_invalid_arguments,
                dnnl_cache_program_desc_set_spec_constant(
                        desc, 1, sizes[i], "0123456789abcdef"));
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_cache_program_desc_set_spec_constant(NULL, 1, 4, "four"));
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_cache_program_desc_set_spec_constant(desc, 1, 4, NULL));
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_cache_program_desc_add_header(desc, "a.h", 0, "1"));
    struct bytes id = program_id(desc);
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_cache_program_desc_set_spec_constant(desc, 1, 4, "four"));
    bytes_free(&id);
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    EXPECT_OK(dnnl_engine_destroy(host));
}
