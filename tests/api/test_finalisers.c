/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finalised forms, on a fake driver that passes for NVIDIA's, with a stand-in
 * for the compiler that comes with it. ctest sets the driver's names; its
 * version, which is the name of the compiler's file, is each test's own, since
 * a compiler is tried out once in a process.
 */
#include "blob_edit.h"
#include "dnnl_cache/sys/inside.h"
#include "dnnl_cache/sys/layer.h"
#include "log_capture.h"
#include "programs.h"
#include "rig.h"

#include "src/gpu/device/nvidia_cubin.h"
#include "src/gpu/device/nvidia_options.h"

#include "test.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct warm {
    struct rig rig;
    dnnl_cache_program_desc_t desc;
    struct bytes blob;
    const char *options;
};

static const char usual_options[] = "-DA=1";

/* Drops the engine and with it the programs it keeps in memory. */
static void forget(struct rig *rig)
{
    EXPECT_OK(dnnl_engine_destroy(rig->engine));
    EXPECT_OK(dnnl_ocl_interop_engine_create(
            &rig->engine, rig->device, rig->context));
}

static void open_rig(struct rig *rig, const char *version)
{
    fake_opencl_set("DRIVER_VERSION", version);
    rig_open(rig, 0);
}

static void warm_open_with(struct warm *w, const char *version,
        const char *options, dnnl_cache_compression_t compression)
{
    w->options = options;
    open_rig(&w->rig, version);
    EXPECT_OK(
            dnnl_cache_engine_set_blob_compression(w->rig.engine, compression));
    dnnl_cache_program_t cold = build(w->rig.engine, scale_source, options);
    w->blob = program_blob(cold);
    EXPECT_OK(dnnl_cache_program_destroy(cold));
    forget(&w->rig);
    w->desc = describe(w->rig.engine, scale_source, options);
}

static void warm_open(struct warm *w, const char *version)
{
    warm_open_with(w, version, usual_options, dnnl_cache_compression_none);
}

static void warm_close(struct warm *w)
{
    unsetenv("FAKE_PTX_FAULT");
    EXPECT_OK(dnnl_cache_program_desc_destroy(w->desc));
    bytes_free(&w->blob);
    rig_close(&w->rig);
}

#define TEST_WARM(suite, name, version) \
    TEST_WITH(suite, name, struct warm, w, warm_open(w, version), warm_close(w))

static uint32_t count_forms(const struct bytes *blob)
{
    dnnl_cache_blob_info_t info = DNNL_CACHE_BLOB_INFO_INIT;
    EXPECT_OK(dnnl_cache_blob_inspect(blob->size, blob->data, &info));
    return info.finalised_count;
}

/* Loads a blob whose program is not in memory; it gives the same bytes back,
 * and its kernels work. */
static void expect_loaded(int line, struct warm *w, const struct bytes *blob,
        dnnl_cache_binary_form_t form, const char *reason)
{
    EXPECT_OK(dnnl_cache_program_desc_destroy(w->desc)); /* it has the engine */
    forget(&w->rig);
    w->desc = describe(w->rig.engine, scale_source, w->options);
    const unsigned long builds = fake_opencl_source_builds();
    dnnl_cache_program_t program = create_from(w->desc, blob);
    ASSERT_NOT_NULL(program);
    const dnnl_cache_creation_info_t info = info_of(program);
    if (info.binary_form != form || strstr(info.form_reason, reason) == NULL
            || (reason[0] == '\0' && info.form_reason[0] != '\0'))
        test_fail(__FILE__, line, "form %d, \"%s\"", (int)info.binary_form,
                info.form_reason);
    EXPECT_EQ(builds, fake_opencl_source_builds());
    expect_kernel(program, "scale");
    expect_kernel(program, "fill");
    struct bytes again = program_blob(program);
    EXPECT_BYTES_EQ(blob->data, blob->size, again.data, again.size);
    bytes_free(&again);
    EXPECT_OK(dnnl_cache_program_destroy(program));
}

#define EXPECT_LOADED(w, blob, form, reason) \
    expect_loaded(__LINE__, w, blob, form, reason)

/* ---- What is made -------------------------------------------------------- */

TEST_WARM(Finaliser, MakesAFormThatIsLoadedFirst, "999.1.0")
{
    const dnnl_cache_statistics_t before = rig_statistics();
    EXPECT_EQ(1, count_forms(&w->blob));
    EXPECT_LOADED(w, &w->blob, dnnl_cache_binary_form_finalised, "");
    const dnnl_cache_statistics_t after = rig_statistics();
    EXPECT_EQ(before.finalised_loaded + 1, after.finalised_loaded);
    EXPECT_EQ(before.finalised_refused, after.finalised_refused);
    EXPECT_GT(after.finalised_made, 0);
}

TEST_C(Finaliser, FormsAreCompressedAsBinariesAre)
{
    struct warm w;
    warm_open_with(&w, "999.1.0", usual_options, dnnl_cache_compression_zstd);
    EXPECT_LOADED(&w, &w.blob, dnnl_cache_binary_form_finalised, "");
    struct blob_edit edit;
    blob_edit_open(&edit, &w.blob);
    EXPECT_EQ(blob_codec_zstd, (enum blob_codec)edit.programs[0].final_codec);
    EXPECT_BYTES_EQ("nvidia-ptx 1", 12, edit.programs[0].finaliser,
            edit.programs[0].finaliser_size);
    blob_edit_close(&edit);
    warm_close(&w);
}

TEST_WARM(Finaliser, IsInTheId, "999.1.0")
{
    dnnl_cache_id_field_t field = DNNL_CACHE_ID_FIELD_INIT;
    bool found = false;
    struct bytes id = program_id(w->desc);
    for (size_t i = 0; dnnl_cache_id_get_field(id.size, id.data, i, &field)
                       == dnnl_success;
            i++)
        if (strcmp(field.name, "finaliser") == 0)
            found = field.size == 12
                    && memcmp(field.value, "nvidia-ptx 1", 12) == 0;
    EXPECT_TRUE(found);
    bytes_free(&id);
}

/* ---- Options ------------------------------------------------------------- */

/* What the compiler was told, the last time; "" if it was not asked. */
static void compile_with(const char *options, char *told, size_t size)
{
    char path[] = "finaliser_options.XXXXXX";
    const int fd = mkstemp(path);
    ASSERT_TRUE(fd >= 0);
    FILE *log = fdopen(fd, "r");
    ASSERT_NOT_NULL(log);
    struct warm w;
    setenv("FAKE_PTX_LOG", path, 1);
    warm_open_with(&w, "999.1.0", options, dnnl_cache_compression_none);
    unsetenv("FAKE_PTX_LOG");
    told[0] = '\0';
    while (fgets(told, (int)size, log) != NULL) {
    }
    told[strcspn(told, "\n")] = '\0';
    EXPECT_EQ(told[0] != '\0' ? 1 : 0, count_forms(&w.blob));
    fclose(log);
    remove(path);
    warm_close(&w);
}

TEST_C(Finaliser, HandsOptionsOnThatSteerTheCode)
{
    static const struct {
        const char *options;
        const char *told; /* "": left as it is */
    } cases[] = {
            {"-DB=1", "--gpu-name=sm_90"},
            {"-cl-fast-relaxed-math -cl-nv-verbose", "--gpu-name=sm_90"},
            {"-cl-nv-maxrregcount=32", "--gpu-name=sm_90 --maxrregcount=32"},
            {"-cl-nv-opt-level=1\t-cl-nv-maxrregcount=64",
                    "--gpu-name=sm_90 --opt-level=1 --maxrregcount=64"},
            {"-cl-nv-opt-level=9", ""},
            {"-cl-nv-opt-level=", ""},
            {"-cl-nv-opt-level=1x", ""},
            {"-cl-nv-opt-level", ""},
            {"-cl-nv-maxrregcount=-1", ""},
            {"-cl-nv-something", ""},
            {"-cl-nv-", ""},
            {"-cl-opt-disable", ""},
    };
    char told[256];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        compile_with(cases[i].options, told, sizeof told);
        EXPECT_STR_EQ(cases[i].told, told);
    }
}

/* With a blank before the number a program has no ID: nobody knows whether such
 * options read a file. */
TEST_C(Finaliser, ReadsNumbersBehindBlanks)
{
    struct nvidia_options options;
    struct blob_reason reason;
    ASSERT_TRUE(nvidia_options_read(
            " -DC -cl-nv-maxrregcount \t32 -DB", &options, &reason));
    ASSERT_EQ(1, options.count);
    EXPECT_STR_EQ("--maxrregcount=32", options.text[0]);
    EXPECT_FALSE(
            nvidia_options_read("-cl-nv-maxrregcount x", &options, &reason));
    EXPECT_STR_EQ("what -cl-nv-maxrregcount asks of the code is not known",
            reason.text);
}

/* ---- What goes wrong while it is made ------------------------------------ */

/* The cold path is as without a finaliser, and so is the blob. */
static void expect_left_as_it_is(
        int line, const char *version, const char *fault)
{
    struct warm w;
    if (fault != NULL) setenv("FAKE_PTX_FAULT", fault, 1);
    warm_open(&w, version);
    if (count_forms(&w.blob) != 0)
        test_fail(__FILE__, line, "%s: there is a form", version);
    EXPECT_LOADED(&w, &w.blob, dnnl_cache_binary_form_driver, "");
    warm_close(&w);
}

#define EXPECT_LEFT(version, fault) \
    expect_left_as_it_is(__LINE__, version, fault)

TEST_C(Finaliser, IsNotNeeded)
{
    EXPECT_LEFT("999.3", NULL); /* there is no such file */
    EXPECT_LEFT("999.2", NULL); /* it has none of the calls */
    EXPECT_LEFT("any/../999", NULL);
}

/* Where the self-test or the opening fails, and then for the process. */
TEST_C(Finaliser, IsNotTrustedIfItsTrialFails)
{
    static const char *const faults[] = {"version", "other_version", "create",
            "compile", "log", "size", "none", "huge", "program", "trial",
            "other_sm"};
    char version[16];
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        snprintf(version, sizeof version, "999.1.%zu", i + 1);
        EXPECT_LEFT(version, faults[i]);
        EXPECT_LEFT(version, NULL); /* not tried out again */
    }
}

/* The trial was fine. */
TEST_WARM(Finaliser, IsRefusedForOneProgramAlone, "999.1.0")
{
    static const char *const faults[] = {"create", "compile", "log", "size",
            "none", "huge", "program", "garbage", "cut", "other_sm",
            "no_kernel"};
    EXPECT_EQ(1, count_forms(&w->blob));
    warm_close(w);
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++)
        EXPECT_LEFT("999.1.0", faults[i]);
    warm_open(w, "999.1.0");
    EXPECT_EQ(1, count_forms(&w->blob));
}

TEST_C(Finaliser, IsNotTrustedIfTheDriverRefusesTheTrial)
{
    fake_opencl_set("REFUSES_CUBINS", "1");
    EXPECT_LEFT("999.1.12", NULL);
}

/* The driver would crash on its machine code. */
TEST_C(Finaliser, LeavesProgramsThatPrint)
{
    struct rig rig;
    open_rig(&rig, "999.1.0");
    dnnl_cache_program_t program = build(rig.engine,
            "kernel void vprintf_user(global int *x) {}", usual_options);
    struct bytes blob = program_blob(program);
    EXPECT_EQ(0, count_forms(&blob));
    bytes_free(&blob);
    EXPECT_OK(dnnl_cache_program_destroy(program));
    rig_close(&rig);
}

/* The driver loads the trial, and then refuses a program, or has another kernel
 * than the program does. */
TEST_C(Finaliser, IsComparedWithTheProgram)
{
    struct warm w;
    warm_open(&w, "999.1.0");
    warm_close(&w);
    fake_opencl_set("REFUSES_CUBINS", "1");
    EXPECT_LEFT("999.1.0", NULL);
}

/* ---- What goes wrong while it is loaded ---------------------------------- */

TEST_C(FinalisedForm, IsLeftIfTheDriverRefusesIt)
{
    struct warm w;
    warm_open_with(&w, "999.1.0", "-DA=3", dnnl_cache_compression_none);
    const dnnl_cache_statistics_t before = rig_statistics();
    fake_opencl_set("REFUSES_CUBINS", "1");
    EXPECT_LOADED(&w, &w.blob, dnnl_cache_binary_form_driver,
            "the driver refuses it");
    EXPECT_EQ(before.finalised_refused + 1, rig_statistics().finalised_refused);
    /* And is not tried again. */
    fake_opencl_set("REFUSES_CUBINS", NULL);
    EXPECT_LOADED(&w, &w.blob, dnnl_cache_binary_form_driver,
            "refused by the driver before");
    EXPECT_EQ(before.finalised_refused + 1, rig_statistics().finalised_refused);
    warm_close(&w);
}

/* A blob with another form, bound to its program: a forgery. */
static struct bytes with_form(
        const struct bytes *blob, const void *form, size_t size)
{
    struct blob_edit edit;
    blob_edit_open(&edit, blob);
    edit.programs[0].final_binary = form;
    edit.programs[0].final_size = size;
    edit.programs[0].final_raw_size = size;
    struct bytes made = blob_edit_write(&edit);
    blob_edit_close(&edit);
    return made;
}

TEST_C(FinalisedForm, ThatIsDamagedIsLeft)
{
    struct warm w;
    struct blob_edit edit;
    warm_open_with(&w, "999.1.0", "-DA=1", dnnl_cache_compression_none);
    blob_edit_open(&edit, &w.blob);
    const uint8_t *form = edit.programs[0].final_binary;
    const size_t size = edit.programs[0].final_size;
    uint8_t *copy = malloc(size);
    ASSERT_NOT_NULL(copy);
    for (int what = 0; what < 4; what++) {
        static const char *const reasons[] = {"a CUBIN that is cut",
                "a CUBIN for sm_80, not sm_90", "no CUBIN",
                "a CUBIN without kernel 'scale'"};
        memcpy(copy, form, size);
        Elf64_Ehdr header;
        memcpy(&header, copy, sizeof header);
        if (what == 1) header.e_flags = 80;
        if (what == 2) header.e_machine = EM_X86_64;
        memcpy(copy, &header, sizeof header);
        char *name = memmem(copy, size, ".text.scale", 11);
        ASSERT_NOT_NULL(name);
        if (what == 3) name[6] = 'S';
        struct bytes blob =
                with_form(&w.blob, copy, what == 0 ? size / 2 : size);
        EXPECT_LOADED(&w, &blob, dnnl_cache_binary_form_driver, reasons[what]);
        bytes_free(&blob);
    }
    free(copy);
    blob_edit_close(&edit);
    warm_close(&w);
}

/* Bound to another program, it makes the blob corrupt. */
TEST_C(FinalisedForm, OfAnotherProgramIsNotLoaded)
{
    struct warm one;
    struct warm other;
    dnnl_cache_program_t program = NULL;
    warm_open(&one, "999.1.0");
    warm_open_with(&other, "999.1.0", "-DA=2", dnnl_cache_compression_none);
    struct bytes blob = {malloc(one.blob.size), one.blob.size};
    ASSERT_NOT_NULL(blob.data);
    ASSERT_EQ(one.blob.size, other.blob.size);
    /* The section of forms is the last one of both. */
    struct blob_edit edit;
    blob_edit_open(&edit, &one.blob);
    const size_t at = (size_t)((const uint8_t *)edit.programs[0].final_binary
                               - edit.blob.data);
    blob_edit_close(&edit);
    memcpy(blob.data, one.blob.data, at);
    memcpy(blob.data + at, other.blob.data + at, blob.size - at);
    EXPECT_STATUS(dnnl_cache_blob_corrupt,
            dnnl_cache_program_create_from_cache_blob(
                    &program, one.desc, blob.size, blob.data));
    bytes_free(&blob);
    warm_close(&other);
    warm_close(&one);
}

/* A finaliser that this driver has not, or of another version. */
TEST_WARM(FinalisedForm, OfAnotherFinaliserIsLeft, "999.1.0")
{
    struct blob_edit edit;
    blob_edit_open(&edit, &w->blob);
    edit.programs[0].finaliser = "nvidia-ptx 2";
    struct bytes blob = blob_edit_write(&edit);
    EXPECT_LOADED(
            w, &blob, dnnl_cache_binary_form_driver, "made by 'nvidia-ptx 2'");
    bytes_free(&blob);
    /* One that replaced the driver's binary leaves nothing to load. */
    edit.programs[0].final_binary = NULL;
    edit.programs[0].final_size = 0;
    edit.programs[0].final_raw_size = 0;
    blob = blob_edit_write(&edit);
    dnnl_cache_program_t program = NULL;
    EXPECT_OK(dnnl_cache_program_desc_destroy(w->desc));
    forget(&w->rig);
    w->desc = describe(w->rig.engine, scale_source, w->options);
    EXPECT_STATUS(dnnl_cache_blob_stale,
            dnnl_cache_program_create_from_cache_blob(
                    &program, w->desc, blob.size, blob.data));
    bytes_free(&blob);
    blob_edit_close(&edit);
}

/* ---- For those who load binaries themselves ------------------------------ */

TEST_C(FinalisedForm, IsGivenToOthers)
{
    struct warm w;
    uint8_t form[65536];
    size_t size = sizeof form;
    warm_open_with(&w, "999.1.0", "-DA=4", dnnl_cache_compression_none);
    ASSERT_OK(dnnl_cache_engine_get_finalised_binary(
            w.rig.engine, w.blob.size, w.blob.data, 0, &size, form));
    EXPECT_BYTES_EQ(ELFMAG, SELFMAG, form, SELFMAG);
    ASSERT_OK(dnnl_cache_engine_refuse_finalised_binary(
            w.rig.engine, size, form));
    EXPECT_STATUS(dnnl_not_required,
            dnnl_cache_engine_get_finalised_binary(
                    w.rig.engine, w.blob.size, w.blob.data, 0, &size, form));
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_cache_engine_get_finalised_binary(
                    w.rig.engine, w.blob.size, w.blob.data, 1, &size, form));
    warm_close(&w);
}

#define REFUSED(call) EXPECT_STATUS(dnnl_invalid_arguments, (call))

TEST_C(FinalisedForm, NullArgumentsAreRefused)
{
    struct warm w;
    uint8_t form[64] = {0};
    size_t size = sizeof form;
    warm_open_with(&w, "999.1.0", "-DA=4", dnnl_cache_compression_none);
    const dnnl_engine_t engine = w.rig.engine;
    const struct bytes *blob = &w.blob;
    REFUSED(dnnl_cache_program_read_binary(NULL));
    REFUSED(dnnl_cache_program_add_launch_code(
            NULL, "f", "k", "1-1-1", 1, (const uint8_t *)"x"));
    REFUSED(dnnl_cache_engine_get_finalised_binary(
            NULL, blob->size, blob->data, 0, &size, form));
    REFUSED(dnnl_cache_engine_get_finalised_binary(
            engine, 0, blob->data, 0, &size, form));
    REFUSED(dnnl_cache_engine_get_finalised_binary(
            engine, blob->size, NULL, 0, &size, form));
    REFUSED(dnnl_cache_engine_get_finalised_binary(
            engine, blob->size, blob->data, 0, NULL, form));
    REFUSED(dnnl_cache_engine_refuse_finalised_binary(NULL, 1, form));
    REFUSED(dnnl_cache_engine_refuse_finalised_binary(engine, 0, form));
    REFUSED(dnnl_cache_engine_refuse_finalised_binary(engine, 1, NULL));
    EXPECT_EQ(sizeof form, size);
    warm_close(&w);
}

/* ---- CUBINs -------------------------------------------------------------- */

/* Whatever bytes there are, nothing outside of them is read. */
TEST_WARM(Cubin, OfAnyBytesIsSafeToRead, "999.1.0")
{
    struct blob_edit edit;
    struct blob_reason reason;
    static const char kernels[] = "scale\0fill";
    blob_edit_open(&edit, &w->blob);
    const size_t size = edit.programs[0].final_size;
    srand((unsigned)test_seed());
    EXPECT_TRUE(nvidia_cubin_check(
            edit.programs[0].final_binary, size, 90, kernels, 2, &reason));
    for (size_t n = 0; n < size; n += 7) {
        uint8_t *copy = malloc(n > 0 ? n : 1); /* for checkers of bounds */
        ASSERT_NOT_NULL(copy);
        memcpy(copy, edit.programs[0].final_binary, n);
        EXPECT_FALSE(nvidia_cubin_check(copy, n, 90, kernels, 2, &reason));
        free(copy);
    }
    uint8_t *copy = malloc(size);
    ASSERT_NOT_NULL(copy);
    for (int i = 0; i < 20000; i++) {
        memcpy(copy, edit.programs[0].final_binary, size);
        for (int k = rand() % 4; k >= 0; k--) {
            /* The header and the sections' table are at both ends. */
            const size_t at = (size_t)rand() % 512;
            copy[rand() % 2 == 0 && at < size ? at : size - 1 - at % size] =
                    (uint8_t)rand();
        }
        (void)nvidia_cubin_check(copy, size, 90, kernels, 2, &reason);
    }
    free(copy);
    blob_edit_close(&edit);
}
