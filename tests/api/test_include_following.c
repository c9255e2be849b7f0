/* SPDX-License-Identifier: Apache-2.0 */
/* Programs whose includes the library follows: their IDs, and what is kept of
 * them while files change. Which files count: tests/includes. */
#include "dnnl_cache/sys/layer.h"
#include "include_helpers.h"
#include "log_capture.h"
#include "memory_store.h"
#include "programs.h"
#include "rig.h"

#include "test.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The fake compiler knows no file: nothing reads it there. */
#define UNREAD(line) "#if 0\n" line "\n#endif\n__kernel void k(void) {}\n"
static const char includes_a[] = UNREAD("#include \"a.h\"");

static dnnl_cache_program_desc_t describe_followed(
        const struct rig *rig, const char *source, const char *options)
{
    dnnl_cache_program_desc_t desc = describe(rig->engine, source, options);
    EXPECT_OK(dnnl_cache_program_desc_set_include_following(desc, 1));
    return desc;
}

/* With its ID made, of the files as they are. */
static dnnl_cache_program_desc_t describe_now(
        const struct rig *rig, const char *source, const char *options)
{
    dnnl_cache_program_desc_t desc = describe_followed(rig, source, options);
    expect_cacheable(desc, true, NULL);
    return desc;
}

static void enter(struct rig *rig)
{
    rig_open(rig, 0);
    enter_files();
    put_file("a.h", "1");
}

static void leave(struct rig *rig)
{
    leave_files();
    rig_close(rig);
}

#define TEST_INSIDE(suite, name) \
    TEST_WITH(suite, name, struct rig, rig, enter(rig), leave(rig))

/* ---- The ID -------------------------------------------------------------- */

TEST_INSIDE(IncludeFollowing, PutsTheFilesIntoTheId)
{
    expect_ids("", describe_now(rig, includes_a, NULL),
            describe_now(rig, includes_a, NULL));
    dnnl_cache_program_desc_t before = describe_now(rig, includes_a, NULL);
    put_file("a.h", "2");
    expect_ids("includes", before, describe_now(rig, includes_a, NULL));
}

/* Also what options include, and a name that is a macro of theirs. */
TEST_C(IncludeFollowing, FollowsOptions)
{
    static const char *const options[] = {
            "-include a.h", "-DS(x)=#x -DT(x)=S(x) -DNAME=T(a.h)"};
    static const char *const sources[] = {UNREAD(""), UNREAD("#include NAME")};
    struct rig rig;
    enter(&rig);
    for (size_t i = 0; i < 2; i++) {
        dnnl_cache_program_desc_t before =
                describe_now(&rig, sources[i], options[i]);
        put_file("a.h", i == 0 ? "2" : "3");
        expect_ids(
                "includes", before, describe_now(&rig, sources[i], options[i]));
    }
    leave(&rig);
}

TEST_C(IncludeFollowing, RefusesWhatItCannotFollow)
{
    static const struct {
        const char *source;
        const char *reason;
    } programs[] = {{UNREAD("#include \"none.h\""), "none.h"},
            {"#define NAME \"a.h\"\n" UNREAD("#include NAME"),
                    "cannot be resolved"},
            {UNREAD("#include_next <a.h>"), "cannot be resolved"}};
    struct rig rig;
    enter(&rig);
    for (size_t i = 0; i < sizeof programs / sizeof programs[0]; i++) {
        dnnl_cache_program_desc_t desc =
                describe_followed(&rig, programs[i].source, NULL);
        expect_cacheable(desc, false, programs[i].reason);
        dnnl_cache_program_t program = create(desc);
        struct bytes blob = program_blob(program);
        EXPECT_EQ(0, blob.size);
        bytes_free(&blob);
        EXPECT_OK(dnnl_cache_program_destroy(program));
        EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    }
    leave(&rig);
}

TEST_INSIDE(IncludeFollowing, ChangesNothingWhereNothingIsIncluded)
{
    expect_ids("", describe(rig->engine, UNREAD(""), "-DA -I /none"),
            describe_now(rig, UNREAD(""), "-DA -I /none"));
}

TEST_INSIDE(IncludeFollowing, IsOffUnlessAskedForLast)
{
    dnnl_cache_program_desc_t descs[3];
    for (size_t i = 0; i < 3; i++)
        descs[i] = describe(rig->engine, includes_a, NULL);
    EXPECT_OK(dnnl_cache_program_desc_set_include_following(descs[1], 1));
    EXPECT_OK(dnnl_cache_program_desc_set_include_following(descs[1], 0));
    EXPECT_OK(dnnl_cache_program_desc_set_includes_known(descs[2]));
    EXPECT_OK(dnnl_cache_program_desc_set_include_following(descs[2], 0));
    for (size_t i = 0; i < 3; i++) {
        expect_cacheable(descs[i], false, "a.h");
        EXPECT_STATUS(dnnl_invalid_arguments,
                dnnl_cache_program_desc_set_include_following(descs[i], 1));
        EXPECT_OK(dnnl_cache_program_desc_destroy(descs[i]));
    }
    dnnl_cache_program_desc_t followed =
            describe(rig->engine, includes_a, NULL);
    dnnl_cache_program_desc_t known = describe(rig->engine, includes_a, NULL);
    EXPECT_OK(dnnl_cache_program_desc_set_includes_known(followed));
    EXPECT_OK(dnnl_cache_program_desc_set_include_following(followed, 1));
    EXPECT_OK(dnnl_cache_program_desc_set_include_following(known, 1));
    EXPECT_OK(dnnl_cache_program_desc_set_includes_known(known));
    expect_ids("includes", followed, known);
}

/* What a directive names may be one of them. */
TEST_INSIDE(IncludeFollowing, DoesNotGoWithEmbeddedHeaders)
{
    dnnl_cache_program_desc_t desc = describe_followed(rig, includes_a, NULL);
    EXPECT_OK(dnnl_cache_program_desc_add_header(desc, "b.h", 0, "\n"));
    expect_cacheable(desc, false, "a.h");
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    desc = describe_followed(rig, includes_a, NULL);
    EXPECT_OK(dnnl_cache_program_desc_add_header(desc, "a.h", 0, "\n"));
    expect_cacheable(desc, true, NULL);
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
}

TEST_INSIDE(IncludeFollowing, WarnsOnceOfWhatCannotBeCached)
{
    struct log_capture log;
    log_capture_start(&log);
    for (unsigned i = 0; i < 3; i++) {
        dnnl_cache_program_desc_t desc =
                describe(rig->engine, UNREAD("#include \"warned.h\""), NULL);
        expect_cacheable(desc, false, "warned.h");
        EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
        EXPECT_EQ(1, log_capture_count(&log, dnnl_cache_log_warning));
        EXPECT_EQ(i, log_capture_count(&log, dnnl_cache_log_info));
    }
    EXPECT_TRUE(log_capture_has(&log, dnnl_cache_log_warning, "warned.h"));
    EXPECT_TRUE(log_capture_has(&log, dnnl_cache_log_info, "warned.h"));
    dnnl_cache_program_desc_t desc =
            describe_followed(rig, UNREAD("#include \"another.h\""), NULL);
    expect_cacheable(desc, false, "another.h");
    EXPECT_TRUE(log_capture_has(&log, dnnl_cache_log_warning, "another.h"));
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    log_capture_stop(&log);
}

/* ---- What is kept -------------------------------------------------------- */

/* Another process, as far as the library is concerned. */
static void restart(struct rig *rig, const struct memory_store *store)
{
    EXPECT_OK(dnnl_engine_destroy(rig->engine));
    EXPECT_OK(dnnl_ocl_interop_engine_create(
            &rig->engine, rig->device, rig->context));
    EXPECT_OK(dnnl_cache_engine_set_store(rig->engine, &store->callbacks));
}

/* How a program of the files as they are is come by. */
static dnnl_cache_origin_t origin_now(const struct rig *rig)
{
    dnnl_cache_program_desc_t desc = describe_now(rig, includes_a, NULL);
    dnnl_cache_program_t program = create(desc);
    const dnnl_cache_origin_t origin = info_of(program).origin;
    EXPECT_OK(dnnl_cache_program_destroy(program));
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    return origin;
}

/* Names and digests of the files that a blob has. */
struct files {
    size_t count;
    char names[256];
    uint8_t last[DNNL_CACHE_INCLUDED_DIGEST_SIZE];
};

static dnnl_status_t note_file(const dnnl_cache_blob_part_t *part, void *user)
{
    struct files *files = user;
    if (part->kind != dnnl_cache_blob_part_file) return dnnl_success;
    files->count++;
    strcat(files->names, part->name);
    strcat(files->names, " ");
    EXPECT_EQ(sizeof files->last, part->id_size);
    memcpy(files->last, part->id, sizeof files->last);
    return dnnl_success;
}

static struct files files_of(const struct bytes *blob)
{
    struct files files = {0};
    EXPECT_OK(dnnl_cache_blob_describe(
            blob->size, blob->data, note_file, &files));
    return files;
}

/* The blob of a program of the files as they are. */
static struct bytes blob_now(
        const struct rig *rig, const char *source, const char *options)
{
    dnnl_cache_program_desc_t desc = describe_now(rig, source, options);
    dnnl_cache_program_t program = create(desc);
    struct bytes blob = program_blob(program);
    EXPECT_OK(dnnl_cache_program_destroy(program));
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    return blob;
}

TEST_INSIDE(IncludeFollowing, NamesTheFilesInTheBlob)
{
    /* BLAKE2b-256 of "1" and "2", the first half. */
    static const uint8_t one[] = {0x92, 0xcd, 0xf5, 0x78, 0xc4, 0x70, 0x85,
            0xa5, 0x99, 0x22, 0x56, 0xf0, 0xdc, 0xf9, 0x7d, 0x0b};
    static const uint8_t two[] = {0x31, 0x23, 0x7c, 0xdb, 0x79, 0xae, 0x1d,
            0xfa, 0x7f, 0xfb, 0x87, 0xcd, 0xe7, 0xea, 0x8a, 0x80};
    struct bytes blob = blob_now(rig, includes_a, NULL);
    struct files files = files_of(&blob);
    EXPECT_EQ(1, files.count);
    EXPECT_STR_EQ("a.h ", files.names);
    EXPECT_BYTES_EQ(one, sizeof one, files.last, sizeof files.last);
    bytes_free(&blob);
    put_file("a.h", "2");
    blob = blob_now(rig, includes_a, NULL);
    files = files_of(&blob);
    EXPECT_BYTES_EQ(two, sizeof two, files.last, sizeof files.last);
    bytes_free(&blob);
    blob = blob_now(rig, UNREAD(""), NULL);
    EXPECT_EQ(0, files_of(&blob).count);
    bytes_free(&blob);
}

/* A blob is shipped: it says how a source spells a file, and not where the
 * user has it. */
TEST_INSIDE(IncludeFollowing, NamesNoFolderOfTheUsersInTheBlob)
{
    char folder[4096];
    char source[8192];
    char options[8192];
    ASSERT_NOT_NULL(getcwd(folder, sizeof folder));
    put_file("b.h", "");
    put_file("folder/sub/c.h", "");
    (void)snprintf(source, sizeof source,
            UNREAD("#include \"%s/a.h\"\n#include <b.h>\n#include <sub/c.h>"),
            folder);
    (void)snprintf(options, sizeof options, "-I %s/folder", folder);
    struct bytes blob = blob_now(rig, source, options);
    EXPECT_STR_EQ("a.h b.h sub/c.h ", files_of(&blob).names);
    bytes_free(&blob);
}

/* And whoever loads the blob gives the same again. */
TEST_INSIDE(IncludeFollowing, KeepsTheFilesOfALoadedBlob)
{
    struct bytes blob = blob_now(rig, includes_a, NULL);
    EXPECT_OK(dnnl_engine_destroy(rig->engine));
    EXPECT_OK(dnnl_ocl_interop_engine_create(
            &rig->engine, rig->device, rig->context));
    dnnl_cache_program_desc_t desc = describe_now(rig, includes_a, NULL);
    dnnl_cache_program_t program = create_from(desc, &blob);
    EXPECT_EQ(dnnl_cache_origin_blob, info_of(program).origin);
    struct bytes again = program_blob(program);
    EXPECT_BYTES_EQ(blob.data, blob.size, again.data, again.size);
    EXPECT_EQ(1, files_of(&again).count);
    bytes_free(&again);
    bytes_free(&blob);
    EXPECT_OK(dnnl_cache_program_destroy(program));
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
}

TEST_C(IncludeFollowing, FindsInAStoreWhatTheFilesHold)
{
    struct rig rig;
    struct memory_store store;
    enter(&rig);
    memory_store_open(&store);
    restart(&rig, &store);
    EXPECT_EQ(dnnl_cache_origin_compiled, origin_now(&rig));
    EXPECT_EQ(dnnl_cache_origin_memory_hit, origin_now(&rig));
    restart(&rig, &store);
    EXPECT_EQ(dnnl_cache_origin_store_hit, origin_now(&rig));
    put_file("a.h", "2");
    EXPECT_EQ(dnnl_cache_origin_compiled, origin_now(&rig));
    restart(&rig, &store);
    EXPECT_EQ(dnnl_cache_origin_store_hit, origin_now(&rig));
    put_file("a.h", "1");
    EXPECT_EQ(dnnl_cache_origin_store_hit, origin_now(&rig));
    EXPECT_EQ(2, fake_opencl_source_builds());
    rig_close(&rig);
    leave_files();
    memory_store_close(&store);
}

/* A program of the descriptor, which is compiled and neither shared nor kept.
 */
static void expect_not_kept(
        const_dnnl_cache_program_desc_t desc, const struct memory_store *store)
{
    dnnl_cache_program_t program = create(desc);
    const char *reason = NULL;
    int is_cacheable = 1;
    EXPECT_EQ(dnnl_cache_origin_compiled, info_of(program).origin);
    EXPECT_OK(dnnl_cache_program_is_cacheable(program, &is_cacheable, &reason));
    EXPECT_EQ(0, is_cacheable);
    EXPECT_NOT_NULL(strstr(reason, "an included file has changed"));
    struct bytes blob = program_blob(program);
    EXPECT_EQ(0, blob.size);
    bytes_free(&blob);
    expect_kernel(program, "k");
    EXPECT_OK(dnnl_cache_program_destroy(program));
    EXPECT_EQ(0, store->puts);
}

/* The ID names what is not there any more. */
TEST_C(IncludeFollowing, KeepsNothingOfFilesThatHaveChanged)
{
    struct rig rig;
    struct memory_store store;
    struct log_capture log;
    enter(&rig);
    memory_store_open(&store);
    restart(&rig, &store);
    dnnl_cache_program_desc_t desc = describe_now(&rig, includes_a, NULL);
    put_file("a.h", "2");
    log_capture_start(&log);
    expect_not_kept(desc, &store);
    expect_not_kept(desc, &store);
    EXPECT_EQ(1, log_capture_count(&log, dnnl_cache_log_warning));
    log_capture_stop(&log);
    EXPECT_EQ(2, fake_opencl_source_builds());
    dnnl_cache_kernel_t kernel = NULL;
    EXPECT_OK(dnnl_cache_kernel_create(&kernel, desc, "k"));
    EXPECT_OK(dnnl_cache_kernel_destroy(kernel));
    EXPECT_EQ(3, fake_opencl_source_builds());
    EXPECT_EQ(0, store.puts);
    /* As they were. */
    put_file("a.h", "1");
    dnnl_cache_program_t program = create(desc);
    struct bytes blob = program_blob(program);
    EXPECT_GT(blob.size, 0);
    bytes_free(&blob);
    EXPECT_OK(dnnl_cache_program_destroy(program));
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    rig_close(&rig);
    leave_files();
    memory_store_close(&store);
}

struct creation {
    const_dnnl_cache_program_desc_t desc;
    const struct memory_store *store;
};

static void *create_meanwhile(void *user)
{
    const struct creation *creation = user;
    expect_not_kept(creation->desc, creation->store);
    return NULL;
}

/* While the driver compiles; afterwards all may be as it was. */
static void change_meanwhile(void (*change)(void))
{
    struct rig rig;
    struct memory_store store;
    pthread_t thread;
    enter(&rig);
    put_file("late/a.h", "1");
    remove_file("a.h");
    memory_store_open(&store);
    restart(&rig, &store);
    dnnl_cache_program_desc_t desc =
            describe_now(&rig, includes_a, "-Iearly -Ilate");
    struct creation creation = {desc, &store};
    fake_opencl_block_builds(true);
    ASSERT_EQ(0, pthread_create(&thread, NULL, create_meanwhile, &creation));
    EXPECT_TRUE(fake_opencl_wait_for_blocked_builds(1));
    change();
    fake_opencl_block_builds(false);
    pthread_join(thread, NULL);
    EXPECT_EQ(2, fake_opencl_source_builds());
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    rig_close(&rig);
    leave_files();
    memory_store_close(&store);
}

static void edit(void)
{
    put_file("late/a.h", "2");
}

static void edit_for_a_while(void)
{
    put_file("late/a.h", "2");
    put_file("late/a.h", "1");
}

static void hide_for_a_while(void)
{
    put_file("early/a.h", "2");
    remove_file("early/a.h");
}

TEST_C(IncludeFollowing, NoticesEditsDuringABuild)
{
    change_meanwhile(edit);
}

TEST_C(IncludeFollowing, NoticesAFileThatIsAnotherForAWhile)
{
    change_meanwhile(edit_for_a_while);
}

TEST_C(IncludeFollowing, NoticesAFileThatIsThereForAWhile)
{
    change_meanwhile(hide_for_a_while);
}

/* What it read is not known. */
TEST_INSIDE(IncludeFollowing, KeepsNothingThatTheApplicationBuilt)
{
    const char *const sources[] = {includes_a, UNREAD("")};
    for (size_t i = 0; i < 2; i++) {
        dnnl_cache_program_desc_t desc = describe_now(rig, sources[i], NULL);
        cl_program cl = clCreateProgramWithSource(
                rig->context, 1, (const char **)&sources[i], NULL, NULL);
        EXPECT_EQ(CL_SUCCESS,
                clBuildProgram(cl, 1, &rig->device, "", NULL, NULL));
        dnnl_cache_program_t program = NULL;
        EXPECT_OK(dnnl_cache_program_adopt(&program, desc, cl));
        struct bytes blob = program_blob(program);
        EXPECT_EQ(i == 1, blob.size > 0);
        bytes_free(&blob);
        EXPECT_OK(dnnl_cache_program_destroy(program));
        EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
        clReleaseProgram(cl);
    }
}
