/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finalised forms that are made when nobody waits: what goes to a store, and
 * when. On a fake driver that passes for NVIDIA's, with a stand-in for its
 * assembler, whose gate (FAKE_PTX_GATE) says when a form is being made.
 */
#include "memory_store.h"
#include "programs.h"
#include "stored.h"

#include "test.h"

#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ---- The gate ------------------------------------------------------------ */

static const char *in_folder(const char *name)
{
    static char path[4096];
    (void)snprintf(path, sizeof path, "%s/%s", test_directory(), name);
    return path;
}

static void gate_make(void)
{
    ASSERT_EQ(0, mkfifo(in_folder("begun"), 0600));
    ASSERT_EQ(0, mkfifo(in_folder("go"), 0600));
    setenv("FAKE_PTX_GATE", test_directory(), 1);
}

/* Waits until a form is being made. */
static void gate_await_form(void)
{
    char byte = 0;
    const int begun = open(in_folder("begun"), O_RDONLY);
    ASSERT_EQ(1, read(begun, &byte, 1));
    close(begun);
}

/* Lets it be made. Those that come later find no gate. The other side has the
 * FIFO open: a byte stays. */
static void gate_let_go(void)
{
    unsetenv("FAKE_PTX_GATE");
    const int go = open(in_folder("go"), O_RDWR);
    ASSERT_EQ(1, write(go, "", 1));
    close(go);
    EXPECT_EQ(-1, access(in_folder("late"), F_OK));
}

/* ---- The store ----------------------------------------------------------- */

static void open_with(struct stored *x)
{
    fake_opencl_set("DRIVER_VERSION", "999.1.0");
    stored_open(x);
}

/* A copy of the only program. */
static struct memory_store_entry only_program(struct stored *x)
{
    pthread_mutex_lock(&x->store.lock);
    struct memory_store_entry e =
            memory_store_only(&x->store, dnnl_cache_blob_kind_program);
    pthread_mutex_unlock(&x->store.lock);
    return e;
}

/* The forms in it. */
static uint32_t forms(struct stored *x)
{
    dnnl_cache_blob_info_t info = DNNL_CACHE_BLOB_INFO_INIT;
    struct memory_store_entry e = only_program(x);
    EXPECT_OK(dnnl_cache_blob_inspect(e.blob.size, e.blob.data, &info));
    bytes_free(&e.id);
    bytes_free(&e.blob);
    return info.finalised_count;
}

static dnnl_cache_program_t build_captured(struct stored *x)
{
    dnnl_cache_program_t program = build(x->rig.engine, scale_source, "-DA=1");
    EXPECT_OK(dnnl_cache_program_capture(program));
    return program;
}

static void destroy(dnnl_cache_program_t program)
{
    EXPECT_OK(dnnl_cache_program_destroy(program));
}

static void detach(struct stored *x)
{
    EXPECT_OK(dnnl_cache_engine_set_store(x->rig.engine, NULL));
}

/* The thread is not in the store afterwards. */
static void close_with(struct stored *x)
{
    if (x->rig.engine != NULL) detach(x);
    stored_close(x);
}

#define TEST_FORMS(suite, name) \
    TEST_WITH(suite, name, struct stored, x, open_with(x), close_with(x))

/* Waits for the thread, which the application need not know of. */
static void await_forms(struct stored *x)
{
    static const struct timespec moment = {0, 5000000};
    for (int i = 0; i < 2000 && forms(x) == 0; i++)
        nanosleep(&moment, NULL);
    EXPECT_EQ(1, forms(x));
}

/* An entry without a form, as a process leaves that was killed. */
static void put_plain(struct stored *x)
{
    gate_make();
    destroy(build_captured(x));
    EXPECT_EQ(0, forms(x));
    gate_await_form();
    struct memory_store_entry e = only_program(x);
    gate_let_go();
    stored_restart(x);
    memory_store_set(&x->store, &e.id, &e.blob);
    bytes_free(&e.id);
    bytes_free(&e.blob);
    EXPECT_EQ(0, forms(x));
}

/* ---- When it is made ----------------------------------------------------- */

TEST_FORMS(FormsLater, FollowTheEntry)
{
    gate_make();
    dnnl_cache_program_t program = build_captured(x);
    EXPECT_EQ(0, forms(x)); /* and the call has returned */
    gate_await_form();
    EXPECT_EQ(0, forms(x));
    gate_let_go();
    await_forms(x);
    destroy(program);
    stored_restart(x);
    program = build(x->rig.engine, scale_source, "-DA=1");
    EXPECT_EQ(dnnl_cache_origin_store_hit, info_of(program).origin);
    EXPECT_EQ(dnnl_cache_binary_form_finalised, info_of(program).binary_form);
    destroy(program);
}

/* The last engine's end does what is left, before the store may be closed. */
TEST_FORMS(FormsLater, AreMadeBeforeTheLastEngineIsGone)
{
    destroy(build_captured(x));
    EXPECT_EQ(0, forms(x));
    stored_restart(x);
    EXPECT_EQ(1, forms(x));
}

/* So does the program's, if it lives longer than the engine. */
TEST_C(FormsLater, OfAProgramThatOutlivesItsEngine)
{
    struct stored x;
    open_with(&x);
    dnnl_cache_program_t program = build(x.rig.engine, scale_source, "-DA=1");
    EXPECT_OK(dnnl_cache_engine_set_store(x.rig.engine, &x.store.callbacks));
    EXPECT_OK(dnnl_engine_destroy(x.rig.engine));
    destroy(program);
    const unsigned puts = x.store.puts;
    EXPECT_EQ(1, forms(&x));
    x.rig.engine = NULL;
    close_with(&x);
    EXPECT_EQ(puts, x.store.puts);
}

TEST_FORMS(FormsLater, AreMadeBeforeTheStoreIsDetached)
{
    dnnl_cache_program_t program = build_captured(x);
    EXPECT_EQ(0, forms(x));
    detach(x);
    EXPECT_EQ(1, forms(x));
    destroy(program);
}

/* A detached store is not called any more, also by the thread. */
TEST_C(FormsLater, LeaveADetachedStoreAlone)
{
    struct stored x;
    open_with(&x);
    gate_make();
    dnnl_cache_program_t program = build_captured(&x);
    gate_await_form();
    gate_let_go();
    detach(&x);
    EXPECT_EQ(1, forms(&x));
    const unsigned puts = x.store.puts;
    const unsigned gets = x.store.gets;
    destroy(program);
    close_with(&x);
    EXPECT_EQ(puts, x.store.puts);
    EXPECT_EQ(gets, x.store.gets);
}

/* What is asked for by hand is complete. */
TEST_FORMS(FormsLater, AreInABlobAtOnce)
{
    dnnl_cache_blob_info_t info = DNNL_CACHE_BLOB_INFO_INIT;
    dnnl_cache_program_t program = build_captured(x);
    EXPECT_EQ(0, forms(x));
    struct bytes blob = program_blob(program);
    EXPECT_OK(dnnl_cache_blob_inspect(blob.size, blob.data, &info));
    EXPECT_EQ(1, info.finalised_count);
    struct bytes again = program_blob(program);
    EXPECT_BYTES_EQ(blob.data, blob.size, again.data, again.size);
    destroy(program);
    detach(x);
    struct memory_store_entry e = only_program(x);
    EXPECT_BYTES_EQ(blob.data, blob.size, e.blob.data, e.blob.size);
    bytes_free(&e.id);
    bytes_free(&e.blob);
    bytes_free(&again);
    bytes_free(&blob);
}

/* ---- Of another process's entry ------------------------------------------ */

TEST_FORMS(FormsLater, AreMadeByWhoLoadsAnEntryWithoutOne)
{
    put_plain(x);
    dnnl_cache_program_t program = build(x->rig.engine, scale_source, "-DA=1");
    EXPECT_EQ(dnnl_cache_origin_store_hit, info_of(program).origin);
    EXPECT_EQ(dnnl_cache_binary_form_driver, info_of(program).binary_form);
    await_forms(x);
    destroy(program);
}

TEST_FORMS(FormsLater, AreMadeOfWhatIsPrefetched)
{
    size_t found = 0;
    put_plain(x);
    struct memory_store_entry e = only_program(x);
    const uint8_t *id = e.id.data;
    EXPECT_OK(dnnl_cache_engine_prefetch(
            x->rig.engine, 1, &e.id.size, &id, &found));
    EXPECT_EQ(1, found);
    await_forms(x);
    bytes_free(&e.id);
    bytes_free(&e.blob);
}

TEST_FORMS(FormsLater, AreNotMadeInCachedOnlyMode)
{
    put_plain(x);
    rig_set_mode(&x->rig, dnnl_cache_compile_mode_cached_only);
    destroy(build(x->rig.engine, scale_source, "-DA=1"));
    stored_restart(x);
    EXPECT_EQ(0, forms(x));
}

/* ---- What happens meanwhile ---------------------------------------------- */

/* A store that became full, or read-only: the entry stays as it is. */
TEST_FORMS(FormsLater, MayFailToBeKept)
{
    gate_make();
    destroy(build_captured(x));
    gate_await_form();
    pthread_mutex_lock(&x->store.lock);
    x->store.fail_put = dnnl_runtime_error;
    pthread_mutex_unlock(&x->store.lock);
    gate_let_go();
    stored_restart(x);
    EXPECT_EQ(0, forms(x));
    x->store.fail_put = dnnl_success;
    destroy(build(x->rig.engine, scale_source, "-DA=1")); /* who loads it */
    stored_restart(x);
    EXPECT_EQ(1, forms(x));
}

/* Where the assembler refuses, the entry stays, and is loaded. */
TEST_FORMS(FormsLater, MayBeRefused)
{
    setenv("FAKE_PTX_FAULT", "compile", 1);
    destroy(build(x->rig.engine, scale_source, "-DA=1"));
    stored_restart(x);
    unsetenv("FAKE_PTX_FAULT");
    EXPECT_EQ(0, forms(x));
}

/* ---- How many wait ------------------------------------------------------- */

/* A store of one entry, the first that it gets, which counts the others. */
struct narrow_store {
    struct memory_store_entry entry;
    atomic_uint last; /* forms in what it got last */
};

static dnnl_status_t narrow_get(void *user, size_t id_size, const uint8_t *id,
        size_t *size, const uint8_t **blob)
{
    const struct narrow_store *s = user;
    if (s->entry.id.size != id_size
            || memcmp(s->entry.id.data, id, id_size) != 0)
        return dnnl_cache_miss;
    *size = s->entry.blob.size;
    *blob = s->entry.blob.data;
    return dnnl_success;
}

static void narrow_release(void *user, size_t size, const uint8_t *blob)
{
    (void)user;
    (void)size;
    (void)blob;
}

static dnnl_status_t narrow_put(void *user, size_t id_size, const uint8_t *id,
        size_t size, const uint8_t *blob,
        const dnnl_cache_store_metadata_t *metadata)
{
    struct narrow_store *s = user;
    dnnl_cache_blob_info_t info = DNNL_CACHE_BLOB_INFO_INIT;
    (void)metadata;
    EXPECT_OK(dnnl_cache_blob_inspect(size, blob, &info));
    s->last = info.finalised_count;
    if (s->entry.id.size > 0) return dnnl_success;
    s->entry.id = bytes_copy(id, id_size);
    s->entry.blob = bytes_copy(blob, size);
    return dnnl_success;
}

/* A program more than may wait is finalised at once, as without the thread. */
TEST_C(FormsLater, WaitInALimitedNumber)
{
    enum { enough = 32, most = 1024 };
    struct rig rig;
    struct narrow_store narrow = {.last = 0};
    dnnl_cache_store_t store = DNNL_CACHE_STORE_INIT;
    store.user = &narrow;
    store.get = narrow_get;
    store.release = narrow_release;
    store.put = narrow_put;
    fake_opencl_set("DRIVER_VERSION", "999.1.0");
    rig_open(&rig, 0);
    EXPECT_OK(dnnl_cache_engine_set_store(rig.engine, &store));
    gate_make();
    /* The first one is being made, and the others wait. */
    for (int i = 0; i <= most + 1; i++) {
        char options[32];
        (void)snprintf(options, sizeof options, "-DN=%d", i);
        dnnl_cache_program_t program = build(rig.engine, scale_source, options);
        EXPECT_OK(dnnl_cache_program_capture(program));
        destroy(program);
        EXPECT_EQ(i <= most ? 0 : 1, narrow.last);
        if (i == enough) {
            gate_await_form();
            unsetenv("FAKE_PTX_GATE");
        }
    }
    gate_let_go();
    rig_close(&rig);
    bytes_free(&narrow.entry.id);
    bytes_free(&narrow.entry.blob);
}

/* ---- The end of a process ------------------------------------------------ */

/* What the client's store got. */
static void run_client(const char *way, const char *expected, int status)
{
    char command[8192];
    char text[256];
    /* The client leaves its objects to the end, which is not what is tested. */
    (void)snprintf(command, sizeof command,
            "FAKE_OPENCL_DRIVER_VERSION=999.1.0 ASAN_OPTIONS=detect_leaks=0 "
            "exec '%s' %s",
            FORMS_CLIENT, way);
    FILE *out = popen(command, "r");
    ASSERT_NOT_NULL(out);
    const size_t size = fread(text, 1, sizeof text - 1, out);
    text[size] = '\0';
    EXPECT_EQ(status, pclose(out));
    EXPECT_STR_EQ(expected, text);
}

TEST_C(FormsLater, AreMadeBeforeTheProcessEnds)
{
    run_client("main", "0\n1\n", 0);
}

TEST_C(FormsLater, AreWaitedForWhenTheProcessEndsInsideOne)
{
    gate_make();
    run_client("inside", "0\n1\n", 0);
    unsetenv("FAKE_PTX_GATE");
}

/* No driver is called while another thread takes the process down. */
TEST_C(FormsLater, AreLeftIfAnotherThreadEndsTheProcess)
{
    run_client("thread", "0\n", 0);
}

TEST_C(FormsLater, AreNotAChildsToMake)
{
    run_client("fork", "0\n1\n", 0);
}

TEST_C(FormsLater, AreLeftByAProcessThatIsKilled)
{
    run_client("kill", "0\n", SIGKILL);
}
