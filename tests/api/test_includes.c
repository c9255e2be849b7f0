/* SPDX-License-Identifier: Apache-2.0 */
/* Finding what is included, and saying that it is known. */
#include "dnnl_cache/sys/layer.h"
#include "log_capture.h"
#include "programs.h"
#include "rig.h"

#include "test.h"

#include <string.h>

#define KERNEL "__kernel void k(void) {}\n"

/* ---- In sources ---------------------------------------------------------- */

enum { MOST = 8 };

struct found {
    const char *source;
    size_t size;
    size_t count;
    size_t stop_after; /* 0: never */
    struct {
        dnnl_cache_include_form_t form;
        char name[64];
    } list[MOST];
};

static dnnl_status_t note(const dnnl_cache_include_t *include, void *user)
{
    struct found *found = user;
    EXPECT_EQ(sizeof *include, include->struct_size);
    EXPECT_TRUE(include->name >= found->source
                && include->name_size <= found->size
                && (size_t)(include->name - found->source)
                           <= found->size - include->name_size);
    if (found->count == MOST || include->name_size >= 64)
        return dnnl_runtime_error;
    found->list[found->count].form = include->form;
    memcpy(found->list[found->count].name, include->name, include->name_size);
    found->count++;
    return found->count == found->stop_after ? dnnl_not_required : dnnl_success;
}

static struct found find(const char *source)
{
    struct found found = {.source = source, .size = strlen(source)};
    EXPECT_OK(dnnl_cache_find_includes(found.size, source, note, &found));
    return found;
}

static void expect_found(const struct found *found, size_t index,
        dnnl_cache_include_form_t form, const char *name)
{
    EXPECT_LT(index, found->count);
    EXPECT_EQ(form, found->list[index].form);
    EXPECT_STR_EQ(name, found->list[index].name);
}

TEST_C(Includes, AreToldInTheirOrder)
{
    struct found found =
            find("/* */ #include \"a.h\"\n"
                 "# import <sys/b.h> // \n"
                 "#if 0\n#include NAME\n#endif\n"
                 "//#include \"c.h\"\n" KERNEL "%:include \"d e.h\"\n");
    EXPECT_EQ(4, found.count);
    expect_found(&found, 0, dnnl_cache_include_quoted, "a.h");
    expect_found(&found, 1, dnnl_cache_include_bracket, "sys/b.h");
    expect_found(&found, 2, dnnl_cache_include_unknown, "NAME");
    expect_found(&found, 3, dnnl_cache_include_quoted, "d e.h");
}

TEST_C(Includes, ThatCannotBeFollowedAreUnknown)
{
    static const char *const sources[] = {"#include_next <a.h>\n",
            "#embed \"a.bin\"\n", "#if __has_include(<a.h>)\n#endif\n",
            "__asm(\".incbin \\\"a\\\"\");\n", "#include\n",
            "#include \"a\\b.h\"\n"};
    for (size_t i = 0; i < sizeof sources / sizeof sources[0]; i++) {
        struct found found = find(sources[i]);
        EXPECT_EQ(1, found.count);
        EXPECT_EQ(dnnl_cache_include_unknown, found.list[0].form);
    }
}

TEST_C(Includes, OfNothingAreNone)
{
    struct found found = find("");
    EXPECT_EQ(0, found.count);
    EXPECT_OK(dnnl_cache_find_includes(0, NULL, note, &found));
    EXPECT_EQ(0, find(KERNEL).count);
}

TEST_C(Includes, AreLookedForInTheBytesGivenOnly)
{
    const char source[] = "#include \"a.h\"\n#include \"b.h\"\n";
    struct found found = {.source = source, .size = sizeof source - 1};
    EXPECT_OK(dnnl_cache_find_includes(15, source, note, &found));
    EXPECT_EQ(1, found.count);
}

TEST_C(Includes, EndWhenTheCallbackSaysSo)
{
    const char source[] = "#include \"a.h\"\n#include \"b.h\"\n";
    struct found found = {
            .source = source, .size = sizeof source - 1, .stop_after = 1};
    EXPECT_STATUS(dnnl_not_required,
            dnnl_cache_find_includes(found.size, source, note, &found));
    EXPECT_EQ(1, found.count);
}

/* ---- In options ---------------------------------------------------------- */

static void expect_reading(const char *options, int expected)
{
    int reads_files = 77;
    EXPECT_OK(dnnl_cache_options_read_files(options, &reads_files));
    if (reads_files != expected)
        test_fail(__FILE__, __LINE__, "'%s': %d",
                options != NULL ? options : "(NULL)", reads_files);
}

TEST_C(Includes, OfOptionsAreNoticed)
{
    expect_reading(NULL, 0);
    expect_reading("", 0);
    expect_reading("-I include -DA=1 -cl-std=CL3.0", 0);
    expect_reading("-include a.h", 1);
    expect_reading("-DA -imacros a.h", 1);
    expect_reading("@options", 1);
    expect_reading("-D S(x)=#x -DA=1", 2);
    expect_reading("-D S(x)=#x -include a.h", 1);
}

/* ---- Assembly ------------------------------------------------------------ */

/* What makes strings does not reach the assembly. */
TEST_RIG(Assembly, ThatNoMacroReachesIsNoReasonAgainstCaching)
{
    static const char *const sources[] = {
            "#define S(x) #x\n#define NOP asm(\"nop\")\n"
            "__kernel void k(void) { NOP; f(S(a)); }\n",
            "#define S(x) #x\n"
            "__kernel void k(void) { asm(S(.) S(incbin)); }\n"};
    dnnl_cache_program_desc_t desc = describe(rig->engine, sources[0], NULL);
    expect_cacheable(desc, true, NULL);
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    desc = describe(rig->engine, sources[1], NULL);
    expect_cacheable(desc, false, "assembly may be of what S makes");
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    /* The word is an option's. */
    desc = describe(rig->engine, "#define S(x) #x\nA(S(.) S(incbin));\n" KERNEL,
            "-DA=asm");
    expect_cacheable(desc, false, "options");
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
}

/* ---- Followed by the caller ---------------------------------------------- */

static const char with_include[] = "#if 0\n#include \"a.h\"\n#endif\n" KERNEL;

static dnnl_cache_program_desc_t describe_known(const struct rig *rig,
        const char *source, const char *options, const char *key)
{
    dnnl_cache_program_desc_t desc = describe(rig->engine, source, options);
    EXPECT_OK(dnnl_cache_program_desc_set_includes_known(desc));
    EXPECT_OK(dnnl_cache_program_desc_add_key(desc, strlen(key), key));
    return desc;
}

TEST_RIG(IncludesKnown, AreNoReasonAgainstCaching)
{
    const dnnl_cache_program_desc_t descs[] = {
            describe_known(rig, with_include, NULL, "a"),
            describe_known(rig, "#if 0\n#include NAME\n#endif\n", NULL, "a"),
            describe_known(rig, KERNEL, "-include a.h", "a")};
    for (size_t i = 0; i < 3; i++) {
        expect_cacheable(descs[i], true, NULL);
        EXPECT_OK(dnnl_cache_program_desc_destroy(descs[i]));
    }
}

TEST_RIG(IncludesKnown, AreToldApartByTheKey)
{
    expect_ids("application_key",
            describe_known(rig, with_include, NULL, "a.h as it was"),
            describe_known(rig, with_include, NULL, "a.h as it is"));
    expect_ids("", describe_known(rig, with_include, NULL, "a.h"),
            describe_known(rig, with_include, NULL, "a.h"));
}

/* Where nothing is included it changes nothing. */
TEST_RIG(IncludesKnown, AreNoPartOfTheId)
{
    dnnl_cache_program_desc_t plain = describe(rig->engine, KERNEL, NULL);
    EXPECT_OK(dnnl_cache_program_desc_add_key(plain, 1, "k"));
    expect_ids("", plain, describe_known(rig, KERNEL, NULL, "k"));
}

TEST_RIG(IncludesKnown, GoWithEmbeddedHeaders)
{
    dnnl_cache_program_desc_t desc = describe_known(rig,
            "#include \"b.h\"\n#if 0\n#include \"a.h\"\n#endif\n" KERNEL, NULL,
            "a");
    EXPECT_OK(dnnl_cache_program_desc_add_header(desc, "b.h", 0, "\n"));
    expect_cacheable(desc, true, NULL);
    dnnl_cache_program_t program = create(desc);
    expect_kernel(program, "k");
    EXPECT_OK(dnnl_cache_program_destroy(program));
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
}

TEST_RIG(IncludesKnown, GiveTheProgramABlob)
{
    dnnl_cache_program_desc_t desc =
            describe_known(rig, with_include, NULL, "a");
    dnnl_cache_program_t program = create(desc);
    struct bytes blob = program_blob(program);
    EXPECT_GT(blob.size, 0);
    EXPECT_OK(dnnl_cache_program_destroy(program));
    EXPECT_OK(dnnl_engine_destroy(rig->engine));
    EXPECT_OK(dnnl_ocl_interop_engine_create(
            &rig->engine, rig->device, rig->context));
    dnnl_cache_program_desc_t again =
            describe_known(rig, with_include, NULL, "a");
    program = create_from(again, &blob);
    EXPECT_EQ(1, fake_opencl_source_builds());
    bytes_free(&blob);
    EXPECT_OK(dnnl_cache_program_destroy(program));
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    EXPECT_OK(dnnl_cache_program_desc_destroy(again));
}

TEST_RIG(IncludesKnown, MustBeSaidBeforeTheIdIsMade)
{
    struct log_capture log;
    log_capture_start(&log);
    dnnl_cache_program_desc_t desc = describe(rig->engine, with_include, NULL);
    struct bytes id = program_id(desc);
    EXPECT_EQ(0, id.size);
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_cache_program_desc_set_includes_known(desc));
    id = program_id(desc);
    EXPECT_EQ(0, id.size);
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    log_capture_stop(&log);
}
